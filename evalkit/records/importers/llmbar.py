"""LLMBar: pairs of outputs for one instruction, and results of evaluators in both orders."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evalkit.records.importers.base import (
    Imported,
    LogFormat,
    Row,
    filled,
    summarise_drops,
)
from evalkit.records.importers.benchmark_rows import first_names, flat, listed, table_rows
from evalkit.records.importers.files import Place
from evalkit.records.importers.tables import named

__all__ = ["FORMAT"]

_NAME = "llmbar"
_SWAPPED = {"1": "2", "2": "1"}
_LABELS = {"1": "A>B", "2": "B>A"}


def detects(path: Path) -> bool:
    """Whether a path is an LLMBar dataset or result, or a folder of results."""
    if path.is_dir():
        first = next(iter(sorted(path.rglob("result.json"))), path / "dataset.json")
        return detects(first) if first.is_file() else False
    return {"input", "output_1", "output_2", "label"} <= first_names(path)


def _origin(path: Path) -> dict[str, str]:
    """Return the subset and the evaluator that the folders of the benchmark name."""
    parts = path.parent.parts
    evaluator = ""
    if "evaluators" in parts:
        at = len(parts) - 1 - parts[::-1].index("evaluators")
        evaluator = "/".join(parts[at + 1 :])
        parts = parts[:at]
    known = "Dataset" in parts
    parts = parts[len(parts) - parts[::-1].index("Dataset") :] if known else parts[-1:]
    return {"subset": "/".join(parts), "grader": evaluator}


class _Reader:
    """Rows under way."""

    def __init__(self) -> None:
        self.pairs: list[Row] = []
        self.judgments: list[Row] = []
        self.drops: list[tuple[str, str]] = []
        self.unparsed: list[str] = []
        self.guessed: list[str] = []
        self.ties: list[str] = []

    def add(self, place: Place, row: Mapping[str, Any], item: str, origin: dict[str, str]) -> None:
        pair = f"{origin['subset']}/{item}"
        place = place.at(item=pair)
        label = place.text(row.get("label"), "`label`")
        if label not in _LABELS:
            raise place.fault(f"`label` is {label!r}; it must be 1 or 2")
        base = {"pair_id": pair, "subset": origin["subset"], "label": _LABELS[label]}
        if "results" not in row:
            self.pairs.append(
                {
                    **base,
                    "cluster": origin["subset"],
                    "prompt": flat(row.get("input")),
                    "response_a": flat(row.get("output_1")),
                    "response_b": flat(row.get("output_2")),
                }
            )
            return
        results = place.listing(row["results"], "`results`")
        last = results[-1] if results else None
        if not isinstance(last, Mapping):
            self.drops.append(("has no result of the last step", pair))
            return
        fields = self._rated(place, last) if "score_1" in last else self._chosen(place, last)
        self.judgments.append({**base, "grader": origin["grader"] or None, **fields})

    def _chosen(self, place: Place, last: Mapping[str, Any]) -> dict[str, Any]:
        winners = [_winner(place, last.get(f"swap = {swap}")) for swap in (False, True)]
        for order, winner in enumerate(winners, 1):
            if winner is None:
                self.unparsed.append(f"{place.item} (order {order})")
        one, two = winners
        shown = _SWAPPED.get(two or "")
        return {
            "decision_order1": _LABELS.get(one or ""),
            "decision_order2": _LABELS.get(shown or ""),
            "winner_orig": one,
            "winner_swap": two,
        }

    def _rated(self, place: Place, last: Mapping[str, Any]) -> dict[str, Any]:
        """Read ratings: equal ones and unreadable ones stand as two winners that contradict."""
        scores = [_rating(last.get(f"score_{side}")) for side in (1, 2)]
        winners = [_winner(place, last.get(f"swap = {swap}")) for swap in (False, True)]
        a, b = scores
        decision = shown = None
        if a is None or b is None:
            self.guessed.append(str(place.item))
        elif a == b:
            self.ties.append(str(place.item))
            decision = shown = "A=B"
        else:
            decision, shown = ("A>B", "B>A") if a > b else ("B>A", "A>B")
        return {
            "decision_order1": decision,
            "decision_order2": shown,
            "winner_orig": winners[0],
            "winner_swap": winners[1],
            "score_a": a,
            "score_b": b,
        }


def _winner(place: Place, entry: Any) -> str | None:
    """Return the winner by its original number; the results map the swapped order back."""
    found = entry.get("winner") if isinstance(entry, Mapping) else None
    winner = place.text(found, "`winner`")
    if winner is not None and winner not in _LABELS:
        raise place.fault(f"`winner` is {winner!r}; it must be 1, 2 or null")
    return winner


def _rating(entry: Any) -> int | None:
    """Return a rating as the benchmark reads it: a reply that is a whole number."""
    text = entry[0] if isinstance(entry, list) and entry else entry
    try:
        return int(str(text).strip()) if text is not None else None
    except ValueError:
        return None


def load(path: Path) -> Imported:
    """Read pairs, or the results of evaluators."""
    notes: list[str] = []
    reader = _Reader()
    files = [path]
    if path.is_dir():
        has_results = any(path.rglob("result.json"))
        files = listed(path, "result.json" if has_results else "dataset.json")
    for file in files:
        origin = _origin(file)
        for number, (place, row) in enumerate(table_rows(file, notes)):
            reader.add(place, row, str(number), origin)
    if reader.judgments:
        notes.append(
            "the results name the winner of the swapped order by its original number; "
            "`decision_order2` is put back as displayed, as `agreement` expects it"
        )
    for names, what in (
        (reader.unparsed, "judgments have no winner: judge_error, not a tie"),
        (
            reader.guessed,
            (
                "pairs have ratings that are not whole numbers; the results count them as a win "
                "for whichever is shown first, here they are missing"
            ),
        ),
        (
            reader.ties,
            (
                "pairs have equal ratings; the results count them as a win for whichever is shown "
                "second, here they are ties"
            ),
        ),
    ):
        if names:
            notes.append(f"{len(names)} {what} ({named(names)})")
    return Imported(
        format=_NAME,
        sources=tuple(map(str, files)),
        tables=filled({"judgments": reader.judgments, "pairs": reader.pairs}),
        dropped=summarise_drops(reader.drops),
        notes=tuple(notes),
    )


FORMAT = LogFormat(
    name=_NAME,
    title="LLMBar dataset.json, an evaluator's result.json, or a folder of them",
    detects=detects,
    load=load,
)
