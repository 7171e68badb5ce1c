"""Selection across views by validation, and what it costs on the test set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalkit.errors import ArgumentError
from evalkit.trajectories.scores import Score, check_score, compare_scores

__all__ = ["Selection", "SelectionGap", "ViewResult", "select_view", "selection_gap"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewResult:
    """What one view, or the parent, scored.

    Attributes
    ----------
    validation : float or Fraction
        Validation score that selection goes by.
    auxiliary : float, Fraction or None
        Second validation score, for ties; ``None`` if the benchmark has none.
    test : float, Fraction or None
        Test score; never used to select.
    artifact : str or None
        Id of the artifact: equal ids mean byte-identical artifacts.
    changed : bool or None
        Whether the artifact differs from the parent's. ``None``: by the ids where both are
        known, and taken as different otherwise.

    Raises
    ------
    ArgumentError
        If a score is not a finite number.
    """

    validation: Score
    auxiliary: Score | None = None
    test: Score | None = None
    artifact: str | None = None
    changed: bool | None = None

    def __post_init__(self) -> None:
        check_score(self.validation, name="`validation`")
        for name, value in (("auxiliary", self.auxiliary), ("test", self.test)):
            if value is not None:
                check_score(value, name=f"`{name}`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The view that validation selects.

    Attributes
    ----------
    selected : str
        Name of the view, or of the parent.
    parent_kept : bool
        Whether no byte-distinct view strictly improves the parent's validation score.
    gain : float
        Validation score of the selected view minus the parent's.
    decided_by : {"validation", "auxiliary", "preference", "parent"}
        What decided it: ``preference`` is the order of the views.
    tied : tuple of str
        Views with the highest validation score, when several share it.
    parent_identical : tuple of str
        Views that returned the parent's artifact.
    rule : str
        The rule, in words.
    """

    selected: str
    parent_kept: bool
    gain: float
    decided_by: str
    tied: tuple[str, ...]
    parent_identical: tuple[str, ...]
    rule: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "selected": self.selected,
            "parent_kept": self.parent_kept,
            "gain": self.gain,
            "decided_by": self.decided_by,
            "tied": list(self.tied),
            "parent_identical": list(self.parent_identical),
            "rule": self.rule,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionGap:
    """What selecting by validation gives away on the test set.

    Attributes
    ----------
    gap : float or None
        Best test score minus that of the selected view, at least 0; ``None`` without scores.
    selected : str
        The validation-selected view, or the parent.
    selected_test, best_test : float or None
        Their test scores.
    best : tuple of str
        Every name with the best test score, in order, the parent first.
    note : str or None
        Why the gap is undefined.
    """

    gap: float | None
    selected: str
    selected_test: float | None
    best_test: float | None
    best: tuple[str, ...]
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "gap": self.gap,
            "selected": self.selected,
            "selected_test": self.selected_test,
            "best_test": self.best_test,
            "best": list(self.best),
            "note": self.note,
        }


def select_view(
    candidates: Mapping[str, ViewResult],
    parent: ViewResult,
    *,
    prefer: Sequence[str] | None = None,
    parent_name: str = "Parent",
) -> Selection:
    """Select a view by validation, or keep the parent.

    Parameters
    ----------
    candidates : mapping of str to ViewResult
        What each view returned.
    parent : ViewResult
        The common parent.
    prefer : sequence of str, optional
        Order that breaks ties which the auxiliary score leaves; every view, once. By default
        the order of `candidates`.
    parent_name : str
        How the parent is called in the result.

    Returns
    -------
    Selection

    Raises
    ------
    ArgumentError
        If `prefer` does not name every view once, or a view is called like the parent.

    Notes
    -----
    The parent is kept unless a byte-distinct view has a strictly higher validation score; the
    auxiliary score alone never replaces it. Among the views with the highest validation score
    the highest auxiliary score wins, if all of them have one; then the order of preference.

    Examples
    --------
    >>> views = {"A": ViewResult(validation=0.82), "B": ViewResult(validation=0.81)}
    >>> select_view(views, ViewResult(validation=0.80)).selected
    'A'
    """
    order = _order(candidates, prefer, parent_name)
    rule = (
        "highest validation score among byte-distinct views strictly above the parent; "
        f"then highest auxiliary score; then the order {', '.join(order)}"
    )
    identical = tuple(name for name in candidates if not _is_distinct(candidates[name], parent))
    improving = [
        name
        for name in order
        if name not in identical
        and compare_scores(candidates[name].validation, parent.validation) > 0
    ]
    top = _maxima(improving, lambda name: candidates[name].validation)
    finalists, decided_by = top, "validation"
    if len(top) > 1:
        auxiliary = {name: candidates[name].auxiliary for name in top}
        known = {name: score for name, score in auxiliary.items() if score is not None}
        finalists = _maxima(top, known.__getitem__) if len(known) == len(top) else top
        decided_by = "auxiliary" if len(finalists) == 1 else "preference"
    selected = finalists[0] if finalists else parent_name
    chosen = candidates[selected] if finalists else parent
    return Selection(
        selected=selected,
        parent_kept=not finalists,
        gain=float(chosen.validation - parent.validation),
        decided_by=decided_by if finalists else "parent",
        tied=tuple(top) if len(top) > 1 else (),
        parent_identical=identical,
        rule=rule,
    )


