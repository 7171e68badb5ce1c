"""Samples of an Inspect log: one verdict for each scorer and epoch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evalkit.records.importers.files import Ids, Place
from evalkit.records.importers.tables import VerdictRows
from evalkit.records.values import CellError, NestedCellError, plain_text, score_value

__all__ = ["LogRows", "Sample", "read_sample"]

_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_MOST_METADATA, _LONGEST = 40, 200
_LATE = frozenset({"time", "working"})

Value = tuple[float | None, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One sample in one epoch.

    Attributes
    ----------
    item, epoch : str
        Which.
    values : mapping of str to (float or None, str)
        Score and status by scorer, ``scorer/key`` where a scorer gives several values.
    status : str
        ``infra`` or ``timeout`` where the sample failed, else ``scored``.
    labels : tuple of str
        Texts that are no scores.
    metadata : mapping of str to str
        Single values of the sample's metadata.
    limit : str or None
        Limit that ended it.
    """

    item: str
    epoch: str
    values: Mapping[str, Value] = field(default_factory=dict)
    status: str = "scored"
    labels: tuple[str, ...] = ()
    metadata: Mapping[str, str | None] = field(default_factory=dict)
    limit: str | None = None


def read_sample(raw: Mapping[str, Any], place: Place, ids: Ids) -> Sample:
    """Read a sample, or its summary.

    Raises
    ------
    InputError
        It has no id, or its scores are no object.
    """
    item = ids.take(raw.get("id"), place, "the sample id")
    here = place.at(item=item)
    epoch = here.whole(raw.get("epoch"), "`epoch`")
    labels: list[str] = []
    values: dict[str, Value] = {}
    scores = raw.get("scores")
    if scores is None and raw.get("score") is not None:  # logs of the first version
        scores = {"score": raw["score"]}
    for scorer, score in here.mapping({} if scores is None else scores, "`scores`").items():
        value = score.get("value") if isinstance(score, Mapping) else score
        _spread(scorer, value, values, labels)
    limit = raw.get("limit")
    kind = limit.get("type") if isinstance(limit, Mapping) else limit
    return Sample(
        item=item,
        epoch=str(1 if epoch is None else epoch),
        values=values,
        status=_status(raw.get("error")),
        labels=tuple(labels),
        metadata=_metadata(raw.get("metadata")),
        limit=here.text(kind, "`limit`"),
    )


def _status(error: Any) -> str:
    if not error:
        return "scored"
    text = str(error.get("message") if isinstance(error, Mapping) else error).casefold()
    return "timeout" if "timed out" in text or "timeout" in text else "infra"


def _spread(name: str, value: Any, values: dict[str, Value], labels: list[str]) -> None:
    """Take a value, or each part of one that is an object or a list."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            values[f"{name}/{key}"] = _value(part, labels)
    elif isinstance(value, list):
        for position, part in enumerate(value):
            values[f"{name}/{position}"] = _value(part, labels)
    else:
        values[name] = _value(value, labels)


def _value(value: Any, labels: list[str]) -> Value:
    """Return a score; what is missing or NaN was not scored."""
    if isinstance(value, str) and value.strip() in _LETTERS:
        return _LETTERS[value.strip()], "scored"
    try:
        found = score_value(value)
    except CellError:
        labels.append(str(value)[:60])
        return None, "invalid"
    if math.isnan(found):
        return None, "missing"
    return (found, "scored") if math.isfinite(found) else (None, "invalid")


def _metadata(value: Any) -> dict[str, str | None]:
    if not isinstance(value, Mapping):
        return {}
    found: dict[str, str | None] = {}
    for key, cell in value.items():
        try:
            text = plain_text(cell)
        except NestedCellError:
            continue
        if len(found) < _MOST_METADATA and (text is None or len(text) <= _LONGEST):
            found[f"metadata_{key}"] = text
    return found


@dataclass(slots=True, kw_only=True)
class LogRows:
    """One log on its way to verdicts.

    Attributes
    ----------
    system, task : str
        Model and task.
    samples : list of Sample
        All samples.
    facts : dict
        What the log says of itself.
    absent : list of (str, str)
        Planned samples (id, epoch) that are not there.
    """

    system: str
    task: str
    samples: list[Sample]
    facts: dict[str, Any]
    absent: list[tuple[str, str]] = field(default_factory=list)

    @property
    def labels(self) -> set[str]:
        """Texts that are no scores."""
        return {label for sample in self.samples for label in sample.labels}

    def plan(self, ids: Sequence[str], epochs: int, notes: list[str]) -> None:
        """Find the planned samples that are not there."""
        if not ids:
            return
        there = {(sample.item, sample.epoch) for sample in self.samples}
        wanted = [
            (item, str(epoch)) for item in dict.fromkeys(ids) for epoch in range(1, epochs + 1)
        ]
        self.absent = [each for each in wanted if each not in there]
        if self.absent:
            notes.append(
                f"{len(wanted) - len(self.absent)} of {len(wanted)} planned samples are there; "
                f"{len(self.absent)} are missing"
            )

    def add_to(self, rows: VerdictRows, *, prefix: str) -> None:
        """Add a row for each sample and scorer; a sample that failed gets one for every scorer."""
        scorers = list(dict.fromkeys(name for s in self.samples for name in s.values)) or [""]
        for sample in self.samples:
            for scorer in scorers:
                score, status = _outcome(sample, scorer)
                rows.add(
                    system=self.system,
                    item=prefix + sample.item,
                    attempt=sample.epoch,
                    verifier=scorer,
                    score=score,
                    status=status,
                    extra={"task": self.task, "limit": sample.limit, **sample.metadata},
                )
        for item, epoch in self.absent:
            for scorer in scorers:
                rows.add(
                    system=self.system,
                    item=prefix + item,
                    attempt=epoch,
                    verifier=scorer,
                    score=None,
                    extra={"task": self.task},
                )


def _outcome(sample: Sample, scorer: str) -> Value:
    if sample.status != "scored":
        return None, sample.status
    found = sample.values.get(scorer)
    if found is not None and found[1] != "missing":
        return found
    return None, "timeout" if sample.limit in _LATE else "missing"
