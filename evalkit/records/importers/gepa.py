"""GEPA runs: run folders of every version, ``GEPAResult`` as JSON, ``gepa_state.bin``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from evalkit.errors import InputError
from evalkit.records.importers.base import Imported, LogFormat, filled
from evalkit.records.importers.files import Place, head, peek_json, read_json
from evalkit.records.importers.gepa_forms import (
    from_iterations,
    from_result,
    from_state,
    is_result,
)
from evalkit.records.importers.gepa_model import (
    GepaRun,
    candidate_artifact,
    identical_notes,
    proposals_to_history,
    steps_of,
    to_verdicts,
)
from evalkit.records.importers.gepa_outputs import (
    is_gskill,
    is_progress,
    load_gskill,
    load_progress,
)
from evalkit.records.importers.gepa_state import looks_like_pickle, read_state
from evalkit.records.importers.gepa_trace import read_trace
from evalkit.records.importers.tables import VerdictRows

__all__ = ["FORMAT"]

_NAME = "gepa"
_STATE, _LOG, _CANDIDATES = "gepa_state.bin", "run_log.json", "candidates.json"
_TRACE_KEYS = (
    b'"selected_program_candidate"',
    b'"subsample_scores"',
    b'"subsample_ids"',
    b'"invoked_merge"',
)


def _is_trace(path: Path) -> bool:
    start = head(path).lstrip(b"\xef\xbb\xbf \r\n\t")
    return start.startswith(b"[") and any(key in start for key in _TRACE_KEYS)


def detects(path: Path) -> bool:
    """Whether `path` is a run folder, or one of the files of a run."""
    if is_progress(path) or is_gskill(path):
        return True
    if path.is_dir():
        return (
            (path / _STATE).is_file()
            or (path / "gepa_state.json").is_file()
            or (path / "iterations" / "seed" / "meta.json").is_file()
            or _is_trace(path / _LOG)
        )
    start = head(path, size=4096)
    if path.suffix == ".bin" or path.name == _STATE:
        return looks_like_pickle(start)
    if _is_trace(path):
        return True
    return start.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{") and is_result(peek_json(path))


def load(path: Path) -> Imported:
    """Read a GEPA run."""
    if is_progress(path):
        return load_progress(path)
    if is_gskill(path):
        return load_gskill(path)
    notes: list[str] = []
    if path.is_dir():
        run, sources = _folder(path, notes)
        label = path.resolve().name
    else:
        run, sources = _file(path, notes), [str(path)]
        label = path.resolve().parent.name if path.name in {_STATE, _LOG} else path.stem
    return _imported(run, sources, label, notes)


FORMAT = LogFormat(
    name=_NAME,
    title="GEPA run folder or one of its files, GEPAResult JSON, optimize_anything output",
    detects=detects,
    load=load,
)


def _file(path: Path, notes: list[str]) -> GepaRun:
    place = Place(path=str(path))
    if looks_like_pickle(head(path, size=16)) or path.name == _STATE:
        return from_state(read_state(path), place, notes)
    document = read_json(path)
    if is_result(document):
        return from_result(document, place)
    return GepaRun(proposals=read_trace(document, place, notes))


def _folder(root: Path, notes: list[str]) -> tuple[GepaRun, list[str]]:
    """Put together what the files of a run folder tell; JSON is preferred to the pickle."""
    sources: list[str] = []
    run = GepaRun()
    state = root / _STATE
    if any((root / "iterations").glob("*/meta.json")):
        run = from_iterations(root, notes)
        sources.append(str(root / "iterations"))
    elif state.is_file():
        try:
            run = from_state(read_state(state), Place(path=str(state)), notes)
            sources.append(str(state))
        except InputError as refusal:
            if not (root / _LOG).is_file():
                raise
            notes.append(f"{_STATE} was left out, and with it the scores of items: {refusal}")
    if (root / _LOG).is_file() and not run.proposals:
        place = Place(path=str(root / _LOG))
        run.proposals = read_trace(read_json(root / _LOG), place, notes)
        sources.append(str(root / _LOG))
    if not sources:
        raise InputError(
            f"the folder holds no {_STATE}, {_LOG} or iterations/; name the run_dir of a run",
            path=str(root),
        )
    _texts(root, run)
    return run, sources


def _texts(root: Path, run: GepaRun) -> None:
    """Take the texts of candidates from ``candidates.json`` where nothing else has them."""
    document = peek_json(root / _CANDIDATES)
    if not isinstance(document, list):
        return
    for index, texts in enumerate(document):
        known = run.candidates.get(index)
        if known is not None and known.artifact is None:
            run.candidates[index] = replace(known, artifact=candidate_artifact(texts))


def _imported(run: GepaRun, sources: list[str], label: str, notes: list[str]) -> Imported:
    rows = VerdictRows()
    to_verdicts(run, rows)
    verdicts, dropped = rows.finish(notes)
    history = proposals_to_history(run, label, notes)
    notes += identical_notes(run)
    facts: dict[str, Any] = dict(run.facts)
    steps = steps_of(run)
    if steps:
        facts["evaluation_steps"] = steps
        notes += _budget(steps, run.total)
    if run.total is not None:
        facts["total_metric_calls"] = run.total
    return Imported(
        format=_NAME,
        sources=tuple(sources),
        tables=filled({"verdicts": verdicts, "history": history}),
        dropped=dropped,
        notes=tuple(notes),
        facts=facts,
    )


def _budget(steps: list[dict[str, Any]], total: int | None) -> list[str]:
    spent = sum(sum(step["evals"].values()) for step in steps)
    if total is None or total == spent:
        return []
    note = (
        f"the run counted {total} metric calls, and its log accounts for {spent}: evaluations "
        "were taken from a cache, counted twice, or belong to an iteration that was not finished"
    )
    return [note]
