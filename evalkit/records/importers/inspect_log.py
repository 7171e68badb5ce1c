"""Inspect logs, ``.eval`` and ``.json``: epochs as attempts, scorers apart."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalkit.errors import EvalkitError, InputError
from evalkit.records.importers.archive import Archive
from evalkit.records.importers.base import Imported, LogFormat
from evalkit.records.importers.files import Ids, Place, decode_json, head, jsonable, read_json
from evalkit.records.importers.inspect_samples import LogRows, Sample, read_sample
from evalkit.records.importers.tables import VerdictRows, named, status_note

__all__ = ["FORMAT"]

_NAME = "inspect"
_ZIP = b"PK\x03\x04"
_HEADER, _START = "header.json", "_journal/start.json"
_SUMMARIES = re.compile(r"_journal/summaries/(\d{1,9})\.json")
_MOST_PLANNED = 10_000_000


def _is_archive(path: Path) -> bool:
    if not head_raw(path).startswith(_ZIP):
        return False
    if path.suffix == ".eval":
        return True
    try:
        with Archive(path) as archive:
            return _HEADER in archive.names or _START in archive.names
    except EvalkitError:
        return False


def head_raw(path: Path) -> bytes:
    """Return the first bytes as they stand in the file."""
    try:
        with path.open("rb") as handle:
            return handle.read(8)
    except (OSError, ValueError):
        return b""


def _is_document(path: Path) -> bool:
    start = head(path).lstrip(b"\xef\xbb\xbf \r\n\t")
    keys = (b'"version"', b'"status"', b'"eval"', b'"task"')
    return start.startswith(b"{") and all(key in start for key in keys)


def _logs(path: Path) -> list[Path]:
    """Return the logs of a folder."""
    found = [each for each in sorted(path.iterdir()) if each.is_file()]
    evals = [each for each in found if each.suffix == ".eval" and _is_archive(each)]
    return evals + [each for each in found if each.suffix == ".json" and _is_document(each)]


def detects(path: Path) -> bool:
    """Whether `path` is a log, or a folder of logs."""
    if path.is_dir():
        return any(each.suffix in {".eval", ".json"} for each in path.iterdir()) and bool(
            _logs(path)
        )
    return _is_archive(path) or _is_document(path)


def load(path: Path) -> Imported:
    """Read one log, or all logs of a folder."""
    paths = _logs(path) if path.is_dir() else [path]
    if not paths:
        raise InputError("the folder holds no Inspect log", path=str(path))
    notes: list[str] = []
    logs = []
    for each in paths:
        found: list[str] = []
        logs.append(_read(each, found))
        notes += [f"{each.name}: {note}" if len(paths) > 1 else note for note in found]
    rows = VerdictRows()
    tasks = {log.task for log in logs}
    for log in logs:
        log.add_to(rows, prefix=f"{log.task}/" if len(tasks) > 1 else "")
    if len(tasks) > 1:
        notes.append(f"the logs are of {len(tasks)} tasks: items are named TASK/ID")
    verdicts, dropped = rows.finish(notes)
    notes += status_note(verdicts, counted_as="")
    facts: dict[str, Any] = logs[0].facts
    if len(logs) > 1:
        facts = {"logs": [log.facts for log in logs]}
    return Imported(
        format=_NAME,
        sources=tuple(map(str, paths)),
        tables={"verdicts": verdicts},
        dropped=dropped,
        notes=tuple(notes),
        facts=facts,
    )


FORMAT = LogFormat(
    name=_NAME,
    title="Inspect log (.eval or .json), or a folder of logs",
    detects=detects,
    load=load,
)


@dataclass(slots=True, kw_only=True)
class _Parts:
    """Header and samples of one log, from either form."""

    header: Mapping[str, Any]
    samples: list[Sample] = field(default_factory=list)


def _read(path: Path, notes: list[str]) -> LogRows:
    if head_raw(path).startswith(_ZIP):
        with Archive(path) as archive:
            parts = _from_archive(archive, path, notes)
    else:
        place = Place(path=str(path))
        document = place.mapping(read_json(path), "the document")
        parts, ids = _Parts(header=document), Ids()
        listed = document.get("samples")
        for number, each in enumerate(
            place.listing([] if listed is None else listed, "`samples`"), 1
        ):
            here = place.at(item=f"sample {number}")
            parts.samples.append(read_sample(here.mapping(each, "the sample"), place, ids))
        if listed is None:
            notes.append("the log holds no samples, only its header")
    return _log(parts, Place(path=str(path)), notes)


def _from_archive(archive: Archive, path: Path, notes: list[str]) -> _Parts:
    names = archive.names
    entry = next((name for name in (_HEADER, _START) if name in names), None)
    if entry is None:
        raise InputError(
            f"the archive holds neither {_HEADER} nor {_START}; it is no Inspect log",
            path=str(path),
        )
    if entry == _START:
        notes.append("the log has no header.json: the run did not finish, or is still going on")
    inside = Place(path=f"{path}!{entry}")
    parts = _Parts(header=inside.mapping(_member(archive, entry), "the document"))
    seen: set[tuple[str, str]] = set()
    ids = Ids()
    for name in names:
        if name.startswith("samples/") and name.endswith(".json"):
            place = Place(path=f"{path}!{name}")
            raw = place.mapping(_member(archive, name), "the sample")
            sample = read_sample(raw, place, ids)
            parts.samples.append(sample)
            seen.add((sample.item, sample.epoch))
    short = 0
    for summary, place in _summaries(archive, path):
        sample = read_sample(summary, place, ids)
        if (sample.item, sample.epoch) not in seen:
            seen.add((sample.item, sample.epoch))
            parts.samples.append(sample)
            short += 1
    if short:
        notes.append(f"{short} samples stand in the summaries only, and were read from there")
    return parts


def _member(archive: Archive, name: str) -> Any:
    return decode_json(archive.read(name), f"{archive.path}!{name}")


def _summaries(archive: Archive, path: Path) -> Iterator[tuple[Mapping[str, Any], Place]]:
    names = [name for name in archive.names if _SUMMARIES.fullmatch(name)]
    for name in [*(["summaries.json"] if "summaries.json" in archive.names else []), *names]:
        place = Place(path=f"{path}!{name}")
        for each in place.listing(_member(archive, name), "the document"):
            yield place.mapping(each, "a summary"), place


def _log(parts: _Parts, place: Place, notes: list[str]) -> LogRows:
    header = parts.header
    spec = place.mapping(header.get("eval"), "`eval`")
    model = place.text(spec.get("model"), "`model`") or "model"
    task = place.text(spec.get("task"), "`task`") or "task"
    status = place.text(header.get("status"), "`status`") or "unknown"
    if status not in {"success", "unknown"}:
        notes.append(f"the status of the log is {status!r}: it is partial")
    if header.get("invalidated"):
        notes.append("the log is marked as invalidated")
    results = header.get("results")
    if results is None:
        notes.append("the log holds no results of its own (`results` is null)")
    log = LogRows(
        system=model,
        task=task,
        samples=parts.samples,
        facts={
            "model": model,
            "task": task,
            "status": status,
            "run_id": jsonable(spec.get("run_id")),
            "metrics": _metrics(results, place),
        },
    )
    planned, epochs = _planned(spec, place)
    log.plan(planned, epochs, notes)
    if log.labels:
        notes.append(
            "values that are no scores, left out as invalid: "
            f"{named([json.dumps(each) for each in sorted(log.labels)])}"
        )
    return log


def _planned(spec: Mapping[str, Any], place: Place) -> tuple[list[str], int]:
    """Return the ids that the run was to evaluate, and how often."""
    config = spec.get("config")
    epochs = None
    if isinstance(config, Mapping):
        epochs = place.whole(config.get("epochs"), "`epochs`")
    dataset = spec.get("dataset")
    ids = dataset.get("sample_ids") if isinstance(dataset, Mapping) else None
    if not isinstance(ids, list) or len(ids) * max(epochs or 1, 1) > _MOST_PLANNED:
        return [], 1
    return [place.ident(each, "a sample id") for each in ids], max(epochs or 1, 1)


def _metrics(results: Any, place: Place) -> dict[str, Any]:
    """Return the metrics as reported, by scorer; what is not a number is ``None``."""
    if results is None:
        return {}
    found: dict[str, Any] = {}
    scores = place.mapping(results, "`results`").get("scores")
    for raw in place.listing(scores or [], "`scores`"):
        score = place.mapping(raw, "a score")
        name = place.text(score.get("name"), "`name`") or "score"
        metrics = place.mapping(score.get("metrics") or {}, "`metrics`")
        for key, metric in metrics.items():
            value = metric.get("value") if isinstance(metric, Mapping) else metric
            group = metric.get("group") if isinstance(metric, Mapping) else None
            label = f"{name}/{key}" if group is None else f"{name}/{group}/{key}"
            known = isinstance(value, (int, float, str)) and not isinstance(value, bool)
            found[label] = _number(value) if known else None
    return found


def _number(value: Any) -> float | None:
    """Return a reported figure; texts such as N/A are missing."""
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if abs(found) < float("inf") else None
