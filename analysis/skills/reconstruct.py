"""Write the lowest-level records that the reported tables of the skills study determine.

Run by hand, from the root of the repository::

    python analysis/skills/reconstruct.py [fixtures/skills]

It reads ``reported/*.csv`` and rewrites ``records/*``; the same input gives the same bytes.
What is solved, what is chosen and what stays free is written to ``records/freedom.json`` and
explained in ``SOURCE.md``.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from evalkit.rounding import decimals_of, round_number
from evalkit.studies import load_module, number_of, read_rows

scaling = load_module(Path(__file__).with_name("reconstruct_scaling.py"))
locked = load_module(Path(__file__).with_name("reconstruct_locked.py"))

VIEWS = ("Normal", "Fail-only", "Success-only")
ROUNDS = range(1, 11)
Run = tuple[str, str, str]

GPT, GEMINI, DEEPSEEK = "GPT-5.5", "Gemini 3.1 Pro", "DeepSeek V4-Pro"
TRACES: dict[tuple[str, str], Run] = {
    ("A22", ""): (GPT, "SearchQA", "Normal"),
    ("A23", ""): (GEMINI, "SpreadsheetBench", "Normal"),
    ("A24", "Normal"): (DEEPSEEK, "LiveMath", "Normal"),
    ("A24", "Success-only"): (DEEPSEEK, "LiveMath", "Success-only"),
}
# Rounds that A19 and the text of the paper print for a run with an inner new best.
TOLD = {(GPT, "OfficeQA", "Normal"): (1, 8, 9)}
# Validation scores of single rounds, in A19.
EXTRA_SCORES = {
    ((GPT, "OfficeQA", "Normal"), 8): ("Normal / 8", "new best"),
    ((GPT, "OfficeQA", "Normal"), 10): ("Normal / 10", "reject"),
}
GATE_WORDS = {"New best": "new best", "Flat": "flat", "Reject": "reject"}


class Reported:
    """The reported tables as text by row and column."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def table(self, name: str) -> dict[tuple[str, str], str]:
        """Return the numbers of a table, in file order."""
        rows = read_rows(self.folder / f"{name}.csv")
        return {(row["row"], row["column"]): row["reported"] for row in rows}

    def labels(self, name: str) -> list[dict[str, str]]:
        """Return the rows of a label file."""
        return read_rows(self.folder / f"{name}.csv")


def solve_count(printed: str, n: int) -> int:
    """Return the only count k for which 100 k / n prints as `printed`."""
    digits, target = decimals_of(printed), number_of(printed)
    found = [
        k for k in range(n + 1) if Fraction(round_number(Fraction(100 * k, n), digits)) == target
    ]
    if len(found) != 1:
        raise SystemExit(f"{printed} of {n} items: {len(found)} counts print like that, need one")
    return found[0]


def split_sizes(reported: Reported) -> dict[tuple[str, str], int]:
    """Return items by benchmark and split, from A1."""
    return {key: int(text) for key, text in reported.table("A1").items()}


def splits(reported: Reported) -> Iterator[Sequence[object]]:
    """Yield ``splits.csv``."""
    sizes = split_sizes(reported)
    yield "benchmark", "train", "validation", "test"
    for benchmark in dict.fromkeys(row for row, _ in sizes):
        yield benchmark, *(sizes[benchmark, part] for part in ("Train", "Validation", "Test"))


def endpoints(reported: Reported) -> Iterator[Sequence[object]]:
    """Yield ``endpoints.csv``: counts printed in A7, solved from the percentages of A8."""
    yield "model", "benchmark", "condition", "split", "successes", "n", "aux", "basis"
    sizes = split_sizes(reported)
    printed = reported.table("A7")
    for row in dict.fromkeys(row for row, _ in printed):
        model, benchmark, condition = row.split(" / ")
        for split in ("Validation", "Test"):
            k, n = printed[row, f"{split} successes"], printed[row, f"{split} n"]
            aux = printed.get((row, f"{split} aux"), "")
            yield model, benchmark, condition, split.lower(), k, n, aux, "printed"
    shares = reported.table("A8")
    for row in dict.fromkeys(row for row, _ in shares):
        model, benchmark, condition = row.split(" / ")
        for split in ("Validation", "Test"):
            n = sizes[benchmark, split]
            k = solve_count(shares[row, f"{split} score"], n)
            aux = shares.get((row, f"{split} aux"), "")
            yield model, benchmark, condition, split.lower(), k, n, aux, "solved"


def known_new_bests(reported: Reported) -> dict[Run, tuple[int, ...]]:
    """Return the new-best rounds of the runs that are told in full."""
    known: dict[Run, tuple[int, ...]] = dict(TOLD)
    for (table, view), run in TRACES.items():
        rows = reported.labels(f"{table}_labels")
        rounds = [
            int(row["row"].removeprefix(f"{view} / "))
            for row in rows
            if row["gate"] == "New best" and row["row"].startswith(f"{view} / " if view else "")
        ]
        known[run] = tuple(rounds)
    return known


