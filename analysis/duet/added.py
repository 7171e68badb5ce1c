"""What the paper lacks: item sampling beside the seeds, one verdict rule, power of pair sets."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evalkit.comparisons import adjust_p
from evalkit.comparisons.power import power_paired_binary, smallest_effect
from evalkit.errors import ArgumentError
from evalkit.evolve.duet.edit_budget import edit_budget
from evalkit.intervals import proportion_interval
from evalkit.rounding import format_number
from evalkit.studies import load_module
from evalkit.tables import Table, delta, make_table, number, text

HERE = Path(__file__)
common = load_module(HERE.with_name("common.py"))
Z = 1.959963984540054
LEVEL = 0.05
RULE = (
    "Separated: Holm-adjusted p below 0.05 over all rows. The variance of a difference is that of "
    "the two printed sds over 3 seeds plus item sampling, p(1-p)/n for each mean (the largest its "
    "value allows; shared items usually need less). Rubric scores print no spread over items: "
    "their rows rest on the seeds alone."
)
COMPARISONS = (
    *(
        ("1", ("Solver / DUET", b), (f"Solver / {base}", b), "Solver", b)
        for b in common.BENCHMARKS
        for base in ("A0", "SkillOpt", "GEPA", "SkillOpt (G*)", "GEPA (G*)")
    ),
    *(("1", ("Grader / DUET", b), ("Grader / G0", b), "Grader", b) for b in common.BENCHMARKS),
    *(
        ("2", (method, "Prompt + skills"), (method, "Prompt only"), "Solver", "tau2")
        for method in ("SkillOpt", "GEPA", "DUET")
    ),
    *(
        ("4", (row, f"DUET {agent.lower()}"), (row, f"Initial {agent.lower()}"), agent, "Finance")
        for row in ("Informed", "Adversarial")
        for agent in ("Solver", "Grader")
    ),
    *(
        ("9", ("4 to 2", agent), (row, agent), agent, "Finance")
        for row in ("8 to 4", "No limit")
        for agent in ("Solver", "Grader")
    ),
    *(
        ("10", ("c = 0.01", agent), (row, agent), agent, "Finance")
        for row in ("c = 0", "c = 0.1")
        for agent in ("Solver", "Grader")
    ),
    *(
        ("11", ("Validation-selected", agent), ("Fixed-round", agent), agent, "GDPval")
        for agent in ("Solver", "Grader")
    ),
)
"""Table, candidate cell, base cell, agent and benchmark of every comparison with both sds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """One comparison of two printed means.

    Attributes
    ----------
    seed_p : float
        Welch's p over the seeds alone.
    p_value, half : float
        By seeds and items, with the half-width of the 95% interval; by seeds alone where no item
        spread is known.
    """

    table: str
    agent: str
    benchmark: str
    candidate: str
    base: str
    difference: float
    seed_p: float
    p_value: float
    half: float
    items: bool


@dataclass(frozen=True, slots=True)
class _Test:
    """A difference against its standard error, on t with Satterthwaite's degrees of freedom."""

    difference: float
    seeds: tuple[float, float]
    items: tuple[float, float] = (0.0, 0.0)

    @property
    def se(self) -> float:
        return math.sqrt(sum(self.seeds) + sum(self.items))

    @property
    def df(self) -> float:
        # The item part is a bound and not estimated, so only the seeds cost degrees of freedom.
        return self.se**4 / sum(v**2 / (common.SEEDS - 1) for v in self.seeds)

    @property
    def p_value(self) -> float:
        from scipy.stats import t

        return float(2 * t.sf(abs(self.difference) / self.se, self.df))

    @property
    def half(self) -> float:
        from scipy.stats import t

        return float(t.ppf(0.975, self.df)) * self.se


def contrasts(records: common.Records) -> Iterator[Contrast]:
    """Yield every comparison that the paper draws between two means with their sds."""
    for table, candidate, base, agent, benchmark in COMPARISONS:
        scores = [records.score(table, *cell, agent, benchmark) for cell in (candidate, base)]
        difference = scores[0].value - scores[1].value
        seeds = (scores[0].seed_variance, scores[1].seed_variance)
        items = [score.item_variance for score in scores]
        alone = _Test(difference, seeds)
        known = None not in items
        test = _Test(difference, seeds, (items[0], items[1])) if known else alone
        names = [_name(table, cell) for cell in (candidate, base)]
        yield Contrast(
            table=table,
            agent=agent,
            benchmark=benchmark,
            candidate=names[0],
            base=names[1],
            difference=difference,
            seed_p=alone.p_value,
            p_value=test.p_value,
            half=test.half,
            items=known,
        )


def _name(table: str, cell: tuple[str, str]) -> str:
    row, column = cell
    if table == "1":
        return row.partition(" / ")[2]
    return f"{row}, {column}" if table in {"2", "4"} else row


