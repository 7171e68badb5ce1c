"""The report of a set: counts, the cue's own agreement, gaps and power."""

from __future__ import annotations

import hashlib
import json
import statistics
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from evalkit.estimation import estimate_tally
from evalkit.pairs.candidate import Candidate
from evalkit.pairs.cues import Cue
from evalkit.pairs.exact import number_text
from evalkit.pairs.pair import Pair
from evalkit.pairs.report import Outcome, PairReport
from evalkit.pairs.selection import Rules, Scan
from evalkit.pairs.set_power import SetPower
from evalkit.results import Estimate, RowCounts
from evalkit.tally import ClusterSums, Tally

__all__ = ["make_report", "source_hash"]


def _cue_agreement(
    scan: Scan, clusters: Sequence[str], undefined: int, *, level: float
) -> Estimate:
    """Agreement of the cue with the reference over the eligible pairs, by cluster."""
    names = {name: k for k, name in enumerate(dict.fromkeys(clusters))}
    codes = np.array([names[c] for c in clusters], dtype=np.int64)
    sums = np.bincount(codes, weights=scan.credit_sums, minlength=len(names))
    sizes = np.bincount(codes, weights=scan.credit_sizes, minlength=len(names))
    here, seen = sizes > 0, scan.credits > 0
    scored = int(scan.credits.sum())
    tally = Tally(
        values=np.array([0.0, 0.5, 1.0])[seen],
        counts=scan.credits[seen],
        clusters=ClusterSums(
            sums=sums[here].astype(np.float64), sizes=sizes[here].astype(np.float64)
        ),
        rows=RowCounts(
            attempted=scored + undefined,
            scored=scored,
            errored=undefined,
            by_status={"missing": undefined} if undefined else {},
        ),
    )
    return estimate_tally(tally, level=level, score_range=(0.0, 1.0))


def source_hash(rows: Sequence[Candidate]) -> str:
    """Hash candidates in sorted order."""
    digest = hashlib.sha256()
    for c in rows:
        content = [
            c.task, c.id, number_text(c.reference), number_text(c.second_reference), c.output,
            c.model, c.cluster, c.prompt, sorted(c.features.items()),
        ]  # fmt: skip
        digest.update(json.dumps(content).encode() + b"\n")
    return digest.hexdigest()


def _gaps(pairs: Sequence[Pair]) -> tuple[Fraction, Fraction, Fraction] | None:
    gaps = [p.cue_gap for p in pairs if p.cue_gap is not None]
    return (min(gaps), Fraction(statistics.median(gaps)), max(gaps)) if gaps else None


def make_report(
    pairs: Sequence[Pair],
    rows: Sequence[Candidate],
    scan: Scan,
    *,
    cue: Cue,
    outcome: Outcome,
    rules: Rules,
    dropped: Mapping[str, int],
    power: SetPower,
    settings: Mapping[str, Any],
    notes: Sequence[str],
) -> PairReport:
    """Put the report together; every pair that was considered is counted once."""
    cluster_of = {c.task: c.task if c.cluster is None else c.cluster for c in rows}
    splits = settings["splits"] or {}
    agreement = _cue_agreement(
        scan, list(cluster_of.values()), dropped["cue_undefined"], level=settings["level"]
    )
    if agreement.note:
        notes = [*notes, f"agreement of the cue: {agreement.note}"]
    return PairReport(
        pairs=len(pairs),
        tasks=len({pair.task for pair in pairs}),
        clusters=len({pair.cluster for pair in pairs}),
        candidates=len(rows),
        candidate_tasks=len(cluster_of),
        considered=scan.considered,
        dropped=dropped,
        outcome=outcome,
        margin=rules.margin,
        cue=cue.name,
        cue_description=cue.description,
        a_better=sum(pair.label == "A>B" for pair in pairs),
        by_split={name: sum(pair.split == name for pair in pairs) for name in splits},
        cue_agreement=agreement,
        cue_gap=_gaps(pairs),
        power=power,
        settings=settings,
        source_sha256=source_hash(rows),
        notes=tuple(notes),
    )
