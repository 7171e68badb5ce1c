"""The reported numbers of the DUET study, and what several of its tables share."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

from evalkit.consistency.attainability import attained, mean_and_sd
from evalkit.consistency.printed import parse_printed
from evalkit.studies import (
    Computed,
    Printed,
    attainable,
    derived,
    load_reported,
    number_of,
    read_rows,
    transcribed,
)

SEEDS = 3
BENCHMARKS = ("Finance", "tau2", "GDPval", "SpreadsheetBench")
PERCENT = Fraction(100)
CREDITS = {"success": 1, "pairs": 2, "win rate": 4}
"""Steps of one item's credit: right or wrong; a tie worth one half; two orders with ties."""

Cells = dict[tuple[str, str], Computed]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A printed mean over seeds with its standard deviation.

    Attributes
    ----------
    mean, sd : str
        As printed.
    n : int or None
        Items of one seed; ``None`` where a score is a mean of rubric scores.
    kind : str
        A key of `CREDITS`, or ``rubric mean``.
    """

    mean: str
    sd: str
    n: int | None
    kind: str

    @property
    def value(self) -> float:
        """The mean as a proportion."""
        return float(number_of(self.mean)) / 100

    @property
    def seed_variance(self) -> float:
        """Variance of the mean over seeds, by the printed standard deviation."""
        return (float(number_of(self.sd)) / 100) ** 2 / SEEDS

    @property
    def item_variance(self) -> float | None:
        """The largest variance of the mean over items that its value allows."""
        return None if self.n is None else self.value * (1 - self.value) / self.n


class Records:
    """Everything below ``fixtures/duet``."""

    def __init__(self, fixtures: Path) -> None:
        self.reported_folder = fixtures / "reported"
        self.folder = fixtures / "records"
        self.printed = Printed(load_reported(self.reported_folder))

    @cached_property
    def sizes(self) -> dict[str, dict[str, str]]:
        """Test items, grader pairs and kind of score by benchmark."""
        return {row["benchmark"]: row for row in read_rows(self.folder / "sizes.csv")}

    def size(self, agent: str, benchmark: str) -> tuple[int | None, str]:
        """Return items of one seed and the kind of their credit."""
        sizes = self.sizes[benchmark]
        if agent == "Grader":
            return int(sizes["pairs"]), "pairs"
        kind = sizes["kind"]
        return (None if kind == "rubric mean" else int(sizes["test"])), kind

    def score(self, table: str, row: str, column: str, agent: str, benchmark: str) -> Score:
        """Return a printed mean with its standard deviation and its items."""
        n, kind = self.size(agent, benchmark)
        return Score(
            mean=self.printed.text(table, row, column),
            sd=self.printed.text(table, row, f"{column} sd"),
            n=n,
            kind=kind,
        )


def mean_cell(score: Score) -> Computed:
    """Check that whole counts over the seeds give a printed mean.

    A mean that no counts give under the stated credit is a contradiction between the mean, the
    number of items and the number of seeds.
    """
    if score.n is None:
        return transcribed("a mean of rubric scores: any value is possible")
    steps = score.n * CREDITS[score.kind]
    found = attained(parse_printed(score.mean), steps, SEEDS, PERCENT, halves=False)
    trials = steps * SEEDS
    if found.counts:
        shown = " or ".join(f"{k}/{trials}" for k in found.counts)
        return transcribed(f"attainable: {shown} credits of {score.n} items x {SEEDS} seeds")
    value = number_of(score.mean) * trials / 100
    below, above = (Fraction(100 * k, trials) for k in (value.__floor__(), value.__ceil__()))
    nearest = min(below, above, key=lambda x: abs(x - number_of(score.mean)))
    neighbours = attainable(score.mean, trials).partition(": ")[2]
    only = (
        "attained only if seed means are rounded before they are averaged"
        if found.rounded_seeds
        else "not attained by rounding seed means first either"
    )
    return derived(
        nearest,
        f"nearest count of {score.n} items x {SEEDS} seeds",
        conflict=f"{score.mean} is not attainable: {neighbours}; {only}",
    )


def sd_cell(score: Score) -> Computed:
    """Say how counts of the seeds give both the printed mean and its standard deviation."""
    if score.n is None:
        return transcribed("a spread of rubric means: any value is possible")
    rule = mean_and_sd(
        parse_printed(score.mean),
        parse_printed(score.sd),
        score.n * CREDITS[score.kind],
        SEEDS,
        PERCENT,
        halves=False,
    )
    notes = {
        "sample": "attainable with the mean, divisor 2",
        "population": "attainable with the mean only with divisor 3",
        "standard error": "attainable with the mean only as a standard error",
        "rounded seed means": "attainable with the mean only from rounded seed means",
        "unknown": "the search for counts was given up",
        None: "no counts of the seeds give it together with the mean",
    }
    return transcribed(notes[rule])
