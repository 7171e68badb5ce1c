"""The records of the UCoE study, and what several of its tables share."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

from evalkit.results import Interval
from evalkit.studies import Computed, Printed, attainable, load_reported, read_rows

OPEN_ENDED = (
    "Arena-Hard",
    "WritingPrompts",
    "WildBench",
    "WritingBench",
    "MultiChallenge",
    "RefineBench",
)
METHODS = ("LLM as a Judge", "RaR", "DREAM", "SpyRL")
PARITY = Fraction(50)
CREDITS = 4
"""Two orders, each worth 0, 1/2 or 1: a task's credit is a multiple of a quarter."""

Cells = dict[tuple[str, str], Computed]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions:
    """Proposals of one kind, each better than, worse than or tied with its draft."""

    actor: str
    decision: str
    better: int
    worse: int
    tie: int

    @property
    def n(self) -> int:
        """Proposals."""
        return self.better + self.worse + self.tie

    @property
    def preference(self) -> Fraction:
        """Share preferred to the draft, a tie as one half, in percent."""
        return Fraction(100 * (2 * self.better + self.tie), 2 * self.n)

    @property
    def row(self) -> str:
        """How Table 12 names them."""
        return f"{self.actor} / {self.decision.capitalize()}"


class Records:
    """Everything below ``fixtures/ucoe``."""

    def __init__(self, fixtures: Path) -> None:
        self.reported_folder = fixtures / "reported"
        self.folder = fixtures / "records"
        self.printed = Printed(load_reported(self.reported_folder))

    @cached_property
    def tasks(self) -> dict[str, int]:
        """Evaluated tasks by benchmark."""
        rows = read_rows(self.folder / "tasks.csv")
        return {row["benchmark"]: int(row["tasks"]) for row in rows}

    @cached_property
    def decisions(self) -> tuple[Decisions, ...]:
        """Recorded decisions of Table 12."""
        return tuple(
            Decisions(
                actor=row["actor"],
                decision=row["decision"],
                better=int(row["better"]),
                worse=int(row["worse"]),
                tie=int(row["tie"]),
            )
            for row in read_rows(self.folder / "decisions.csv")
        )

    def preference(self, method: str, benchmark: str) -> Fraction:
        """Return a preference of Table 1 in percent."""
        return self.printed.value("1", method, benchmark)

    def interval(self, method: str, benchmark: str) -> Interval:
        """Return the interval that Table 11 prints, in percent."""
        low, high = (
            float(self.printed.value("11", method, f"{benchmark} {end}")) for end in ("low", "high")
        )
        return Interval(low=low, high=high, level=0.95, method="bootstrap, as printed")


def credit_note(text: str, tasks: int) -> str:
    """Say which sum of quarter credits a preference is.

    Examples
    --------
    >>> credit_note("51.98", 278)
    'attainable: 578/1112 quarter credits'
    """
    return f"{attainable(text, CREDITS * tasks)} quarter credits"
