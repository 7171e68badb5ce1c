"""Many raw columns in one call: both engines against the one-column law."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.bootstrap.counting import count_few
from evalkit.bootstrap.intervals import bootstrap_interval
from evalkit.bootstrap.table import bootstrap_intervals, cluster_bootstrap_intervals
from evalkit.errors import ArgumentError, MissingPackageError
from evalkit.tally import tally_values


def columns():
    """Columns of every kind."""
    rng = np.random.default_rng(21)
    return [
        (rng.random(1400) < 0.785).astype(float),
        rng.choice([-1, -0.5, 0, 0.5, 1], 700),
        rng.beta(2, 3, 5000),
        np.repeat([0, 0.5, 1], [20, 2, 20]),
        rng.random(60),
        np.full(9, 0.7),
        rng.lognormal(0, 1, 3000),
        (rng.random(150_000) < 0.002).astype(float),
        np.round(rng.random(150), 1),
        [0.0, 1.0],
    ]


def test_columns_equal_the_laws_of_their_tallies():
    """Every column has the limits of `bootstrap_interval`, and tallies may be given as such."""
    data = columns()
    table = bootstrap_intervals(data)
    tallies = bootstrap_intervals([tally_values(x) for x in data])
    for index, x in enumerate(data):
        for method in ("percentile", "bc", "bca"):
            single = bootstrap_interval(tally_values(x), method=method).interval
            for source in (table, tallies):
                got = source.interval(index, method=method)
                assert (got is None) == (single is None)
                if single is not None:
                    assert (got.low, got.high) == pytest.approx((single.low, single.high), abs=1e-8)
    assert len(table) == len(data)
    assert (table.kind(5), table.se(5), table.estimate(5)) == ("point", None, 0.7)


def test_numba_equals_numpy():
    """The compiled engine returns the numbers of the numpy engine."""
    pytest.importorskip("numba")
    plain = bootstrap_intervals(columns())
    fast = bootstrap_intervals(columns(), engine="numba")
    scale = np.where(np.isnan(plain.rows[:, 1:2]), 1.0, plain.rows[:, 1:2])

    assert plain.kinds.tolist() == fast.kinds.tolist()
    assert np.nanmax(np.abs(plain.rows - fast.rows) / scale) < 1e-8
    assert (np.isnan(plain.rows) == np.isnan(fast.rows)).all()


@pytest.mark.parametrize("equal", [True, False])
def test_numba_clusters_equal_numpy(equal):
    """Clusters of equal and of unequal sizes: the engines agree."""
    pytest.importorskip("numba")
    rng = np.random.default_rng(22)
    for number in (30, 400):
        sizes = np.full(number, 3) if equal else rng.integers(1, 6, number)
        sums = rng.binomial(sizes, rng.beta(2, 1, number))
        plain = cluster_bootstrap_intervals(sums, sizes)
        fast = cluster_bootstrap_intervals(sums, sizes, engine="numba")

        assert plain.kinds.tolist() == fast.kinds.tolist()
        assert plain.kind(0) == ("lattice" if equal or number == 30 else "smooth")
        assert np.abs(plain.rows - fast.rows).max() / plain.rows[0, 1] < 1e-7


@settings(max_examples=40)
@given(
    st.lists(
        st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=60),
        min_size=1,
        max_size=4,
    )
)
def test_numba_equals_numpy_on_small_columns(data):
    """Small, skewed and constant columns agree, point laws included."""
    pytest.importorskip("numba")
    plain, fast = bootstrap_intervals(data), bootstrap_intervals(data, engine="numba")

    assert plain.kinds.tolist() == fast.kinds.tolist()
    assert np.allclose(plain.rows, fast.rows, rtol=0, atol=1e-9, equal_nan=True)


@pytest.mark.parametrize("engine", ["numpy", "numba"])
@pytest.mark.parametrize(
    "bad", [[0.0, np.nan], [np.nan], [0.0, np.inf], [-np.inf], [np.inf, -np.inf], [np.nan] * 300]
)
def test_missing_and_infinite_outcomes_are_refused(engine, bad):
    """NaN and infinities are refused with the number of their column."""
    if engine == "numba":
        pytest.importorskip("numba")
    with pytest.raises(ArgumentError, match=r"`columns\[1\]` holds NaN or an infinity"):
        bootstrap_intervals([[0.0, 1.0], bad], engine=engine)


def test_wrong_arguments_are_named():
    """Empty columns, engines, levels, methods and clusters are checked."""
    with pytest.raises(ArgumentError, match=r"`columns\[0\]` has shape \(0,\)"):
        bootstrap_intervals([[]])
    with pytest.raises(ArgumentError, match="`engine` is 'jax'"):
        bootstrap_intervals([[0, 1]], engine="jax")
    with pytest.raises(ArgumentError, match="`level` is 95"):
        bootstrap_intervals([[0, 1]], level=95)
    with pytest.raises(ArgumentError, match="`method` is 't'"):
        bootstrap_intervals([[0, 1]]).interval(0, method="t")
    with pytest.raises(ArgumentError, match="at least two clusters"):
        cluster_bootstrap_intervals([1.0], [2.0])
    with pytest.raises(ArgumentError, match="finite and positive"):
        cluster_bootstrap_intervals([1.0, 2.0], [2.0, 0.0])


def test_numba_that_is_not_installed_is_named(monkeypatch):
    """Asking for numba without having it prints the install command."""
    from evalkit.bootstrap.kernels import jit

    monkeypatch.setattr(jit, "HAVE_NUMBA", False)
    with pytest.raises(MissingPackageError, match="pip install numba"):
        bootstrap_intervals([[0, 1]], engine="numba")


def test_no_columns_give_an_empty_table():
    """No columns, no rows."""
    assert len(bootstrap_intervals([])) == 0


@given(st.lists(st.integers(0, 20), min_size=1, max_size=300))
def test_counting_equals_sorting(values):
    """Counting by comparison gives what np.unique gives, up to 16 distinct values."""
    x = np.array(values, dtype=float)
    distinct, counts = np.unique(x, return_counts=True)
    counted = count_few(x)
    if distinct.size > 16:
        assert counted is None
    else:
        assert counted[0].tolist() == distinct.tolist()
        assert counted[1].tolist() == counts.tolist()


def test_late_values_are_found():
    """Values that first occur late in a long array are counted too."""
    x = np.zeros(100_000)
    x[70_000], x[99_999] = 0.5, 1.0

    values, counts = count_few(x)

    assert values.tolist() == [0.0, 0.5, 1.0]
    assert counts.tolist() == [99_998, 1, 1]
