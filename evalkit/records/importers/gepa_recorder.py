"""A recorder to hand to GEPA as a callback: validation scores item by item, and every decision."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from evalkit.errors import ArgumentError
from evalkit.records.importers.base import Imported, Row, TableKind
from evalkit.records.importers.files import Place
from evalkit.records.importers.gepa_model import (
    GepaCandidate,
    GepaRun,
    candidate_artifact,
    identical_notes,
    parents_of,
    scores_by_id,
    to_verdicts,
)
from evalkit.records.importers.tables import Decision, VerdictRows, history_row

__all__ = ["GepaRecorder"]

_PLACE = Place(path="GEPA callback")


class GepaRecorder:
    """Records a GEPA run while it goes on; pass it in ``callbacks=[recorder]``.

    Parameters
    ----------
    run : str
        Name of the run, in the label column of the history.

    Notes
    -----
    It only observes. Each method takes the one event mapping that GEPA hands to its callbacks.
    A rejected candidate has mini-batch scores and no validation score, so its round has the
    recorded decision and no score. Nothing of GEPA is imported.

    Examples
    --------
    >>> recorder = GepaRecorder(run="demo")
    >>> recorder.on_valset_evaluated(
    ...     {"iteration": 0, "candidate_idx": 0, "scores_by_val_id": {0: 1.0, 1: 0.0}}
    ... )
    >>> recorder.on_candidate_rejected(
    ...     {"iteration": 1, "old_score": 2.0, "new_score": 1.0, "reason": "not better"}
    ... )
    >>> [(row["round"], row["score"], row["decision"]) for row in recorder.history()]
    [(0, 0.5, None), (1, None, 'reject')]
    """

    def __init__(self, *, run: str = "gepa") -> None:
        self.run = run
        self._candidates: dict[int, GepaCandidate] = {}
        self._events: list[dict[str, Any]] = []
        self._calls: int | None = None

    def on_valset_evaluated(self, event: Mapping[str, Any]) -> None:
        """Take the validation scores of a candidate, item by item."""
        index = self._number(event, "candidate_idx")
        place = _PLACE.at(item=f"candidate {index}")
        self._candidates[index] = GepaCandidate(
            index=index,
            artifact=candidate_artifact(event.get("candidate")),
            parents=parents_of(list(event.get("parent_ids") or ()), place),
            scores=scores_by_id(event.get("scores_by_val_id"), "`scores_by_val_id`", place),
            average=place.number(event.get("average_score"), "`average_score`"),
        )

    def on_candidate_accepted(self, event: Mapping[str, Any]) -> None:
        """Take an accepted proposal."""
        index = self._number(event, "new_candidate_idx")
        self._events.append({"accepted": index, "iteration": event.get("iteration")})

    def on_candidate_rejected(self, event: Mapping[str, Any]) -> None:
        """Take a rejected proposal, with the mini-batch scores that rejected it."""
        self._events.append(
            {
                "accepted": None,
                "iteration": event.get("iteration"),
                "minibatch_before": _PLACE.number(event.get("old_score"), "`old_score`"),
                "minibatch_after": _PLACE.number(event.get("new_score"), "`new_score`"),
                "reason": _PLACE.text(event.get("reason"), "`reason`"),
            }
        )

    def on_merge_accepted(self, event: Mapping[str, Any]) -> None:
        """Take an accepted merge, unless it was reported as an accepted candidate as well."""
        index = self._number(event, "new_candidate_idx")
        if not any(each["accepted"] == index for each in self._events):
            self._events.append({"accepted": index, "iteration": event.get("iteration")})

    def on_merge_rejected(self, event: Mapping[str, Any]) -> None:
        """Take a rejected merge."""
        reason = _PLACE.text(event.get("reason"), "`reason`")
        self._events.append(
            {"accepted": None, "iteration": event.get("iteration"), "reason": reason}
        )

    def on_budget_updated(self, event: Mapping[str, Any]) -> None:
        """Take the number of metric calls so far."""
        self._calls = _PLACE.whole(event.get("metric_calls_used"), "`metric_calls_used`")

    @staticmethod
    def _number(event: Mapping[str, Any], key: str) -> int:
        found = _PLACE.whole(event.get(key), f"`{key}`")
        if found is None:
            raise _PLACE.fault(f"the event has no `{key}`")
        return found

    def history(self) -> tuple[Row, ...]:
        """Return one row a proposal so far, the seed first."""
        seed = self._candidates.get(0)
        best = None if seed is None else seed.value
        rows = [
            history_row(
                0,
                score=best,
                decision=None,
                artifact=None if seed is None else seed.artifact,
                extra={"run": self.run},
            )
        ]
        for number, event in enumerate(self._events, 1):
            child = self._candidates.get(-1 if event["accepted"] is None else event["accepted"])
            score = None if child is None else child.value
            better = score is not None and best is not None and score > best
            word = "new best" if better else "flat"
            decision = "reject" if event["accepted"] is None else word
            if score is not None:
                best = score if best is None else max(best, score)
            extra = {key: value for key, value in event.items() if key != "accepted"}
            rows.append(
                history_row(
                    number,
                    score=score,
                    decision=cast("Decision", decision),
                    artifact=None if child is None else child.artifact,
                    extra={"run": self.run, **extra},
                )
            )
        return tuple(rows)

    def imported(self) -> Imported:
        """Return the tables recorded so far, as an importer would."""
        run = GepaRun(candidates=dict(sorted(self._candidates.items())), total=self._calls)
        notes: list[str] = []
        rows = VerdictRows()
        to_verdicts(run, rows)
        verdicts, dropped = rows.finish(notes)
        tables: dict[TableKind, tuple[Row, ...]] = {
            "verdicts": verdicts,
            "history": self.history(),
        }
        return Imported(
            format="gepa",
            sources=("GEPA callback",),
            tables=tables,
            dropped=dropped,
            notes=(*notes, *identical_notes(run)),
            facts={} if self._calls is None else {"total_metric_calls": self._calls},
        )

    def write(self, path: str | os.PathLike[str], *, table: TableKind = "history") -> Path:
        """Write one of the tables; the suffix of `path` gives the format.

        Parameters
        ----------
        path : path
            JSONL, CSV or Parquet.
        table : {"history", "verdicts"}
            Which.
        """
        from evalkit.records.importers.registry import frame
        from evalkit.records.write import write

        tables = self.imported().tables
        if table not in tables:
            raise ArgumentError(f"`table` is {table!r}; the recorder holds {', '.join(tables)}")
        write(frame(tables[table]), path)
        return Path(path)
