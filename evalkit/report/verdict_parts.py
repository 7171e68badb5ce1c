"""Tables, figures, findings and sentences about the scores of systems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from evalkit.comparisons.all_pairs import AllPairs, PairComparison
from evalkit.figures import (
    ForestRow,
    forest,
    forest_row,
    new_figure,
    paper_style,
    svg_text,
)
from evalkit.report.numbers import method_names
from evalkit.report.page import Finding, ReportFigure
from evalkit.results import Comparison, Estimate, Results
from evalkit.rounding import format_number
from evalkit.tables import (
    Cell,
    Column,
    Table,
    bold_separated,
    cell_text,
    estimate,
    make_table,
    mean_sd,
    number,
    p_value,
    text,
    with_note,
)

__all__ = [
    "Section",
    "pair_findings",
    "section_figures",
    "section_tables",
    "verdict_methods",
    "verdict_summary",
]

Scale = Literal[1, 100]
_MOST_FINDINGS, _MOST_ROWS = 10, 30
_ADJUSTED = {"holm": "Holm's method", "bh": "Benjamini and Hochberg's method"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Scores by one verifier.

    Attributes
    ----------
    verifier : str or None
        Its name, where there are several.
    estimates : Results of Estimate
        One a system.
    pairs : AllPairs or None
        Every pair; ``None`` with one system.
    """

    verifier: str | None
    estimates: Results[Estimate]
    pairs: AllPairs | None

    @property
    def suffix(self) -> str:
        """What tells headings of verifiers apart."""
        return "" if self.verifier is None else f", verifier {self.verifier}"

    def ordered(self) -> list[Estimate]:
        """Return the estimates, best first, those without a value last."""
        return sorted(
            self.estimates,
            key=lambda e: (e.estimate is None, -(e.estimate or 0.0), e.by["system"]),
        )

    def errored(self) -> list[str]:
        """Say for each system how many rows have no score, and what they could do."""
        lines = []
        for each in self.estimates:
            if not each.counts.errored:
                continue
            kinds = ", ".join(f"{n} {name}" for name, n in each.counts.by_status.items())
            line = (
                f"{each.by['system']}{self.suffix}: {each.counts.errored} of "
                f"{each.counts.attempted} rows have no score ({kinds})"
            )
            if each.low_if_errors_fail is not None and each.high_if_errors_pass is not None:
                low, high = (
                    format_number(x, 4) for x in (each.low_if_errors_fail, each.high_if_errors_pass)
                )
                line += f"; counted as failures the mean is {low}, as passes {high}"
            lines.append(line)
        return lines


def _digits(scale: Scale) -> int:
    return 1 if scale == 100 else 3


def _unit(scale: Scale) -> str:
    return " (%)" if scale == 100 else ""


def section_tables(part: Section, *, scale: Scale) -> list[tuple[str, Table]]:
    """Return one table of systems, and one of pairs."""
    out = [(f"Scores{part.suffix}", _systems(part, scale))]
    if part.pairs is not None:
        out.append((f"Every pair{part.suffix}", _pairs(part.pairs, scale)))
    return out


def _systems(part: Section, scale: Scale) -> Table:
    digits = _digits(scale)
    spread = any(each.attempt_sd is not None for each in part.estimates)
    ranked = {s.system: s for s in part.pairs.systems} if part.pairs else {}
    columns = [
        Column(key="system", header="system"),
        Column(key="score", header=f"score [interval]{_unit(scale)}", align="right"),
        *([Column(key="sd", header="mean ± sd of attempts", align="right")] if spread else []),
        *(Column(key=k, header=k, align="right") for k in ("scored", "clusters", "errored")),
    ]
    if ranked:
        columns += [Column(key="ranks", header="ranks"), Column(key="tied", header="tied")]
    rows: list[list[Cell]] = []
    for each in part.ordered():
        row = [text(each.by["system"]), estimate(each, digits, scale=scale)]
        if spread:
            row.append(mean_sd(each, digits=digits, scale=scale))
        row += [number(each.n), number(each.clusters), number(each.counts.errored)]
        if ranked:
            found = ranked[each.by["system"]]
            same = found.rank_low == found.rank_high
            ranks = f"{found.rank_low}" if same else f"{found.rank_low}-{found.rank_high}"
            row += [text(ranks), text(found.group)]
        rows.append(row)
    table = make_table(columns, rows)
    if part.pairs is not None:
        table = bold_separated(table, "score", part.pairs)
        table = with_note(table, "Systems that share a letter are not separated.")
    return with_note(table, _method_note(part.estimates))


