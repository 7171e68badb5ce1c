"""The records of the skills study: regenerated, counted by hand and solved a second time."""

import collections
import csv
import gzip
import io
import itertools
import json

import pytest

from evalkit.studies import load_module


@pytest.fixture(scope="module")
def records(root):
    """Return the folder of the records."""
    return root / "fixtures/skills/records"


def rows(path):
    """Return the rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def reported(root, table):
    """Return the printed numbers of a table as text."""
    path = root / f"fixtures/skills/reported/{table}.csv"
    return {(r["row"], r["column"]): r["reported"] for r in rows(path)}


def outcomes(records, benchmark):
    """Return item-level outcomes by system, item and attempt."""
    text = gzip.decompress((records / f"scaling/{benchmark}.csv.gz").read_bytes()).decode()
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    for row in csv.DictReader(io.StringIO(text)):
        found[row["system"]][row["item"]][int(row["attempt"])] = int(row["score"])
    return found


def test_records_are_regenerated_byte_by_byte(root, records):
    """The script makes exactly the committed files (compressed ones by their content)."""

    def content(name, data):
        return gzip.decompress(data) if name.endswith(".gz") else data

    made = load_module(root / "analysis/skills/reconstruct.py").build(root / "fixtures/skills")
    standing = {
        p.relative_to(records).as_posix(): p.read_bytes() for p in records.rglob("*") if p.is_file()
    }
    assert sorted(made) == sorted(standing)
    assert [
        name for name, data in made.items() if content(name, standing[name]) != content(name, data)
    ] == []
    assert all(data[4:8] == bytes(4) for name, data in made.items() if name.endswith(".gz"))


def test_round_totals_by_hand(root, records):
    """Counting rows of the histories gives the attempts and new bests of A10."""
    primary = [r for r in rows(records / "histories.csv") if r["benchmark"] != "ALFWorld"]
    attempted = collections.Counter(r["round"] for r in primary if r["round"] != "0")
    new_bests = collections.Counter(r["round"] for r in primary if r["decision"] == "new best")
    printed = reported(root, "A10")
    for k in map(str, range(1, 11)):
        assert attempted[k] == int(printed["Candidates attempted", k])
        assert new_bests[k] == int(printed["New-best events", k])
    assert (attempted.total(), new_bests.total()) == (388, 55)


def test_first_and_best_rounds_are_those_of_a9(root, records):
    """Each run has the executed rounds, first and best round and new bests that A9 prints."""
    printed = reported(root, "A9")
    runs = collections.defaultdict(list)
    for row in rows(records / "histories.csv"):
        runs[" / ".join((row["model"], row["benchmark"], row["view"]))].append(row)
    assert len(runs) == 45
    for name, history in runs.items():
        found = [int(r["round"]) for r in history if r["decision"] == "new best"]
        assert [int(r["round"]) for r in history] == list(
            range(int(printed[name, "Executed rounds"]) + 1)
        )
        assert len(found) == int(printed[name, "New bests"])
        assert max(found, default=0) == int(printed[name, "Best r"])
        assert (str(found[0]) if found else None) == printed.get((name, "First new best"))


def test_number_of_placements_by_brute_force(root, records):
    """Trying every combination of inner rounds gives as many solutions as stated, and the first."""
    free = {
        "GPT-5.5 / OfficeQA / Fail-only": (3, 8, 1),
        "GPT-5.5 / OfficeQA / Success-only": (2, 6, 1),
        "GPT-5.5 / SpreadsheetBench / Fail-only": (2, 6, 2),
        "Gemini 3.1 Pro / LiveMath / Normal": (1, 9, 3),
        "Gemini 3.1 Pro / LiveMath / Fail-only": (1, 10, 2),
        "DeepSeek V4-Pro / SpreadsheetBench / Normal": (1, 3, 1),
        "DeepSeek V4-Pro / SpreadsheetBench / Success-only": (2, 6, 1),
    }
    told = {
        "GPT-5.5 / OfficeQA / Normal": (1, 8, 9),
        "Gemini 3.1 Pro / SpreadsheetBench / Normal": (1, 2, 3, 7),
    }
    printed, events = reported(root, "A9"), reported(root, "A10")
    left = [int(events["New-best events", str(k)]) for k in range(1, 11)]
    for name in {row for row, _ in printed if "ALFWorld" not in row}:
        first = printed.get((name, "First new best"), "0")
        ends = {int(first), int(printed[name, "Best r"])} - {0}
        for k in told.get(name, ends):
            left[k - 1] -= 1
    choices = [itertools.combinations(range(a + 1, b), m) for a, b, m in free.values()]
    solutions = []
    for choice in itertools.product(*choices):
        used = collections.Counter(itertools.chain.from_iterable(choice))
        if all(used[k] == left[k - 1] for k in range(1, 11)):
            solutions.append(choice)
    freedom = json.loads((records / "freedom.json").read_text(encoding="utf-8"))
    assert freedom["solutions"] == len(solutions)
    first = min(solutions)
    assert {run["run"]: run["chosen"][1:-1] for run in freedom["runs"]} == {
        name: list(inner) for name, inner in zip(free, first, strict=True)
    }


def test_solved_counts_are_the_only_ones(root, records):
    """No other count of the same n prints as the percentage of A8."""
    printed = reported(root, "A8")
    solved = [r for r in rows(records / "endpoints.csv") if r["basis"] == "solved"]
    assert len(solved) == 72
    for row in solved:
        name = " / ".join((row["model"], row["benchmark"], row["condition"]))
        text, n = printed[name, f"{row['split'].capitalize()} score"], int(row["n"])
        near = [k for k in range(n + 1) if abs(100 * k / n - float(text)) < 0.005 + 1e-9]
        assert near == [int(row["successes"])]


def test_panel_differences_are_whole_counts(records):
    """Every printed panel difference is the only whole number of successes that prints like it."""
    for row in rows(records / "probes.csv"):
        total = int(row["n"]) * int(row["deployments"])
        near = [
            j for j in range(-total, total + 1) if abs(100 * j / total - float(row["delta"])) < 0.05
        ]
        assert near == [int(row["units"])]


@pytest.mark.parametrize(
    ("benchmark", "n", "k_max"),
    [
        ("SearchQA", 1400, 6),
        ("OfficeQA", 148, 6),
        ("DocVQA", 374, 4),
        ("LiveMath", 106, 8),
        ("SpreadsheetBench", 281, 4),
    ],
)
def test_margins_of_the_item_level_outcomes(root, records, benchmark, n, k_max):
    """Counting outcomes gives every margin of A26 and A27, for both controls."""
    systems = outcomes(records, benchmark)
    margins, allocation = reported(root, "A27"), reported(root, "A26")
    parallel, sequential, evolved = (systems[s] for s in ("parallel", "sequential", "evolved"))
    assert len(parallel) == len(sequential) == len(evolved) == n
    assert all(list(tries) == list(range(1, len(tries) + 1)) for tries in parallel.values())
    assert all(parallel[i].keys() == sequential[i].keys() for i in parallel)
    assert all(parallel[i][1] == sequential[i][1] for i in parallel)
    for k in range(2, k_max + 1):
        given = sum(k in tries for tries in parallel.values())
        assert given == int(allocation[benchmark, f"D{k}"])
    full = [i for i, tries in parallel.items() if len(tries) == k_max]
    best, last = f"{benchmark} / Parallel oracle", f"{benchmark} / Sequential last"
    assert len(full) == int(margins[best, "Panel n"])
    assert sum(evolved[i][1] for i in full) == int(margins[best, "Evolved successes"])
    for k in range(1, k_max + 1):
        oracle = sum(max(parallel[i][j] for j in range(1, k + 1)) for i in full)
        assert oracle == int(margins[best, f"K={k} successes"])
        assert sum(sequential[i][k] for i in full) == int(margins[last, f"K={k} successes"])


def test_dynamic_margins_of_searchqa(root, records):
    """Over all 1,400 items the outcomes add up to the dynamic panel and its allocation."""
    systems, printed = outcomes(records, "SearchQA"), reported(root, "A27")
    sizes = collections.Counter(len(tries) for tries in systems["parallel"].values())
    assert sizes == {2: 25, 3: 460, 4: 229, 5: 138, 6: 548}
    row = "SearchQA / dynamic"
    for name, total in (
        ("Parent", sum(t[1] for t in systems["parallel"].values())),
        ("Evolved", sum(t[1] for t in systems["evolved"].values())),
        ("Parallel", sum(max(t.values()) for t in systems["parallel"].values())),
        ("Sequential", sum(t[len(t)] for t in systems["sequential"].values())),
    ):
        assert total == int(printed[row, f"{name} successes"])


def test_gate_words_fit_a_dead_band_and_not_the_stated_gate(root):
    """All 33 gate words fit 2.0 points below the best; 4 differ from the stated gate."""
    from fractions import Fraction

    from evalkit.trajectories import dead_band, non_decreasing

    folder = root / "analysis/skills"
    study = load_module(folder / "common.py").Records(root / "fixtures/skills")
    count = load_module(folder / "findings.py").gate_disagreements
    assert count(study, dead_band(Fraction(2, 100), reference="best")) == (0, 33)
    assert count(study, non_decreasing()) == (4, 33)


def test_locked_outputs_give_the_five_rows_of_a28(root, records):
    """The implemented verifiers on the same bytes: the printed gains, differences and flips."""
    module = load_module(root / "analysis/skills/locked_outputs.py")
    found = module.contrasts(records)
    shown = {
        name: tuple(round(100 * gain, 9) for gain in (c.delta_v0, c.delta_v1, c.difference))
        for name, c in found.items()
    }
    with (root / "fixtures/skills/reported/A28.csv").open(encoding="utf-8") as lines:
        printed = {(r["row"], r["column"]): float(r["reported"]) for r in csv.DictReader(lines)}
    columns = ("Delta V0", "Delta V1", "Diff.")
    assert shown == {name: tuple(printed[name, c] for c in columns) for name in found}
    assert len(found) == 5
    assert sum(c.disagreements for c in found.values()) == 48
    assert sum(c.verdicts for c in found.values()) == 1000
