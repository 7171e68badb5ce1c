"""What each column of a table holds: declared, or inferred from its heading with caution."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, cast, get_args

from evalkit.errors import ArgumentError

__all__ = ["BOUNDED", "POINTS", "Role", "check_roles", "heading_role", "plain_heading"]

Role = Literal[
    "label", "ignore", "n", "seeds", "wins", "ties", "losses", "count", "accuracy", "win_rate",
    "rate", "mean", "sd", "se", "low", "high", "interval", "delta", "average", "rank", "total",
    "other",
]  # fmt: skip
POINTS = frozenset({"accuracy", "win_rate", "rate", "mean"})
"""Roles of a figure that spreads and intervals belong to."""
BOUNDED = frozenset({"accuracy", "win_rate", "rate"})
"""Roles of a figure between 0 and 1, or 0 and 100."""
_ALIASES = {
    "percentage": "accuracy", "fraction": "accuracy", "percent": "accuracy", "correct": "count",
    "ci_low": "low", "ci_high": "high", "mean-of": "average", "macro": "average",
    "sum": "total", "score": "mean",
}  # fmt: skip

_NOUNS = r"(?:items|examples|questions|tasks|instances|problems|prompts|instructions|pairs|rows)"
# A pattern takes the words of its role out of a heading; what is left is the base, by which
# "val n", "val correct" and "val accuracy" belong together.
_PATTERNS: tuple[tuple[Role, str], ...] = (
    ("seeds", r"(?:n |num |number of )?(?:seeds|runs|repeats|repetitions|replicates|trials)"),
    ("losses", r"(?:n |num |number of )?(?:loss|losses|lost|lose|loses|wins base|base wins)"),
    ("wins", r"(?:n |num |number of )?(?:wins|win|won)"),
    ("ties", r"(?:n |num |number of )?(?:ties|tie|draws|draw|tied)"),
    ("n", (rf"n|n total|total n|(?:n|num|number of|no of|evaluated|test|total) ?{_NOUNS}|{_NOUNS}"
          r"|(?:test |eval |set )?size|n items|num samples|n samples|sample size|support")),
    ("count", r"(?:n |num |number of )?(?:correct|solved|successes|passed|hits)"),
    ("sd", r"sd|std|stdev|std dev|standard deviation|\u03c3|s d"),
    ("se", r"se|sem|s e|std ?err|std error|standard error|stderr"),
    ("low", r"(?:ci |95 ci |95 )?(?:low|lower|lo|lcl|lower bound|ci low|ci lower|lb)"),
    ("high", r"(?:ci |95 ci |95 )?(?:high|upper|hi|ucl|upper bound|ci high|ci upper|ub)"),
    ("interval", r"(?:9[059] )?(?:ci|conf int|confidence interval|interval)(?: 9[059])?"),
    ("rank", r"rank|ranking|pos|position|place"),
    ("total", r"total|sum"),
    ("average", (r"avg|average|macro|macro avg|macro average|macro mean|overall"
                r"|micro|micro avg|micro average")),
    ("rate", (r"(?:lc|length controlled|weighted|style controlled|adjusted) ?(?:win ?rate|winrate)"
             r"|precision|recall|f1|f1 score|error rate|agreement|pass \d+|pass k|pass hat \d+")),
    ("win_rate", r"(?:discrete )?(?:win ?rate|win pct|win percentage|wr)"),
    ("accuracy", (r"accuracy|acc|pass rate|success rate|success|solve rate|resolve rate|resolved"
                 r"|resolved rate|resolution rate|exact match|em|correct rate|percent correct"
                 r"|percentage|percent|rate|published")),
    ("mean", r"mean|median|estimate|point|score|rating"),
    ("other", (r"cost|usd|price|tokens|calls|latency|time|seconds|length|params|year|date|version"
              r"|order|generation|id|index|seed|round|step|epoch|temperature|level|p|p value")),
)  # fmt: skip
_COMPILED: tuple[tuple[Role, re.Pattern[str]], ...] = tuple(
    (role, re.compile(pattern)) for role, pattern in _PATTERNS
)
# Words that tell a role alone, and say little as a part of a heading ("learning rate").
_ALONE = {
    "n": "n|size|sample size",
    "accuracy": "accuracy|acc|(?:pass|success|solve|resolved?|resolution|correct) rate|exact match",
    "rank": "rank",
    "rate": "(?:lc|length controlled|weighted) ?(?:win ?rate|winrate)|error rate|precision|recall",
    "other": "(?!)",
    "seeds": "(?!)",
}
_EDGES: tuple[tuple[Role, re.Pattern[str]], ...] = tuple(
    (
        role,
        re.compile(rf"(?:(?P<pre>.*\S)\s+)?(?:{_ALONE.get(role, pattern)})(?:\s+(?P<post>\S.*))?"),
    )
    for role, pattern in _PATTERNS
)
_DELTA = re.compile(
    r"(?:δ|∆|delta|diff|difference|gain|improvement|change)(?:\s+.*)?"
    r"|.*\s(?:δ|∆|delta|diff|difference|gain|improvement)"
)


def plain_heading(heading: str) -> str:
    """Heading in small letters, without arrows, signs and brackets.

    Examples
    --------
    >>> plain_heading("Resolve_Rate (%) ↑")
    'resolve rate'
    """
    # "nWins" is two words.
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", heading).casefold()
    text = re.sub(r"[\[(]\s*(?:%|pct|\d?\s*[↑↓])\s*[\])]|[↑↓%]", " ", text)
    return " ".join(re.sub(r"[^\w±δ∆\u03c3]+|_", " ", text).split())


def heading_role(heading: str) -> tuple[Role, str, bool]:
    """Role of a heading, its base, and whether the whole heading says so.

    Examples
    --------
    >>> heading_role("n_wins_base"), heading_role("valid_lo"), heading_role("Math")
    (('losses', '', True), ('low', 'valid', True), ('other', 'math', False))
    """
    # A spanner is the base of the headings below it.
    spanner, _, own = heading.rpartition(" / ")
    base = plain_heading(spanner)
    text = plain_heading(own)
    if own.strip() == "#":
        return "rank", base, True
    if _DELTA.fullmatch(text) or re.match(r"\s*[Δ∆]", own):
        return "delta", base, True
    for role, pattern in _COMPILED:
        if pattern.fullmatch(text):
            return role, base, True
    for role, pattern in _EDGES:
        found = pattern.fullmatch(text)
        if found:
            rest = " ".join(part for part in (base, found["pre"], found["post"]) if part)
            return role, rest, True
    return "other", " ".join(part for part in (base, text) if part), False


def check_roles(roles: Mapping[str, str] | None, columns: Sequence[str]) -> dict[str, Role]:
    """Return the declared roles; refuse a column or role that does not exist."""
    out: dict[str, Role] = {}
    for column, given in (roles or {}).items():
        role = _ALIASES.get(given, given)
        if role not in get_args(Role):
            raise ArgumentError(
                f"`roles` gives {given!r} for {column!r}; allowed are {', '.join(get_args(Role))}"
            )
        if column not in columns:
            raise ArgumentError(
                f"`roles` names {column!r}; the columns are {', '.join(map(repr, columns))}"
            )
        out[column] = cast("Role", role)
    return out