def selection_gap(
    candidates: Mapping[str, ViewResult],
    parent: ViewResult,
    *,
    selected: str | None = None,
    prefer: Sequence[str] | None = None,
    parent_name: str = "Parent",
) -> SelectionGap:
    """Return how far the selected view is from the best one on the test set.

    Parameters
    ----------
    candidates : mapping of str to ViewResult
        What each view returned, with test scores.
    parent : ViewResult
        The common parent, with its test score.
    selected : str, optional
        The view that was selected; by default the one of `select_view`.
    prefer : sequence of str, optional
        As in `select_view`.
    parent_name : str
        How the parent is called.

    Returns
    -------
    SelectionGap

    Raises
    ------
    ArgumentError
        If `selected` is not a view or the parent, or as in `select_view`.

    Notes
    -----
    The best is taken over the parent and the byte-distinct views. A view that returned the
    parent's artifact shares the parent's entry: its own test run is another execution of the
    same artifact, and would only add the luck of one more draw to the maximum.
    The best of several noisy scores is itself biased upwards, so the gap is an upper estimate.

    Examples
    --------
    >>> views = {
    ...     "A": ViewResult(validation=0.82, test=0.75),
    ...     "B": ViewResult(validation=0.81, test=0.78),
    ... }
    >>> gap = selection_gap(views, ViewResult(validation=0.80, test=0.76))
    >>> gap.selected, gap.best, round(gap.gap, 12)
    ('A', ('B',), 0.03)
    """
    choice = select_view(candidates, parent, prefer=prefer, parent_name=parent_name)
    name = choice.selected if selected is None else selected
    if name != parent_name and name not in candidates:
        raise ArgumentError(
            f"`selected` is {name!r}; it must be {parent_name!r} or one of {', '.join(candidates)}"
        )
    distinct = {k: v for k, v in candidates.items() if k not in choice.parent_identical}
    tests = {parent_name: parent.test, **{k: v.test for k, v in distinct.items()}}
    known = {k: v for k, v in tests.items() if v is not None}
    chosen = known.get(name if name in tests else parent_name)
    missing = [k for k in tests if k not in known]
    if missing or chosen is None:
        return SelectionGap(
            gap=None,
            selected=name,
            selected_test=None if chosen is None else float(chosen),
            best_test=None,
            best=(),
            note=f"no test score for {', '.join(missing)}, so the best is unknown",
        )
    best = _maxima(list(known), known.__getitem__)
    return SelectionGap(
        gap=0.0 if name in best else float(known[best[0]] - chosen),
        selected=name,
        selected_test=float(chosen),
        best_test=float(known[best[0]]),
        best=tuple(best),
    )


def _is_distinct(view: ViewResult, parent: ViewResult) -> bool:
    if view.changed is not None:
        return view.changed
    return view.artifact is None or view.artifact != parent.artifact


def _order(
    candidates: Mapping[str, ViewResult], prefer: Sequence[str] | None, parent_name: str
) -> list[str]:
    if parent_name in candidates:
        raise ArgumentError(
            f"a view is called {parent_name!r}, like the parent; set `parent_name` to another name"
        )
    order = list(candidates) if prefer is None else list(prefer)
    if sorted(order) != sorted(candidates):
        raise ArgumentError(
            f"`prefer` is {order}; it must name every view once: {', '.join(candidates)}"
        )
    return order


def _maxima(names: Sequence[str], score: Callable[[str], Score]) -> list[str]:
    """Return the names that share the highest score, in their order."""
    top: list[str] = []
    for name in names:
        sign = 1 if not top else compare_scores(score(name), score(top[0]))
        top = [name] if sign > 0 else [*top, name] if sign == 0 else top
    return top
