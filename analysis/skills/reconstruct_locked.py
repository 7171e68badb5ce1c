"""Locked outputs of parent and evolved skill whose verdicts add up to Table A28."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from evalkit.locked import apply_verifiers
from evalkit.verifiers import (
    Verdict,
    anls,
    canonical_membership,
    exact_match,
    model_judge,
    numeric_or_canonical,
    option_label,
    option_text,
    workbook_cells,
)

ITEMS = 100
# Outputs that only one verifier accepts: with the parent, and with the evolved skill. Their
# differences are the Diff. column and they add up to the 48 disagreements of the text; how the 48
# fall on the benchmarks is free.
ONE_SIDED = {
    "SearchQA": (11, 14),
    "SpreadsheetBench": (3, 3),
    "OfficeQA": (3, 4),
    "DocVQA": (2, 2),
    "LiveMath": (3, 3),
}
# Outputs of the parent that both accept: free.
ACCEPTED = {
    "SearchQA": 76,
    "SpreadsheetBench": 40,
    "OfficeQA": 52,
    "DocVQA": 88,
    "LiveMath": 66,
}
OPTIONS = {"A": "x = 1", "B": "x = 2", "C": "x = 3", "D": "x = 4"}
JUDGE_REPLIES = ('{"verdict": "correct"}',) * 2 + ('{"verdict": "incorrect"}',)


def output(benchmark: str, item: int, kind: str) -> str:
    """Return an output that both verifiers accept, that neither does, or that one does."""
    texts: Mapping[str, Mapping[str, str]] = {
        "SearchQA": {
            "both": f"harbour {item}",
            "neither": "I could not find it",
            "one": f"the old harbour, number {item}",
        },
        "OfficeQA": {"both": f"{item}.5", "neither": f"{item}.7", "one": f"{item}.50"},
        "DocVQA": {
            "both": f"Form {item}-B",
            "neither": f"Form {item + 500}-C",
            "one": f"Form {item}B.",
        },
        "LiveMath": {"both": "Answer: B", "neither": "Answer: D", "one": "x = 2"},
        "SpreadsheetBench": {
            "both": json.dumps({"A1": 12.5}),
            "neither": json.dumps({"A1": 12.75}),
            "one": json.dumps({"A1": "12.5"}),
        },
    }
    return texts[benchmark][kind]


def reference(benchmark: str, item: int) -> Any:
    """Return the reference of an item."""
    if benchmark == "LiveMath":
        return "B"
    return {
        "SearchQA": f"harbour {item}",
        "OfficeQA": f"{item}.5",
        "DocVQA": f"Form {item}-B",
        "SpreadsheetBench": json.dumps({"A1": 12.5}),
    }[benchmark]


def _workbook(cells: str, path: Path) -> Path:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    if sheet is None:
        raise RuntimeError("a new workbook has a sheet")
    for place, value in json.loads(cells).items():
        sheet[place] = value
    book.save(path)
    return path


@cache
def _workbooks(found: str, wanted: str, *, mode: Any) -> Verdict:
    with tempfile.TemporaryDirectory() as folder:
        paths = (Path(folder) / "output.xlsx", Path(folder) / "reference.xlsx")
        books = [_workbook(*pair) for pair in zip((found, wanted), paths, strict=True)]
        return workbook_cells(*books, cells="A1", mode=mode)


def _judge(found: str, wanted: str) -> Verdict:
    """Ask the recorded judge: two of three replies accept what names the harbour."""
    named = wanted.removeprefix("harbour ")
    accepts = "harbour" in found and found.rsplit(maxsplit=1)[-1] == named
    replies = iter(JUDGE_REPLIES if accepts else ['{"verdict": "incorrect"}'] * 3)
    return model_judge(found, wanted, generate=lambda _prompt: next(replies))


VERIFIERS: Mapping[str, tuple[Callable[..., Verdict], Callable[..., Verdict]]] = {
    "SearchQA": (exact_match, _judge),
    "SpreadsheetBench": (partial(_workbooks, mode="loose"), partial(_workbooks, mode="strict")),
    "OfficeQA": (exact_match, numeric_or_canonical),
    "DocVQA": (partial(anls, threshold=0.999), canonical_membership),
    "LiveMath": (
        partial(option_label, unparsed="fail"),
        partial(option_text, options=OPTIONS, unparsed="fail"),
    ),
}
"""V0 and V1 of each benchmark, as the table defines them."""


def kinds(benchmark: str, gain_v0: int) -> dict[str, list[str]]:
    """Return what each output is, so that V0's gain is the reported one."""
    parent, evolved = ONE_SIDED[benchmark]
    # The strict workbook check rejects what the loose one accepts; elsewhere V1 is the wider one.
    v0_accepts = benchmark == "SpreadsheetBench"
    both = ACCEPTED[benchmark]
    counts = {
        "parent": (both, parent),
        "evolved": (both + gain_v0 - (evolved - parent) * v0_accepts, evolved),
    }
    return {
        system: ["both"] * accepted + ["one"] * one + ["neither"] * (ITEMS - accepted - one)
        for system, (accepted, one) in counts.items()
    }


def locked_outputs(gains: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    """Yield one row for each output."""
    for benchmark in ONE_SIDED:
        for system, outcome in kinds(benchmark, gains[benchmark]).items():
            for number, kind in enumerate(outcome, start=1):
                yield {
                    "benchmark": benchmark,
                    "system": system,
                    "item": f"{benchmark.lower()}-{number:03d}",
                    "output": output(benchmark, number, kind),
                    "reference": reference(benchmark, number),
                }


def verdicts(rows: list[dict[str, Any]]) -> Iterator[list[object]]:
    """Yield the verdicts of V0 and V1 on every output, a header first."""
    columns = ("system", "item", "verifier", "score", "output_sha256")
    yield ["benchmark", *columns]
    for benchmark, pair in VERIFIERS.items():
        own = [row for row in rows if row["benchmark"] == benchmark]
        outputs: dict[str, dict[str, str]] = {}
        for row in own:
            outputs.setdefault(row["system"], {})[row["item"]] = row["output"]
        references = {row["item"]: row["reference"] for row in own}
        for found in apply_verifiers(
            outputs, references, dict(zip(("V0", "V1"), pair, strict=True))
        ):
            cells = {**found, "score": int(found["score"])}
            yield [benchmark, *(cells[name] for name in columns)]
