"""Arena-Hard: judgments of a model against a baseline, two games with the order swapped."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evalkit.records.importers.base import Imported, LogFormat, Row, summarise_drops
from evalkit.records.importers.benchmark_rows import first_names, listed, stem, table_rows
from evalkit.records.importers.files import Place
from evalkit.records.importers.tables import named

__all__ = ["FORMAT"]

_NAME = "arena-hard"
_SCORES = ("A>>B", "A>B", "A=B", "B>A", "B>>A", "A<B", "A<<B", "B=A", "B<A", "B<<A")
_BASELINE = "baseline"


def detects(path: Path) -> bool:
    """Whether a path holds Arena-Hard judgments."""
    if path.is_dir():
        first = next(iter(sorted(path.rglob("*.jsonl"))), None)
        return first is not None and detects(first)
    names = first_names(path)
    return {"model", "judge", "games"} <= names and bool({"uid", "question_id"} & names)


def _judgment(
    place: Place, row: Mapping[str, Any], fallback: str, lost: list[str]
) -> dict[str, Any]:
    key = "uid" if row.get("uid") is not None else "question_id"
    item = place.ident(row.get(key), f"`{key}`")
    place = place.at(item=item)
    games = place.listing(row.get("games"), "`games`")
    baseline = place.text(row.get("baseline"), "`baseline`") or _BASELINE
    found: dict[str, Any] = {
        "pair_id": item,
        "judge": place.text(row.get("judge"), "`judge`"),
        "category": place.text(row.get("category"), "`category`"),
        "model_a": baseline,
        "model_b": place.text(row.get("model"), "`model`") or fallback,
    }
    for order in (1, 2):
        game = games[order - 1] if len(games) >= order else None
        score = None
        if isinstance(game, Mapping):
            score = place.text(game.get("score"), "`score`")
        score = None if score is None else score.strip().strip("[]").replace(" ", "") or None
        if score is not None and score not in _SCORES:
            raise place.fault(f"`score` is {score!r}; allowed are {', '.join(_SCORES[:5])}")
        status = "missing" if game is None else "judge_error" if score is None else "scored"
        if score is None:
            lost.append(f"{item} (game {order})")
        found[f"decision_order{order}"] = score
        found[f"status_order{order}"] = status
    return found


def load(path: Path) -> Imported:
    """Read judgments of one model, or of a folder of models."""
    notes: list[str] = []
    lost: list[str] = []
    drops: list[tuple[str, str]] = []
    rows: list[Row] = []
    files = listed(path, "*.jsonl")
    for file in files:
        for place, row in table_rows(file, notes):
            if "games" not in row:
                drops.append(("has no games", f"{file.name} line {place.line}"))
                continue
            rows.append(_judgment(place, row, stem(file), lost))
    notes.append(
        "game 1 shows the baseline first, so A is the baseline; game 2 is kept as displayed (A is "
        "the answer shown first, the model), and `agreement` flips it"
    )
    strong = sum(
        ">>" in (row[name] or "") or "<<" in (row[name] or "")
        for row in rows
        for name in ("decision_order1", "decision_order2")
    )
    if strong:
        notes.append(
            f"{strong} verdicts are strong (>>); the leaderboard counts each three times, here a "
            "verdict counts once"
        )
    if lost:
        notes.append(f"{len(lost)} games have no score: never a tie ({named(lost)})")
    if any(row["model_a"] == _BASELINE for row in rows):
        notes.append(f"rows that name no baseline call it {_BASELINE!r}")
    return Imported(
        format=_NAME,
        sources=tuple(map(str, files)),
        tables={"judgments": tuple(rows)},
        dropped=summarise_drops(drops),
        notes=tuple(notes),
    )


FORMAT = LogFormat(
    name=_NAME,
    title="Arena-Hard judgments (JSON Lines, or the folder of a judge)",
    detects=detects,
    load=load,
)
