"""What the paper lacks: intervals, verdicts, noise of the gate, and the price of selection."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from evalkit.comparisons import two_proportions
from evalkit.intervals import proportion_interval
from evalkit.results import Interval
from evalkit.studies import load_module
from evalkit.tables import Cell, Table, cell_text, count, delta, make_table, number, text
from evalkit.testtime import break_even_deployments
from evalkit.trajectories import aa_new_best, false_new_best

HERE = Path(__file__)
common = load_module(HERE.with_name("common.py"))
scaling_tables = load_module(HERE.with_name("scaling_tables.py"))
locked_outputs = load_module(HERE.with_name("locked_outputs.py"))
GPT = common.GPT
LEVEL = 0.95
ROUNDS = 10
WILSON = "95% Wilson intervals, over items; one execution each."
NEWCOMBE = (
    "95% Newcombe intervals of the difference of two independent proportions. The paper prints "
    "no item-level pairs; pairing the items would usually narrow these intervals, and widens "
    "them only if the two skills tend to solve different items."
)


def shown_interval(interval: Interval | None) -> Cell:
    """Make a cell with the bounds of a proportion in percent."""
    return Cell(value=interval, digits=1, kind="interval", scale=100)


def verdict(interval: Interval | None) -> str:
    """Return whether an interval of a difference excludes 0."""
    if interval is None:
        return "undefined"
    return "not separated" if interval.low <= 0 <= interval.high else "separated"


def difference_bounds(interval: Interval | None) -> Cell:
    """Make a cell with signed bounds in points."""
    if interval is None:
        return text(None)
    bounds = (delta(x, 1, scale=100) for x in (interval.low, interval.high))
    return text("[" + ", ".join(map(cell_text, bounds)) + "]")


def p_cell(value: float | None) -> Cell:
    """Make a cell for a p-value."""
    return text("<0.001") if value is not None and value < 0.001 else number(value, 3)


def score_intervals(records: common.Records) -> Table:
    """Wilson interval of every endpoint score."""
    rows, groups = [], []
    for (model, benchmark, condition, split), end in records.endpoints.items():
        interval = proportion_interval(end.k, end.n, method="wilson", level=LEVEL)
        rows.append(
            [condition, split, count(end.k, end.n), number(end.score, 1), shown_interval(interval)]
        )
        groups.append(f"{model} / {benchmark}")
    return make_table(
        ["condition", "split", "successes", "score (%)", "interval"],
        rows,
        groups=groups,
        caption="Added: an interval for every validation and released-test score",
        notes=[WILSON, "Counts of Gemini and DeepSeek are solved from the printed percentages."],
    )


def differences(records: common.Records) -> Table:
    """Every byte-distinct view against its parent on the released test."""
    rows, groups = [], []
    for setting in records.all_settings:
        for view in common.VIEWS:
            if not records.improved(setting, view):
                continue
            result = test_difference(records, setting, view)
            chosen = records.selections[setting].selected == view
            rows.append(
                [
                    text(view, bold=chosen),
                    "selected" if chosen else "",
                    delta(records.delta(setting, view, "validation"), 1),
                    delta(records.delta(setting, view, "test"), 1),
                    difference_bounds(result.interval),
                    p_cell(result.p_value),
                    verdict(result.interval),
                ]
            )
            groups.append(common.setting_name(setting))
    return make_table(
        ["view", "choice", "validation", "test", "interval of test", "p", "verdict"],
        rows,
        groups=groups,
        caption="Added: evolved skills against their parents on the released test (points)",
        notes=[NEWCOMBE, "Separated: the interval excludes 0. No correction for multiplicity."],
    )


def test_difference(records: common.Records, setting: common.Setting, view: str) -> object:
    """Compare a view with its parent on the released test."""
    parent, end = (records.end(setting, c, "test") for c in ("Parent", view))
    return two_proportions(parent.k, parent.n, end.k, end.n, level=LEVEL)


def identical_artifacts(records: common.Records) -> Table:
    """Return executions of one artifact: the parent and the views that returned it."""
    rows, groups = [], []
    for setting, view in identical_pairs(records):
        parent, end = (records.end(setting, c, "test") for c in ("Parent", view))
        result = test_difference(records, setting, view)
        rows.append(
            [
                view,
                count(parent.k, parent.n),
                count(end.k, end.n),
                delta(end.score - parent.score, 1),
                difference_bounds(result.interval),
                verdict(result.interval),
            ]
        )
        groups.append(common.setting_name(setting))
    return make_table(
        ["view", "parent", "same artifact again", "difference", "interval", "verdict"],
        rows,
        groups=groups,
        caption="Added: the released test of one and the same artifact, executed again (points)",
        notes=[
            NEWCOMBE,
            (
                "Both columns run byte-identical skills on the same items, so every difference is "
                "variation between executions."
            ),
        ],
    )


def identical_pairs(records: common.Records) -> list[tuple[common.Setting, str]]:
    """Return settings and views that returned the parent's artifact."""
    return [
        (setting, view)
        for setting in records.all_settings
        for view in common.VIEWS
        if not records.improved(setting, view)
    ]