def place_new_bests(reported: Reported) -> tuple[dict[Run, tuple[int, ...]], dict[str, object]]:
    """Place the inner new bests of every run by A10's event row.

    Returns the first solution in lexicographic order, and what is known about all of them.
    """
    summary = reported.table("A9")
    runs: dict[Run, tuple[int | None, int, int]] = {}
    for row in dict.fromkeys(row for row, _ in summary):
        first = summary.get((row, "First new best"))
        best, count = int(summary[row, "Best r"]), int(summary[row, "New bests"])
        model, benchmark, view = row.split(" / ")
        runs[model, benchmark, view] = (None if first is None else int(first), best, count)
    events = reported.table("A10")
    left = Counter({k: int(events["New-best events", str(k)]) for k in ROUNDS})
    placed, open_runs = known_new_bests(reported), []
    for run, (first, best, count) in runs.items():
        if run not in placed:
            if count <= 2:
                placed[run] = tuple(r for r in dict.fromkeys((first, best)) if r)
            else:
                open_runs.append(run)
        if run in placed and run[1] != "ALFWorld":
            left.subtract(placed[run])
    options = []
    for run in open_runs:
        first, best, count = runs[run]
        if first is None:
            raise SystemExit(f"A9 gives {count} new bests but no first one for {run}")
        left.subtract((first, best))
        options.append(list(itertools.combinations(range(first + 1, best), count - 2)))
    target = tuple(left[k] for k in ROUNDS)
    solutions = sorted(_exact_covers(options, target))
    for run, inner in zip(open_runs, solutions[0], strict=True):
        first, best, _ = runs[run]
        placed[run] = (first or 0, *inner, best)
    freedom = {
        "solutions": len(solutions),
        "chosen": "the first in lexicographic order",
        "runs": [
            {
                "run": " / ".join(run),
                "chosen": list(placed[run]),
                "possible_inner_rounds": sorted({r for s in solutions for r in s[i]}),
            }
            for i, run in enumerate(open_runs)
        ],
    }
    return {run: placed[run] for run in runs}, freedom


