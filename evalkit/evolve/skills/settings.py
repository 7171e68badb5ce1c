"""Settings of skill evolution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

from evalkit.errors import ArgumentError
from evalkit.evolve.settings import FORBID_EXTRA
from evalkit.evolve.skills.gating import parse_gate
from evalkit.evolve.skills.views import VIEWS, View

__all__ = ["SkillSettings", "check_shares"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillSettings:
    """Settings of skill evolution; the defaults are those of the paper's common protocol.

    Attributes
    ----------
    views : tuple of {"Normal", "Fail-only", "Success-only"}
        Views that are run; their order breaks the ties of the selection.
    trajectories : int
        Training items a round; all of them where there are fewer.
    max_edits : int
        Edits that a candidate may make: contiguous blocks of changed lines.
    gate : str
        ``strict``, ``non-decreasing``, ``dead-band:WIDTH[:best]``, ``k-se:K``,
        ``lower-bound[:LEVEL]`` or ``sign-test[:P]``.
    patience : int
        Rejected or unchanged candidates in a row that stop a view.
    success : float
        Score from which a training outcome is a success.
    auxiliary : str
        Verifier of the auxiliary score, for ties of the selection; empty for none.
    revalidate : bool
        Whether an unchanged candidate is validated again: it moves nothing, and measures the noise.
    repeats : int
        Deployments on the test split of the parent and of each view's best.
    probes : tuple of str
        Panels of the environment, such as R1 and T3; those that it lacks or leaves empty are named
        in an event and left out.
    probe_repeats : int
        Deployments on each panel.
    verifiers : tuple of str
        Verifiers that score the same test outputs of the parent and of the selected skill; two or
        more, or none.
    attempts : int
        Attempts of the test-time controls, the parent's first one included; 1 for no controls.
    shares : tuple of float
        Shares of the test items that get a 2nd, 3rd, ... attempt, not increasing; empty: all do.
    initial : str
        Name of the parent among the initial components.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = FORBID_EXTRA

    views: tuple[View, ...] = VIEWS
    trajectories: int = 40
    max_edits: int = 4
    gate: str = "non-decreasing"
    patience: int = 5
    success: float = 1.0
    auxiliary: str = ""
    revalidate: bool = True
    repeats: int = 3
    probes: tuple[str, ...] = ()
    probe_repeats: int = 3
    verifiers: tuple[str, ...] = ()
    attempts: int = 4
    shares: tuple[float, ...] = ()
    initial: str = "empty"

    def __post_init__(self) -> None:
        for name in (
            "trajectories",
            "max_edits",
            "patience",
            "repeats",
            "probe_repeats",
            "attempts",
        ):
            if getattr(self, name) < 1:
                raise ArgumentError(f"`{name}` is {getattr(self, name)}; it must be at least 1")
        for name in ("views", "probes", "verifiers"):
            given = getattr(self, name)
            if len(set(given)) < len(given):
                raise ArgumentError(f"`{name}` is {list(given)}; name each once")
        taken = [name for name in self.probes if name in {"train", "validation", "test", "solver"}]
        if taken:
            raise ArgumentError(f"`probes` names {taken[0]!r}, which is no probe; name a panel")
        if not self.views:
            raise ArgumentError("`views` is empty; name at least one view")
        if len(self.verifiers) == 1:
            raise ArgumentError(f"`verifiers` is {list(self.verifiers)}; name two or more, or none")
        if not 0 < self.success <= 1:
            raise ArgumentError(f"`success` is {self.success}; it must be above 0 and at most 1")
        parse_gate(self.gate)
        check_shares(self.shares, attempts=self.attempts)


def check_shares(shares: tuple[float, ...], *, attempts: int) -> None:
    """Refuse shares that make no nested allocation of `attempts` attempts."""
    if not shares:
        return
    if len(shares) != attempts - 1:
        raise ArgumentError(
            f"`shares` has {len(shares)} entries; {attempts} attempts need {attempts - 1}, one for "
            "each attempt from the second on"
        )
    if any(not 0 < share <= 1 for share in shares) or any(b > a for a, b in pairwise(shares)):
        raise ArgumentError(
            f"`shares` is {list(shares)}; each must be above 0, at most 1, and not above the one "
            "before"
        )
