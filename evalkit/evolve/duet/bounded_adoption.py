"""Whether a candidate is small enough to be adopted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from evalkit.environments.base import Component
from evalkit.evolve.duet.edit_distance import Tokenizer, prompt_edits, skill_edits
from evalkit.evolve.protocols import Proposal

__all__ = ["Adoption", "Edits", "Limit", "bounded_adoption", "count_edits"]

Decision = Literal["accepted", "rejected", "no-op"]
_ACCEPT, _KEEP = Fraction(23, 20), Fraction(2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """Edits of a candidate, or budgets for them: prompt and skills apart."""

    prompt: int
    skills: int = 0

    @property
    def total(self) -> int:
        """Both together."""
        return self.prompt + self.skills

    def within(self, limit: Limit, *, factor: Fraction) -> bool:
        """Whether neither exceeds its limit times a factor."""
        return self.prompt <= factor * limit.prompt and self.skills <= factor * limit.skills


Limit = Edits


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoption:
    """What became of a candidate.

    Attributes
    ----------
    decision : {"accepted", "rejected", "no-op"}
        ``no-op``: the candidate is the current component, byte for byte.
    candidate : Component
        The candidate that was decided on.
    edits : Edits
        Its edits.
    first : Edits
        Edits of the first try.
    retried : bool
        Whether there was a second try.
    used_retry : bool
        Whether the second try was decided on.
    """

    decision: Decision
    candidate: Component
    edits: Edits
    first: Edits
    retried: bool = False
    used_retry: bool = False


def count_edits(before: Component, after: Component, *, tokenizer: Tokenizer) -> Edits:
    """Count the edits of the prompt and of the skills."""
    return Edits(
        prompt=prompt_edits(before.prompt, after.prompt, tokenizer=tokenizer),
        skills=skill_edits(before.skills, after.skills),
    )


def bounded_adoption(
    current: Component,
    candidate: Component,
    *,
    limit: Limit | None,
    tokenizer: Tokenizer,
    retry: Callable[[Component], Proposal],
) -> Adoption:
    """Decide on a candidate.

    Parameters
    ----------
    current, candidate : Component
        What the agent uses, and the revision.
    limit : Limit or None
        Budget of the update; ``None`` for an update that is exempt.
    tokenizer : str
        Tokens that prompt edits are counted in.
    retry : callable
        Asks for a smaller version of the candidate; called at most once.

    Returns
    -------
    Adoption

    Notes
    -----
    Up to 1.15 times the budget a candidate is accepted. Beyond, there is one second try, which
    replaces the first if it makes no more edits in all. Then more than twice the budget is
    rejected and anything else accepted. With skills, prompt and skills each have their budget
    and both must hold. A second try that fails, or brings nothing, leaves the first in place.
    """
    first = count_edits(current, candidate, tokenizer=tokenizer)
    if candidate.digest == current.digest:
        return Adoption(decision="no-op", candidate=candidate, edits=first, first=first)
    if limit is None or first.within(limit, factor=_ACCEPT):
        return Adoption(decision="accepted", candidate=candidate, edits=first, first=first)
    second = retry(candidate).component
    used = False
    edits = first
    if second is not None:
        smaller = count_edits(current, second, tokenizer=tokenizer)
        used = smaller.total <= first.total
        candidate, edits = (second, smaller) if used else (candidate, first)
    decision: Decision = "accepted" if edits.within(limit, factor=_KEEP) else "rejected"
    if candidate.digest == current.digest:
        decision = "no-op"
    return Adoption(
        decision=decision,
        candidate=candidate,
        edits=edits,
        first=first,
        retried=True,
        used_retry=used,
    )
