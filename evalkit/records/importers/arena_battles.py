"""Battles of two models: arena votes, and MT-Bench judgments pairwise or single."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evalkit.records.importers.base import (
    Imported,
    LogFormat,
    Row,
    filled,
    summarise_drops,
)
from evalkit.records.importers.benchmark_rows import first_names, flat, table_rows
from evalkit.records.importers.files import Place
from evalkit.records.importers.tables import VerdictRows, named, status_note

__all__ = ["FORMAT"]

_NAME = "arena-battles"
_WORDS = {"model_1": "A", "model_2": "B", "tie": "tie", "error": None}
_DISPLAYED = {"A": "B", "B": "A", "tie": "tie", None: None}
_VOTES = {"model_a", "model_b", "tie", "tie (bothbad)", "bothbad"}
_PAIRWISE = {"model_1", "model_2", "g1_winner", "g2_winner"}
_SINGLE = {"question_id", "model", "judge", "score"}


def detects(path: Path) -> bool:
    """Whether a file holds battles or MT-Bench judgments."""
    names = first_names(path)
    return {"model_a", "model_b", "winner"} <= names or any(
        map(names.issuperset, (_PAIRWISE, _SINGLE))
    )


class _Reader:
    """Rows under way."""

    def __init__(self) -> None:
        self.battles: list[dict[str, Any]] = []
        self.verdicts = VerdictRows()
        self.drops: list[tuple[str, str]] = []
        self.errors: list[str] = []
        self.bad: list[str] = []
        self.unknown: dict[str, int] = {}

    def add(self, place: Place, row: Mapping[str, Any]) -> None:
        if "winner" in row:
            self._vote(place, row)
        elif "g1_winner" in row:
            self._pairwise(place, row)
        elif "score" in row:
            self._single(place, row)
        else:
            self.drops.append(("has no winner and no score", f"line {place.line}"))

    def _vote(self, place: Place, row: Mapping[str, Any]) -> None:
        one, two = (place.text(row.get(name), f"`{name}`") for name in ("model_a", "model_b"))
        if not one or not two or one == two:
            self.drops.append(("does not name two models", f"line {place.line}"))
            return
        winner = place.text(row.get("winner"), "`winner`")
        item = _item(place, row)
        if winner is not None and "both" in winner.casefold():
            self.bad.append(item)
        elif winner is None:
            self.errors.append(item)
        elif winner not in _VOTES:
            self.unknown[winner] = self.unknown.get(winner, 0) + 1
        self.battles.append(
            {
                "pair_id": item,
                "judge": _judge(row),
                "model_a": one,
                "model_b": two,
                "winner": winner,
                **_more(place, row, ("turn", "language", "tstamp")),
            }
        )

    def _pairwise(self, place: Place, row: Mapping[str, Any]) -> None:
        item = _item(place, row)
        here = place.at(item=item)
        one, two = (here.text(row.get(name), f"`{name}`") for name in ("model_1", "model_2"))
        words = []
        for name in ("g1_winner", "g2_winner"):
            word = here.text(row.get(name), f"`{name}`")
            if word is not None and word not in _WORDS:
                raise here.fault(f"`{name}` is {word!r}; allowed are {', '.join(_WORDS)}")
            words.append(_WORDS.get(word or "error"))
            if words[-1] is None:
                self.errors.append(f"{item} ({name})")
        self.battles.append(
            {
                "pair_id": f"{item}/{one}/{two}",
                "judge": _judge(row),
                "model_a": one,
                "model_b": two,
                "winner": _agreed(words),
                "decision_order1": words[0],
                "decision_order2": _DISPLAYED[words[1]],
                **_more(here, row, ("turn",)),
            }
        )

    def _single(self, place: Place, row: Mapping[str, Any]) -> None:
        item = _item(place, row)
        here = place.at(item=item)
        score, status = here.score(row.get("score"), "`score`")
        if score == -1:
            score, status = None, "judge_error"
        self.verdicts.add(
            system=here.text(row.get("model"), "`model`") or "",
            item=item,
            score=score,
            status="judge_error" if status == "missing" else status,
            verifier=_judge(row),
            extra=_more(here, row, ("turn",)),
        )


def _item(place: Place, row: Mapping[str, Any]) -> str:
    key = next((k for k in ("question_id", "battle_id", "id") if row.get(k) is not None), None)
    item = f"battle {place.line}" if key is None else place.ident(row[key], f"`{key}`")
    turn = row.get("turn")
    return item if turn is None or "conversation_id" in row else f"{item}/turn {turn}"


def _judge(row: Mapping[str, Any]) -> str:
    judge = row.get("judge", row.get("judge_hash"))
    if isinstance(judge, list):
        return "/".join(str(flat(each)) for each in judge)
    return flat(judge) or ""


def _more(place: Place, row: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: place.text(row[name], f"`{name}`") for name in names if name in row}


def _agreed(words: list[str | None]) -> str | None:
    """Return what both games say; a tie where they contradict, as the benchmark counts it."""
    if None in words:
        return None
    word = words[0] if words[0] == words[1] else "tie"
    return {"A": "model_a", "B": "model_b"}.get(str(word), "tie")


def _unique(battles: list[dict[str, Any]], notes: list[str]) -> tuple[Row, ...]:
    """Give numbers to battles that one judge has under one id."""
    seen: dict[tuple[str, str], int] = {}
    out = []
    for row in battles:
        key = (row["judge"], row["pair_id"])
        seen[key] = seen.get(key, 0) + 1
        fresh = row["pair_id"] if seen[key] == 1 else f"{row['pair_id']}#{seen[key]}"
        out.append({**row, "pair_id": fresh, "question": row["pair_id"]})
    repeated = [pair for (_, pair), count in seen.items() if count > 1]
    if repeated:
        notes.append(
            f"{len(repeated)} ids stand for several battles of one judge and are numbered ID#2, "
            f"ID#3 ({named(repeated)}); `question` keeps the id, to cluster by"
        )
    return tuple(out)


def load(path: Path) -> Imported:
    """Read battles, or judgments of single answers."""
    notes: list[str] = []
    reader = _Reader()
    for place, row in table_rows(path, notes):
        reader.add(place, row)
    verdicts, repeated = reader.verdicts.finish(notes)
    battles = _unique(reader.battles, notes)
    if reader.bad:
        notes.append(
            f"{len(reader.bad)} votes are 'tie (bothbad)', kept as written: `rank` and `agreement` "
            "count them as missing unless they are rewritten as `tie` "
            f"({named(reader.bad)})"
        )
    if reader.errors:
        notes.append(f"{len(reader.errors)} outcomes are missing or errors, never ties")
    if reader.unknown:
        notes.append(f"winners that are not understood: {named(list(map(repr, reader.unknown)))}")
    if any("decision_order1" in row for row in battles):
        notes.append(
            "`winner` is the model that won both games, a tie where they contradict; "
            "`decision_order2` is as displayed, with B shown first"
        )
    notes += status_note(verdicts, counted_as="a score of -1") if verdicts else []
    return Imported(
        format=_NAME,
        sources=(str(path),),
        tables=filled({"verdicts": verdicts, "judgments": battles}),
        dropped=(*summarise_drops(reader.drops), *repeated),
        notes=tuple(notes),
    )


FORMAT = LogFormat(
    name=_NAME,
    title="arena battles (model_a, model_b, winner), or MT-Bench judgments",
    detects=detects,
    load=load,
)
