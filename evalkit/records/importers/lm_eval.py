"""lm-evaluation-harness: sample logs, one row for each document and filter, and result files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from evalkit.errors import InputError
from evalkit.records.importers.base import Imported, LogFormat, Row
from evalkit.records.importers.benchmark_rows import first_names, listed, table_rows
from evalkit.records.importers.files import Place, head, jsonable, peek_json, read_json
from evalkit.records.importers.tables import VerdictRows, named, status_note
from evalkit.records.values import CellError, is_missing, score_value

__all__ = ["FORMAT"]

_NAME = "lm-eval"
_KNOWN = frozenset(
    {
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "filter",
        "metrics",
        "doc_hash",
        "prompt_hash",
        "target_hash",
        "task",
        "task_name",
        "model",
        "model_name",
    }
)
_SAMPLES = re.compile(r"^samples_(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT[\d.\-]+)?(?:\.jsonl)?$")
_NO_FILTER = "none"


def _is_results(path: Path) -> bool:
    start = head(path, size=1 << 12)
    if not start.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{") or b'"results"' not in start:
        return False
    document = peek_json(path)
    results = document.get("results") if isinstance(document, Mapping) else None
    return isinstance(results, Mapping) and any(
        isinstance(metrics, Mapping) and any("," in str(key) for key in metrics)
        for metrics in results.values()
    )


def _is_samples(path: Path) -> bool:
    names = first_names(path)
    # A table of doc_id and filter alone is a table; a log says what was asked or answered too.
    told = bool(names & {"filtered_resps", "resps", "arguments", "doc_hash"})
    return "doc_id" in names and (told or ("filter" in names and bool(_SAMPLES.match(path.name))))


def detects(path: Path) -> bool:
    """Whether a path holds sample logs or results of lm-eval."""
    if path.is_dir():
        return any(path.rglob("samples_*.jsonl*")) or any(
            map(_is_results, sorted(path.rglob("results*.json"))[:1])
        )
    return path.is_file() and (_is_samples(path) or _is_results(path))


class _Samples:
    """Rows of sample logs under way."""

    def __init__(self) -> None:
        self.rows = VerdictRows()
        self.unread: dict[str, int] = {}
        self.bare: set[str] = set()
        self.seen: dict[tuple[str, ...], dict[str, str]] = {}
        self.twins: list[str] = []

    def add(self, place: Place, row: Mapping[str, Any], system: str, task: str) -> None:
        number = place.ident(row.get("doc_id"), "`doc_id`")
        here = place.at(item=number)
        task = here.text(row.get("task", row.get("task_name")), "`task`") or task
        rule = here.text(row.get("filter"), "`filter`") or _NO_FILTER
        key = here.text(row.get("doc_hash"), "`doc_hash`")
        if key is None:
            self.bare.add(task)
        item = self._item(task, rule, system, number, key)
        metrics = self._metrics(row)
        if not metrics:
            self.rows.drops.append(("has no metric that is a number", f"{task} doc {number}"))
        for metric in metrics:
            score, status = here.at(item=item).score(row.get(metric), f"`{metric}`")
            self.rows.add(
                system=system,
                item=item,
                score=score,
                status=status,
                verifier=f"{metric},{rule}",
                extra={"task": task, "doc_id": number},
            )

    def _item(self, task: str, rule: str, system: str, number: str, key: str | None) -> str:
        """Name a document by its hash; equal documents of one task get numbers."""
        if key is None:
            return f"{task}/{number}"
        known = self.seen.setdefault((system, task, rule, key), {})
        if number not in known:
            suffix = f"#{len(known) + 1}" if known else ""
            if suffix:
                self.twins.append(f"{task} doc {number}")
            known[number] = f"{task}/{key}{suffix}"
        return known[number]

    def _metrics(self, row: Mapping[str, Any]) -> list[str]:
        declared = row.get("metrics")
        names = declared if isinstance(declared, list) else [n for n in row if n not in _KNOWN]
        found = []
        for name in map(str, names):
            value = row.get(name)
            if is_missing(value) or _is_number(value):
                found.append(name)
            elif name in row:
                self.unread[name] = self.unread.get(name, 0) + 1
        return found


def _is_number(value: Any) -> bool:
    if isinstance(value, (list, Mapping)) and value:
        return False
    with suppress(CellError):
        score_value(value)
        return True
    return False


def _system(file: Path) -> str:
    """Return the folder of the model, which the harness names after it."""
    return file.resolve().parent.name


def _model(document: Any, file: Path) -> str:
    name = document.get("model_name") if isinstance(document, Mapping) else None
    return str(name) if name else _system(file)


def _reported(place: Place, document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the aggregates: task, metric, filter, value, and the error bar where it is one."""
    found = []
    results = place.mapping(document.get("results"), "`results`")
    samples = document.get("n-samples")
    for task, held in results.items():
        metrics = place.mapping(held, f"the results of {task!r}")
        for key, value in metrics.items():
            metric, comma, rule = str(key).partition(",")
            if not comma or metric.endswith("_stderr"):
                continue
            here = place.at(item=f"{task} {key}")
            counts = samples.get(task) if isinstance(samples, Mapping) else None
            effective = counts.get("effective") if isinstance(counts, Mapping) else None
            found.append(
                {
                    "task": str(task),
                    "metric": metric,
                    "filter": rule,
                    "value": here.number(value, "the value") if _is_number(value) else None,
                    "stderr": _stderr(here, metrics.get(f"{metric}_stderr,{rule}")),
                    "n": here.whole(effective, "`n-samples`"),
                }
            )
    return found


