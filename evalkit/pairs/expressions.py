"""Arithmetic over columns, parsed here and computed in exact fractions; nothing is executed.

Grammar: numbers, names, names in backticks, ``+ - * /``, brackets, ``min(...)``, ``max(...)``.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from evalkit.errors import ArgumentError

__all__ = ["Expression", "Lookup", "Name", "parse_expression"]

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+\.?\d*|\.\d+)|`(?P<quoted>[^`]+)`|(?P<name>[^\W\d]\w*)|(?P<sign>[-+*/(),]))"
)
_LONGEST, _DEEPEST = 1000, 50
_FOLDS: Mapping[str, Callable[..., Fraction]] = MappingProxyType({"min": min, "max": max})
_SIGNS: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = MappingProxyType(
    {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
)


@dataclass(frozen=True, slots=True)
class Name:
    """A name in an expression; in backticks it can only be a column."""

    text: str
    quoted: bool


Lookup = Callable[[Name], "Fraction | None"]
Node = Callable[[Lookup], "Fraction | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """A parsed expression.

    Attributes
    ----------
    text : str
        As written.
    names : tuple of Name
        The names in it, in order of appearance.
    node : callable
        Takes a lookup of names and returns the value; ``None`` where a name has none, or a
        division is by zero.
    """

    text: str
    names: tuple[Name, ...]
    node: Node

    def value(self, lookup: Lookup) -> Fraction | None:
        """Return the value under one lookup of names."""
        return self.node(lookup)


class _Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.names: dict[Name, None] = {}
        self.tokens = self._split()
        self.at = 0
        self.depth = 0

    def _refuse(self, why: str) -> ArgumentError:
        return ArgumentError(
            f"the expression {self.text!r} {why}; write numbers, columns (`in backticks` where "
            "the name is no word), + - * /, brackets, min(...) and max(...)"
        )

    def _split(self) -> list[tuple[str, str]]:
        if len(self.text) > _LONGEST:
            raise ArgumentError(f"the expression is longer than {_LONGEST} characters")
        found, at = [], 0
        body = self.text.rstrip()
        while at < len(body):
            match = _TOKEN.match(body, at)
            if match is None:
                raise self._refuse(f"cannot be read from {body[at:].strip()[:20]!r}")
            found.append((str(match.lastgroup), match[str(match.lastgroup)]))
            at = match.end()
        return [*found, ("end", "")]

    def _take(self, *signs: str) -> str | None:
        kind, text = self.tokens[self.at]
        if kind == "sign" and text in signs:
            self.at += 1
            return text
        return None

    def whole(self) -> Node:
        """Parse everything."""
        node = self.sum()
        if self.tokens[self.at][0] != "end":
            raise self._refuse(f"has {self.tokens[self.at][1]!r} where nothing more belongs")
        return node

    def sum(self) -> Node:
        """Parse terms with plus and minus between them."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self._refuse(f"is nested more than {_DEEPEST} deep")
        node = self._chain(self.product, "+", "-")
        self.depth -= 1
        return node

    def product(self) -> Node:
        """Parse factors with times and over between them."""
        return self._chain(self.factor, "*", "/")

    def _chain(self, part: Callable[[], Node], *signs: str) -> Node:
        first = part()
        rest: list[tuple[str, Node]] = []
        while (sign := self._take(*signs)) is not None:
            rest.append((sign, part()))
        return _chained(first, rest) if rest else first

    def factor(self) -> Node:
        """Parse a number, a name, a call, brackets, or one of them with a sign."""
        minus = False
        while (sign := self._take("-", "+")) is not None:
            minus ^= sign == "-"
        node = self._atom()
        return _negated(node) if minus else node

    def _atom(self) -> Node:
        kind, text = self.tokens[self.at]
        if kind == "sign" and text == "(":
            self.at += 1
            return self._closed(self.sum())
        if kind not in ("number", "name", "quoted"):
            raise self._refuse("stops too early" if kind == "end" else f"has {text!r} out of place")
        self.at += 1
        if kind == "number":
            number = Fraction(text)
            return lambda _: number
        if kind == "name" and self._take("("):
            return self._call(text)
        name = Name(text, kind == "quoted")
        self.names[name] = None
        return lambda lookup: lookup(name)

    def _closed(self, node: Node) -> Node:
        if not self._take(")"):
            raise self._refuse("has a bracket that is not closed")
        return node

    def _call(self, function: str) -> Node:
        fold = _FOLDS.get(function)
        if fold is None:
            raise self._refuse(f"calls {function!r}, which is not a function here")
        parts = [self.sum()]
        while self._take(","):
            parts.append(self.sum())

        def run(lookup: Lookup) -> Fraction | None:
            values = [part(lookup) for part in parts]
            known = [value for value in values if value is not None]
            return fold(known) if len(known) == len(values) else None

        return self._closed(run)


def _chained(first: Node, rest: list[tuple[str, Node]]) -> Node:
    def run(lookup: Lookup) -> Fraction | None:
        value = first(lookup)
        for sign, part in rest:
            other = part(lookup)
            if value is None or other is None or (sign == "/" and other == 0):
                return None
            value = _SIGNS[sign](value, other)
        return value

    return run


def _negated(node: Node) -> Node:
    def run(lookup: Lookup) -> Fraction | None:
        value = node(lookup)
        return None if value is None else -value

    return run


def parse_expression(text: str) -> Expression:
    """Parse an expression over columns.

    Raises
    ------
    ArgumentError
        If it is not one.

    Examples
    --------
    >>> found = parse_expression("min(cells, 10) + styled / 2")
    >>> [name.text for name in found.names]
    ['cells', 'styled']
    >>> found.value(lambda name: None) is None
    True
    >>> row = {"cells": Fraction(40), "styled": Fraction(3)}
    >>> found.value(lambda name: row.get(name.text))
    Fraction(23, 2)
    """
    parser = _Parser(text)
    node = parser.whole()
    return Expression(text=text, names=tuple(parser.names), node=node)
