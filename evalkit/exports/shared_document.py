"""Every Eval Ever: one document for each system and run, and its rows beside it."""

from __future__ import annotations

import hashlib
import json
import math
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from evalkit import __version__
from evalkit.errors import ArgumentError, FileMissingError
from evalkit.exports.sample_rows import SampleTexts, sample_rows
from evalkit.exports.uncertainty import score_details
from evalkit.records.schema import Records
from evalkit.results import Estimate, json_value

__all__ = ["EveryEvalEver", "Relationship", "every_eval_ever"]

Relationship = Literal["first_party", "third_party", "collaborative", "other"]
_RELATIONSHIPS = ("first_party", "third_party", "collaborative", "other")
_SCHEMA = "0.2.1"
_UNIT = (0.0, 1.0)
_GROUPS = frozenset({"system", "verifier"})


@dataclass(frozen=True, slots=True, kw_only=True)
class EveryEvalEver:
    """A document and its rows.

    Attributes
    ----------
    document : mapping
        The aggregate: model, source, and each metric with its uncertainty.
    samples : tuple of mapping
        One row for each scored record.
    name : str
        Name of the two files, a UUID that follows from the evaluation's id.
    notes : tuple of str
        What the schema cannot hold, and was left out.
    """

    document: Mapping[str, Any]
    samples: tuple[Mapping[str, Any], ...]
    name: str
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the document as JSON-safe values."""
        found: dict[str, Any] = json_value(self.document)
        return found

    def lines(self) -> bytes:
        """Return the rows as JSON Lines."""
        encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False).encode
        return b"".join(encode(row).encode() + b"\n" for row in self.samples)

    def write(self, folder: str | Path) -> tuple[Path, Path]:
        """Write ``NAME.json`` and ``NAME_samples.jsonl`` into a folder.

        Returns
        -------
        tuple of Path
            The document and the rows.

        Raises
        ------
        FileMissingError
            The folder does not exist.
        """
        target = Path(folder)
        if not target.is_dir():
            raise FileMissingError(f"{target}: there is no such folder; make it first")
        rows = target / f"{self.name}_samples.jsonl"
        document = target / f"{self.name}.json"
        rows.write_bytes(self.lines())
        text = json.dumps(self.to_dict(), indent=2, ensure_ascii=True, allow_nan=False)
        document.write_text(text + "\n", encoding="utf-8")
        return document, rows


def every_eval_ever(
    records: Records,
    estimates: Iterable[Estimate],
    *,
    name: str,
    organization: str,
    relationship: Relationship = "other",
    system: str | None = None,
    model: str | None = None,
    url: str | None = None,
    texts: SampleTexts | None = None,
    lower_is_better: bool = False,
    correct_from: float | None = None,
    retrieved: float | None = None,
) -> EveryEvalEver:
    """Turn the estimates and records of one system into an Every Eval Ever document.

    Parameters
    ----------
    records : Records
        What was read.
    estimates : iterable of Estimate
        From `evalkit.estimate`, over all rows or by ``system``, ``verifier`` or both.
    name : str
        Name of the evaluation, as of the benchmark.
    organization : str
        Who publishes the data.
    relationship : {"first_party", "third_party", "collaborative", "other"}
        Of the evaluator to the model.
    system : str, optional
        System to export; needed where the records hold several.
    model : str, optional
        Id of the model, like ``org/name``; the name of the system by default.
    url : str, optional
        Where the items come from; without it they are private.
    texts : SampleTexts, optional
        Columns that hold inputs, outputs and references.
    lower_is_better : bool
        Whether a lower score is better.
    correct_from : float, optional
        Score from which a row counts as correct; by default the top of the scale.
    retrieved : float, optional
        Seconds since 1970 to stamp the document with; the present by default.

    Returns
    -------
    EveryEvalEver

    Raises
    ------
    ArgumentError
        The system is not among the records, or several are and none is named; the estimates are
        of other groups; or scores beyond [0, 1] have no declared range.

    Notes
    -----
    Fields follow version 0.2.1 of the schema. It has no place for a score that is undefined or for
    a row without one: such metrics and rows are left out, and the counts of attempted and errored
    rows and the bounds that they allow stand among the details of the score. A standard error or
    interval that is undefined is absent, never 0.

    References
    ----------
    https://github.com/evaleval/every_eval_ever

    Examples
    --------
    >>> import evalkit, pandas as pd
    >>> frame = pd.DataFrame({"id": ["a", "b", "c"], "correct": [1, 0, None]})
    >>> records = evalkit.read(frame, system="S")
    >>> found = every_eval_ever(records, evalkit.estimate(records), name="bench",
    ...                         organization="lab", retrieved=0)
    >>> found.document["evaluation_results"][0]["score_details"]["score"], len(found.samples)
    (0.5, 2)
    """
    if relationship not in _RELATIONSHIPS:
        raise ArgumentError(
            f"`relationship` is {relationship!r}; allowed are {', '.join(_RELATIONSHIPS)}"
        )
    who = _system(records, system)
    chosen = _chosen(estimates, who)
    scores = _scores(records, who)
    low, high = _range(records, scores)
    stamp = time.time() if retrieved is None else retrieved
    identity = f"{name}/{model or who}/{stamp:.0f}"
    notes: list[str] = []
    rows = sample_rows(
        records,
        system=who,
        base={"evaluation_id": identity, "model_id": model or who, "evaluation_name": name},
        texts=texts or SampleTexts(),
        correct=_correct(correct_from, low, high, lower_is_better=lower_is_better),
        lower_is_better=lower_is_better,
        notes=notes,
    )
    metric = _metric(scores, low, high, lower_is_better=lower_is_better)
    results = [
        {
            "evaluation_name": _label(name, estimate),
            "source_data": _source(name, url),
            "metric_config": metric,
            "score_details": score_details(estimate),
        }
        for estimate in chosen
        if estimate.estimate is not None
    ]
    notes += [
        f"{_label(name, estimate)}: no score ({estimate.note}); the schema cannot hold it"
        for estimate in chosen
        if estimate.estimate is None
    ]
    file = str(uuid.uuid5(uuid.NAMESPACE_URL, identity))
    found = EveryEvalEver(
        document={
            "schema_version": _SCHEMA,
            "evaluation_id": identity,
            "retrieved_timestamp": f"{stamp:.0f}",
            "source_metadata": {
                "source_type": "evaluation_run",
                "source_organization_name": organization,
                "evaluator_relationship": relationship,
            },
            "eval_library": {"name": "evalkit", "version": __version__},
            "model_info": {"name": who, "id": model or who},
            "evaluation_results": results,
        },
        samples=tuple(rows),
        name=file,
        notes=tuple(notes),
    )
    return replace(found, document={**found.document, **_detailed(found)})


def _detailed(found: EveryEvalEver) -> dict[str, Any]:
    """Return the reference from the document to the file of rows."""
    return {
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": f"{found.name}_samples.jsonl",
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(found.lines()).hexdigest(),
            "total_rows": len(found.samples),
        }
    }


def _metric(
    scores: set[float], low: float, high: float, *, lower_is_better: bool
) -> dict[str, Any]:
    binary = scores <= set(_UNIT)
    return {
        "lower_is_better": lower_is_better,
        "score_type": "binary" if binary else "continuous",
        "min_score": low,
        "max_score": high,
    }


def _source(name: str, url: str | None) -> dict[str, Any]:
    if url is None:
        return {"dataset_name": name, "source_type": "other"}
    return {"dataset_name": name, "source_type": "url", "url": [url]}


def _system(records: Records, system: str | None) -> str:
    there = sorted(set(records.frame["system"]))
    if system is None and len(there) == 1:
        return str(there[0])
    if system not in there:
        listed = ", ".join(map(repr, there)) or "none"
        raise ArgumentError(f"`system` is {system!r}; the records hold {listed}")
    return str(system)


def _chosen(estimates: Iterable[Estimate], system: str) -> list[Estimate]:
    found = []
    for estimate in estimates:
        if set(estimate.by) - _GROUPS:
            raise ArgumentError(
                f"`estimates` are by {', '.join(estimate.by)}; the document holds metrics of one "
                "system: estimate by system, verifier or both"
            )
        if estimate.by.get("system", system) == system:
            found.append(estimate)
    if not found:
        raise ArgumentError(f"`estimates` hold none of {system!r}")
    return found


def _label(name: str, estimate: Estimate) -> str:
    verifier = estimate.by.get("verifier")
    return f"{name}/{verifier}" if verifier else name


def _scores(records: Records, system: str) -> set[float]:
    frame = records.frame
    held = frame.loc[(frame["system"] == system) & (frame["status"] == "scored"), "score"]
    return {float(score) for score in held.unique()}


def _range(records: Records, scores: set[float]) -> tuple[float, float]:
    if records.score_range is not None:
        return records.score_range
    if all(0 <= score <= 1 for score in scores):
        return _UNIT
    outside = next(score for score in sorted(scores) if not 0 <= score <= 1)
    raise ArgumentError(
        f"`records` hold the score {outside:g} and no declared range, which the schema needs; "
        "read them with `score_range`"
    )


def _correct(threshold: float | None, low: float, high: float, *, lower_is_better: bool) -> float:
    value = (low if lower_is_better else high) if threshold is None else float(threshold)
    if not math.isfinite(value):
        raise ArgumentError(f"`correct_from` is {threshold!r}; it must be a finite score")
    return value
