"""A candidate: one output for one task with its reference score, and no grader's score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType

from evalkit.errors import ArgumentError, InputError
from evalkit.pairs.exact import exact_number
from evalkit.records.values import CellError, json_text

__all__ = ["Candidate", "make_candidate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One output for one task.

    There is no field for the score of a grader under evaluation, so none can enter a selection.

    Attributes
    ----------
    id : str
        Unique within its task.
    task : str
        The task.
    reference : Fraction or None
        Exact score by the reference, higher is better.
    second_reference : Fraction or None
        Exact score by a second reference that has to agree (groundedness, for instance).
    output : str or None
        Text of the output; ``None`` where only features are known.
    features : mapping of str to str or None
        Observable properties of the output (citations, populated cells), in written form.
    model : str or None
        What produced the output.
    cluster : str or None
        Group of tasks that are not independent; the task itself by default.
    prompt : str or None
        What was asked.

    Notes
    -----
    :func:`make_candidate` takes numbers of any kind and makes them exact.
    """

    id: str
    task: str
    reference: Fraction | None
    second_reference: Fraction | None = None
    output: str | None = None
    features: Mapping[str, str | None] = field(default_factory=lambda: MappingProxyType({}))
    model: str | None = None
    cluster: str | None = None
    prompt: str | None = None

    def __post_init__(self) -> None:
        for name in ("id", "task"):
            if not isinstance(getattr(self, name), str):
                raise ArgumentError(f"`{name}` is {getattr(self, name)!r}; ids are text")
        for name in ("reference", "second_reference"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, Fraction):
                raise ArgumentError(
                    f"`{name}` is {value!r}; it must be a Fraction or None; make_candidate() takes "
                    "numbers of any kind"
                )
        for name in ("output", "model", "cluster", "prompt"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise ArgumentError(f"`{name}` is {value!r}; it must be text or None")

    def __hash__(self) -> int:
        return hash((self.task, self.id))


def make_candidate(
    *,
    id: str,  # noqa: A002
    task: str,
    reference: object,
    second_reference: object = None,
    output: str | None = None,
    features: Mapping[str, object] | None = None,
    model: str | None = None,
    cluster: str | None = None,
    prompt: str | None = None,
) -> Candidate:
    """Make a candidate from values of any kind.

    Parameters
    ----------
    id, task, output, model, cluster, prompt
        As in :class:`Candidate`.
    reference, second_reference : number, decimal text, bool or None
        Made exact: a float stands for its shortest decimal text.
    features : mapping of str to object, optional
        Kept as text in written form.

    Returns
    -------
    Candidate

    Raises
    ------
    InputError
        If a score is not a finite number.

    Examples
    --------
    >>> found = make_candidate(id="a", task="t", reference=0.58, features={"citations": 7})
    >>> found.reference, dict(found.features)
    (Fraction(29, 50), {'citations': '7'})
    """
    scores = []
    for name, value in (("reference", reference), ("second reference", second_reference)):
        try:
            scores.append(exact_number(value))
        except CellError as cause:
            raise InputError(
                f"the {name} score is {value!r}; it must be a finite number, true/false or "
                "pass/fail, or nothing at all; name another column",
                item=f"{task}/{id}",
            ) from cause
    cells = {str(name): json_text(value) for name, value in (features or {}).items()}
    return Candidate(
        id=id,
        task=task,
        reference=scores[0],
        second_reference=scores[1],
        output=output,
        features=MappingProxyType(cells),
        model=model,
        cluster=cluster,
        prompt=prompt,
    )
