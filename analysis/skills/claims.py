"""Numbers of the running text, computed from the records by their id in ``claims.csv``."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path
from statistics import fmean, stdev

from evalkit.studies import attainable, check, derived, load_module, number_of, recomputed
from evalkit.studies.cells import Computed
from evalkit.trajectories import yield_by_period

HERE = Path(__file__)
common = load_module(HERE.with_name("common.py"))
shared = load_module(HERE.with_name("claims_common.py"))
claims_models = load_module(HERE.with_name("claims_models.py"))
claims_traces = load_module(HERE.with_name("claims_traces.py"))
_each, _family, _test = shared.each, shared.selected_macro, shared.selected_test
GPT, GEMINI, DEEPSEEK = common.GPT, common.GEMINI, common.DEEPSEEK
SHORT = {"gpt": GPT, "gemini": GEMINI, "deepseek": DEEPSEEK}
NAMES = {
    "searchqa": "SearchQA",
    "officeqa": "OfficeQA",
    "spreadsheet": "SpreadsheetBench",
    "livemath": "LiveMath",
    "docvqa": "DocVQA",
}
Values = dict[str, Computed]
Records = common.Records


def values(records: Records) -> Values:
    """Return every claim that the records determine."""
    return {
        **_sizes(records),
        **_counts(records),
        **_selected_deltas(records),
        **_rounds(records),
        **_views(records),
        **_periods(records),
        **claims_models.values(records),
        **claims_traces.values(records),
    }


def _sizes(records: Records) -> Values:
    """Return what was run: models, benchmarks, runs, candidates."""
    all_runs = records.accounting
    settings = recomputed(len(records.settings))
    models, benchmarks = (recomputed(len({s[i] for s in records.settings})) for i in (0, 1))
    new_bests, candidates = recomputed(all_runs.new_bests), recomputed(all_runs.candidates)
    runs = recomputed(all_runs.runs)
    eight = derived(len(records.rows("cross_model")) + 1, "seven of A12 and GPT-5.5")
    return {
        **_each("abstract intro setup limits", "benchmarks", benchmarks),
        **_each("abstract setup", "models", models),
        **_each("abstract intro contrib setup main rounds concl a9 a10 a11", "runs", runs),
        **_each(
            "abstract intro contrib setup main concl limits feedback a16", "settings", settings
        ),
        **_each("abstract intro main rounds concl a9 select", "new-bests", new_bests),
        **_each("abstract intro contrib main concl a9 select", "candidates", candidates),
        **_each("abstract intro", "evolved-selected-of", settings),
        **_each("abstract intro contrib concl feedback", "searchqa-models", eight),
        "intro-gpt-settings": recomputed(sum(m == GPT for m, _ in records.settings)),
        "select-yield": recomputed(Fraction(100 * all_runs.new_bests, all_runs.candidates)),
    }


def _counts(records: Records) -> Values:
    """Return what selection gave, which abstract, introduction and conclusion repeat."""
    evolved = records.evolved_settings
    test_up = [s for s in evolved if _test(records, s) > 0]
    up = {f: {s for s in evolved if _family(records, s, f) > 0} for f in ("R", "T")}
    chosen = Counter(records.selections[s].selected for s in records.settings)
    with_failures = recomputed(chosen["Normal"] + chosen["Fail-only"])
    both, either = len(up["R"] & up["T"]), len(up["R"] | up["T"])
    gains = [_test(records, s) for s in test_up]
    sheets = [_test(records, s) for s in evolved if s[1] == "SpreadsheetBench"]
    selected = recomputed(len(evolved))
    success = recomputed(chosen["Success-only"])
    return {
        **_each("abstract intro main concl", "evolved-selected", selected),
        "abstract-selected-test-improved": recomputed(len(test_up)),
        **_each("intro main concl breadth", "test-improved", recomputed(len(test_up))),
        **_each("intro main concl breadth", "robustness-improved", derived(len(up["R"]))),
        **_each("intro main concl breadth", "transfer-improved", derived(len(up["T"]))),
        **_each("intro main concl", "both-improved", derived(both)),
        **_each("abstract intro contrib pool", "selections-with-failures", with_failures),
        **_each("intro main concl feedback", "normal-selected", recomputed(chosen["Normal"])),
        **_each("intro main concl feedback", "fail-only-selected", recomputed(chosen["Fail-only"])),
        **_each("intro main concl feedback", "success-only-selected", success),
        "main-parent-retained": recomputed(chosen["Parent"]),
        "main-test-improved-of": selected,
        "main-both-improved-of": selected,
        "main-min-test-gain": recomputed(min(gains)),
        "main-max-test-gain": recomputed(max(gains)),
        "breadth-selected": selected,
        "breadth-all-three": derived(len(set(test_up) & up["R"] & up["T"])),
        "breadth-either": derived(either),
        "breadth-spreadsheet-models": recomputed(len(sheets)),
        "breadth-spreadsheet-min": recomputed(min(sheets)),
        "breadth-spreadsheet-max": recomputed(max(sheets)),
        "select-evolved": selected,
        "select-parent": recomputed(chosen["Parent"]),
        **{f"{k}-skills": selected for k in ("a15", "a17", "a18")},
    }


def _selected_deltas(records: Records) -> Values:
    """Return single differences of selected skills, quoted with or without their sign."""
    plan = (
        ("main", "spreadsheet-test-gain", "gpt gemini deepseek", "test"),
        ("main", "livemath-test-drop", "gpt", "test"),
        ("main", "livemath-test-gain", "gemini deepseek", "test"),
        ("main", "searchqa-test-delta", "gpt gemini deepseek", "test"),
        ("main", "officeqa-test-delta", "gpt", "test"),
        ("main", "docvqa-test-delta", "gemini", "test"),
        ("main", "searchqa-robustness-delta", "gpt gemini deepseek", "R"),
        ("main", "livemath-robustness-gain", "gpt", "R"),
        ("main", "livemath-test-loss", "gpt", "test"),
        ("main", "livemath-transfer-loss", "gpt", "T"),
        ("main", "docvqa-test-gain", "gemini", "test"),
        ("main", "docvqa-robustness-gain", "gemini", "R"),
        ("main", "docvqa-transfer-loss", "gemini", "T"),
        ("main", "officeqa-test-gain", "gpt", "test"),
        ("main", "officeqa-robustness-gain", "gpt", "R"),
        ("main", "officeqa-transfer-gain", "gpt", "T"),
    )
    found = {
        f"{where}-{what}-{short}": _delta_cell(records, what, (SHORT[short], kind))
        for where, what, shorts, kind in plan
        for short in shorts.split()
    }
    gemini = (GEMINI, "LiveMath")
    for kind, word in (("test", "test"), ("R", "robustness"), ("T", "transfer")):
        cell = _delta_of(records, gemini, kind)
        found[f"gen-livemath-gemini-{word}-gain"] = cell
    drop = abs(_test(records, (GPT, "LiveMath")))
    return {**found, "rounds-livemath-test-drop": recomputed(drop)}


def _delta_cell(records: Records, what: str, model_kind: tuple[str, str]) -> Computed:
    model, kind = model_kind
    cell = _delta_of(records, (model, NAMES[what.partition("-")[0]]), kind)
    if what.endswith(("drop", "loss")):
        value = -Fraction(str(cell.value)) if not isinstance(cell.value, Fraction) else -cell.value
        alternatives = [(-Fraction(v), text) for v, text in cell.alternatives]
        return Computed(value=value, level=cell.level, alternatives=alternatives)
    return cell


def _delta_of(records: Records, setting: common.Setting, kind: str) -> Computed:
    if kind == "test":
        return recomputed(_test(records, setting))
    key = (*setting, records.selections[setting].selected)
    return derived(
        _family(records, setting, kind), alternatives=[records.macro_of_printed(key, kind)]
    )


def _rounds(records: Records) -> Values:
    """Return rounds of the selected skills."""
    found: Values = {}
    wanted = {
        "main": "searchqa:gpt,gemini,deepseek spreadsheet:gpt,gemini,deepseek officeqa:gpt "
        "docvqa:gemini livemath:gpt,gemini,deepseek",
        "converge": "searchqa:gpt,gemini,deepseek spreadsheet:gpt,gemini,deepseek "
        "livemath:gpt,gemini,deepseek",
    }
    for where, plan in wanted.items():
        for part in plan.split():
            name, _, shorts = part.partition(":")
            for short in shorts.split(","):
                cell = recomputed(records.selected_round((SHORT[short], NAMES[name])))
                key = (
                    f"{where}-{name}-round-{short}"
                    if where == "main"
                    else f"{where}-{name}-{short}-round"
                )
                found[key] = cell
    shared = [
        b for b in common.PRIMARY if all((m, b) in records.evolved_settings for m in common.MODELS)
    ]
    return {
        **found,
        "converge-benchmarks": recomputed(len(shared)),
        "converge-artifacts": recomputed(len(shared) * len(common.MODELS)),
    }


def _views(records: Records) -> Values:
    """Return counts by feedback view."""
    found: Values = {}
    for view, name in zip(common.VIEWS, ("normal", "fail-only", "success-only"), strict=True):
        byte_distinct = [s for s in records.settings if records.improved(s, view)]
        found[f"feedback-{name}-val-up"] = recomputed(len(byte_distinct))
        up = sum(records.delta(s, view, "test") > 0 for s in byte_distinct)
        found[f"feedback-{name}-test-up"] = recomputed(up)
        for family, word in (("R", "robustness"), ("T", "transfer")):
            rows = [common.setting_name((*s, view)) for s in byte_distinct]
            wins = sum(records.printed.value("2", row, f"{family} delta") > 0 for row in rows)
            found[f"feedback-{name}-{word}-up"] = derived(wins)
    del found["feedback-success-only-test-up"]  # the text does not quote it
    groups = {group.by["view"]: group for group in records.accounting.groups}
    failure = [groups["Normal"], groups["Fail-only"]]
    for name, chosen in (("failure", failure), ("success", [groups["Success-only"]])):
        runs, candidates, new_bests, improved = (
            sum(getattr(group, field) for group in chosen)
            for field in ("runs", "candidates", "new_bests", "runs_improved")
        )
        found |= {
            f"pool-{name}-new-bests": recomputed(new_bests),
            f"pool-{name}-candidates": recomputed(candidates),
            f"pool-{name}-yield": recomputed(Fraction(100 * new_bests, candidates)),
            f"pool-{name}-runs-improved": recomputed(improved),
            f"pool-{name}-runs": recomputed(runs),
            f"pool-{name}-runs-improved-share": recomputed(Fraction(100 * improved, runs)),
        }
    return found


def _periods(records: Records) -> Values:
    """Return early and late rounds."""
    early, late = yield_by_period(records.accounting, 4)
    late_new, late_tried = (late.new_bests, late.attempted) if late else (0, 0)
    total = records.accounting.new_bests
    rounds = [records.selected_round(s) for s in records.evolved_settings]
    first, last = sum(r <= 4 for r in rounds), sum(6 <= r <= 9 for r in rounds)
    return {
        "early-new-bests": recomputed(early.new_bests),
        "late-new-bests": recomputed(late_new),
        "late-candidates": recomputed(late_tried),
        "main-selected-rounds-1-4": recomputed(first),
        "main-selected-rounds-6-9": recomputed(last),
        "rounds-selected-early": recomputed(first),
        "rounds-selected-late": recomputed(last),
        "rounds-selected-of": recomputed(len(rounds)),
        "pool-early-new-bests": recomputed(early.new_bests),
        "pool-early-new-bests-of": recomputed(total),
        "pool-early-share": recomputed(Fraction(100 * early.new_bests, total)),
        "pool-late-new-bests": recomputed(late_new),
        "pool-late-new-bests-of": recomputed(total),
        "pool-late-share": recomputed(Fraction(100 * late_new, total)),
        "pool-selected-late": recomputed(last),
        "pool-selected-early": recomputed(first),
        "pool-selected-of": recomputed(len(rounds)),
    }


def eight_scores(n: int, printed: dict[str, str]) -> int:
    """Count the sets of eight counts out of n that have the printed extremes, mean and sd."""
    low, high = (round(number_of(printed[key]) * n / 100) for key in ("min", "max"))
    found = 0
    for inner in combinations_with_replacement(range(low, high + 1), 6):
        scores = [100 * k / n for k in (low, *inner, high)]
        found += (
            check(printed["mean"], fmean(scores)).status == "match"
            and check(printed["sd"], stdev(scores)).status == "match"
        )
    return found


def reasons(records: Records) -> dict[str, str]:
    """Return why claims are not computed, where more can be said than that nothing is printed."""
    n = records.splits["OfficeQA"]["validation"]
    ids = {row["id"]: row["reported"] for row in records.labels("claims")}
    key = "identity-gemini-officeqa"
    printed = {what: ids[f"{key}-{what}"] for what in ("min", "max", "mean", "sd")}
    eight = (
        f"the eight scores are not printed; {eight_scores(n, printed)} sets of eight counts out of "
        f"{n} have this minimum, maximum, mean and sample standard deviation"
    )
    longest = claims_traces.longest_reject_streak(records)
    protocol = "a setting of the protocol; the records do not show it"
    return {
        "rounds-officeqa-normal-improvement-second": (
            "the records take round 8 from this sentence and A19"
        ),
        "tts-evolution-calls": (
            "the paper does not break it down; ten rounds of 40 + 200 executions and the parent's "
            "200 make 2600"
        ),
        f"{key}-min": f"the eight scores are not printed; {attainable(printed['min'], n)}",
        f"{key}-max": f"the eight scores are not printed; {attainable(printed['max'], n)}",
        f"{key}-mean": f"the eight scores are not printed; {attainable(printed['mean'], 8 * n)}",
        f"{key}-sd": eight,
        f"{key}-evaluations": "the eight scores are not printed",
        **dict.fromkeys(
            ("setup-stop-regressions", "a2-stop-regressions"),
            f"{protocol}; A24 shows {longest} rejects in a row in a run that went on",
        ),
        **dict.fromkeys(
            ("setup-edit-cap", "a2-edit-cap", "setup-deployments-per-probe", "a13-repeats"),
            protocol,
        ),
    }
