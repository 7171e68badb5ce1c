"""Attainable percentages and standard deviations, against enumeration."""

from fractions import Fraction
from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.consistency import audit
from evalkit.consistency.attainability import (
    attained,
    compatible_counts,
    denominators,
    mean_and_sd,
    reached_by_rounded_seeds,
)
from evalkit.consistency.printed import parse_printed, rule_of
from evalkit.rounding import round_number

HUNDRED = Fraction(100)


def variance(values, ddof):
    """Sum of squared deviations over n - ddof."""
    mean = sum(values) / len(values)
    return sum((v - mean) ** 2 for v in values) / (len(values) - ddof)


def enumerated(mean, sd, n, seeds):
    """Rules under which some seed counts give both, by trying them all."""
    found = set()
    low, high = max(Fraction(0), sd.value - sd.half) ** 2, (sd.value + sd.half) ** 2
    for counts in combinations_with_replacement(range(n + 1), seeds):
        values = [Fraction(100 * k, n) for k in counts]
        if rule_of(sum(values) / seeds, mean) in {"half up", "half to even"}:
            found |= {
                name
                for name, ddof in (("sample", 1), ("population", 0))
                if low <= variance(values, ddof) <= high
            }
    return found


@settings(max_examples=80, deadline=None)
@given(
    st.integers(3, 16),
    st.integers(2, 4),
    st.decimals(10, 95, places=1),
    st.decimals(0, 25, places=1),
)
def test_mean_and_sd_agree_with_enumeration(n, seeds, mean, sd):
    """The integer search finds seed counts exactly where trying all of them does."""
    printed = parse_printed(str(mean)), parse_printed(str(sd))
    found = mean_and_sd(*printed, n, seeds, HUNDRED, halves=False)
    expected = enumerated(*printed, n, seeds)
    if "sample" in expected:
        assert found == "sample"
    elif expected:
        assert found == "population"
    else:
        assert found not in {"sample", "population"}


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 14), st.integers(2, 3), st.decimals(0, 100, places=1))
def test_rounded_seed_means_agree_with_enumeration(n, seeds, mean):
    """Means of rounded seed means are found exactly where trying all of them finds one."""
    printed = parse_printed(str(mean))
    units = [Fraction(round_number(Fraction(100 * k, n), 1)) for k in range(n + 1)]
    expected = any(
        rule_of(sum(chosen) / seeds, printed) in {"half up", "half to even"}
        for chosen in combinations_with_replacement(units, seeds)
    )
    assert reached_by_rounded_seeds(printed, n, seeds, HUNDRED) == expected


@given(st.integers(1, 300), st.integers(0, 300), st.integers(0, 2))
def test_every_true_percentage_is_attainable(n, k, digits):
    """No count out of n is ever flagged, nor is its n left out of the denominators."""
    k = min(k, n)
    printed = parse_printed(str(round_number(Fraction(100 * k, n), digits)))
    assert k in compatible_counts(printed, n, HUNDRED)
    assert n in denominators([printed], HUNDRED, halves=False, limit=n)
    assert attained(printed, n, 1, HUNDRED, halves=False).rule == "half up"


def test_published_grim_example():
    """Brown and Heathers: a mean of 5.19 cannot come from 28 whole numbers, 5.18 can."""
    rows = [{"item": "x", "n": "28", "score": "5.19"}, {"item": "y", "n": "28", "score": "5.18"}]
    report = audit(rows, kind="integer")
    assert [(c.row, c.verdict) for c in report if c.check == "attainable"] == [
        ("x", "mismatch"), ("y", "ok"),
    ]  # fmt: skip


def test_three_seeds_of_120_items():
    """80.3 and 89.4 are counts out of 360; 82.0 needs seed means that were rounded first."""
    # 289/360 = 80.28, 322/360 = 89.44; 295/360 = 81.94 and 296/360 = 82.22;
    # (81.7 + 81.7 + 82.5) / 3 = 81.97.
    rows = [{"system": s, "accuracy": a} for s, a in (("a", "80.3"), ("b", "82.0"), ("c", "89.4"))]
    found = {c.row: c for c in audit(rows, n=120, seeds=3) if c.check == "attainable"}
    assert {row: c.verdict for row, c in found.items()} == {
        "a": "ok", "b": "rounding", "c": "ok",
    }  # fmt: skip
    assert "rounded before averaging" in found["b"].explanation
    assert found["b"].distance == pytest.approx(82.0 - 100 * 295 / 360, abs=1e-4)


@pytest.mark.parametrize(
    ("printed", "verdict", "why"),
    [
        ("14.3", "ok", ""),
        ("14.2", "rounding", "truncation"),
        ("15.0", "mismatch", "no count gives it"),
    ],
)
def test_rounding_rule_is_named(printed, verdict, why):
    """1/7 is 14.3 half up and 14.2 cut; 15.0 is no count."""
    report = audit([{"s": "a", "n": "7", "accuracy": printed}])
    (cell,) = (c for c in report if c.check == "attainable")
    assert cell.verdict == verdict
    assert why in cell.explanation


def test_half_to_even_is_named():
    """12.5 printed as 12 is reached by half to even alone of the rounding rules."""
    (cell,) = audit([{"s": "a", "n": "8", "acc (%)": "12"}]).findings
    assert (cell.verdict, "half to even" in cell.explanation) == ("rounding", True)


def test_coarse_precision_is_said():
    """With one decimal, 1,000 items test nothing, and the largest n that does is named."""
    (cell,) = (
        c for c in audit([{"s": "a", "n": "1,000", "accuracy": "62.5"}]) if c.check == "attainable"
    )
    assert cell.verdict == "uncheckable"
    assert "up to 999" in cell.explanation


def test_denominators_are_recovered():
    """33.3, 66.7 and 16.7 leave multiples of six; 62.5 alone leaves too many n to tell."""
    rows = [{"s": str(i), "accuracy": a} for i, a in enumerate(("33.3", "66.7", "16.7"))]
    (cell,) = (c for c in audit(rows) if c.check == "denominators")
    assert cell.expected.startswith("n in {6, 12, 18, 24")
    (coarse,) = (c for c in audit([{"s": "a", "accuracy": "62.5"}]) if c.check == "denominators")
    assert coarse.verdict == "uncheckable"


@pytest.mark.parametrize(
    ("sd", "verdict", "why"),
    [("1.3", "ok", ""), ("0.1", "mismatch", "no 3 counts"), ("60.0", "mismatch", "so large")],
)
def test_sd_over_seeds(sd, verdict, why):
    """Counts with mean 80.3 over three seeds of 120 have some sd and not others."""
    rows = [{"system": "a", "accuracy": "80.3", "sd": sd}]
    (cell,) = (c for c in audit(rows, n=120, seeds=3) if c.check == "sd")
    assert cell.verdict == verdict
    assert why in cell.explanation
