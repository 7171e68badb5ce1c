"""The page of a file of verdicts: scores, every pair, and what is wrong with the file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from evalkit.report.checks import check_findings, check_tables
from evalkit.report.page import write_page
from evalkit.report.provenance import provenance_of
from evalkit.report.settings import ReportSettings
from evalkit.report.verdict_parts import (
    Section,
    pair_findings,
    section_figures,
    section_tables,
    verdict_methods,
    verdict_summary,
)

if TYPE_CHECKING:
    from evalkit.doctor import Diagnosis
    from evalkit.records import Records

__all__ = ["write_verdicts_report"]

_MOST_SYSTEMS = 40  # 780 pairs


def write_verdicts_report(
    source: Path, path: Path, *, found: Diagnosis, settings: ReportSettings
) -> Path:
    """Write the page of a file of verdicts.

    Parameters
    ----------
    source : Path
        The file, or the folder of a log.
    path : Path
        Page to write.
    found : Diagnosis
        What :func:`evalkit.doctor.examine` says of it.
    settings : ReportSettings
        Settings.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    EvalkitError
        If the file cannot be read as verdicts.

    Notes
    -----
    Several verifiers are never mixed: each has tables and figures of its own. More than 40
    systems are estimated and not compared, and the page says so.
    """
    rows = _read(source, found, settings)
    sections = _sections(rows, settings)
    percent = bool(rows.frame["score"].dropna().between(0, 1).all())
    scale: Literal[1, 100] = 100 if percent and settings.score_range in (None, (0, 1)) else 1
    return write_page(
        path,
        title=f"Report of {source.name}",
        summary=verdict_summary(sections, scale=scale),
        findings=[
            *(each for part in sections for each in pair_findings(part, scale=scale)),
            *check_findings(found),
        ],
        tables=[
            *(each for part in sections for each in section_tables(part, scale=scale)),
            *check_tables(found),
        ],
        figures=[each for part in sections for each in section_figures(part, scale=scale)],
        methods=verdict_methods(sections, settings.errors, settings.cluster, settings.level),
        left_out=_left_out(rows, found, sections),
        provenance=provenance_of([source], command=settings.command, seed=settings.seed),
    )


def _read(source: Path, found: Diagnosis, settings: ReportSettings) -> Records:
    from evalkit._design import read_path
    from evalkit.records.importers import records_for

    rows = None
    if found.format != "plain":
        rows = records_for(source, score_range=settings.score_range)
    if rows is not None:
        return rows
    return read_path(
        source,
        columns=settings.columns,
        keep=[settings.cluster] if settings.cluster else (),
        score_range=settings.score_range,
    )


def _sections(rows: Records, settings: ReportSettings) -> list[Section]:
    from evalkit.comparisons import compare_all
    from evalkit.estimation import estimate

    verifiers = sorted(map(str, rows.frame["verifier"].unique()))
    out = []
    for name in verifiers:
        part = rows
        if len(verifiers) > 1:
            part = replace(rows, frame=rows.frame[rows.frame["verifier"].astype(str) == name])
        estimates = estimate(
            part,
            by=["system"],
            cluster=settings.cluster,
            level=settings.level,
            score_range=settings.score_range,
            errors=settings.errors,
        )
        pairs = None
        if 1 < len(estimates) <= _MOST_SYSTEMS:
            pairs = compare_all(
                part,
                cluster=settings.cluster,
                level=settings.level,
                adjust=settings.adjust,
                score_range=settings.score_range,
                errors=settings.errors,
                rng=settings.seed,
            )
        verifier = name if len(verifiers) > 1 else None
        out.append(Section(verifier=verifier, estimates=estimates, pairs=pairs))
    return out


def _left_out(rows: Records, found: Diagnosis, sections: list[Section]) -> list[str]:
    """Name rows without a score, and everything that a reader or a method remarked."""
    lines = [line for part in sections for line in part.errored()]
    lines += rows.notes
    lines += [note for part in sections for note in part.estimates.notes]
    lines += [
        f"{len(part.estimates)} systems{part.suffix} are more than {_MOST_SYSTEMS}: no pair is "
        "compared here; `evalkit compare --all` compares them"
        for part in sections
        if len(part.estimates) > _MOST_SYSTEMS
    ]
    # The rule of the adjustment stands under methods, rows without a score are counted above.
    lines += [
        note
        for part in sections
        if part.pairs
        for note in part.pairs.notes
        if not note.startswith("p-values are adjusted") and ": rows left out: " not in note
    ]
    others = {kind: count for kind, count in found.tables.items() if kind != "verdicts" and count}
    lines += [
        f"the source also holds {n} rows of {kind}, not on this page" for kind, n in others.items()
    ]
    return list(dict.fromkeys(lines))
