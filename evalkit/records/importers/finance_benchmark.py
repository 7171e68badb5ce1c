"""FinanceBenchmark: assertions that a judge scored, by tag and question; null is not 0."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evalkit.records.importers.base import Dropped, Imported, LogFormat, Row
from evalkit.records.importers.benchmark_rows import listed, stem
from evalkit.records.importers.files import Place, head, jsonable, read_json
from evalkit.records.importers.tables import VerdictRows, mean, named, status_note

__all__ = ["FORMAT"]

_NAME = "finance-benchmark"
_MARKS = (b'"metadata"', b'"assertion_scores"')
_CLOSE = 1e-6
_SYSTEMS = ("model", "inference_model", "inference_deployment", "inf_run_id")


def detects(path: Path) -> bool:
    """Whether a path holds results of FinanceBenchmark."""
    if path.is_dir():
        return any(map(detects, sorted(path.glob("eval_results_*.json"))[:1]))
    if not path.is_file():
        return False
    start = head(path)
    named_so = path.name.startswith("eval_results_")
    return all(mark in start for mark in _MARKS) or (
        named_so and b'"results"' in start and b'"judge_deployment"' in start
    )


class _Reader:
    """Rows under way."""

    def __init__(self, system: str, judge: str) -> None:
        self.system, self.judge = system, judge
        self.rows = VerdictRows()
        self.differs: list[str] = []
        self.nulls = 0
        self.assertions = 0

    def add(self, place: Place, row: Mapping[str, Any]) -> None:
        key = next((k for k in ("question_id", "id", "question") if row.get(k) is not None), None)
        item = place.ident(row.get(key or "question"), "`question`")
        here = place.at(item=item)
        tags, count, nulls = self._tags(here, row.get("assertion_scores"))
        self.assertions += count
        self.nulls += nulls
        logged, _ = here.score(row.get("overall_score"), "`overall_score`")
        own = mean(tags.values())
        score = logged if own is None and not count else own
        if logged is not None and own is not None and not math.isclose(logged, own, abs_tol=_CLOSE):
            self.differs.append(f"{item[:40]!r} {logged:g} against {own:g}")
        skipped = str(row.get("skipped") or "").casefold() in {"true", "1"}
        status = "skipped" if skipped else "judge_error" if score is None else "scored"
        if status == "scored" and not 0 <= (score or 0.0) <= 1:
            status = "invalid"
        self.rows.add(
            system=self.system,
            item=item,
            score=score,
            status=status,
            verifier=self.judge,
            extra={
                "plugin": here.text(row.get("plugin"), "`plugin`"),
                "logged_score": logged,
                "assertions": count,
                "unscored_assertions": nulls,
                **{f"tag_{tag}": value for tag, value in tags.items()},
            },
        )

    def _tags(self, place: Place, found: Any) -> tuple[dict[str, float | None], int, int]:
        """Return the score of each tag, and how many assertions there are and how many null."""
        tags: dict[str, float | None] = {}
        count = nulls = 0
        for tag, assertions in place.mapping(found or {}, "`assertion_scores`").items():
            held = place.mapping(assertions or {}, f"the assertions of {tag!r}")
            scores = [place.number(each, "the assertion") for each in held.values()]
            tags[str(tag)] = mean(scores)
            count += len(scores)
            nulls += scores.count(None)
        return tags, count, nulls


def load(path: Path) -> Imported:
    """Read one file of results, or a folder of them."""
    notes: list[str] = []
    drops: list[Dropped] = []
    verdicts: list[Row] = []
    facts: dict[str, Any] = {}
    files = listed(path, "eval_results_*.json")
    for file in files:
        place = Place(path=str(file))
        document = place.mapping(read_json(file), "the document")
        metadata = document.get("metadata")
        about = metadata if isinstance(metadata, Mapping) else {}
        named_in = next((about[key] for key in _SYSTEMS if about.get(key)), None)
        system = stem(file) if named_in is None else place.ident(named_in, "the run")
        judge = place.text(about.get("judge_deployment"), "`judge_deployment`") or ""
        reader = _Reader(system, judge)
        for number, row in enumerate(place.listing(document.get("results"), "`results`"), 1):
            here = place.at(item=f"result {number}")
            reader.add(here, here.mapping(row, "the result"))
        rows, repeated = reader.rows.finish(notes)
        verdicts += rows
        drops += repeated
        facts[system] = jsonable({"metadata": about, "summary": document.get("summary")})
        notes += _told(reader, system)
    notes += status_note(verdicts, counted_as="")
    return Imported(
        format=_NAME,
        sources=tuple(map(str, files)),
        tables={"verdicts": tuple(verdicts)},
        dropped=tuple(drops),
        notes=tuple(notes),
        facts=facts,
    )


def _told(reader: _Reader, system: str) -> list[str]:
    notes = []
    if reader.nulls:
        notes.append(
            f"{system}: {reader.nulls} of {reader.assertions} assertions have no score; they are "
            "left out of their tag, not counted as 0"
        )
    if reader.differs:
        notes.append(
            f"{system}: {len(reader.differs)} overall scores are not the mean of their tags, which "
            f"is used ({named(reader.differs)})"
        )
    return notes


FORMAT = LogFormat(
    name=_NAME,
    title="FinanceBenchmark eval_results_*.json, or a folder of them",
    detects=detects,
    load=load,
)
