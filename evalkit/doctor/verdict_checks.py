"""What can be wrong with a table of verdicts."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evalkit.doctor.diagnosis import Finding, finding
from evalkit.records.schema import KEY_COLUMNS

__all__ = ["check_verdicts", "duplicate_findings", "overlap_findings"]

Rows = Sequence[Mapping[str, Any]]
_FIXED = (*KEY_COLUMNS, "score", "status")
_FEWEST = 10


def check_verdicts(rows: Rows) -> list[Finding]:
    """Return what is wrong with verdicts, each check in turn."""
    checks = (
        _id_collisions,
        _coverage,
        _unequal_attempts,
        _errors,
        _scale,
        _copies_between_attempts,
        _copies_between_systems,
        _artifacts,
        _split_overlap,
    )
    return [found for check in checks for found in check(rows)]


def _groups(rows: Rows, *names: str) -> dict[tuple[Any, ...], list[Mapping[str, Any]]]:
    found: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(tuple(row.get(name) for name in names), []).append(row)
    return found


def _scored(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [row for row in rows if row.get("status") == "scored"]


def duplicate_findings(rows: Rows) -> list[Finding]:
    """Return rows that are the same verdict twice: copies, and contradictions."""
    groups = [group for group in _groups(rows, *KEY_COLUMNS).values() if len(group) > 1]
    copies = [group for group in groups if all(row == group[0] for row in group)]
    others = [group for group in groups if group not in copies]
    found = []
    if copies:
        found.append(
            finding(
                "duplicates",
                "error",
                "rows repeat another one in every column: the log was written or joined twice; "
                "remove the copies",
                [repr(group[0]["item"]) for group in copies],
            )
        )
    if others:
        varying = _varying(others)
        remedy = (
            f"name the column that tells them apart ({', '.join(varying[:6])}) with --column "
            "attempt=NAME, verifier=NAME or system=NAME, or import with item=NAME,ITEM"
            if varying
            else "they differ in the score only; keep one, or number the attempts"
        )
        found.append(
            finding(
                "duplicates",
                "error",
                f"the same (system, item, attempt, verifier, order) stands in several rows that "
                f"differ: {remedy}",
                [repr(group[0]["item"]) for group in others],
            )
        )
    return found


def _varying(groups: list[list[Mapping[str, Any]]]) -> list[str]:
    """Columns that tell the rows of every group apart, those with the fewest values first."""
    names = {name for group in groups for row in group for name in row} - set(_FIXED)
    values = {name: {str(row.get(name)) for g in groups for row in g} for name in names}
    telling = [
        name
        for name in names
        if all(len({str(row.get(name)) for row in group}) == len(group) for group in groups)
    ]
    return sorted(telling, key=lambda name: (len(values[name]), name))


def _fold(item: str) -> str:
    text = unicodedata.normalize("NFKC", item).strip().casefold()
    return (text.removesuffix(".0").lstrip("0") or "0") if text[:1].isdecimal() else text


def _id_collisions(rows: Rows) -> list[Finding]:
    folded: dict[str, dict[str, None]] = {}
    for row in rows:
        item = str(row["item"])
        folded.setdefault(_fold(item), {})[item] = None
    twins = [list(names) for names in folded.values() if len(names) > 1]
    if not twins:
        return []
    message = (
        "ids differ only in leading zeros, case, blanks or Unicode form: they are different items "
        "here; if they are the same, a tool has rewritten them"
    )
    return [
        finding("id collisions", "warning", message, [" and ".join(map(repr, t)) for t in twins])
    ]


def _items_of(rows: Rows) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for row in rows:
        found.setdefault(str(row["system"]), set()).add(str(row["item"]))
    return found


def _coverage(rows: Rows) -> list[Finding]:
    """Compare the items that systems are scored on, within each split."""
    found = []
    for (split,), group in sorted(_groups(rows, "split").items(), key=str):
        scored = _items_of(_scored(group))
        systems = sorted({str(row["system"]) for row in group})
        everything = {str(row["item"]) for row in group}
        shared = set.intersection(*(scored.get(system, set()) for system in systems))
        short = [
            f"{system}: {len(scored.get(system, set()))} of {len(everything)}"
            for system in systems
            if len(scored.get(system, set())) < len(everything)
        ]
        if len(systems) < 2 or not short:
            continue
        message = (
            f"systems are scored on unequal items{f' of {split}' if split else ''} ({len(shared)} "
            f"of {len(everything)} are scored for all): means are over different items; compare "
            "pairs on the shared ones"
        )
        found.append(finding("coverage", "warning", message, short))
    return found


def _unequal_attempts(rows: Rows) -> list[Finding]:
    counts = Counter((row["system"], row.get("verifier"), row["item"]) for row in _scored(rows))
    by_system: dict[str, set[int]] = {}
    for (system, _, _), count in counts.items():
        by_system.setdefault(str(system), set()).add(count)
    odd = [
        f"{system}: {min(found)} to {max(found)}"
        for system, found in sorted(by_system.items())
        if len(found) > 1
    ]
    if not odd:
        return []
    message = (
        "items have unequal numbers of scored attempts: pass@k and pass^k stop at the smallest, "
        "and items with more attempts must not count more"
    )
    return [finding("attempts", "warning", message, odd)]


def _errors(rows: Rows) -> list[Finding]:
    found = []
    shares = []
    for (system,), group in sorted(_groups(rows, "system").items(), key=str):
        tried = [row for row in group if row.get("status") != "skipped"]
        lost = Counter(str(row["status"]) for row in tried if row["status"] != "scored")
        if lost:
            listed = ", ".join(f"{count} {status}" for status, count in lost.items())
            shares.append(f"{system}: {sum(lost.values())} of {len(tried)} ({listed})")
    if shares:
        message = (
            "rows hold no score: they are left out of the estimate, with bounds beside it; "
            "--errors fail counts them as failures"
        )
        found.append(finding("missing results", "warning", message, shares))
    return found


def _scale(rows: Rows) -> list[Finding]:
    values: dict[tuple[str, str], list[float]] = {}
    for row in _scored(rows):
        key = (str(row["system"]), str(row.get("verifier") or ""))
        values.setdefault(key, []).append(float(row["score"]))
    found = []
    mixed = []
    for (system, verifier), scores in values.items():
        above = sum(score > 1 for score in scores)
        if 0 < above < len(scores) / 2 and min(scores) >= 0:
            name = f"{system} {verifier}".strip()
            mixed.append(f"{name}: {above} of {len(scores)} above 1, up to {max(scores):g}")
    if mixed:
        message = (
            "a few scores exceed 1 while the others lie in [0, 1], as if on a second scale; "
            "declare --range 0 1 to leave them out"
        )
        found.append(finding("score scale", "warning", message, mixed))
    verifiers = {verifier for _, verifier in values}
    for verifier in sorted(verifiers):
        tops = {s: max(v) for (s, w), v in values.items() if w == verifier}
        small = [system for system, top in tops.items() if top <= 1]
        large = [system for system, top in tops.items() if top > 1.5]
        if small and large:
            message = (
                f"systems are on two scales: {', '.join(small[:3])} within 1 and "
                f"{', '.join(large[:3])} up to {max(tops[s] for s in large):g}; bring them to one"
            )
            found.append(finding("score scale", "error", message, [*small, *large]))
    return found


def _copies_between_attempts(rows: Rows) -> list[Finding]:
    """Find attempts that never differ: a cache, or an evaluation without randomness."""
    found = []
    for (system,), own in sorted(_groups(rows, "system").items(), key=str):
        groups = [g for g in _groups(own, "verifier", "item").values() if len(g) > 1]
        if len(groups) < _FEWEST:
            continue
        same = [group for group in groups if _same_but_attempt(group)]
        if len(same) == len(groups):
            found.append(
                finding(
                    "identical repeats",
                    "warning",
                    f"all {len(groups)} items of {system} with several attempts have identical "
                    "ones: copies from a cache or an evaluation without randomness, not "
                    "repeated measurements",
                    [repr(group[0]["item"]) for group in same],
                )
            )
    return found


def _same_but_attempt(group: list[Mapping[str, Any]]) -> bool:
    first = {name: cell for name, cell in group[0].items() if name != "attempt"}
    return all(
        {name: cell for name, cell in row.items() if name != "attempt"} == first for row in group
    )


def _copies_between_systems(rows: Rows) -> list[Finding]:
    outcomes: dict[str, dict[tuple[str, ...], Any]] = {}
    for row in rows:
        key = tuple(str(row.get(name) or "") for name in KEY_COLUMNS if name != "system")
        outcomes.setdefault(str(row["system"]), {})[key] = (row.get("score"), row.get("status"))
    alike: dict[tuple[Any, ...], list[str]] = {}
    for system, table in outcomes.items():
        spread = {score for score, _ in table.values()}
        if len(table) >= _FEWEST and len(spread) > 1:
            alike.setdefault(tuple(sorted(table.items(), key=str)), []).append(system)
    twins = [systems for systems in alike.values() if len(systems) > 1]
    if not twins:
        return []
    message = (
        "systems have identical outcomes on every item: one may be a copy of the other's results"
    )
    names = [" and ".join(systems) for systems in twins]
    return [finding("identical systems", "warning", message, names)]


def _artifacts(rows: Rows) -> list[Finding]:
    by_artifact: dict[str, dict[str, None]] = {}
    for row in rows:
        artifact = row.get("artifact")
        if artifact:
            by_artifact.setdefault(str(artifact), {})[str(row["system"])] = None
    twins = [" and ".join(systems) for systems in by_artifact.values() if len(systems) > 1]
    if not twins:
        return []
    message = (
        "systems with byte-identical artifacts were evaluated apart: where the scores were not "
        "copied, comparing them shows the noise alone (A/A data)"
    )
    return [finding("byte-identical candidates", "info", message, twins)]


def _split_overlap(rows: Rows) -> list[Finding]:
    splits: dict[str, dict[str, None]] = {}
    for row in rows:
        split = row.get("split")
        if split:
            item = str(row["item"]).removeprefix(f"{split}/")
            splits.setdefault(item, {})[str(split)] = None
    shared = [f"{item!r} ({', '.join(found)})" for item, found in splits.items() if len(found) > 1]
    if not shared:
        return []
    message = "items stand in more than one split: the later split is not one of unseen items"
    return [finding("split overlap", "error", message, shared)]


def overlap_findings(facts: Mapping[str, Any]) -> list[Finding]:
    """Return the overlap of splits that the log itself shows, by pair of splits."""
    shared = facts.get("split_overlap") or {}
    return [
        finding(
            "split overlap",
            "error",
            f"splits {pair} share items: the later split is not one of unseen items",
            [repr(item) for item in items],
        )
        for pair, items in shared.items()
    ]
