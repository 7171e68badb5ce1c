"""A pair: two outputs for one task, which of them the reference prefers, and what the cue says."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from evalkit.errors import ArgumentError
from evalkit.pairs.candidate import Candidate
from evalkit.pairs.exact import number_text

__all__ = ["Label", "Pair", "pair_id"]

Label = Literal["A>B", "B>A"]


def pair_id(x: Candidate, y: Candidate) -> str:
    """Return an id that two outputs of one task have in either order.

    Examples
    --------
    >>> from evalkit.pairs.candidate import make_candidate
    >>> x, y = (make_candidate(id=i, task="t", reference=0) for i in "xy")
    >>> pair_id(x, y) == pair_id(y, x)
    True
    """
    content = json.dumps([x.task, *sorted([x.id, y.id])])
    return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two outputs for one task.

    Attributes
    ----------
    id : str
        Unique within a set; it does not tell which output is better.
    a, b : Candidate
        The outputs as they are shown.
    label : {"A>B", "B>A"}
        Which one the reference prefers.
    cue_a, cue_b : Fraction or None
        The cue of each.
    split : str or None
        Split that the pair belongs to.
    """

    id: str
    a: Candidate
    b: Candidate
    label: Label
    cue_a: Fraction | None = None
    cue_b: Fraction | None = None
    split: str | None = None

    def __post_init__(self) -> None:
        if self.label not in ("A>B", "B>A"):
            raise ArgumentError(f"`label` is {self.label!r}; it must be 'A>B' or 'B>A'")
        if self.a.task != self.b.task:
            raise ArgumentError(
                f"pair {self.id!r} has outputs of two tasks, {self.a.task!r} and {self.b.task!r}"
            )

    @property
    def task(self) -> str:
        """The task of both outputs."""
        return self.a.task

    @property
    def cluster(self) -> str:
        """Cluster for intervals: the declared one, or the task."""
        return self.task if self.a.cluster is None else self.a.cluster

    @property
    def prompt(self) -> str | None:
        """What was asked."""
        return self.a.prompt

    @property
    def better(self) -> Candidate:
        """The output that the reference prefers."""
        return self.a if self.label == "A>B" else self.b

    @property
    def worse(self) -> Candidate:
        """The other output."""
        return self.b if self.label == "A>B" else self.a

    @property
    def cue_gap(self) -> Fraction | None:
        """Cue of the worse output less that of the better one."""
        if self.cue_a is None or self.cue_b is None:
            return None
        return self.cue_b - self.cue_a if self.label == "A>B" else self.cue_a - self.cue_b

    @property
    def margin(self) -> Fraction | None:
        """Reference score of the better output less that of the worse one."""
        if self.better.reference is None or self.worse.reference is None:
            return None
        return self.better.reference - self.worse.reference

    def to_dict(self) -> dict[str, Any]:
        """Return the pair without its texts, as JSON-safe values."""
        return {
            "pair_id": self.id,
            "task": self.task,
            "cluster": self.cluster,
            "split": self.split,
            "label": self.label,
            "candidate_a": self.a.id,
            "candidate_b": self.b.id,
            "model_a": self.a.model,
            "model_b": self.b.model,
            "margin": number_text(self.margin),
            "cue_a": number_text(self.cue_a),
            "cue_b": number_text(self.cue_b),
        }
