"""One rounding rule for every number that is printed: half away from zero, from the exact value.

Binary floating point cannot hold 3.15, and ``format(3.15, ".1f")`` prints 3.1 while
``format(3.65, ".1f")`` prints 3.6 or 3.7 depending on the last bit.
Here a count ratio is rounded from its :class:`fractions.Fraction` and a float from its
shortest decimal text, so the same number prints the same in every format.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Literal

from evalkit.errors import ArgumentError

__all__ = ["UNDEFINED", "Number", "Rounding", "decimals_of", "format_number", "round_number"]

Number = int | float | Fraction | Decimal | str
Rounding = Literal["half-up", "half-even"]
UNDEFINED = "\N{EN DASH}"
"""How an undefined number prints."""
_SIGNIFICANT = 12  # digits of a float that are kept before rounding: drops binary noise


def _exact(value: Number) -> Fraction:
    if isinstance(value, str):
        return Fraction(Decimal(value))
    if isinstance(value, (int, Fraction, Decimal)):
        return Fraction(value)
    number = float(value)
    if number != number or number in (float("inf"), float("-inf")):  # noqa: PLR0124
        raise ArgumentError(f"`value` is {number!r}; only finite numbers can be rounded")
    return Fraction(Decimal(f"{number:.{_SIGNIFICANT}g}"))


def round_number(value: Number, digits: int, *, rounding: Rounding = "half-up") -> Decimal:
    """Round to a number of decimals, halves away from zero.

    Parameters
    ----------
    value : int, float, Fraction, Decimal or decimal text
        The number. A float is read as its shortest decimal text.
    digits : int
        Decimals to keep.
    rounding : {"half-up", "half-even"}
        What to do with an exact half.

    Returns
    -------
    Decimal
        With exactly `digits` decimals; never minus zero.

    Raises
    ------
    ArgumentError
        If `value` is not finite.

    Examples
    --------
    >>> from fractions import Fraction
    >>> [str(round_number(Fraction(100 * k, 8), 0)) for k in (1, 3, 5)]
    ['13', '38', '63']
    >>> str(round_number(3.15, 1)), str(round_number("-0.25", 1))
    ('3.2', '-0.3')
    """
    exact = _exact(value)
    scaled = exact * 10**digits
    with localcontext() as context:
        context.prec = 400
        whole = abs(scaled)
        # A Decimal quotient could itself round; compare the remainder instead.
        floor, rest = divmod(whole.numerator, whole.denominator)
        twice = 2 * rest
        up = twice > whole.denominator or (
            twice == whole.denominator and (rounding == "half-up" or floor % 2 == 1)
        )
        unit = floor + (1 if up else 0)
        result = Decimal(unit).scaleb(-digits)
        return result.copy_negate() if scaled < 0 and unit else result


def format_number(
    value: Number | None, digits: int, *, sign: bool = False, none: str = UNDEFINED
) -> str:
    """Print a number by the one rule, optionally with an explicit plus sign.

    Parameters
    ----------
    value : number or None
        ``None`` prints as `none`.
    digits : int
        Decimals.
    sign : bool
        Print ``+`` before positive numbers and zero.
    none : str
        Text for an undefined value.

    Examples
    --------
    >>> format_number(2.25, 1, sign=True), format_number(-0.04, 1), format_number(None, 1)
    ('+2.3', '0.0', '–')
    """
    if value is None:
        return none
    rounded = round_number(value, digits)
    return f"{rounded:+f}" if sign else f"{rounded:f}"


def decimals_of(text: str) -> int:
    """Count the decimals of a printed number.

    Examples
    --------
    >>> decimals_of("+2.30"), decimals_of("14%"), decimals_of("-0.5%")
    (2, 0, 1)
    """
    _, _, tail = text.strip().rstrip("%").partition(".")
    return len(tail)
