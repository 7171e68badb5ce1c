"""What can be wrong with a history of rounds, and with judgments of pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evalkit.doctor.diagnosis import Finding, finding
from evalkit.errors import EvalkitError
from evalkit.trajectories import replay, runs_from_rows, strict
from evalkit.trajectories.history import Run, run_name

__all__ = ["check_history", "check_judgments"]

Rows = Sequence[Mapping[str, Any]]


def check_history(rows: Rows, facts: Mapping[str, Any]) -> list[Finding]:
    """Return what is wrong with rounds."""
    found: list[Finding] = []
    try:
        runs = runs_from_rows(rows)
    except EvalkitError as fault:
        return [finding("history", "error", str(fault), [])]
    unmeasured = [str(each) for each in facts.get("never_measured", ())]
    unmeasured += [
        f"{run_name(run.labels)} round {each.round}"
        for run in runs
        for each in run.candidates
        if each.score is None and each.decision in {"new best", "flat"}
    ]
    if unmeasured:
        message = "candidates were accepted and their score was never measured"
        found.append(finding("unmeasured candidates", "warning", message, unmeasured))
    bare = [run_name(run.labels) for run in runs if run.baseline is None]
    if bare:
        message = "the parent has no score: give it as round 0"
        found.append(finding("parent score", "warning", message, bare))
    for run in runs:
        found += _twins(run)
    return found + _decisions(runs)


def _twins(run: Run) -> list[Finding]:
    """Byte-identical candidates of one run: repeated measurements, or copies of one."""
    scores: dict[str, list[tuple[int, Any]]] = {}
    if run.baseline_artifact is not None:
        scores[run.baseline_artifact] = [(0, run.baseline)]
    for each in run.candidates:
        if each.artifact is not None:
            scores.setdefault(each.artifact, []).append((each.round, each.score))
    found = []
    for entries in scores.values():
        known = [(number, score) for number, score in entries if score is not None]
        if len(known) < 2:
            continue
        names = [f"{run_name(run.labels)} round {number}" for number, _ in known]
        if len({score for _, score in known}) > 1:
            message = (
                "byte-identical candidates were scored apart and differ: the spread is noise "
                "(A/A data)"
            )
            found.append(finding("byte-identical candidates", "info", message, names))
        else:
            message = (
                "byte-identical candidates have the same score: copies from a cache, or a repeated "
                "measurement that agrees (A/A data)"
            )
            found.append(finding("byte-identical candidates", "info", message, names))
    return found


def _decisions(runs: Sequence[Run]) -> list[Finding]:
    """Find recorded decisions that no simple gate would have made."""
    odd = []
    for run in runs:
        try:
            lenient, tight = replay(run), replay(run, gate=strict())
        except EvalkitError as fault:
            return [finding("decisions", "warning", str(fault), [run_name(run.labels)])]
        both = set(lenient.disagreements) & set(tight.disagreements)
        odd += [f"{run_name(run.labels)} round {number}" for number in sorted(both)]
    if not odd:
        return []
    message = (
        "recorded decisions follow neither from a strict nor from a non-decreasing gate on the "
        "recorded scores"
    )
    return [finding("decisions", "warning", message, odd)]


def check_judgments(rows: Rows, columns: Mapping[str, str] | None = None) -> list[Finding]:
    """Return what is wrong with judgments: flips between orders, verdicts that say nothing."""
    from evalkit.grading.judgments import read_judgments

    try:
        found = read_judgments([dict(row) for row in rows], columns=columns)
    except EvalkitError as fault:
        return [finding("judgments", "error", str(fault), [])]
    out = []
    first = found.first
    silent = int(np.isnan(first).sum())
    if found.second is not None:
        second = found.second
        silent += int(np.isnan(second).sum())
        both = ~np.isnan(first) & ~np.isnan(second)
        flips = both & (first * second == -1)
        if flips.any():
            shown_first = int((first[flips] == 1).sum())
            message = (
                f"verdicts flip with the order of the answers in {int(flips.sum())} of "
                f"{int(both.sum())} pairs judged twice: {shown_first} towards the answer shown "
                f"first, {int(flips.sum()) - shown_first} towards the second"
            )
            names = [str(pair) for pair in found.pairs[flips]]
            out.append(finding("order flips", "warning", message, names))
    else:
        message = "each pair is judged in one order only: position bias cannot be seen"
        out.append(finding("order", "info", message, [], count=len(first)))
    if silent:
        message = "verdicts are missing or unparsed: they are bounded, not counted as ties"
        out.append(finding("unparsed judgments", "warning", message, [], count=silent))
    return out
