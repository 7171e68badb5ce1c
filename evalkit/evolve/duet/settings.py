"""Settings of DUET."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from evalkit.errors import ArgumentError
from evalkit.evolve.duet.edit_distance import Tokenizer
from evalkit.evolve.settings import FORBID_EXTRA

__all__ = ["DuetSettings", "Schedule"]

Schedule = Literal["alternating", "simultaneous", "sequential", "solver-only", "grader-only"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DuetSettings:
    """Settings of DUET; the defaults are those of the paper's main experiments.

    Attributes
    ----------
    batch : int
        Training tasks a round.
    window : int
        Rounds that score changes stay in view (tau).
    exploration : float
        Weight of the exploration bonus (c); 0 is greedy.
    selection : {"sw-ucb", "round-robin"}
        How tasks are chosen after the warm-up.
    schedule : str
        ``alternating``: grader on odd rounds, solver on even ones. ``simultaneous``: both every
        round. ``sequential``: grader in the first half, then the solver with the grader frozen.
        ``solver-only``, ``grader-only``: one agent, the other as it began.
    edits : {"bounded", "free"}
        Whether revisions are held to a budget.
    budget_max, budget_min : int
        Budget of the first and of the last update.
    tokenizer : {"words", "characters", "whitespace"}
        Tokens that edits are counted in.
    target : {"prompt", "prompt+skills"}
        What may change. Skills have a budget of their own, on the same schedule.
    checkpoints : {"validation", "last"}
        ``validation`` keeps the best of each agent and stops when neither improves; ``last``
        runs every round, looks at no validation label and returns the last components.
    patience : int
        Rounds without a new best of either agent before stopping.
    revalidate : {"both", "changed"}
        Components that are validated after each round. ``both`` evaluates the unchanged agent
        again, which moves no checkpoint and measures the noise.
    initial : str
        Name of the initial components.
    digest_rounds : int
        Rounds that the digest of the history goes back.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = FORBID_EXTRA

    batch: int = 8
    window: int = 10
    exploration: float = 0.01
    selection: Literal["sw-ucb", "round-robin"] = "sw-ucb"
    schedule: Schedule = "alternating"
    edits: Literal["bounded", "free"] = "bounded"
    budget_max: int = 4
    budget_min: int = 2
    tokenizer: Tokenizer = "words"
    target: Literal["prompt", "prompt+skills"] = "prompt"
    checkpoints: Literal["validation", "last"] = "validation"
    patience: int = 10
    revalidate: Literal["both", "changed"] = "both"
    initial: str = "empty"
    digest_rounds: int = 10

    def __post_init__(self) -> None:
        for name in ("batch", "window", "budget_min", "patience"):
            if getattr(self, name) < 1:
                raise ArgumentError(f"`{name}` is {getattr(self, name)}; it must be at least 1")
        if not (math.isfinite(self.exploration) and self.exploration >= 0):
            raise ArgumentError(
                f"`exploration` is {self.exploration}; it must be a finite number of at least 0"
            )
        if self.budget_max < self.budget_min:
            raise ArgumentError(
                f"`budget_max` is {self.budget_max}; it must be at least `budget_min`, "
                f"{self.budget_min}"
            )
        if self.digest_rounds < 0:
            raise ArgumentError(f"`digest_rounds` is {self.digest_rounds}; it must be at least 0")
