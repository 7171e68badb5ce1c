"""The DUET study: attainable means, one verdict rule, what the pair sets can separate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evalkit.report import Finding
from evalkit.studies import (
    CheckedCell,
    StudyOutput,
    check_claims,
    check_table,
    load_module,
    reproduced_table,
)

HERE = Path(__file__)
CAPTIONS = {
    "1": "Table 1: solver and grader performance",
    "2": "Table 2: optimization targets on tau2",
    "3": "Table 3: two models on Finance",
    "4": "Table 4: initialization on Finance",
    "6": "Table 6: hyperparameters",
    "7": "Table 7: GPT-5.6 Sol",
    "8": "Table 8: accuracy and cost on SpreadsheetBench",
    "9": "Table 9: edit budget on Finance",
    "10": "Table 10: exploration coefficient on Finance",
    "11": "Table 11: checkpoint selection on GDPval",
    "F3": "Figure 3: ablations on Finance, as the text gives them",
    "splits": "Sizes of splits and grader sets",
}
METHODS = (
    (
        "A mean over three seeds of n items is a whole number of credits out of 3n: right or wrong "
        "for a task, halves for a grader pair (ties), quarters for a win rate judged in two "
        "orders. Every mean was checked for being one, half up or half to even, and, where it is "
        "none, for being the mean of three seed means that were rounded before. Every standard "
        "deviation was checked together with its mean by an exact search over the seeds' counts."
    ),
    (
        "Comparisons use one rule: Holm over all comparisons with two printed standard deviations, "
        "at 0.05. The variance of a difference is that of the printed deviations over three seeds "
        "plus item sampling at the largest value that the means allow, on Satterthwaite's degrees "
        "of freedom."
    ),
)
LEFT_OUT = (
    "Table 5 holds settings. The sequential and solver-only arms of Figure 3 are only drawn.",
    "Finance solver scores are means of rubric scores: no attainability and no item sampling.",
    "The number of runs behind Tables 3 (Sonnet 4.6) and 7 is not printed.",
)


def build(fixtures: Path) -> StudyOutput:
    """Compute the study from ``fixtures/duet``."""
    common, tables, added, drawings, claims = (
        load_module(HERE.with_name(f"{name}.py"))
        for name in ("common", "tables", "added", "drawings", "claims")
    )
    records = common.Records(fixtures)
    computed = tables.tables(records)
    cells = {
        name: check_table(numbers, computed.get(name, {}))
        for name, numbers in records.printed.tables.items()
    }
    reproduced = {
        f"table{name}": reproduced_table(checked, caption=CAPTIONS[name])
        for name, checked in cells.items()
    }
    every = tuple(cell for checked in cells.values() for cell in checked)
    verdicts = added.verdicts(records)
    return StudyOutput(
        title="DUET: the printed numbers, checked and completed",
        source="DUET: Co-Evolving Solver and Grader Agents",
        summary=_summary(every, verdicts),
        cells=every,
        claims=check_claims(
            records.reported_folder / "claims.csv",
            claims.values(records),
            reasons=claims.REASONS,
        ),
        tables={**added.all_tables(records), **reproduced},
        figures=drawings.figures(records),
        findings=_findings(every, verdicts),
        methods=METHODS,
        left_out=LEFT_OUT,
    )


def _separated(verdicts: Sequence[tuple[object, float]]) -> int:
    return sum(adjusted < 0.05 for _, adjusted in verdicts)


def _summary(cells: Sequence[CheckedCell], verdicts: Sequence[tuple[object, float]]) -> str:
    wrong = sum(cell.status == "mismatch" for cell in cells)
    return (
        f"{_separated(verdicts)} of {len(verdicts)} comparisons is separated once seeds and items "
        f"both count; {wrong} printed means are no exact mean of three seeds of their items."
    )


def _findings(
    cells: Sequence[CheckedCell], verdicts: Sequence[tuple[object, float]]
) -> tuple[Finding, ...]:
    wrong = [cell for cell in cells if cell.status == "mismatch"]
    first = [cell for cell in wrong if "only if seed means" in cell.note]
    never = [cell for cell in wrong if cell not in first]
    raw = sum(contrast.seed_p < 0.05 for contrast, _ in verdicts)  # type: ignore[attr-defined]

    def listed(found: Sequence[CheckedCell]) -> str:
        return "; ".join(
            f"{c.reported} (Table {c.table}, {c.row}, {c.column})".replace("Table F3", "Figure 3")
            for c in found
        )

    return (
        Finding(
            status="contradiction",
            title=f"{len(first)} means are attained only if seed means are rounded first.",
            detail=f"{listed(first)}. 82.0 at n = 120: 295/360 is 81.9 and 296/360 is 82.2.",
        ),
        Finding(
            status="contradiction",
            title=f"{len(never)} grader means are no mean of credits 1, 1/2 and 0 at all.",
            detail=(
                f"{listed(never)}. 68.4 is 279 of 408 quarter credits, so a pair may have been "
                "scored more than once, or some pairs have no score."
            ),
        ),
        Finding(
            status="not separated",
            title=(
                f"{_separated(verdicts)} of {len(verdicts)} comparisons is separated: DUET against "
                "A0 on SpreadsheetBench."
            ),
            detail=(
                f"By the seeds alone and without adjustment {raw} have p below 0.05; three seeds "
                "say little, and the items are not another sample for each seed."
            ),
        ),
        Finding(
            status="small sample",
            title="34 grader pairs at 78.5 carry 13.8 points of item sampling beside 6.1 of seeds.",
            detail=(
                "The four grader sets have 78, 25, 34 and 95 pairs. With 20 percent of pairs in "
                "dispute the smallest detectable gain is 14.0 points on 78 pairs and 12.6 on 95; "
                "25 and 34 pairs detect none. The reported gains are 7.1, 0.6, 10.1 and 0.9."
            ),
        ),
        Finding(
            status="spread",
            title="Two standard deviations fit their means only with divisor 3.",
            detail=(
                "72.8 ± 1.9 (95 pairs) and 53.1 ± 1.4 (GDPval, fixed rounds); the others fit the "
                "sample divisor 2, or no counts that give their mean."
            ),
        ),
        Finding(
            status="denominator",
            title="GPT-5.6's 89.6 on tau2 needs an even number of runs, and 74.1 no number.",
            detail=(
                "Table 7 prints no number of runs. 215/240 is 89.6; three runs of 120 tasks give "
                "89.4 or 89.7. 74.1 is no mean of half credits of 25 pairs over 1 to 5 runs."
            ),
        ),
    )
