"""How a property of the degraded text relates to that of the base, and the check of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, get_args

from evalkit.contrasts.profile import Profile, Property

__all__ = ["Declared", "Relation", "relation_holds", "violations"]

Relation = Literal[
    "same",
    "one removed",
    "run removed",
    "some removed",
    "one added",
    "run added",
    "repeats added",
    "one replaced",
    "cut off",
    "reordered",
    "regrouped",
]
"""What may have become of a property, from the base to the degraded text."""
Declared = Mapping[Property, tuple[Relation, ...]]
"""The properties that a degradation changes, and how; those not named stay the same."""
Items = Sequence[str]


def _run_removed(base: Items, other: Items) -> bool:
    """Whether `other` is `base` without one run of neighbours."""
    lost = len(base) - len(other)
    if lost < 1:
        return False
    head = 0
    while head < len(other) and base[head] == other[head]:
        head += 1
    return list(base[head + lost :]) == list(other[head:])


def _subsequence(base: Items, other: Items) -> bool:
    rest = iter(base)
    return all(item in rest for item in other)


def _one_replaced(base: Items, other: Items) -> bool:
    return len(base) == len(other) and sum(a != b for a, b in zip(base, other, strict=True)) == 1


def _cut_off(base: Items, other: Items) -> bool:
    """Whether `other` is the head of `base`; its last item may be cut short itself."""
    if not other:
        return bool(base)
    if len(other) > len(base) or list(base[: len(other) - 1]) != list(other[:-1]):
        return False
    last, whole = other[-1], base[len(other) - 1]
    return whole.startswith(last) and (len(other) < len(base) or last != whole)


def _repeats_added(base: Items, other: Items) -> bool:
    known = set(base)
    return (
        len(other) > len(base)
        and list(other[: len(base)]) == list(base)
        and all(item in known for item in other[len(base) :])
    )


def _glued(items: Items) -> str:
    """Letters, digits and number marks of all items, without what separates them."""
    return "".join(char for item in items for char in item if char.isalnum() or char == "#")


_CHECKS: Mapping[Relation, Callable[[Items, Items], bool]] = {
    "same": lambda base, other: list(base) == list(other),
    "one removed": lambda base, other: len(base) - len(other) == 1 and _run_removed(base, other),
    "run removed": _run_removed,
    "some removed": lambda base, other: len(other) < len(base) and _subsequence(base, other),
    "one added": lambda base, other: len(other) - len(base) == 1 and _run_removed(other, base),
    "run added": lambda base, other: _run_removed(other, base),
    "repeats added": _repeats_added,
    "one replaced": _one_replaced,
    "cut off": _cut_off,
    "reordered": lambda base, other: list(base) != list(other) and Counter(base) == Counter(other),
    "regrouped": lambda base, other: list(base) != list(other) and _glued(base) == _glued(other),
}


def relation_holds(relation: Relation, base: Items, other: Items) -> bool:
    """Whether `other` relates to `base` as named.

    Examples
    --------
    >>> relation_holds("one removed", ["a", "b", "c"], ["a", "c"])
    True
    >>> relation_holds("cut off", ["one", "two"], ["one", "tw"])
    True
    """
    return _CHECKS[relation](base, other)


def violations(base: Profile, other: Profile, declared: Declared) -> tuple[str, ...]:
    """Say in which properties the degraded text differs in another way than declared.

    Parameters
    ----------
    base, other : Profile
        Profiles of the base text and of the degraded one.
    declared : mapping
        What the degradation changes and how; every other property must be the same.

    Returns
    -------
    tuple of str
        One sentence for each violation; empty when only what is declared has changed.

    Examples
    --------
    >>> from evalkit.contrasts.profile import read_response
    >>> base, other = (read_response(t).profile for t in ("It rose 12 %.", "It fell 15 %."))
    >>> violations(base, other, {"numbers": ("one replaced",)})
    ('words changed, which is not declared', 'parts changed, which is not declared')
    """
    found = []
    for name in get_args(Property):
        before, after = getattr(base, name), getattr(other, name)
        allowed = declared.get(name, ("same",))
        if any(relation_holds(relation, before, after) for relation in allowed):
            continue
        if name not in declared:
            found.append(f"{name} changed, which is not declared")
        elif list(before) == list(after):
            found.append(f"{name} did not change, and {' or '.join(allowed)} is declared")
        else:
            found.append(f"{name} changed in another way than {' or '.join(allowed)}")
    return tuple(found)
