"""Rows stay in the engine that holds them: DuckDB, Polars and Dask give what pandas gives."""

import importlib
import json
import os
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import evalkit

ROWS = 100_000_000
CLUSTERS = 50_000
MEMORY_LIMIT_MIB = 2048


def engine(name):
    """Import an optional engine; where EVALKIT_ALL_DEPS is 1, its absence is a failure."""
    if os.environ.get("EVALKIT_ALL_DEPS") == "1":
        return importlib.import_module(name)
    return pytest.importorskip(name, exc_type=ImportError)


@pytest.fixture(scope="module")
def verdicts():
    """6,000 rows of half credits, some missing, some failed, in 120 passages of two systems."""
    rng = np.random.default_rng(20)
    number = 6_000
    rows = pd.DataFrame(
        {
            "system": np.repeat(["A", "B"], number // 2),
            "item": [f"i{k % (number // 2)}" for k in range(number)],
            "passage": [f"p{k % 120}" for k in range(number)],
            "verifier": "v1",
            "attempt": 1,
            "status": np.where(rng.random(number) < 0.01, "infra", "scored"),
            "score": rng.choice([0.0, 0.5, 1.0], size=number, p=[0.2, 0.1, 0.7]),
        }
    )
    rows.loc[rng.random(number) < 0.02, "score"] = np.nan
    return rows


@pytest.fixture
def parquet(verdicts, tmp_path):
    """Path of the same rows in a Parquet file of several row groups."""
    path = tmp_path / "verdicts.parquet"
    verdicts.to_parquet(path, row_group_size=500)
    return path


def from_duckdb(path):
    """DuckDB relation over the file; no row is read yet."""
    return engine("duckdb").connect().read_parquet(str(path))


def from_polars(path):
    """Polars LazyFrame over the file."""
    return engine("polars").scan_parquet(path)


def from_dask(path):
    """Dask dataframe over the file, in several partitions."""
    return engine("dask.dataframe").read_parquet(path, split_row_groups=2)


ENGINES = [from_duckdb, from_polars, from_dask]
SETTINGS = [{}, {"cluster": "passage"}, {"errors": "fail"}, {"by": ["system", "verifier"]}]
# narwhals announces that its Dask support will move to a plugin, which is not published yet.
MOVING = pytest.mark.filterwarnings("ignore:Dask support is moving:FutureWarning")


def numbers(results):
    """Return what estimates say, without the notes about which columns were kept."""
    return [(dict(r.by), r.estimate, r.interval, r.se, r.n, r.clusters, r.counts) for r in results]


@MOVING
@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: next(iter(s), "default"))
@pytest.mark.parametrize("source", ENGINES, ids=lambda f: f.__name__)
def test_engines_agree_with_pandas(verdicts, parquet, source, settings):
    """Estimates from a file in its own engine equal those from the rows in pandas."""
    lazy = source(parquet)
    expected = evalkit.estimate(verdicts, **settings)
    assert len(expected) == 2
    assert numbers(evalkit.estimate(lazy, **settings)) == numbers(expected)


@MOVING
@pytest.mark.parametrize("source", ENGINES, ids=lambda f: f.__name__)
def test_engines_find_repeated_attempts(verdicts, tmp_path, source):
    """Items that were attempted twice become clusters in every engine."""
    twice = pd.concat([verdicts.assign(attempt=1), verdicts.assign(attempt=2)])
    path = tmp_path / "twice.parquet"
    twice.to_parquet(path, row_group_size=1_000)
    expected = evalkit.estimate(twice)
    found = evalkit.estimate(source(path))
    assert found[0].clusters == expected[0].clusters
    assert found[0].clusters is not None
    assert numbers(found) == numbers(expected)


@MOVING
@pytest.mark.parametrize("source", ENGINES, ids=lambda f: f.__name__)
def test_engines_separate_verifiers(verdicts, tmp_path, source):
    """Several verifiers are told apart in every engine."""
    half = verdicts.assign(verifier=np.where(np.arange(len(verdicts)) % 2, "v1", "v2"))
    path = tmp_path / "half.parquet"
    half.to_parquet(path)
    found = evalkit.estimate(source(path))
    assert [r.by["verifier"] for r in found] == ["v1", "v2", "v1", "v2"]


def say(line):
    """Report a measurement: past the capture where that is off, else in the captured output."""
    sys.stdout.write(f"\n{line}\n")


CHILD = """
import json, sys, time
import duckdb
import evalkit

path, cluster = sys.argv[1:]
connection = duckdb.connect()
connection.execute("SET enable_progress_bar = false")
start = time.perf_counter()
found = evalkit.estimate(connection.read_parquet(path), cluster=cluster or None)
seconds = time.perf_counter() - start
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(json.dumps({
    "seconds": seconds,
    "peak_mib": peak / 1024,
    "n": [e.n for e in found],
    "estimate": [e.estimate for e in found],
    "width": [e.interval.high - e.interval.low for e in found],
    "clusters": [e.clusters for e in found],
}))
"""


@pytest.fixture(scope="module")
def hundred_million(tmp_path_factory):
    """Write 100 million verdicts to a Parquet file, and delete it after the tests.

    Row i is for system A or B by parity. Scores are 0, 1/4, ..., 1 by a hash of i. Constant
    columns stand for the verifier and the attempt that most logs carry.
    """
    duckdb = engine("duckdb")
    path = tmp_path_factory.mktemp("large") / "verdicts.parquet"
    start = time.perf_counter()
    with duckdb.connect() as connection:
        connection.execute("SET preserve_insertion_order = false")
        connection.execute("SET enable_progress_bar = false")
        connection.execute(
            f"""COPY (
                SELECT CASE i % 2 WHEN 0 THEN 'A' ELSE 'B' END AS system,
                       i // 2 AS item,
                       'p' || (i // 2 % {CLUSTERS}) AS passage,
                       (hash(i) % 5)::DOUBLE / 4 AS score,
                       'v1' AS verifier,
                       1 AS attempt
                FROM range({ROWS}) rows(i)
            ) TO '{path}' (FORMAT parquet)"""  # noqa: S608 - nothing here comes from outside
        )
    say(f"wrote {path.stat().st_size / 1e6:.0f} MB in {time.perf_counter() - start:.0f} s")
    yield path
    path.unlink()


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the peak from /proc")
@pytest.mark.parametrize("cluster", ["", "passage"])
def test_hundred_million_rows_in_two_gib(hundred_million, cluster, capsys):
    """A file of 100 million rows is estimated by a process that never holds 2 GiB."""
    answer = subprocess.run(
        [sys.executable, "-c", CHILD, str(hundred_million), cluster],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    found = json.loads(answer)
    with capsys.disabled():
        say(
            f"{'clustered' if cluster else 'independent'}: {found['seconds']:.1f} s, "
            f"{ROWS / found['seconds'] / 1e6:.1f} million rows/s, "
            f"peak {found['peak_mib']:.0f} MiB"
        )
    assert found["n"] == [ROWS // 2, ROWS // 2]
    assert found["clusters"] == ([CLUSTERS, CLUSTERS] if cluster else [None, None])
    # The hash is uniform: variance 1/8, so the interval is 2 * 1.96 * sqrt(1/8 / n) wide.
    for estimate, width in zip(found["estimate"], found["width"], strict=True):
        assert estimate == pytest.approx(0.5, abs=5 * (1 / 8 / (ROWS // 2)) ** 0.5)
        assert width == pytest.approx(2 * 1.96 * (1 / 8 / (ROWS // 2)) ** 0.5, rel=0.03)
    assert found["peak_mib"] < MEMORY_LIMIT_MIB
