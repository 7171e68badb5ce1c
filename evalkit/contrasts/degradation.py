"""A degradation: one named change of a text, declared, seeded, and checked before it is used."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import numpy as np

from evalkit.contrasts.profile import Property, Reading, read_response
from evalkit.contrasts.relations import Declared, violations

__all__ = [
    "Degradation",
    "Degraded",
    "Edit",
    "Edits",
    "NotApplicable",
    "degrade",
    "opaque",
    "seeded",
]

_TRIES = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A candidate for the degraded text, before its check.

    Attributes
    ----------
    text : str
        The whole text after the change.
    detail : str
        What was changed, for the private key.
    """

    text: str
    detail: str


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """Why a degradation cannot be applied to a text.

    Attributes
    ----------
    reason : str
        In words that do not depend on the text, so that reasons can be counted.
    """

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Degraded:
    """A degraded text whose profile differs from the base as declared and in nothing else.

    Attributes
    ----------
    family : str
        The degradation.
    text : str
        The degraded text.
    detail : str
        What was changed.
    changed : tuple of str
        Properties of the profile that differ.
    """

    family: str
    text: str
    detail: str
    changed: tuple[Property, ...]


class Edits(Protocol):
    """From a reading to candidates, best first, or the reason why there is none."""

    def __call__(
        self, reading: Reading, rng: np.random.Generator, /
    ) -> Iterable[Edit] | NotApplicable:
        """Propose edits of one text."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Degradation:
    """A named degradation.

    Attributes
    ----------
    name : str
        Name of the family.
    summary : str
        What it does, in one sentence.
    declares : mapping of str to tuple of str
        Properties that it changes and how; all others stay the same.
    edits : Edits
        What proposes the change.
    """

    name: str
    summary: str
    declares: Declared
    edits: Edits


def _digest(words: tuple[str, ...]) -> bytes:
    return hashlib.sha256("\x1f".join(words).encode("utf-8", "surrogatepass")).digest()


def opaque(*words: str) -> str:
    """Return an id of sixteen hexadecimal digits that does not tell what it is made of.

    Examples
    --------
    >>> opaque("a", "b") == opaque("a", "b"), len(opaque())
    (True, 16)
    """
    return _digest(words).hex()[:16]


def seeded(seed: int, *words: str) -> np.random.Generator:
    """Return a generator for a seed and what it is used for, the same on every machine.

    Examples
    --------
    >>> int(seeded(0, "a", "b").integers(100)) == int(seeded(0, "a", "b").integers(100))
    True
    """
    return np.random.default_rng(list(_digest((str(seed), *words))))


def degrade(
    text: str, degradation: Degradation, *, task: str = "", seed: int = 0
) -> Degraded | NotApplicable:
    """Degrade a text in one property, and check that nothing else changed.

    Parameters
    ----------
    text : str
        A response.
    degradation : Degradation
        What to do, of :data:`evalkit.contrasts.DEGRADATIONS` or one's own.
    task : str
        What the response answers.
    seed : int
        With the text and the name, decides among the possible edits.

    Returns
    -------
    Degraded or NotApplicable
        The first of up to 25 candidates that passes the check; else the reason.

    Examples
    --------
    >>> from evalkit.contrasts import DEGRADATIONS
    >>> degrade("Sales rose 12 % [1].", DEGRADATIONS["drop-citation"]).text
    'Sales rose 12 %.'
    >>> degrade("Sales rose.", DEGRADATIONS["drop-citation"])
    NotApplicable(reason='no citation')
    """
    if not text.strip():
        return NotApplicable("empty text")
    reading = read_response(text, task=task)
    found = degradation.edits(reading, seeded(seed, degradation.name, text))
    if isinstance(found, NotApplicable):
        return found
    refused: str | None = None
    for edit in islice(found, _TRIES):
        if edit.text == text:
            refused = refused or "refused: the text did not change"
            continue
        other = read_response(edit.text, task=task).profile
        faults = violations(reading.profile, other, degradation.declares)
        if not faults:
            changed: tuple[Property, ...] = tuple(
                name
                for name in degradation.declares
                if getattr(reading.profile, name) != getattr(other, name)
            )
            return Degraded(
                family=degradation.name, text=edit.text, detail=edit.detail, changed=changed
            )
        refused = refused or f"refused: {'; '.join(faults)}"
    return NotApplicable(refused or "no place for it")