def _pairs(found: AllPairs, scale: Scale) -> Table:
    digits = _digits(scale)
    columns = [
        Column(key="candidate", header="higher"),
        Column(key="base", header="lower"),
        Column(key="difference", header=f"difference [interval]{_unit(scale)}", align="right"),
        Column(key="n", header="items", align="right"),
        Column(key="p", header="alone", spanner="p-value", align="right"),
        Column(key="adjusted", header="adjusted", spanner="p-value", align="right"),
        Column(key="verdict", header="verdict"),
        Column(key="mde", header=f"detectable{_unit(scale)}", align="right"),
    ]
    rows = [
        [
            text(pair.comparison.candidate),
            text(pair.comparison.base),
            estimate(pair.comparison, digits, scale=scale),
            number(pair.comparison.n_pairs),
            p_value(pair.comparison.p_value),
            p_value(pair.p_adjusted),
            text(pair.verdict),
            number(pair.comparison.mde, digits, scale=scale),
        ]
        for pair in found.comparisons
    ]
    notes = [
        (
            f"Adjusted over {found.m} pairs by {_ADJUSTED[found.adjust]}; the verdict follows the "
            "adjusted p-value. Intervals cover their own difference only."
        ),
        (
            "Detectable: smallest true difference that this design separates in four of five "
            "samples, without adjustment."
        ),
        _method_note(pair.comparison for pair in found.comparisons),
    ]
    return make_table(columns, rows, notes=notes)


def _method_note(results: Iterable[Estimate | Comparison]) -> str:
    found = list(results)
    names = dict.fromkeys(r.interval.method for r in found if r.interval is not None)
    if not names:
        return "No interval is defined."
    return f"Intervals: {', '.join(names)}, {100 * found[0].level:g} %."


def section_figures(part: Section, *, scale: Scale) -> list[ReportFigure]:
    """Draw the scores, and the differences from the best system."""
    import matplotlib as mpl

    scores = [forest_row(each.by["system"], each) for each in part.ordered()]
    drawings = [(scores, f"Scores{part.suffix}", f"score{_unit(scale)}", False)]
    if part.pairs is not None:
        best = part.pairs.systems[0].system
        rows = [
            forest_row(f"{p.comparison.candidate} less {p.comparison.base}", p.comparison)
            for p in part.pairs.comparisons
            if best in {p.comparison.base, p.comparison.candidate}
        ]
        name = f"Differences from {best}{part.suffix}"
        drawings.append((rows, name, f"difference{_unit(scale)}", True))
    with mpl.rc_context(paper_style(2)):
        return [_forest(*drawing, scale=scale) for drawing in drawings]


def _forest(
    rows: Sequence[ForestRow], name: str, xlabel: str, signed: bool, *, scale: Scale
) -> ReportFigure:
    shown = rows[:_MOST_ROWS]
    figure = new_figure(columns=2, height=0.8 + 0.2 * len(shown))
    forest(
        figure.subplots(),
        shown,
        scale=scale,
        digits=_digits(scale),
        reference=0.0 if signed else None,
        sign=signed,
        label_limit=40,
        xlabel=xlabel,
    )
    listed = "; ".join(f"{row.label}: {_said(row, scale, signed)}" for row in shown)
    cut = f" The first {len(shown)} of {len(rows)}." if len(shown) < len(rows) else ""
    return ReportFigure(
        svg=svg_text(figure),
        alt=f"Forest plot. {name}: {listed}.{cut}",
        caption=f"{name}, with intervals.{cut}",
    )


def _said(row: ForestRow, scale: Scale, signed: bool) -> str:
    def shown(value: float | None) -> str:
        exact = None if value is None else value * scale
        return format_number(exact, _digits(scale), sign=signed, none="undefined")

    return shown(row.value) + (
        "" if row.low is None else f", {shown(row.low)} to {shown(row.high)}"
    )


