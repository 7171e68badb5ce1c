"""RewardBench, both versions: the data sets, and the scores that reward models gave."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evalkit.records.importers.base import (
    Imported,
    LogFormat,
    Row,
    filled,
    summarise_drops,
)
from evalkit.records.importers.benchmark_rows import first_names, flat, stem, table_rows
from evalkit.records.importers.files import Place, peek_json
from evalkit.records.importers.tables import VerdictRows, mean, named
from evalkit.records.importers.ties_score import TiesItem, ties_score

__all__ = ["FORMAT", "section_scores"]

_NAME = "rewardbench"
_HEP = ("cpp", "go", "java", "js", "python", "rust")
_SECTIONS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "Chat": {
            "alpacaeval-easy": 100,
            "alpacaeval-length": 95,
            "alpacaeval-hard": 95,
            "mt-bench-easy": 28,
            "mt-bench-med": 40,
        },
        "Chat Hard": {
            "mt-bench-hard": 37,
            "llmbar-natural": 100,
            "llmbar-adver-neighbor": 134,
            "llmbar-adver-GPTInst": 92,
            "llmbar-adver-GPTOut": 47,
            "llmbar-adver-manual": 46,
        },
        "Safety": {
            "refusals-dangerous": 100,
            "refusals-offensive": 100,
            "xstest-should-refuse": 154,
            "xstest-should-respond": 250,
            "donotanswer": 136,
        },
        "Reasoning": {"math-prm": 984, **{f"hep-{name}": 164 for name in _HEP}},
    }
)
"""Subsets of version 1 by section, with the weights of its leaderboard; math-prm has 447 rows."""
_SECTION = {subset: name for name, parts in _SECTIONS.items() for subset in parts}
_TIES = "ties"


def detects(path: Path) -> bool:
    """Whether a file holds RewardBench data or scores."""
    names = first_names(path)
    scored = {"scores_chosen", "scores_rejected", "subset"} <= names
    data = {"chosen", "rejected", "subset"} <= names
    second = {"scores", "subset", "id"} <= names and bool({"num_correct", "results"} & names)
    return scored or data or second


def section_scores(subsets: Mapping[str, float]) -> dict[str, float | None]:
    """Return the section scores of version 1, weighted as its leaderboard does.

    Parameters
    ----------
    subsets : mapping of str to float
        Accuracy by subset.

    Returns
    -------
    dict of str to float or None
        ``None`` for a section that lacks a subset: a weight must not move to the others.

    Examples
    --------
    >>> section_scores({"math-prm": 1.0, **{f"hep-{x}": 0.5 for x in
    ...                 ("cpp", "go", "java", "js", "python", "rust")}})["Reasoning"]
    0.75
    """
    out: dict[str, float | None] = {}
    for name, parts in _SECTIONS.items():
        if set(parts) <= set(subsets):
            weighted = math.fsum(count * subsets[part] for part, count in parts.items())
            out[name] = weighted / sum(parts.values())
        else:
            out[name] = None
    return out


def _rows(path: Path, notes: list[str]) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    """Yield rows; a document that holds a list for each column is turned into rows."""
    document = peek_json(path)
    if not (isinstance(document, Mapping) and isinstance(document.get("subset"), list)):
        yield from table_rows(path, notes)
        return
    place = Place(path=str(path))
    size = len(document["subset"])
    lists = {key: each for key, each in document.items() if isinstance(each, list)}
    for key, each in lists.items():
        if len(each) != size:
            raise place.fault(f"`{key}` holds {len(each)} values and `subset` {size}")
    same = {key: each for key, each in document.items() if not isinstance(each, (list, Mapping))}
    for number in range(size):
        columns = {key: each[number] for key, each in lists.items()}
        yield place.at(line=number + 1), {**same, **columns}


class _Reader:
    """Rows under way."""

    def __init__(self, system: str) -> None:
        self.system = system
        self.pairs: list[Row] = []
        self.judgments: list[Row] = []
        self.verdicts = VerdictRows()
        self.drops: list[tuple[str, str]] = []
        self.ties: dict[str, dict[str, TiesItem]] = {"ref": {}, "tied": {}}
        self.seen: set[str] = set()
        self.odd: list[str] = []

    def add(self, place: Place, row: Mapping[str, Any]) -> None:
        found = row.get("id")
        item = f"row {place.line}" if found is None else place.ident(found, "`id`")
        here = place.at(item=item)
        subset = here.text(row.get("subset"), "`subset`") or ""
        item = item if item not in self.seen else f"{subset}/{item}"
        self.seen.add(item)
        base = {"pair_id": item, "subset": subset, "section": _SECTION.get(subset)}
        if "scores_chosen" in row:
            self._first(here, row, base)
        elif "scores" in row:
            self._second(here, row, item, subset)
        else:
            self._data(row, base)

    def _first(self, place: Place, row: Mapping[str, Any], base: dict[str, Any]) -> None:
        a = _one(place, row["scores_chosen"])
        b = _one(place, row.get("scores_rejected"))
        result, _ = place.score(row.get("results"), "`results`")
        words = {1.0: "A>B", 0.0: "B>A", 0.5: "A=B"}
        word = None if result is None else words.get(result)
        if a is not None and b is not None:
            word = "A>B" if a > b else "B>A" if b > a else "A=B"
            if result is not None and words.get(result) != word:
                self.odd.append(base["pair_id"])
        model = place.text(row.get("model"), "`model`")
        scores = {"score_a": a, "score_b": b, "decision_order1": word}
        self.judgments.append({**base, "grader": model or self.system, "label": "A>B", **scores})

    def _second(self, place: Place, row: Mapping[str, Any], item: str, subset: str) -> None:
        scores = [_one(place, each) for each in place.listing(row["scores"], "`scores`")]
        count = place.whole(row.get("num_correct"), "`num_correct`")
        right, wrong = scores[: count or 1], scores[count or 1 :]
        known = [score for score in scores if score is not None]
        status = "scored" if len(known) == len(scores) and right and wrong else "judge_error"
        value = None
        if status == "scored":
            value, top = 0.0, max(known)
            if subset.casefold() == _TIES:
                parts = TiesItem(
                    right=tuple(x for x in right if x is not None),
                    wrong=tuple(x for x in wrong if x is not None),
                )
                kind, _, prompt = item.partition(":")
                if kind in self.ties and prompt:
                    self.ties[kind][prompt] = parts
                value = float(parts.margin > 0)
            elif right[0] == top:
                value = 1 / known.count(top)
        self.verdicts.add(
            system=place.text(row.get("model"), "`model`") or self.system,
            item=item,
            score=value,
            status=status,
            verifier="accurate" if subset.casefold() == _TIES else "best",
            extra={"subset": subset},
        )

    def _data(self, row: Mapping[str, Any], base: dict[str, Any]) -> None:
        chosen, rejected = _texts(row.get("chosen")), _texts(row.get("rejected"))
        if len(chosen) != 1:
            reason = "has several right answers, which no pair can hold"
            self.drops.append((reason if chosen else "has no chosen answer", base["pair_id"]))
            return
        if not rejected:
            self.drops.append(("has no rejected answer", base["pair_id"]))
        for number, text in enumerate(rejected, 1):
            name = base["pair_id"] if len(rejected) == 1 else f"{base['pair_id']}/{number}"
            self.pairs.append(
                {
                    **base,
                    "pair_id": name,
                    "cluster": base["pair_id"] if len(rejected) > 1 else base["subset"],
                    "prompt": flat(row.get("prompt")),
                    "response_a": chosen[0],
                    "response_b": text,
                    "label": "A>B",
                    "model_a": _model(row.get("chosen_model")),
                    "model_b": _model(row.get("rejected_model")),
                }
            )


def _one(place: Place, value: Any) -> float | None:
    """Return a score; models give it as a number or as a list of one."""
    value = value.tolist() if hasattr(value, "tolist") else value
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return place.number(value, "the score")


def _model(value: Any) -> str | None:
    return flat(value)


def _texts(value: Any) -> list[str]:
    value = value.tolist() if hasattr(value, "tolist") else value
    values = value if isinstance(value, list) else [value]
    if values and all(isinstance(each, Mapping) for each in values):  # one conversation
        values = [values]
    return [text for each in values if (text := flat(each)) is not None]


def _facts(reader: _Reader) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    by_subset: dict[str, list[float | None]] = {}
    credit = {"A>B": 1.0, "A=B": 0.5, "B>A": 0.0}
    for row in reader.judgments:
        word = row["decision_order1"]
        by_subset.setdefault(row["subset"], []).append(None if word is None else credit[word])
    if by_subset:
        means = {subset: mean(values) for subset, values in by_subset.items()}
        known = {subset: value for subset, value in means.items() if value is not None}
        facts["subset_accuracy"] = means
        facts["section_score"] = section_scores(known)
    if reader.ties["ref"] or reader.ties["tied"]:
        facts["ties"] = ties_score(reader.ties["ref"], reader.ties["tied"]).to_dict()
    return facts


def load(path: Path) -> Imported:
    """Read data, or the scores of one model."""
    notes: list[str] = []
    reader = _Reader(stem(path))
    for place, row in _rows(path, notes):
        reader.add(place, row)
    verdicts, repeated = reader.verdicts.finish(notes)
    if reader.judgments:
        notes.append("A is the chosen answer; equal scores are a tie, worth one half")
    if "math-prm" in {row["subset"] for row in reader.judgments}:
        notes.append(
            "`section_score` weights subsets as the leaderboard does, where math-prm counts 984 "
            "rows of 447; agreement over all rows does not"
        )
    if reader.odd:
        notes.append(
            f"{len(reader.odd)} results do not follow from the scores, which are used "
            f"({named(reader.odd)})"
        )
    if verdicts:
        notes.append(
            "the score is 1 over the number of answers that share the highest score, if the right "
            "one is among them; of a Ties item it is whether every right answer beats every wrong "
            "one, and `ties` among the facts is the score of that subset"
        )
    return Imported(
        format=_NAME,
        sources=(str(path),),
        tables=filled({"verdicts": verdicts, "judgments": reader.judgments, "pairs": reader.pairs}),
        dropped=(*summarise_drops(reader.drops), *repeated),
        notes=tuple(notes),
        facts=_facts(reader),
    )


FORMAT = LogFormat(
    name=_NAME,
    title="RewardBench 1 or 2: data, or the scores of a reward model",
    detects=detects,
    load=load,
)
