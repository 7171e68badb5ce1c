"""The names of two answers, as a judge writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from evalkit.errors import ArgumentError

__all__ = ["BOTH_BAD", "NOUN", "TIE", "Side", "Sides", "named_sides"]

Side = Literal["A", "B", "tie"]
NOUN = (
    r"(?:ai\s+|model\s+|candidate\s+)?"
    r"(?:assistant|response|answer|output|model|candidate|option|completion|system|text|summary|"
    r"translation|solution|reply|agent|choice|version|essay|passage|submission|result|player|bot|"
    r"chatbot|side|article|story|code|report|image)(?:'s)?"
)
"""What an answer is called."""

BOTH_BAD = r"(?:tie\s*)?\(?\s*both[\s_-]*(?:(?:are|answers|responses|outputs)[\s_]*){0,2}bad\s*\)?"
TIE = (
    r"(?:an?\s+)?(?:tied?|draw|equal(?:ly\s+good)?|same|no\s+preference|(?<!\w)c(?!\w)|"
    r"both[\s_]*(?:are[\s_]*)?(?:equal(?:ly[\s_]*good)?|good))"
)
"""A tie, where a verdict belongs; ``C`` is the third choice of the usual prompts."""

_ORDINALS: tuple[tuple[Side, tuple[str, ...]], ...] = (
    ("A", ("1", "one", "first", "left")),
    ("B", ("2", "two", "second", "right")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Patterns of the two names.

    Attributes
    ----------
    name : str
        A name that stands where a verdict belongs.
    strong : str
        A name that prose does not hold by chance.
    comparison : re.Pattern
        "A>>B" and the like.
    codes : dict of str to {"A", "B"}
        Side of each name, in lower case.
    """

    name: str
    strong: str
    comparison: re.Pattern[str]
    codes: dict[str, Side]

    def side(self, text: str) -> Side | None:
        """Return the side that a matched name stands for."""
        key = re.sub(r"[\W_]+", " ", text.casefold()).strip()
        words = key.split()
        cuts = [words[i:] for i in range(len(words))] + [
            words[:i] for i in range(len(words), 0, -1)
        ]
        cuts += [words[i : i + 1] for i in range(len(words))]
        return next(
            (self.codes[name] for cut in cuts if (name := " ".join(cut)) in self.codes), None
        )

    def compared(self, match: re.Match[str]) -> Side | None:
        """Return the winner of a comparison such as "B > A"."""
        one, two = self.side(match["one"]), self.side(match["two"])
        if one is None or one == two:
            return None
        sign = match["sign"][0]
        return "tie" if sign in "=~" else one if sign == ">" else two


@lru_cache(maxsize=64)
def named_sides(labels: tuple[str, str]) -> Sides:
    """Return the patterns for two names; ordinals stay the first and the second answer.

    Raises
    ------
    ArgumentError
        If they are not two different names.

    Examples
    --------
    >>> sides = named_sides(("A", "B"))
    >>> sides.side("Response 2"), sides.side("model_a"), sides.side("the first one")
    ('B', 'A', 'A')
    """
    folded = [str(label).strip().casefold() for label in labels]
    if len(folded) != 2 or not all(folded) or folded[0] == folded[1]:
        raise ArgumentError(f"`labels` is {labels!r}; give two different names")
    codes: dict[str, Side] = {word: side for side, words in _ORDINALS for word in words}
    both: tuple[Side, Side] = ("A", "B")
    codes |= {
        re.sub(r"[\W_]+", " ", label).strip(): side
        for side, label in zip(both, folded, strict=True)
    }
    own = "|".join(sorted(map(re.escape, folded), key=len, reverse=True))
    every = "|".join([own, *(word for _, words in _ORDINALS for word in words)])
    noun = rf"{NOUN}[\s_#-]*[(\[\"']*(?:{every})[)\]\"']*(?!\w)"
    before = rf"(?:first|second|left|right)\s+(?:one|{NOUN})(?!\w)"
    strong = rf"(?:the\s+)?(?:{noun}|{before}" + (
        ")" if all(len(label) == 1 for label in folded) else rf"|(?<!\w)(?:{own})(?!\w))"
    )
    name = rf"(?:the\s+)?(?:{noun}|{before}|[(\[\"']*(?<!\w)(?:{every})(?!\w)[)\]\"']*)"
    plain = rf"(?:{noun}|(?<!\w)(?:{own})(?!\w))"
    comparison = re.compile(
        rf"(?P<one>{plain})\s*(?P<sign>>{{1,3}}|<{{1,3}}|={{1,2}}|~{{1,2}})\s*(?P<two>{plain})",
        re.IGNORECASE,
    )
    return Sides(name=name, strong=strong, comparison=comparison, codes=codes)
