"""Numbers compared exactly, or within a stated tolerance."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from evalkit.errors import ArgumentError
from evalkit.verifiers.options import Unparsed
from evalkit.verifiers.quantities import Quantity, parse_quantity, reference_quantity
from evalkit.verifiers.text import References, canonical_text, check_output, reference_texts
from evalkit.verifiers.verdict import Verdict, abstain, decided

__all__ = ["Percent", "Units", "numeric_exact", "numeric_or_canonical", "numeric_tolerance"]

Percent = Literal["distinct", "fraction", "ignore"]
"""Whether 5 % is another thing than any plain number, equals 0.05, or equals 5."""

Units = Literal["if-both", "strict", "ignore"]
"""Units must agree where both have one, must agree always, or are not read."""

NumericReference = str | float | Decimal | Sequence[str]


def _check_rules(percent: str, units: str, unparsed: str) -> None:
    for name, value, allowed in (
        ("percent", percent, ("distinct", "fraction", "ignore")),
        ("units", units, ("if-both", "strict", "ignore")),
        ("unparsed", unparsed, ("abstain", "fail")),
    ):
        if value not in allowed:
            raise ArgumentError(f"`{name}` is {value!r}; it must be one of {', '.join(allowed)}")


def _references(reference: NumericReference) -> list[Quantity]:
    if isinstance(reference, Sequence) and not isinstance(reference, str):
        return [reference_quantity(text) for text in reference_texts(reference)]
    return [reference_quantity(reference)]


def _comparable(a: Quantity, b: Quantity, percent: Percent, units: Units) -> bool:
    if percent == "distinct" and a.percent != b.percent:
        return False
    if units == "ignore" or a.unit == b.unit:
        return True
    return units == "if-both" and not (a.unit and b.unit)


def _amount(quantity: Quantity, percent: Percent) -> Fraction:
    return quantity.value / 100 if quantity.percent and percent == "fraction" else quantity.value


def _within(found: Fraction, wanted: Fraction, relative: Fraction, absolute: Fraction) -> bool:
    return abs(found - wanted) <= max(absolute, relative * abs(wanted))


def _compare(
    output: str | None,
    wanted: list[Quantity],
    tolerance: tuple[Fraction, Fraction],
    *,
    percent: Percent,
    units: Units,
    unparsed: Unparsed,
) -> Verdict:
    if check_output(output) is None:
        return abstain("no output")
    found = parse_quantity(str(output))
    if found is None:
        reason = "the output is not one number"
        return abstain(reason) if unparsed == "abstain" else decided(False, reason)
    alike = [w for w in wanted if _comparable(found, w, percent, units)]
    detail = {"value": str(found.value), "unit": found.unit, "percent": found.percent}
    if not alike:
        what = "percent sign" if all(w.percent != found.percent for w in wanted) else "unit"
        return decided(False, f"another {what}", detail)
    passed = any(_within(_amount(found, percent), _amount(w, percent), *tolerance) for w in alike)
    how = "equal" if not any(tolerance) else "within the tolerance"
    return decided(passed, how if passed else f"not {how}", detail)


def numeric_exact(
    output: str | None,
    reference: NumericReference,
    *,
    percent: Percent = "distinct",
    units: Units = "if-both",
    unparsed: Unparsed = "abstain",
) -> Verdict:
    """Compare two numbers exactly, in decimal.

    Parameters
    ----------
    output : str or None
        A text that is one number; ``None`` is a missing output.
    reference : number, str or sequence of str
        The gold number, or its aliases. A float is read as its shortest decimal text.
    percent : {"distinct", "fraction", "ignore"}
        Whether 5 % differs from every plain number, equals 0.05, or equals 5.
    units : {"if-both", "strict", "ignore"}
        Whether units and currencies must agree where both have one, always, or never.
    unparsed : {"abstain", "fail"}
        What becomes of an output that is not one number.

    Returns
    -------
    Verdict

    Raises
    ------
    ArgumentError
        If a reference is not a number, or a setting is not allowed.

    Notes
    -----
    What is read as a number: :func:`~evalkit.verifiers.quantities.parse_quantity`. Written
    zeros do not count: ``2.50`` equals ``2.5``.

    Examples
    --------
    >>> numeric_exact("$1,234.50", "1234.5").passed
    True
    >>> numeric_exact("5%", "0.05").reason, numeric_exact("5%", "0.05", percent="fraction").passed
    ('another percent sign', True)
    """
    _check_rules(percent, units, unparsed)
    nothing = (Fraction(0), Fraction(0))
    return _compare(
        output, _references(reference), nothing, percent=percent, units=units, unparsed=unparsed
    )


def _tolerance(name: str, value: float | str | Decimal) -> Fraction:
    try:
        found = Fraction(str(value))
    except ValueError as cause:
        raise ArgumentError(f"`{name}` is {value!r}; it must be a number, 0 or above") from cause
    if found < 0:
        raise ArgumentError(f"`{name}` is {value!r}; it must be 0 or above")
    return found


def numeric_tolerance(
    output: str | None,
    reference: NumericReference,
    *,
    relative: float | str | Decimal = "0.01",
    absolute: float | str | Decimal = 0,
    percent: Percent = "distinct",
    units: Units = "if-both",
    unparsed: Unparsed = "abstain",
) -> Verdict:
    """Compare two numbers within a tolerance.

    Parameters
    ----------
    output, reference, percent, units, unparsed
        As in :func:`numeric_exact`.
    relative : number
        Tolerance as a fraction of the size of the reference.
    absolute : number
        Tolerance in the unit of the reference.

    Returns
    -------
    Verdict
        Passed when ``|output - reference| <= max(absolute, relative |reference|)``, computed
        exactly, bounds included.

    Raises
    ------
    ArgumentError
        If a reference is not a number, or a setting is not allowed.

    Examples
    --------
    >>> numeric_tolerance("101", "100").passed, numeric_tolerance("101.1", "100").passed
    (True, False)
    """
    _check_rules(percent, units, unparsed)
    bounds = _tolerance("relative", relative), _tolerance("absolute", absolute)
    return _compare(
        output, _references(reference), bounds, percent=percent, units=units, unparsed=unparsed
    )


def numeric_or_canonical(
    output: str | None,
    reference: References,
    *,
    percent: Percent = "distinct",
    units: Units = "if-both",
) -> Verdict:
    """Compare numbers exactly where the reference is one, canonical texts otherwise.

    Parameters
    ----------
    output, percent, units
        As in :func:`numeric_exact`.
    reference : str or sequence of str
        The gold answer, or its aliases; each is taken as a number where it reads as one.

    Returns
    -------
    Verdict
        Passed when any alias matches. Abstains on ``None`` only: a text that is not a number
        does not equal one.

    Raises
    ------
    ArgumentError
        If an input is not text, or a setting is not allowed.

    Examples
    --------
    >>> numeric_or_canonical("2,602", "2602").passed
    True
    >>> numeric_or_canonical("1.5", "15").passed
    False
    >>> numeric_or_canonical("Fiscal year.", "fiscal year").passed
    True
    """
    _check_rules(percent, units, "fail")
    texts = reference_texts(reference)
    if check_output(output) is None:
        return abstain("no output")
    text = str(output)
    found = parse_quantity(text)
    for alias in texts:
        wanted = parse_quantity(alias)
        if wanted is None:
            if canonical_text(text) == canonical_text(alias):
                return decided(True, "canonical texts are equal")
        elif (
            found is not None
            and _comparable(found, wanted, percent, units)
            and _amount(found, percent) == _amount(wanted, percent)
        ):
            return decided(True, "numbers are equal")
    return decided(False, "equals no alias, as a number or as text")
