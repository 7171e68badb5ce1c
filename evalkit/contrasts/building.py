"""Build a contrast set: pairs of a base response and a copy degraded in one property."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evalkit.contrasts.catalogue import DEGRADATIONS
from evalkit.contrasts.degradation import Degradation, NotApplicable, degrade, opaque, seeded
from evalkit.contrasts.responses import Response, read_responses
from evalkit.errors import ArgumentError

__all__ = ["Contrast", "ContrastSet", "build_contrasts", "pick_families"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """One pair; the base is the better side. Private: graders see what `blind` makes of it.

    Attributes
    ----------
    contrast : str
        Id, which says nothing about the family or the direction.
    family : str
        The degradation.
    item : str
        The task.
    task : str
        What the responses answer.
    base, degraded : str
        The two responses.
    cluster : str
        Contrasts that are not independent share it.
    detail : str
        What was changed.
    """

    contrast: str
    family: str
    item: str
    task: str
    base: str
    degraded: str
    cluster: str
    detail: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class ContrastSet:
    """Contrasts by family, with what was not applicable and why.

    Attributes
    ----------
    contrasts : tuple of Contrast
        Family by family.
    families : tuple of str
        Families that were asked for, those without a contrast too.
    not_applicable : mapping of str to mapping of str to int
        Responses passed over, by family and reason.
    seed : int
        What decided among responses and edits.
    notes : tuple of str
        Shortfalls, and what was left out while reading.
    """

    contrasts: tuple[Contrast, ...]
    families: tuple[str, ...]
    not_applicable: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    seed: int = 0
    notes: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """Contrasts of each family."""
        found = Counter(contrast.family for contrast in self.contrasts)
        return {name: found[name] for name in self.families}

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one row for each family as JSON-safe values."""
        counts = self.counts
        return [
            {
                "family": name,
                "contrasts": counts[name],
                "not_applicable": dict(self.not_applicable.get(name, {})),
            }
            for name in self.families
        ]


def pick_families(families: Sequence[str | Degradation] | None) -> tuple[Degradation, ...]:
    """Degradations by name, or one's own; all of them by default.

    Raises
    ------
    ArgumentError
        If a name is unknown or stands twice.
    """
    if families is None:
        return tuple(DEGRADATIONS.values())
    found = []
    for family in families:
        if isinstance(family, str) and family not in DEGRADATIONS:
            raise ArgumentError(
                f"`families` names {family!r}; allowed are {', '.join(DEGRADATIONS)}, "
                "or a Degradation of one's own"
            )
        found.append(DEGRADATIONS[family] if isinstance(family, str) else family)
    names = [degradation.name for degradation in found]
    if not names or len(set(names)) < len(names):
        raise ArgumentError(f"`families` is {names}; name at least one, and each once")
    return tuple(found)


def _one_family(
    responses: Sequence[Response], degradation: Degradation, *, per_family: int | None, seed: int
) -> tuple[list[Contrast], Counter[str]]:
    """Contrasts of one family, and the reasons of the responses that were passed over."""
    found: list[Contrast] = []
    passed: Counter[str] = Counter()
    order = seeded(seed, "responses", degradation.name).permutation(len(responses)).tolist()
    for place in order:
        if per_family is not None and len(found) == per_family:
            break
        response = responses[place]
        made = degrade(response.text, degradation, task=response.task, seed=seed)
        if isinstance(made, NotApplicable):
            passed[made.reason] += 1
            continue
        found.append(
            Contrast(
                contrast=opaque(
                    str(seed), "contrast", degradation.name, response.item, response.text, made.text
                ),
                family=degradation.name,
                item=response.item,
                task=response.task,
                base=response.text,
                degraded=made.text,
                cluster=response.cluster,
                detail=made.detail,
            )
        )
    return sorted(found, key=lambda c: (c.item, c.contrast)), passed


def build_contrasts(
    responses: Any,
    *,
    families: Sequence[str | Degradation] | None = None,
    per_family: int | None = None,
    seed: int = 0,
    columns: Mapping[str, str] | None = None,
    partial: bool = False,
) -> ContrastSet:
    """Degrade responses in one property each.

    Parameters
    ----------
    responses : path, dataframe of any engine, or sequence of mappings
        A row for each response: the text (``response``), and where there are any the item, the
        task that it answers, and a cluster. Without items a row is an item; without clusters an
        item is a cluster.
    families : sequence of str or Degradation, optional
        Names of :data:`DEGRADATIONS`, or one's own; all by default.
    per_family : int, optional
        Contrasts wanted of each family; every applicable response by default.
    seed : int
        Decides among responses and edits. The same seed, responses and version give the same set.
    columns : mapping of str to str, optional
        What is looked for (item, task, response, cluster) to its column.
    partial : bool
        Take the whole rows of a compressed file that is cut off.

    Returns
    -------
    ContrastSet

    Raises
    ------
    ArgumentError
        If a family is unknown or `per_family` is below 1.
    InputError
        If there are no responses, or two rows are alike.

    Notes
    -----
    The base is taken as the better side by construction: where a response had a fault that the
    degradation happens to remove, it is not. Choose responses that are worth degrading.

    Examples
    --------
    >>> found = build_contrasts(
    ...     [{"item": "q1", "task": "Report sales.", "response": "Sales rose 12 % [1]."}],
    ...     families=["drop-citation", "reorder-steps"],
    ... )
    >>> found.counts, found.not_applicable["reorder-steps"]
    ({'drop-citation': 1, 'reorder-steps': 0}, {'no numbered list of two steps': 1})
    """
    chosen = pick_families(families)
    if per_family is not None and per_family < 1:
        raise ArgumentError(f"`per_family` is {per_family}; it must be 1 or more, or None")
    read = read_responses(responses, columns=columns, partial=partial)
    contrasts: list[Contrast] = []
    reasons: dict[str, dict[str, int]] = {}
    notes = list(read.notes)
    for degradation in chosen:
        found, passed = _one_family(read.responses, degradation, per_family=per_family, seed=seed)
        contrasts += found
        reasons[degradation.name] = dict(passed.most_common())
        if len(found) < (per_family or 1):
            wanted = f" of {per_family} wanted" if per_family else ""
            notes.append(
                f"{degradation.name}: {len(found)} contrasts{wanted}; "
                f"it does not apply to {passed.total()} of {len(read.responses)} responses"
            )
    return ContrastSet(
        contrasts=tuple(contrasts),
        families=tuple(degradation.name for degradation in chosen),
        not_applicable=reasons,
        seed=seed,
        notes=tuple(notes),
    )
