"""The card of an exported data set: where the pairs come from and how they were chosen."""

from __future__ import annotations

import json
from collections.abc import Mapping

from evalkit import __version__
from evalkit.pairs.exact import number_text
from evalkit.pairs.report import PairReport, PairSet
from evalkit.pairs.selection import REASONS
from evalkit.rounding import format_number

__all__ = ["dataset_card"]


def _front(files: Mapping[str, str]) -> list[str]:
    lines = ["---", "tags:", "- preference", "- adversarial-pairs", "- evalkit"]
    if files:
        lines += ["configs:", "- config_name: default", "  data_files:"]
    for split, path in files.items():
        lines += [f"  - split: {split}", f"    path: {path}"]
    return [*lines, "---", ""]


def _provenance(report: PairReport) -> list[str]:
    cue = report.cue_agreement
    bounds = cue.interval
    value = format_number(cue.estimate, 4)
    if bounds is not None:
        low, high = (format_number(x, 4) for x in (bounds.low, bounds.high))
        value += f" [{low}, {high}] ({bounds.level:g} interval, {bounds.method})"
    kind = (
        "opposite binary outcomes"
        if report.outcome == "binary"
        else f"a reference margin of at least {number_text(report.margin)}"
    )
    found_by = "with a reliable preference, before selection"
    lines = [
        f"- Cue: `{json.dumps(report.cue)[1:-1]}`. It favours the worse output in every pair.",
        f"- Reference: {kind}.",
        f"- Agreement of the cue with the reference over all {cue.n} pairs {found_by}: {value}.",
        "- Within the set that agreement is 0 by construction.",
        f"- Candidates: {report.candidates} of {report.candidate_tasks} tasks.",
        f"- Pairs considered: {report.considered}.",
        f"- Better output shown as A: {report.a_better} of {report.pairs}.",
        f"- SHA-256 of the candidates: `{report.source_sha256}`",
        "- No score of a grader under evaluation took part in the selection.",
        "",
        "| left out because | pairs |",
        "|---|---:|",
    ]
    lines += [f"| {REASONS[name]} | {count} |" for name, count in report.dropped.items() if count]
    settings = json.dumps(report.to_dict()["settings"], indent=2)
    return [*lines, "", "## Settings", "", "```json", settings, "```"]


def dataset_card(pairs: PairSet, files: Mapping[str, str]) -> str:
    """Write the card.

    Parameters
    ----------
    pairs : PairSet
        The pairs.
    files : mapping of str to str
        Split -> file, relative to the card.
    """
    tasks = len({pair.task for pair in pairs})
    lines = [
        *_front(files),
        "# Adversarial pairs",
        "",
        f"{len(pairs)} pairs of outputs from {tasks} tasks, made by evalkit {__version__}.",
        "Pairs of one `cluster` are not independent: give it to the interval.",
        "",
        "The licence is that of the source outputs.",
        "",
        "## Provenance",
        "",
    ]
    if pairs.report is None:
        lines.append("The pairs were read from a file, so how they were chosen is not known here.")
    else:
        lines += _provenance(pairs.report)
    return "\n".join(lines) + "\n"
