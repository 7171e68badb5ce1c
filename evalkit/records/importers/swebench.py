"""SWE-bench: reports of the harness, results of submissions, and lists of resolved instances."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evalkit.errors import InputError
from evalkit.records.importers.base import Imported, LogFormat
from evalkit.records.importers.benchmark_rows import stem
from evalkit.records.importers.files import Place, head, peek_json, read_json
from evalkit.records.importers.tables import VerdictRows, named, status_note

__all__ = ["FORMAT"]

_NAME = "swebench"
_REPO = re.compile(r"^(?:instance_)?(?P<repo>.+?__[^-]+(?:-[A-Za-z][^-]*)*?)-(?:\d+|[0-9a-f]{7,})")
_PREFIX = re.compile(r"^(?:instance_)?(?P<repo>[\w.-]+?__[\w.]+)")
# Later lists take precedence: an instance that was resolved stands in several.
_REPORT = (
    ("incomplete_ids", None, "missing"),
    ("completed_ids", 0.0, "scored"),
    ("unresolved_ids", 0.0, "scored"),
    ("empty_patch_ids", 0.0, "scored"),
    ("error_ids", None, "infra"),
    ("resolved_ids", 1.0, "scored"),
)
_SUBMISSION = (
    ("generated", 0.0, "scored"),
    ("with_logs", 0.0, "scored"),
    ("applied", 0.0, "scored"),
    ("no_apply", 0.0, "scored"),
    ("no_generation", None, "missing"),
    ("no_logs", None, "infra"),
    ("install_fail", None, "infra"),
    ("reset_failed", None, "infra"),
    ("test_errored", None, "infra"),
    ("test_timeout", None, "timeout"),
    ("resolved", 1.0, "scored"),
)
_Outcome = tuple[float | None, str, str]


def _report_file(path: Path) -> Path | None:
    """Return the file of a submission folder that holds its results."""
    if path.is_file():
        return path
    known = (path / "results" / "results.json", path / "results.json", path / "eval_results.json")
    return next((file for file in known if file.is_file()), None)


def _kind(document: Any) -> str | None:
    if not isinstance(document, Mapping) or not document:
        return None
    names = set(document)
    if names & {"resolved_ids", "unresolved_ids"}:
        return "report"
    if isinstance(document.get("resolved"), list):
        return "submission"
    if not all("__" in str(name) for name in names):
        return None
    values = list(document.values())
    if all(isinstance(each, bool) or each is None for each in values):
        return "flags"
    if all(isinstance(each, Mapping) and "resolved" in each for each in values):
        return "instances"
    return None


def detects(path: Path) -> bool:
    """Whether a path holds results of SWE-bench."""
    file = _report_file(path)
    if file is None or not head(file, size=64).lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{"):
        return False
    return _kind(peek_json(file)) is not None


def _from_lists(
    place: Place, document: Mapping[str, Any], lists: Iterable[tuple[str, float | None, str]]
) -> tuple[dict[str, _Outcome], dict[str, int]]:
    found: dict[str, _Outcome] = {}
    sizes: dict[str, int] = {}
    submitted = document.get("submitted_ids")
    for item in submitted if isinstance(submitted, list) else ():
        found[place.ident(item)] = (None, "missing", "submitted_ids")
    for name, score, status in lists:
        if document.get(name) is None:
            continue
        ids = [place.ident(item) for item in place.listing(document[name], f"`{name}`")]
        sizes[name] = len(ids)
        for item in ids:
            found[item] = (score, status, name)
    return found, sizes


def _from_flags(place: Place, document: Mapping[str, Any], kind: str) -> dict[str, _Outcome]:
    found: dict[str, _Outcome] = {}
    for key, held in document.items():
        item = place.ident(key)
        here = place.at(item=item)
        value = held.get("resolved") if kind == "instances" else held
        score, status = here.score(value, "`resolved`")
        why = "resolved" if score else "unresolved"
        if isinstance(held, Mapping) and score == 0:
            why = _why(held)
        found[item] = (score, status, why if score is not None else "no result")
    return found


def _why(held: Mapping[str, Any]) -> str:
    if held.get("patch_is_None") is True or held.get("patch_exists") is False:
        return "empty_patch"
    return "no_apply" if held.get("patch_successfully_applied") is False else "unresolved"


def repository(item: str) -> str | None:
    """Return the repository in an instance id, to cluster by; ``None`` where there is none.

    Examples
    --------
    >>> repository("astropy__astropy-12907"), repository("scikit-learn__scikit-learn-10297")
    ('astropy__astropy', 'scikit-learn__scikit-learn')
    >>> repository("instance_NodeBB__NodeBB-00c70ce7b0541cfc94afe567921d7668cdc8f4ac-vnan")
    'NodeBB__NodeBB'
    """
    match = _REPO.match(item) or _PREFIX.match(item)
    return None if match is None else match["repo"]


def load(path: Path) -> Imported:
    """Read a report, the results of a submission, or flags by instance."""
    file = _report_file(path)
    if file is None:
        raise InputError("the folder holds no results/results.json", path=str(path))
    place = Place(path=str(file))
    document = read_json(file)
    kind = _kind(document)
    if kind is None:
        raise place.fault("this is no report of SWE-bench: no list of resolved instances")
    sizes: dict[str, int] = {}
    if kind in {"report", "submission"}:
        lists = _REPORT if kind == "report" else _SUBMISSION
        found, sizes = _from_lists(place, document, lists)
    else:
        found = _from_flags(place, document, kind)
    rows = VerdictRows()
    system = path.name if path.is_dir() else _system(file)
    for item, (score, status, why) in found.items():
        extra: dict[str, Any] = {"repo": repository(item), "outcome": why}
        if kind == "instances":
            here = place.at(item=item)
            held = document[item]
            for name in ("cost", "api_calls"):
                if name in held:
                    extra[name] = here.number(held[name], f"`{name}`")
        rows.add(system=system, item=item, score=score, status=status, extra=extra)
    notes: list[str] = []
    verdicts, dropped = rows.finish(notes)
    notes += _told(document, found, sizes, kind)
    notes += status_note(verdicts)
    totals = {key: each for key, each in document.items() if key.endswith("_instances")}
    return Imported(
        format=_NAME,
        sources=(str(file),),
        tables={"verdicts": verdicts},
        dropped=dropped,
        notes=tuple(notes),
        facts={"lists": sizes, "totals": {key: str(each) for key, each in totals.items()}},
    )


def _system(file: Path) -> str:
    """Return the name of the folder where the file is called like every other one."""
    plain = stem(file) in {"results", "report", "eval_results", "per_instance_details"}
    parent = file.resolve().parent
    parent = parent.parent if parent.name == "results" else parent
    return parent.name if plain else stem(file)


def _told(
    document: Mapping[str, Any], found: Mapping[str, _Outcome], sizes: Mapping[str, int], kind: str
) -> list[str]:
    notes = []
    empty = [item for item, (_, _, why) in found.items() if why in {"empty_patch_ids", "no_apply"}]
    if empty:
        notes.append(
            f"{len(empty)} instances have an empty patch or one that does not apply: failures of "
            f"the system ({named(empty)})"
        )
    if kind == "submission" and not set(sizes) & {"generated", "with_logs", "applied"}:
        notes.append(
            "the file lists resolved instances only: those that failed are not in it, so no rate "
            "can be computed from it alone"
        )
    total = str(document.get("total_instances", ""))
    if total.isdecimal() and int(total) > len(found):
        notes.append(
            f"{int(total) - len(found)} of {total} instances stand in no list: their outcome is "
            "not known, and the report counts them as failures"
        )
    return notes


FORMAT = LogFormat(
    name=_NAME,
    title="SWE-bench report, submission results, or resolved flags by instance",
    detects=detects,
    load=load,
)
