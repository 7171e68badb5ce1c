"""Candidates in an order that does not depend on the order they came in."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from evalkit.errors import ArgumentError, DuplicateRowError, InputError
from evalkit.pairs.candidate import Candidate

__all__ = ["sorted_candidates"]


def sorted_candidates(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Candidates by task and id, after checks that their ids, prompts and clusters are one each."""
    rows = list(candidates)
    for row in rows:
        if not isinstance(row, Candidate):
            raise ArgumentError(
                f"`candidates` holds a {type(row).__name__}; read_candidates() and "
                "make_candidate() make candidates"
            )
    rows.sort(key=lambda c: (c.task, c.id))
    for before, after in pairwise(rows):
        if before.task != after.task:
            continue
        if before.id == after.id:
            raise DuplicateRowError(
                "two candidates of one task have this id", item=f"{after.task}/{after.id}"
            )
        for name in ("prompt", "cluster"):
            if getattr(before, name) != getattr(after, name):
                raise InputError(
                    f"the candidates of this task have different values of `{name}`; a task has "
                    "one",
                    item=after.task,
                )
    return rows
