"""Findings of the page, with their numbers taken from the records."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from evalkit.report import Finding
from evalkit.rounding import format_number
from evalkit.studies import load_module
from evalkit.trajectories import Replay, dead_band, non_decreasing, replay

HERE = Path(__file__)
common = load_module(HERE.with_name("common.py"))
added = load_module(HERE.with_name("added.py"))
claims_traces = load_module(HERE.with_name("claims_traces.py"))


def gate_disagreements(records: common.Records, gate: object) -> tuple[int, int]:
    """Return traced rounds whose gate word is not the replayed one, and all traced rounds."""
    replays = [_traced(records, run, gate) for run in _traced_runs(records)]
    return sum(len(r.disagreements) for r in replays), sum(r.run.rounds for r in replays)


def _traced_runs(records: common.Records) -> list[common.RunKey]:
    rows = records.rows("traces")
    return list(dict.fromkeys((r["model"], r["benchmark"], r["view"]) for r in rows))


def _traced(records: common.Records, run: common.RunKey, gate: object) -> Replay:
    return replay(records.runs[run], gate=gate)  # type: ignore[arg-type]


def findings(records: common.Records) -> tuple[Finding, ...]:
    """Return all findings."""
    return (
        _parent_count(records),
        *_gate(records),
        _ties(records),
        _robustness(),
        _identical(records),
        _separated(records),
        _noise(records),
    )


def _parent_count(records: common.Records) -> Finding:
    end = records.end((common.GPT, "SpreadsheetBench"), "Parent", "test")
    printed = records.printed.text("A27", "SpreadsheetBench / Parallel oracle", "K=1 successes")
    return Finding(
        status="contradiction",
        title="The SpreadsheetBench parent has two released-test counts.",
        detail=(
            f"{end.k}/{end.n} in A7 (50.18, and +35.6 points for the selected skill in Table 2) "
            f"against {printed}/{end.n} in A27 (50.53, and +35.23 in A25)."
        ),
    )


def _gate(records: common.Records) -> tuple[Finding, ...]:
    wrong, rounds = gate_disagreements(records, non_decreasing())
    band = dead_band(Fraction(2, 100), reference="best")
    wrong_band, _ = gate_disagreements(records, band)
    streak = claims_traces.longest_reject_streak(records)
    return (
        Finding(
            status="contradiction",
            title="The gate words of the traces are not those of the stated gate.",
            detail=(
                f"Under 'a candidate advances when validation does not decrease', {wrong} of the "
                f"{rounds} gate words in A22 to A24 would differ, all in A22; under a dead band "
                f"of 2.0 points below the best, {wrong_band} would. New bests are the same under "
                "both. An auxiliary score may enter the gate where configured; it is not printed "
                "by round."
            ),
        ),
        Finding(
            status="contradiction",
            title="A run outlives its stop rule.",
            detail=(
                f"A24 Normal goes on through {streak} rejects in a row; the protocol stops after "
                "five consecutive regressions or no-ops."
            ),
        ),
        Finding(
            status="contradiction",
            title="The caption of A23 rolls back candidates that its gate words call flat.",
            detail="Four revisions retained, six rolled back; A23 marks three Reject, three Flat.",
        ),
    )


def _ties(records: common.Records) -> Finding:
    parts, better = [], 0
    tied = [s for s in records.settings if records.selections[s].decided_by == "preference"]
    for setting in tied:
        choice = records.selections[setting]
        tests = {v: records.end(setting, v, "test").k for v in choice.tied}
        better += tests[choice.selected] == max(tests.values())
        parts.append(
            f"{setting[0]} {setting[1]}: {' = '.join(choice.tied)}, {choice.selected} taken"
        )
    return Finding(
        status="open",
        title=f"{len(tied)} of the 11 selections are ties that no stated rule breaks.",
        detail=(
            "; ".join(parts)
            + ". Validation scores are equal, and auxiliary ones where there are any. In "
            f"{better} of {len(tied)} the view with the better released-test score was taken."
        ),
    )


def _robustness() -> Finding:
    return Finding(
        status="contradiction",
        title="SearchQA robustness is not at or below the parent for every model.",
        detail="The text says so; Table 2 and A15 print +0.2 points for GPT-5.5.",
    )


def _identical(records: common.Records) -> Finding:
    pairs = added.identical_pairs(records)
    rows = [
        (records.delta(s, v, "test"), s, v, added.test_difference(records, s, v)) for s, v in pairs
    ]
    low, high = min(rows, key=lambda r: r[0]), max(rows, key=lambda r: r[0])
    apart = [row for row in rows if added.verdict(row[3].interval) == "separated"]
    names = ", ".join(f"{s[0]} {s[1]} {v}" for _, s, v, _ in apart) or "none"
    return Finding(
        status="added",
        title="The same artifact, executed again, moves by up to "
        f"{format_number(max(abs(low[0]), high[0]), 1)} points on the released test.",
        detail=(
            f"{len(rows)} views returned their parent's bytes; their released-test scores differ "
            f"from the parent's by {format_number(low[0], 1, sign=True)} to "
            f"{format_number(high[0], 1, sign=True)} points. Beyond item sampling: {names}."
        ),
    )


def _separated(records: common.Records) -> Finding:
    results = {
        s: added.test_difference(records, s, records.selections[s].selected)
        for s in records.evolved_settings
    }
    apart = [s for s, r in results.items() if added.verdict(r.interval) == "separated"]
    up = [s for s, r in results.items() if (r.difference or 0) > 0]
    names = ", ".join(f"{m} {b}" for m, b in apart)
    return Finding(
        status="added",
        title=f"{len(up)} of {len(results)} selected skills gain on the released test; "
        f"{len(apart)} are separated from their parent.",
        detail=f"95% Newcombe intervals exclude 0 for {names}. Pairs of items are not printed.",
    )


def _noise(records: common.Records) -> Finding:
    from evalkit.trajectories import false_new_best

    chances = [
        false_new_best(end.n, end.k, rounds=10)
        for end in (records.end(s, "Parent", "validation") for s in records.settings)
    ]
    low, high = (format_number(100 * f(chances), 0) for f in (min, max))
    return Finding(
        status="added",
        title=(
            "Were validation items drawn anew, ten candidates no better than their parent would "
            "nearly always show a new best."
        ),
        detail=(
            f"At least one of ten would score strictly above the parent's count with a chance of "
            f"{low} to {high} %, by setting, if every round drew its items anew; on fixed items "
            "only execution noise remains, and the chance is less. A strict improvement on 35 to "
            "200 items is weak evidence by itself."
        ),
    )