def pair_findings(part: Section, *, scale: Scale) -> list[Finding]:
    """Return the verdicts on pairs with the best system first, up to ten."""
    if part.pairs is None:
        return []
    best = part.pairs.systems[0].system
    ordered = sorted(
        part.pairs.comparisons,
        key=lambda p: best not in {p.comparison.base, p.comparison.candidate},
    )
    out = [_pair_finding(pair, part, scale) for pair in ordered[:_MOST_FINDINGS]]
    rest = len(ordered) - len(out)
    if rest:
        out.append(Finding(status="more", title=f"{rest} more pairs stand in the table of pairs."))
    return out


def _pair_finding(pair: PairComparison, part: Section, scale: Scale) -> Finding:
    c = pair.comparison
    title = {
        "separated": f"{c.candidate} scores above {c.base}",
        "not separated": f"{c.candidate} and {c.base} are not separated",
        "undefined": f"{c.candidate} and {c.base} cannot be compared",
    }[pair.verdict]
    shown = cell_text(estimate(c, _digits(scale), scale=scale))
    unit = " points" if scale == 100 else ""
    detail = f"{shown}{unit}, adjusted p {cell_text(p_value(pair.p_adjusted))}, {c.n_pairs} items"
    if c.note:
        detail += f"; {c.note}"
    return Finding(status=pair.verdict, title=f"{title}{part.suffix}.", detail=detail)


def verdict_summary(sections: Sequence[Section], *, scale: Scale) -> str:
    """Say in one sentence who scores best, and from whom it is separated."""
    told = [_section_summary(part, scale) + part.suffix for part in sections]
    return "; ".join(told) + "."


def _section_summary(part: Section, scale: Scale) -> str:
    best = part.ordered()[0]
    name = best.by["system"]
    if best.estimate is None:
        return f"no score of {name} can be estimated"
    shown = cell_text(estimate(best, _digits(scale), scale=scale))
    shown = shown.replace(" [", " % [") if scale == 100 else shown
    if part.pairs is None and len(part.estimates) == 1:
        return f"{name} scores {shown} on {best.n} outcomes"
    if part.pairs is None:
        return f"{name} scores highest of {len(part.estimates)} systems, {shown}; none is compared"
    near = [
        (p.comparison.base if p.comparison.candidate == name else p.comparison.candidate)
        for p in part.pairs.comparisons
        if name in {p.comparison.base, p.comparison.candidate} and p.verdict != "separated"
    ]
    head = f"{name} scores highest of {len(part.estimates)} systems, {shown}"
    if not near:
        return f"{head}, and is separated from every other"
    listed = ", ".join(near[:4]) + (f" and {len(near) - 4} more" if len(near) > 4 else "")
    return f"{head}, and is not separated from {listed}"


def verdict_methods(
    sections: Sequence[Section], errors: str, cluster: str | None, level: float
) -> str:
    """Return a paragraph that can stand in a paper."""
    estimates = [each for part in sections for each in part.estimates]
    names = method_names(each.interval for each in estimates)
    unit = f"clusters ({cluster})" if cluster else "items"
    lines = [
        (
            f"Scores are means over scored outcomes with {100 * level:g} % intervals "
            f"({names}), which carry the sampling of {unit}."
        )
    ]
    pairs = [part.pairs for part in sections if part.pairs is not None]
    if pairs:
        methods = method_names(p.comparison.interval for found in pairs for p in found.comparisons)
        lines.append(
            "Systems are compared item by item, on the items that both were scored on "
            f"({methods}); p-values come from the statistic "
            f"that the interval inverts and are adjusted over all {pairs[0].m} pairs by "
            f"{_ADJUSTED[pairs[0].adjust]}. Two systems are called separated when the adjusted "
            f"p-value is below {1 - level:.3g}."
        )
    lines.append(
        "Attempted outcomes without a score are left out and bounded by counting all of them as "
        "failures and as passes."
        if errors == "exclude"
        else "Attempted outcomes without a score count as failures."
    )
    return " ".join(lines)
