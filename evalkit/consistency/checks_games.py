"""Checks of wins, ties and losses: their sum, and the win rate under a rule for ties."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from evalkit.consistency.checks_counts import audited, compared
from evalkit.consistency.findings import AuditedCell
from evalkit.consistency.layout import Column, Layout, TieRule
from evalkit.consistency.printed import rule_of
from evalkit.consistency.roles import heading_role, plain_heading
from evalkit.rounding import format_number

__all__ = ["check_games", "check_win_rate"]


def check_games(layout: Layout) -> Iterator[AuditedCell]:
    """Check that wins, ties and losses sum to n, or their shares to 1."""
    for row in layout.body:
        yield from _sum_of_games(layout, row)
    yield from _shares(layout)
    yield from _right_and_wrong(layout)


def _shares(layout: Layout) -> Iterator[AuditedCell]:
    """Check that percentages of wins, ties and losses sum to 100."""
    named = {heading_role(c.name)[0]: c for c in layout.of("other")}
    columns = [named[r] for r in ("wins", "ties", "losses") if r in named]
    if "wins" not in named or "losses" not in named:
        return
    sums = {}
    for row in layout.body:
        numbers = [p for c in columns if (p := layout.number(row, c)) is not None]
        if len(numbers) == len(columns):
            sums[row] = sum(p.value for p in numbers), sum(p.half for p in numbers)
    scale = Fraction(100 if any(total > 2 for total, _ in sums.values()) else 1)
    right = [row for row, (total, slack) in sums.items() if abs(total - scale) <= slack]
    how = " + ".join(c.name for c in columns)
    for row, (total, _) in sums.items():
        printed = layout.number(row, columns[0])
        if row in right:
            yield audited(layout, row, columns[0], "sum", "ok", how=f"{how} = {scale}")
        elif right and 2 * len(right) >= len(sums):
            yield audited(
                layout, row, columns[0], "sum", "mismatch", printed=printed,
                expected=printed.value - total + scale if printed else None,
                how=f"{how} = {scale}", why=f"they sum to {float(total):g}",
            )  # fmt: skip
        else:
            yield audited(
                layout, row, columns[0], "sum", "uncheckable", how=f"{how} = {float(total):g}",
                why="whether they should sum to the whole is not certain",
            )  # fmt: skip


_WRONG = re.compile(
    r"(?:n |num )?(?:incorrect|wrong|failed|failures|fails|unsolved|unresolved|errored|errors"
    r"|skipped|unparsed|invalid|missing|timeouts?|no answer|abstained|empty)"
)


def _right_and_wrong(layout: Layout) -> Iterator[AuditedCell]:
    """Check that what is right and what is not sum to n."""
    for counts in layout.of("count"):
        total = layout.partner(counts, "n")
        parts = [
            c for c in layout.of("other", "mean")
            if _WRONG.fullmatch(plain_heading(c.name)) and not c.base.startswith("p ")
        ]  # fmt: skip
        if total is None or not parts or len(layout.of("count")) > 1:
            continue
        found = {}
        for row in layout.body:
            numbers = [layout.whole(row, c) for c in (counts, *parts)]
            known = [k for k in numbers if k is not None]
            n = layout.whole(row, total)
            if n is not None and len(known) == len(numbers):
                found[row] = sum(known), n
        right = sum(a == b for a, b in found.values())
        sure = right > 0 and 2 * right >= len(found)
        how = " + ".join(c.name for c in (counts, *parts))
        for row, (a, b) in found.items():
            if a == b or sure:
                yield audited(
                    layout, row, total, "sum", "ok" if a == b else "mismatch",
                    printed=layout.number(row, total), expected=Fraction(a), how=how,
                    why="" if a == b else "the counts do not sum to it",
                )  # fmt: skip
            else:
                yield audited(
                    layout, row, total, "sum", "uncheckable", how=f"{how} = {a}",
                    why="whether these are all the parts is not certain",
                )  # fmt: skip


def _sum_of_games(layout: Layout, row: int) -> Iterator[AuditedCell]:
    for wins in layout.of("wins"):
        losses, ties = layout.partner(wins, "losses"), layout.partner(wins, "ties")
        total = layout.partner(wins, "n")
        w, l, t = (layout.whole(row, c) for c in (wins, losses, ties))
        n = layout.whole(row, total)
        if total is None or n is None or w is None or l is None or (t is None and ties):
            continue
        found = w + l + (t or 0)
        how = f"{w} + {t} + {l}" if ties else f"{w} + {l}"
        if found == n or (ties is None and found < n):
            why = "" if found == n else f"{n - found} are taken for ties"
            yield audited(layout, row, total, "sum", "ok", how=f"{found} = {how}", why=why)
            continue
        missing = f"{n - found} without a verdict, or a misprint"
        yield audited(
            layout, row, total, "sum", "mismatch", printed=layout.number(row, total),
            expected=Fraction(found), how=how,
            why=missing if found < n else "more games than n",
        )  # fmt: skip


_NAMES_OF_RULES: dict[TieRule, str] = {
    "half": "ties count half", "loss": "ties count as losses (wins / n)",
    "win": "ties count as wins", "excluded": "ties are excluded (wins / (wins + losses))",
}  # fmt: skip


def _rate(rule: TieRule, w: int, t: int, l: int, n: int) -> tuple[Fraction, str] | None:
    if rule == "excluded":
        return (Fraction(w, w + l), f"{w}/({w} + {l})") if w + l else None
    credit = {"half": Fraction(t, 2), "loss": Fraction(0), "win": Fraction(t)}[rule]
    top = {"half": f"({w} + {t}/2)", "loss": f"{w}", "win": f"({w} + {t})"}[rule]
    return (w + credit) / n, f"{top}/{n}"


def _games(layout: Layout, row: int, column: Column) -> tuple[int, int, int, int] | None:
    """Wins, ties, losses and n of a row, one of the last three filled in by the others."""
    w, t, l, n = (
        layout.whole(row, layout.partner(column, role)) for role in ("wins", "ties", "losses", "n")
    )
    if n is None and not layout.of("n") and (l is None or t is None):
        n = layout.settings.n
    if w is None:
        return None
    if t is None and layout.of("ties"):
        return None
    if t is None:
        t = n - w - l if n is not None and l is not None and n > w + l else 0
    if l is None and n is not None:
        l = n - w - t
    if l is None or l < 0:
        return None
    n = w + t + l if n is None else n
    return (w, t, l, n) if n > 0 else None


def check_win_rate(layout: Layout) -> Iterator[AuditedCell]:
    """Win rates against wins, ties and losses; the tie rule is declared or seen in the column."""
    if not layout.of("wins"):
        return
    for column in layout.of("win_rate", "accuracy"):
        games = {
            row: found for row in layout.body
            if layout.number(row, column) is not None
            and (found := _games(layout, row, column)) is not None
        }  # fmt: skip
        if column.scale is None and games:
            yield audited(
                layout, None, column, "win rate", "uncheckable",
                why="percentages and fractions cannot be told apart; write % in the heading",
            )  # fmt: skip
            continue
        rule = _tie_rule(layout, column, games)
        for row, (w, t, l, n) in games.items():
            yield _win_rate(layout, row, column, rule, (w, t, l, n))
    for column in layout.of("rate"):
        if "win" in column.name.casefold():
            yield audited(
                layout, None, column, "win rate", "uncheckable",
                why="a weighted or adjusted win rate does not follow from the counts",
            )  # fmt: skip


def _fits(
    layout: Layout, row: int, column: Column, rule: TieRule, games: tuple[int, int, int, int]
) -> bool:
    found, printed = _rate(rule, *games), layout.number(row, column)
    scale = column.scale or Fraction(100)
    return found is not None and printed is not None and rule_of(found[0] * scale, printed) is not None  # fmt: skip  # noqa: E501


def _tie_rule(
    layout: Layout, column: Column, games: dict[int, tuple[int, int, int, int]]
) -> TieRule:
    """Half, unless every row with ties follows one other rule and none follows half."""
    if layout.settings.ties is not None:
        return layout.settings.ties
    tied = {row: found for row, found in games.items() if found[1] > 0}
    if len(tied) < 2 or any(_fits(layout, r, column, "half", g) for r, g in tied.items()):
        return "half"
    others: tuple[TieRule, ...] = ("loss", "excluded", "win")
    for rule in others:
        if all(_fits(layout, r, column, rule, g) for r, g in tied.items()):
            return rule
    return "half"


def _win_rate(
    layout: Layout, row: int, column: Column, rule: TieRule, games: tuple[int, int, int, int]
) -> AuditedCell:
    found, scale = _rate(rule, *games), column.scale or Fraction(100)
    printed = layout.number(row, column)
    if found is None or printed is None:
        return audited(layout, row, column, "win rate", "uncheckable", why="no game was decided")
    value, how = found[0] * scale, f"{scale}*{found[1]}"
    result = compared(layout, row, column, "win rate", value, how=how)
    if result.verdict == "ok" and rule == "half":
        return result

    if result.verdict != "mismatch":
        note = "" if rule == "half" else f"in this column {_NAMES_OF_RULES[rule]}"
        return replace(result, explanation="; ".join(filter(None, (result.explanation, note))))
    wins = format_number(abs(printed.value - value) * games[3] / scale, 1).removesuffix(".0")
    others: list[TieRule] = [
        r for r in _NAMES_OF_RULES if r != rule and _fits(layout, row, column, r, games)
    ]
    why = f"off by {wins} wins"
    if others:
        why += f"; it would follow if {' or if '.join(_NAMES_OF_RULES[r] for r in others)}"
    return replace(result, explanation=why)
