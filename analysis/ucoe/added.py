"""What the paper lacks: tie rates, one verdict rule, recovered denominators, tests of decisions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from evalkit import Estimate, estimate_values
from evalkit.comparisons import adjust_p, mcnemar_exact
from evalkit.comparisons.two_sample import compare_samples
from evalkit.rounding import decimals_of, format_number, round_number
from evalkit.studies import load_module, number_of
from evalkit.tables import Table, delta, estimate, make_table, number, text
from evalkit.tally import tally_values

HERE = Path(__file__)
common = load_module(HERE.with_name("common.py"))
tables = load_module(HERE.with_name("tables.py"))
Z = 1.959963984540054
RULE = (
    "A method is separated from direct generation where the Holm-adjusted p-value over all "
    "24 comparisons is below 0.05; p from the printed interval, read as normal."
)
LARGEST = 600
NOISE = 1.1
"""An interval of 1,000 resamples is off by some 3 percent of its width; 10 is no noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """One entry of Table 11.

    Attributes
    ----------
    ties : tuple of float, or None
        Share of tasks that must be, and that can be, ties by the width of the interval; None
        where no outcomes of that many independent tasks give so wide an interval.
    widest : float
        Width of the 95% interval of as many independent tasks without a tie, in points.
    p_value : float
        Against parity.
    """

    method: str
    benchmark: str
    tasks: int
    point: Fraction
    low: float
    high: float
    ties: tuple[float, float] | None
    widest: float
    p_value: float


def tie_share(width: float, point: float, tasks: int) -> tuple[float, float] | None:
    """Return the least and the largest share of ties that a 95% interval allows.

    With credits c in {0, 1/4, 1/2, 3/4, 1}, the mean of (c - 1/2)^2 lies between 1/16 and 1/4 of
    the share of tasks that are no tie; the interval gives that mean. No outcomes have a mean above
    1/4; one that resampling noise does not explain gives ``None``.

    Examples
    --------
    >>> [round(x, 3) for x in tie_share(0.0073, 0.5054, 1024)]
    [0.943, 0.986]
    """
    variance = (width / (2 * Z)) ** 2 * tasks
    spread = variance + (point - 0.5) ** 2
    if variance > NOISE**2 * point * (1 - point):
        return None
    return max(0.0, 1 - 16 * spread), max(0.0, 1 - 4 * spread)


def preferences(records: common.Records) -> Iterator[Preference]:
    """Yield every preference with what its interval implies."""
    for method in common.METHODS:
        for benchmark in common.OPEN_ENDED:
            bounds, point = (
                records.interval(method, benchmark),
                records.preference(method, benchmark),
            )
            tasks = records.tasks[benchmark]
            width = (bounds.high - bounds.low) / 100
            share = float(point) / 100
            z = abs(share - 0.5) / (width / (2 * Z))
            yield Preference(
                method=method,
                benchmark=benchmark,
                tasks=tasks,
                point=point,
                low=bounds.low,
                high=bounds.high,
                ties=tie_share(width, share, tasks),
                widest=200 * Z * math.sqrt(share * (1 - share) / tasks),
                p_value=math.erfc(z / math.sqrt(2)),
            )


def implied_ties(records: common.Records) -> Table:
    """Tie rates that the intervals of Table 11 imply, and one verdict rule."""
    found = list(preferences(records))
    adjusted = adjust_p([p.p_value for p in found], method="holm").values
    rows = []
    for entry, p in zip(found, adjusted, strict=True):
        separated = p is not None and p < 0.05
        rows.append(
            [
                entry.method,
                entry.benchmark,
                entry.tasks,
                number(entry.point, 2),
                text(f"[{entry.low:.2f}, {entry.high:.2f}]"),
                number(entry.high - entry.low, 2),
                number(entry.widest, 2),
                text(_tie_text(entry.ties)),
                text("<0.001" if p is not None and p < 0.001 else format_number(p or 0.0, 3)),
                "separated" if separated else "not separated",
            ]
        )
    return make_table(
        [
            "method",
            "benchmark",
            "tasks",
            "preference",
            "interval",
            "width",
            "widest",
            "ties %",
            "Holm p",
            "verdict",
        ],
        rows,
        caption="Added: tie rates implied by the intervals of Table 11, and one verdict rule",
        notes=[
            RULE,
            (
                "Ties: the share of tasks with credit 1/2 that the width allows, from credits in "
                "quarters (two orders, ties one half). Widest: the width for as many independent "
                "tasks without a tie; an interval wider by more than a tenth is none of resampled "
                "tasks."
            ),
        ],
    )