def _stderr(place: Place, value: Any) -> float | None:
    """Return an error bar; "N/A", an empty list and null say that none was computed."""
    return place.number(value, "the standard error") if _is_number(value) else None


def load(path: Path) -> Imported:
    """Read sample logs, result files, or a folder with both."""
    files = listed(path, "samples_*.jsonl*", "results*.json")
    results = [file for file in files if not _is_samples(file) and _is_results(file)]
    samples = [file for file in files if file not in results and _is_samples(file)]
    if not results and not samples:
        raise InputError("this holds no samples and no results of lm-eval", path=str(path))
    notes: list[str] = []
    documents = {file: read_json(file) for file in results}
    reported: list[dict[str, Any]] = []
    for file, document in documents.items():
        place = Place(path=str(file))
        for entry in _reported(place, place.mapping(document, "the document")):
            reported.append({"system": _model(document, file), **entry})  # noqa: PERF401
    if samples:
        verdicts, dropped = _read_samples(samples, documents, notes)
    else:
        verdicts, dropped = _aggregates(reported, notes), ()
    return Imported(
        format=_NAME,
        sources=tuple(map(str, files)),
        tables={"verdicts": verdicts},
        dropped=dropped,
        notes=tuple(notes),
        facts={"reported": jsonable(reported)},
    )


def _read_samples(
    files: list[Path], documents: Mapping[Path, Any], notes: list[str]
) -> tuple[tuple[Row, ...], Any]:
    reader = _Samples()
    models = {file.parent: _model(document, file) for file, document in documents.items()}
    for file in files:
        match = _SAMPLES.match(file.name.removesuffix(".gz").removesuffix(".zst"))
        task = match["task"] if match else file.name.partition(".")[0]
        system = models.get(file.parent, _system(file))
        for place, row in table_rows(file, notes):
            reader.add(place, row, system, task)
    verdicts, dropped = reader.rows.finish(notes)
    filters = sorted({row["verifier"] for row in verdicts})
    if len(filters) > 1:
        notes.append(
            f"a row is one document under one metric and filter: {named(filters)} are "
            f"{len(filters)} verifiers, not more items"
        )
    if reader.bare:
        notes.append(
            f"{named(sorted(reader.bare))}: no doc_hash; items are named by doc_id, which differs "
            "between runs on other samples"
        )
    for name, count in reader.unread.items():
        notes.append(f"`{name}` is not a number in {count} rows and was left out")
    if reader.twins:
        notes.append(
            f"{len(reader.twins)} documents equal another of their task and are named HASH#2 "
            f"({named(reader.twins)})"
        )
    notes += status_note(verdicts, counted_as="")
    return verdicts, dropped


def _aggregates(reported: list[dict[str, Any]], notes: list[str]) -> tuple[Row, ...]:
    rows = VerdictRows()
    for entry in reported:
        rows.add(
            system=entry["system"],
            item=entry["task"],
            score=entry["value"],
            verifier=f"{entry['metric']},{entry['filter']}",
            extra={"stderr": entry["stderr"], "n": entry["n"]},
        )
    verdicts, _ = rows.finish(notes)
    notes.append(
        "the file holds means over items, not items: a row is one task and metric, `stderr` is the "
        "error bar the harness gives, and no interval can be computed; read the samples_*.jsonl "
        "beside it (--log_samples)"
    )
    none = [f"{e['task']} {e['metric']}" for e in reported if e["stderr"] is None]
    if none:
        notes.append(f"{len(none)} metrics have no error bar: missing, not 0 ({named(none)})")
    return verdicts


FORMAT = LogFormat(
    name=_NAME,
    title="lm-eval samples_*.jsonl, results_*.json, or the folder of a model",
    detects=detects,
    load=load,
)
