"""Which columns look like the scores of a grader, and may therefore not enter a selection."""

from __future__ import annotations

import re
from collections.abc import Collection

from evalkit.errors import ArgumentError

__all__ = ["check_not_grader", "grader_reason"]

_GRADER = re.compile(
    r"(?:^|[^a-z])(?:graders?|grades?|judges?|judg(?:e?ments?)|verdicts?|rewards?|critics?|autorater)"
    r"(?:$|[^a-z])"
)


def _folded(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).casefold()


def grader_reason(
    name: str, *, graders: Collection[str] = (), not_graders: Collection[str] = ()
) -> str | None:
    """Say why a column counts as a grader's score; ``None`` where it does not.

    Parameters
    ----------
    name : str
        Column.
    graders : collection of str
        Columns declared to come from a grader under evaluation.
    not_graders : collection of str
        Columns declared not to, whatever they are called.

    Examples
    --------
    >>> grader_reason("judge_score"), grader_reason("length")
    ("its name looks like a grader's score", None)
    >>> grader_reason("judge_score", not_graders=["judge_score"]) is None
    True
    """
    both = set(graders) & set(not_graders)
    if both:
        raise ArgumentError(
            f"{sorted(both)} are declared both as `graders` and as `not_graders`; drop one"
        )
    if name in graders:
        return "it is declared as the score of a grader under evaluation"
    if name not in not_graders and _GRADER.search(_folded(name)):
        return "its name looks like a grader's score"
    return None


def check_not_grader(
    role: str, name: str, *, graders: Collection[str], not_graders: Collection[str]
) -> None:
    """Refuse a column that counts as a grader's score.

    Raises
    ------
    ArgumentError
        With the reason and the remedy.
    """
    reason = grader_reason(name, graders=graders, not_graders=not_graders)
    if reason is None:
        return
    remedy = (
        "take another column"
        if name in graders
        else "take another column, or declare that no grader under evaluation made it "
        f"(`not_graders`, --not-a-grader {name})"
    )
    raise ArgumentError(
        f"column {name!r} cannot be the {role}: {reason}, and pairs chosen by the scores of a "
        f"grader say nothing about that grader; {remedy}"
    )
