"""Clauses: instructions in plain English that a simulated agent understands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Clause", "recognise", "sentences"]

_BREAK = re.compile(r"\n+|(?<=[.!?;])\s+")
_WORDS = re.compile(r"[^\w]+")
_REMINDER = re.compile(r"\b(?:do not|don t|never) (?:forget|fail|omit|neglect)\b")
_CONDITION = re.compile(r"\b(?:without|unless|until|before)\b")
_NEGATION = re.compile(r"\b(?:not|never|don t|no need|skip|avoid|stop|refrain|instead of)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One instruction and what following it does.

    Attributes
    ----------
    name : str
        Name in the catalogue.
    text : str
        How an updater writes it.
    groups : tuple of tuples of str
        A sentence says it when it holds a word that starts like one of each group.
    effects : mapping of str to float
        Quantity -> strength; above 0 is an improvement.
    domain : str or None
        Kind of task that it matters for; ``None`` for all.
    """

    name: str
    text: str
    groups: tuple[tuple[str, ...], ...]
    effects: Mapping[str, float]
    domain: str | None = None

    @property
    def helps(self) -> bool:
        """Whether following it is an improvement."""
        return all(strength > 0 for strength in self.effects.values())


@lru_cache(maxsize=1024)
def _patterns(groups: tuple[tuple[str, ...], ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"\b(?:{'|'.join(map(_stem, g))})") for g in groups)


def _stem(word: str) -> str:
    """Drop a final e, so that *recompute* also reads *recomputing*."""
    plain = word.endswith("e") and len(word) > 4 and " " not in word
    return re.escape(word[:-1] if plain else word)


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text: lower case, words and spaces only."""
    parts = (_WORDS.sub(" ", part.casefold()).strip() for part in _BREAK.split(text))
    return [_REMINDER.sub("always", part) for part in parts if part]


def recognise(text: str, catalogue: Sequence[Clause]) -> dict[str, float]:
    """Find the clauses that a text holds.

    Parameters
    ----------
    text : str
        A prompt or skill, in any wording.
    catalogue : sequence of Clause
        What can be understood.

    Returns
    -------
    dict of str to float
        Name -> 1, or -1 when only its negation stands there, or 0 when the text says both.

    Notes
    -----
    A clause counts once, however often it is said. A sentence negates it when a word such as
    *never* or *skip* comes before its first word, unless it reminds (*never forget to*) or sets a
    condition (*never answer before*). Other text is inert.

    Examples
    --------
    >>> redo = Clause(name="redo", text="Recompute every figure.",
    ...               groups=(("recompute", "redo"), ("figure", "number")), effects={"sums": 1})
    >>> recognise("Please RECOMPUTE all of the numbers!", [redo])
    {'redo': 1.0}
    >>> recognise("Never redo a figure. Be kind.", [redo])
    {'redo': -1.0}
    """
    found: dict[str, set[float]] = {}
    for sentence in sentences(text):
        for clause in catalogue:
            sign = _sign(sentence, clause.groups)
            if sign is not None:
                found.setdefault(clause.name, set()).add(sign)
    return {name: signs.pop() if len(signs) == 1 else 0.0 for name, signs in found.items()}


@lru_cache(maxsize=1 << 16)
def _sign(sentence: str, groups: tuple[tuple[str, ...], ...]) -> float | None:
    """Whether a sentence says a clause (1), its negation (-1) or neither."""
    starts = _starts(sentence, groups)
    if starts is None:
        return None
    return -1.0 if _negated(sentence, min(starts)) else 1.0


def _negated(sentence: str, start: int) -> bool:
    """Whether a negation comes first, and no condition between it and the clause turns it round."""
    negation = _NEGATION.search(sentence)
    if negation is None or negation.start() >= start:
        return False
    return _CONDITION.search(sentence, negation.end(), start) is None


def _starts(sentence: str, groups: tuple[tuple[str, ...], ...]) -> Sequence[int] | None:
    """Return where the first word of each group stands; ``None`` unless every group does."""
    starts = []
    for pattern in _patterns(groups):
        match = pattern.search(sentence)
        if match is None:
            return None
        starts.append(match.start())
    return starts
