"""Published evolution histories (Rethinking Self-Evolving Agent Skills, Tables A9 and A22)."""

from __future__ import annotations

import pytest

from evalkit.trajectories import Candidate, Run

# Table A22, GPT-5.5 on SearchQA, Normal view: round, validation score, byte-distinct, gate word.
SEARCHQA = (
    (1, 81.0, True, "new best"),
    (2, 81.0, True, "flat"),
    (3, 79.0, True, "reject"),
    (4, 80.5, True, "flat"),
    (5, 80.0, True, "flat"),
    (6, 79.0, False, "reject"),
    (7, 79.0, True, "reject"),
    (8, 79.5, True, "flat"),
    (9, 82.0, True, "new best"),
    (10, 81.0, False, "flat"),
)

# Table A9: model, benchmark, then per view the executed rounds and the rounds of the new bests.
# The first and the last of these are printed; the inner ones are one of the solutions that
# Table A10's round totals allow.
HISTORIES = (
    ("GPT-5.5", "SearchQA", (10, (1, 9)), (10, (2,)), (10, (4,))),
    ("GPT-5.5", "OfficeQA", (10, (1, 2, 9)), (10, (3, 4, 8)), (10, (2, 3, 6))),
    ("GPT-5.5", "SpreadsheetBench", (8, (2, 3)), (10, (2, 3, 4, 6)), (6, ())),
    ("GPT-5.5", "LiveMath", (5, ()), (8, (3,)), (5, ())),
    ("GPT-5.5", "DocVQA", (9, ()), (7, ()), (7, ())),
    ("Gemini", "SearchQA", (10, (1,)), (10, (5, 6)), (10, (1,))),
    ("Gemini", "OfficeQA", (10, ()), (10, ()), (10, ())),
    ("Gemini", "SpreadsheetBench", (10, (1, 2, 3, 7)), (10, (1,)), (10, (2, 4))),
    ("Gemini", "LiveMath", (10, (1, 3, 4, 5, 9)), (10, (1, 7, 8, 10)), (10, (2,))),
    ("Gemini", "DocVQA", (10, (4,)), (10, (4,)), (10, ())),
    ("DeepSeek", "SearchQA", (10, (1,)), (10, (2,)), (10, ())),
    ("DeepSeek", "OfficeQA", (10, ()), (10, ()), (10, ())),
    ("DeepSeek", "SpreadsheetBench", (10, (1, 2, 3)), (10, (1,)), (10, (2, 4, 6))),
    ("DeepSeek", "LiveMath", (10, (8,)), (10, (6, 8)), (3, ())),
)


@pytest.fixture
def searchqa() -> Run:
    """Return the run of Table A22, with its printed gate words."""
    return Run(
        labels={"view": "Normal"},
        baseline=80.0,
        candidates=tuple(
            Candidate(round=k, score=score, changed=changed, decision=word)
            for k, score, changed, word in SEARCHQA
        ),
    )


@pytest.fixture
def histories() -> tuple[Run, ...]:
    """Return the 42 primary runs of Table A9, known by their decisions only."""
    return tuple(
        Run(
            labels={
                "model": model,
                "benchmark": benchmark,
                "view": view,
                "evidence": "success" if view == "Success-only" else "failure",
            },
            baseline=None,
            candidates=tuple(
                Candidate(round=k, score=None, decision="new best" if k in bests else "reject")
                for k in range(1, executed + 1)
            ),
        )
        for model, benchmark, *views in HISTORIES
        for view, (executed, bests) in zip(
            ("Normal", "Fail-only", "Success-only"), views, strict=True
        )
    )