def gate_noise(records: common.Records) -> Table:
    """How often a candidate that is no better than its parent becomes a new best."""
    rows, groups = [], []
    for setting in records.settings:
        parent = records.end(setting, "Parent", "validation")
        best = max(records.end(setting, v, "validation").k for v in common.VIEWS)
        one, ten = (false_new_best(parent.n, parent.k, rounds=r) for r in (1, ROUNDS))
        both = aa_new_best(parent.n, float(parent.share), rounds=ROUNDS)
        rows.append(
            [
                setting[1],
                count(parent.k, parent.n),
                best - parent.k,
                *(number(Fraction(x), 1, scale=100, suffix="%") for x in (one, ten, both)),
            ]
        )
        groups.append(setting[0])
    return make_table(
        [
            *("benchmark", "parent validation", "best gain (items)"),
            *("1 round", f"{ROUNDS} rounds", f"{ROUNDS} rounds, parent redrawn"),
        ],
        rows,
        groups=groups,
        caption="Added: chance that a new validation best is noise",
        notes=[
            (
                "Chance that at least one of the candidates scores strictly above the parent's "
                "count "
                "when all have the parent's rate; binomial, items and rounds independent. Last "
                "column: the parent's own count is drawn as well."
            ),
            (
                "The validation items are fixed, so real re-evaluations spread less than binomial "
                "ones: the only printed series (Gemini OfficeQA, eight evaluations of one skill, "
                "mean "
                "76.28) has a standard deviation of 3.92 points against 6.08 for 49 binomial items."
            ),
        ],
    )


def selection_price(records: common.Records) -> Table:
    """Return validation gain, test gain and selection gap of every setting."""
    rows, groups, shrunk, gaps = [], [], [], []
    for setting in records.settings:
        gap = records.gaps[setting]
        best, chosen = (records.end(setting, c, "test").score for c in (gap.best[0], gap.selected))
        gains = [records.delta(setting, gap.selected, s) for s in ("validation", "test")]
        gaps.append(best - chosen)
        if gap.selected != "Parent":
            shrunk.append(gains[0] - gains[1])
        decided = records.selections[setting]
        rows.append(
            [
                setting[1],
                gap.selected,
                decided.decided_by if not decided.tied else f"tie of {' and '.join(decided.tied)}",
                delta(gains[0], 1),
                delta(gains[1], 1),
                delta(gains[0] - gains[1], 1),
                number(best - chosen, 1),
            ]
        )
        groups.append(setting[0])
    means = (sum(shrunk) / len(shrunk), sum(gaps) / len(gaps))
    return make_table(
        [
            *("benchmark", "selected", "decided by", "validation gain", "test gain"),
            *("selection tax", "selection gap"),
        ],
        [
            *rows,
            ["mean", text(None), text(None), None, None, delta(means[0], 1), number(means[1], 1)],
        ],
        groups=[*groups, "All settings"],
        caption="Added: what selection by validation promises, delivers and gives away (points)",
        notes=[
            (
                "Selection tax: validation gain less test gain of the selected skill, on different "
                f"items; its mean is over the {len(shrunk)} evolved selections. Selection gap: "
                "best "
                "released-test score among parent and byte-distinct views less that of the "
                "selection, "
                f"mean over {len(gaps)} settings; the best of several noisy scores is biased "
                "upwards."
            ),
        ],
    )


def scaling_intervals(records: common.Records) -> Table:
    """Differences of the scaling controls at maximum budget, with intervals."""
    rows, groups = [], []
    for benchmark in common.PRIMARY:
        curve = records.curves[benchmark, "parallel"]
        n = curve.items
        counts = {
            "Parent": scaling_tables.attempt_one(records, benchmark),
            "Evolved": scaling_tables.evolved_count(records, benchmark)[0],
            **{
                system.capitalize(): scaling_tables.dynamic_count(
                    records.curves[benchmark, system], system
                )
                for system in ("parallel", "sequential")
            },
        }
        pairs = [(name, "Parent") for name in counts if name != "Parent"]
        for name, base in (*pairs, ("Evolved", "Parallel")):
            result = two_proportions(counts[base], n, counts[name], n, level=LEVEL)
            rows.append(
                [
                    f"{name} less {base}",
                    count(counts[base], n),
                    count(counts[name], n),
                    delta(Fraction(100 * (counts[name] - counts[base]), n), 2),
                    difference_bounds(result.interval),
                    verdict(result.interval),
                ]
            )
            groups.append(benchmark)
    return make_table(
        ["difference", "base", "candidate", "points", "interval", "verdict"],
        rows,
        groups=groups,
        caption="Added: intervals for the test-time-scaling differences at maximum budget",
        notes=[
            NEWCOMBE,
            (
                "Parallel counts the best of an item's attempts in hindsight and contains the "
                "parent "
                "attempt, so it can only gain; its interval ignores that nesting."
            ),
        ],
    )


def amortised(records: common.Records) -> Table:
    """From how many deployments the SearchQA evolution run costs no more than a control."""
    rows = []
    for benchmark in common.PRIMARY:
        curve = records.curves[benchmark, "parallel"]
        share = Fraction(curve.calls_all, curve.items)
        n = break_even_deployments(
            common.EVOLUTION_CALLS, control_calls_per_item=float(share), deploy_calls=1
        )
        rows.append([benchmark, curve.calls_all, curve.items, number(share, 3), n])
    return make_table(
        ["budget of", "calls", "items", "calls per item", "break-even deployments"],
        rows,
        caption="Added: break-even of evolution against a scaling control, 1 + 2,750/n calls",
        notes=[
            (
                "2,750 target-model calls are printed for the SearchQA Normal run only; the "
                "other rows "
                "ask when a run of that price would pay against that benchmark's budget."
            ),
        ],
    )


def tables(records: common.Records) -> dict[str, Table]:
    """Return the added tables by file name."""
    return {
        "added_differences": differences(records),
        "added_identical_artifacts": identical_artifacts(records),
        "added_gate_noise": gate_noise(records),
        "added_selection_price": selection_price(records),
        "added_scaling_intervals": scaling_intervals(records),
        "added_amortised_calls": amortised(records),
        "added_locked_sensitivity": locked_outputs.locked_sensitivity(records.folder),
        "added_score_intervals": score_intervals(records),
    }