def _tie_text(ties: tuple[float, float] | None) -> str:
    if ties is None:
        return "too wide"
    low, high = (format_number(100 * share, 1) for share in ties)
    return f"{low} to {high}"


def denominators(values: list[str]) -> list[int]:
    """Return the numbers of tasks up to 600 for which every percentage is a count."""
    return [n for n in range(2, LARGEST + 1) if all(_is_count(v, n) for v in values)]


def _is_count(value: str, n: int) -> bool:
    printed, digits = number_of(value), decimals_of(value)
    near = round(printed * n / 100)
    return any(
        Fraction(round_number(Fraction(100 * k, n), digits)) == printed
        for k in (near - 1, near, near + 1)
    )


def recovered(records: common.Records) -> Table:
    """Numbers of tasks behind the accuracies of Table 2."""
    rows = []
    methods = list(dict.fromkeys(row for row, _ in records.printed.keys("2")))
    for benchmark in tables.VERIFIABLE:
        printed = [records.printed.text("2", method, benchmark) for method in methods]
        found = denominators(printed)
        counts = ", ".join(f"{round(number_of(v) * found[0] / 100)}" for v in printed)
        rows.append(
            [
                benchmark,
                found[0],
                text(", ".join(map(str, found[1:4])) + (", ..." if len(found) > 4 else "")),
                text(counts),
            ]
        )
    return make_table(
        ["benchmark", "smallest n", "next", "counts at the smallest n"],
        rows,
        caption="Added: numbers of tasks that the accuracies of Table 2 allow",
        notes=["Every printed accuracy of the column is a whole count of n tasks; n up to 600."],
    )


def critic(found: common.Decisions) -> Estimate:
    """Preference of the critic with its interval, over proposals."""
    return estimate_values(_credits(found))


def _credits(found: common.Decisions) -> list[float]:
    return [1.0] * found.better + [0.5] * found.tie + [0.0] * found.worse


def decisions(records: common.Records) -> Table:
    """Table 12 with intervals, and the accepted against the rejected proposals."""
    rows = []
    for found in records.decisions:
        p = mcnemar_exact(found.better, found.worse)
        rows.append(
            [
                found.row,
                found.n,
                estimate(critic(found), 2, scale=100),
                text("<0.001" if p < 0.001 else format_number(p, 3)),
                text(_difference(records, found) if found.decision == "accepted" else ""),
            ]
        )
    return make_table(
        ["decision", "n", "preference [interval]", "sign test p", "accepted less rejected"],
        rows,
        caption="Added: what the critic says of accepted and rejected proposals",
        notes=[
            (
                "Intervals over proposals, taken as independent; credit 1, 1/2, 0. The sign test "
                "leaves ties out. The difference is that of two independent groups."
            ),
        ],
    )


def _difference(records: common.Records, accepted: common.Decisions) -> str:
    rejected = next(
        d for d in records.decisions if d.actor == accepted.actor and d.decision == "rejected"
    )
    groups = [tally_values(_credits(group)) for group in (rejected, accepted)]
    bounds = compare_samples(groups[0], groups[1]).interval
    gap = format_number(accepted.preference - rejected.preference, 2, sign=True)
    if bounds is None:
        return gap
    low, high = (format_number(100 * x, 2, sign=True) for x in (bounds.low, bounds.high))
    return f"{gap} [{low}, {high}]"


def selection_gain(records: common.Records) -> Table:
    """Net wins and ties of the recorded decisions."""
    rows = [
        [
            found.row,
            delta(Fraction(found.better - found.worse, found.n), 3),
            number(Fraction(100 * found.tie, found.n), 1),
        ]
        for found in records.decisions
    ]
    return make_table(
        ["decision", "net wins a proposal", "ties %"],
        rows,
        caption="Added: net wins and ties of recorded decisions",
    )


def all_tables(records: common.Records) -> dict[str, Table]:
    """Return the added tables by file name."""
    return {
        "added_implied_ties": implied_ties(records),
        "added_decisions": decisions(records),
        "added_net_wins": selection_gain(records),
        "added_denominators": recovered(records),
    }