def verdicts(records: common.Records) -> list[tuple[Contrast, float]]:
    """Return each comparison with its adjusted p-value."""
    found = list(contrasts(records))
    adjusted = adjust_p([c.p_value for c in found], method="holm").values
    return [(c, p) for c, p in zip(found, adjusted, strict=True) if p is not None]


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else format_number(value, 3)


def comparisons(records: common.Records) -> Table:
    """Every comparison with both sds, by one rule."""
    rows = [
        [
            contrast.table,
            contrast.agent,
            contrast.benchmark,
            contrast.candidate,
            contrast.base,
            delta(contrast.difference, 1, scale=100),
            text(_p(contrast.seed_p)),
            text(_p(contrast.p_value) if contrast.items else "seeds only"),
            text(_p(adjusted)),
            "separated" if adjusted < LEVEL else "not separated",
        ]
        for contrast, adjusted in verdicts(records)
    ]
    return make_table(
        [
            "table",
            "agent",
            "benchmark",
            "candidate",
            "base",
            "difference",
            "p seeds",
            "p seeds and items",
            "Holm p",
            "verdict",
        ],
        rows,
        caption="Added: which comparisons are separated, by one rule",
        notes=[RULE],
    )


def spreads(records: common.Records) -> Table:
    """Item-sampling interval beside the standard deviation over seeds."""
    rows = []
    for row in dict.fromkeys(row for row, _ in records.printed.keys("1")):
        for benchmark in common.BENCHMARKS:
            score = records.score("1", row, benchmark, row.partition(" ")[0], benchmark)
            if score.n is None:
                continue
            bounds = proportion_interval(score.value * score.n, score.n, method="wilson")
            low, high = (
                ("?", "?")
                if bounds is None
                else (format_number(100 * x, 1) for x in (bounds.low, bounds.high))
            )
            half = 100 * Z * math.sqrt(score.item_variance or 0.0)
            rows.append(
                [row, benchmark, score.n, text(f"{score.mean} ± {score.sd}"),
                 text(f"[{low}, {high}]"), number(half, 1)]
            )  # fmt: skip
    return make_table(
        ["row", "benchmark", "n", "mean ± seed sd", "item interval", "± by items"],
        rows,
        caption="Added: item sampling beside the spread over seeds (Table 1)",
        notes=[
            (
                "95% Wilson interval at the n items of one seed: what another draw of items could "
                "move the mean by. The seeds share their items, so the seed sd holds none of it."
            ),
        ],
    )


def pair_sets(records: common.Records) -> Table:
    """Smallest gains that the four grader pair sets can detect."""
    rows = []
    for benchmark in common.BENCHMARKS:
        pairs = int(records.sizes[benchmark]["pairs"])
        half = Z * math.sqrt(0.25 / pairs)
        cells = [_detectable(pairs, share) for share in (0.1, 0.2, 0.4)]
        gain = records.printed.value("1", "Grader / DUET", benchmark) - records.printed.value(
            "1", "Grader / G0", benchmark
        )
        rows.append(
            [benchmark, pairs, number(half, 1, scale=100), *map(text, cells), delta(gain, 1)]
        )
    return make_table(
        [
            "pairs of",
            "n",
            "widest ±",
            "10% discordant",
            "20% discordant",
            "40% discordant",
            "reported gain",
        ],
        rows,
        caption="Added: what 78, 25, 34 and 95 pairs can separate",
        notes=[
            (
                "Smallest paired gain in points that is separated with 80% power, by the share of "
                "pairs on which the two graders differ (evalkit power); 'none' where even the "
                "largest gain at that share is not."
            ),
        ],
    )


def _detectable(pairs: int, discordance: float) -> str:
    try:
        found = smallest_effect(
            lambda effect: power_paired_binary(pairs, effect=effect, discordance=discordance),
            largest=discordance,
        )
    except ArgumentError:
        return "none"
    return format_number(100 * found.effect, 1)


def schedule(records: common.Records) -> Table:
    """Edit budgets of the cosine schedule, by the rounds of Table 6."""
    rows = []
    for benchmark in ("SpreadsheetBench", "GDPval", "tau2", "Finance"):
        rounds = int(records.printed.value("6", benchmark, "Max rounds"))
        turns = rounds // 2
        budgets = [edit_budget(j, total=turns) for j in range(turns)]
        counts = ", ".join(f"{budgets.count(b)} x {b}" for b in sorted(set(budgets), reverse=True))
        rows.append([benchmark, rounds, turns, text(counts), sum(budgets)])
    return make_table(
        ["benchmark", "rounds", "updates an agent", "budgets", "edits in all"],
        rows,
        caption="Added: edit budgets of the default schedule, 4 to 2",
        notes=["One budget an update; an agent is updated every second round."],
    )


def all_tables(records: common.Records) -> dict[str, Table]:
    """Return the added tables by file name."""
    return {
        "added_comparisons": comparisons(records),
        "added_item_sampling": spreads(records),
        "added_pair_sets": pair_sets(records),
        "added_edit_budgets": schedule(records),
    }
