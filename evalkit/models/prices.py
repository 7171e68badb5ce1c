"""What tokens cost."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evalkit.errors import ArgumentError

__all__ = ["Prices"]

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """US dollars for a million tokens.

    Attributes
    ----------
    input, output : float
        Prices of the tokens that go in and come out.
    cached_input : float or None
        Price of input that the provider read from its cache; ``None`` is the price of input,
        which then bounds the cost from above.

    Examples
    --------
    >>> Prices(input=2.0, output=8.0).cost(1_000_000, 500_000)
    6.0
    """

    input: float
    output: float
    cached_input: float | None = None

    def __post_init__(self) -> None:
        for name in ("input", "output", "cached_input"):
            price = getattr(self, name)
            if price is not None and not (math.isfinite(price) and price >= 0):
                raise ArgumentError(
                    f"the price `{name}` is {price}; it must be a finite number of dollars for a "
                    "million tokens, 0 or more"
                )

    def cost(self, input_tokens: int, output_tokens: int, *, cached: int = 0) -> float:
        """Return the cost of a call; `cached` of the input tokens came from the cache."""
        dear = self.input if self.cached_input is None else self.cached_input
        fresh = input_tokens - cached
        return (fresh * self.input + cached * dear + output_tokens * self.output) / _MILLION