def _exact_covers(
    options: Sequence[Sequence[tuple[int, ...]]], target: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield every choice, one option a run, whose rounds add up to the event counts."""
    if not options:
        if not any(target):
            yield ()
        return
    for rounds in options[0]:
        rest = tuple(count - (k in rounds) for k, count in zip(ROUNDS, target, strict=True))
        if min(rest) >= 0:
            for tail in _exact_covers(options[1:], rest):
                yield (rounds, *tail)


def traces(reported: Reported) -> Iterator[Sequence[object]]:
    """Yield ``traces.csv``: the complete branches of A22 to A24."""
    yield (
        *("model", "benchmark", "view", "round", "successes_used", "failures_used"),
        *("validation_successes", "validation_n", "byte_distinct", "gate"),
    )
    sizes = split_sizes(reported)
    for (table, view), run in TRACES.items():
        numbers = reported.table(table)
        prefix = f"{view} / " if view else ""
        for row in reported.labels(f"{table}_labels"):
            if not row["row"].startswith(prefix):
                continue
            key, n = row["row"], sizes[run[1], "Validation"]
            score = numbers.get((key, "Validation"))
            yield (
                *run,
                key.removeprefix(prefix),
                numbers.get((key, "Successes used"), ""),
                numbers.get((key, "Failures used"), ""),
                "" if score is None else solve_count(score, n),
                "" if score is None else n,
                row["byte_distinct"],
                row["gate"],
            )


def histories(
    reported: Reported, placed: Mapping[Run, tuple[int, ...]]
) -> Iterator[Sequence[object]]:
    """Yield ``histories.csv``: the parent and every candidate of 42 + 3 runs."""
    yield "model", "benchmark", "view", "round", "score", "changed", "decision", "basis"
    summary = reported.table("A9")
    counts = {tuple(row[:4]): (row[4], row[5], row[7]) for row in endpoints(reported)}
    told = {(*row[:3], str(row[3])): row for row in itertools.islice(traces(reported), 1, None)}
    office = reported.table("A19")
    for run, new_bests in placed.items():
        model, benchmark, view = run
        k, n, basis = counts[model, benchmark, "Parent", "validation"]
        yield *run, 0, f"{k}/{n}", "", "", basis
        for number in range(1, int(summary[" / ".join(run), "Executed rounds"]) + 1):
            is_best = number in new_bests
            decision = "new best" if is_best else "reject"
            step = told.get((*run, str(number)))
            if step is not None:
                score = f"{step[6]}/{step[7]}"
                yield *run, number, score, step[8], GATE_WORDS[str(step[9])], "trace"
            elif (run, number) in EXTRA_SCORES:
                key, word = EXTRA_SCORES[run, number]
                score = f"{solve_count(office[key, 'Validation'], int(n))}/{n}"
                yield *run, number, score, "yes" if is_best else "", word, "printed"
            elif is_best and number == new_bests[-1]:
                best, size, found = counts[model, benchmark, view, "validation"]
                yield *run, number, f"{best}/{size}", "yes", decision, found
            else:
                source = _source(run, number, new_bests)
                yield *run, number, "", "yes" if is_best else "", decision, source


def _source(run: Run, number: int, new_bests: tuple[int, ...]) -> str:
    if number not in new_bests:
        return "no new best"
    return "solved" if number != new_bests[0] and run not in TOLD else "printed"


def probes(reported: Reported) -> Iterator[Sequence[object]]:
    """Yield ``probes.csv``: panel differences as counts out of three deployments of n items."""
    yield "model", "benchmark", "condition", "panel", "delta", "n", "deployments", "units", "source"
    sizes = reported.table("A6")
    chosen = {(r["model"], r["benchmark"]): r["view"] for r in reported.labels("A15_labels")}
    done = set()
    for table in ("A14", "A15"):
        numbers = reported.table(table)
        for (row, column), text in numbers.items():
            if not column.endswith(" delta"):
                continue
            panel, first, second = column.removesuffix(" delta"), *row.split(" / ")
            if table == "A14":
                model, benchmark, condition = GPT, first, second
                n = int(numbers[row, f"{panel} n"])
            else:
                model, benchmark, condition = first, second, chosen[first, second]
                n = int(sizes[benchmark, f"{panel} n"])
            if (model, benchmark, condition, panel) not in done:
                done.add((model, benchmark, condition, panel))
                units = _solve_difference(text, 3 * n)
                yield model, benchmark, condition, panel, text, n, 3, units, table


def _solve_difference(text: str, total: int) -> int | str:
    """Return the only integer j with 100 j / total printed as `text`; empty if there is none."""
    digits, target = decimals_of(text), number_of(text)
    near = int(target * total / 100)
    found = [
        j
        for j in range(near - 2, near + 3)
        if Fraction(round_number(Fraction(100 * j, total), digits)) == target
    ]
    return found[0] if len(found) == 1 else ""


def wide(reported: Reported, table: str, key: str) -> Iterator[Sequence[object]]:
    """Yield a reported table with its columns side by side."""
    numbers = reported.table(table)
    columns = list(dict.fromkeys(column for _, column in numbers))
    yield key, *columns
    for row in dict.fromkeys(row for row, _ in numbers):
        yield row, *(numbers.get((row, column), "") for column in columns)


# --- writing ------------------------------------------------------------------------------


def csv_bytes(rows: Iterable[Sequence[object]]) -> bytes:
    """Return rows as CSV with line feeds."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue().encode()


def gzip_bytes(data: bytes) -> bytes:
    """Return gzip data without a time or a file name."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0) as file:
        file.write(data)
    return buffer.getvalue()


def build(fixtures: Path) -> dict[str, bytes]:
    """Return every file of ``records/`` by its name."""
    reported = Reported(fixtures / "reported")
    placed, freedom = place_new_bests(reported)
    files = {
        "splits.csv": csv_bytes(splits(reported)),
        "endpoints.csv": csv_bytes(endpoints(reported)),
        "histories.csv": csv_bytes(histories(reported, placed)),
        "traces.csv": csv_bytes(traces(reported)),
        "probes.csv": csv_bytes(probes(reported)),
        "repeats.csv": csv_bytes(wide(reported, "A13", "benchmark")),
        "cross_model.csv": csv_bytes(wide(reported, "A12", "model")),
        "sensitivity.csv": csv_bytes(wide(reported, "A28", "benchmark")),
        "freedom.json": (json.dumps(freedom, indent=1, ensure_ascii=False) + "\n").encode(),
    }
    sensitivity = reported.table("A28")
    gains = {b: int(float(sensitivity[b, "Delta V0"])) for b in locked.ONE_SIDED}
    outputs = list(locked.locked_outputs(gains))
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in outputs]
    files["locked/outputs.jsonl.gz"] = gzip_bytes("".join(lines).encode())
    files["locked/verdicts.csv.gz"] = gzip_bytes(csv_bytes(locked.verdicts(outputs)))
    margins, allocations = reported.table("A27"), reported.table("A26")
    for benchmark in dict.fromkeys(row.partition(" / ")[0] for row, _ in margins):
        data = csv_bytes(scaling.scaling_records(margins, allocations, benchmark))
        files[f"scaling/{benchmark}.csv.gz"] = gzip_bytes(data)
    return files


def main(fixtures: Path) -> None:
    """Rewrite ``records/``."""
    folder = fixtures / "records"
    for name in ("scaling", "locked"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, data in build(fixtures).items():
        (folder / name).write_bytes(data)
        print(f"{len(data):>8,} bytes  {name}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "fixtures/skills"))
