"""Implemented verifiers applied to locked outputs."""

import functools
import importlib
import os

import pandas as pd
import pytest

from evalkit.errors import ArgumentError, FileMissingError
from evalkit.locked import apply_verifiers, output_sha256, sensitivity
from evalkit.verifiers import (
    Verdict,
    anls,
    canonical_membership,
    exact_match,
    model_judge,
    numeric_or_canonical,
    option_label,
    option_text,
    token_f1,
    workbook_cells,
)

OPTIONS = {"A": "x + 1", "B": "x - 1", "C": "zero"}


def judge(prompt):
    """Accept the full name and the nickname of one city."""
    right = any(f'Candidate answer: "{name}"' in prompt for name in ("New York", "Big Apple"))
    return f'{{"verdict": "{"correct" if right else "incorrect"}"}}'


# Verifiers, reference, one output for each pair of verdicts (11, 10, 01, 00), and how many
# outputs of each kind parent and evolved gave: gains as published, in points.
ROWS = {
    "SearchQA": (
        (exact_match, functools.partial(model_judge, generate=judge)),
        "the New York",
        ("New York", "New York!", "Big Apple", "Boston"),
        ((70, 8, 9, 13), (68, 7, 11, 14)),
        (-3.0, 0.0),
    ),
    "OfficeQA": (
        (exact_match, numeric_or_canonical),
        "2,602",
        ("2602", "26.02", "2,602.0", "2603"),
        ((50, 2, 1, 47), (55, 2, 2, 41)),
        (5.0, 6.0),
    ),
    "LiveMath": (
        (
            functools.partial(option_label, labels="ABC", unparsed="fail"),
            functools.partial(option_text, options=OPTIONS),
        ),
        "B",
        ("Answer: B", None, "x - 1", "Answer: A"),
        ((60, 0, 0, 40), (52, 0, 0, 48)),
        (-8.0, -8.0),
    ),
    "DocVQA": (
        (anls, canonical_membership),
        "itc limited",
        ("ITC Limited", None, "I.T.C. Limited.", "Acme"),
        ((88, 0, 1, 11), (88, 0, 1, 11)),
        (0.0, 0.0),
    ),
}


def outputs_of(kinds, counts):
    """Item -> output, each kind as often as counted."""
    spelled = [text for text, k in zip(kinds, counts, strict=True) for _ in range(k)]
    return {f"q{i}": text for i, text in enumerate(spelled)}


def rescore(verifiers, reference, kinds, counts):
    """Apply both verifiers and contrast the gains."""
    outputs = dict(zip(("parent", "evolved"), (outputs_of(kinds, c) for c in counts), strict=True))
    rows = apply_verifiers(
        outputs,
        dict.fromkeys(outputs["parent"], reference),
        dict(zip(("V0", "V1"), verifiers, strict=True)),
    )
    return sensitivity(pd.DataFrame(rows), base="parent", candidate="evolved")


@pytest.mark.parametrize("name", ROWS)
def test_published_gains_under_the_implemented_verifiers(name):
    """Outputs of four kinds, scored by both verifiers, give the published gains."""
    verifiers, reference, kinds, counts, gains = ROWS[name]
    found = rescore(verifiers, reference, kinds, counts)
    contrast = found.contrasts[0]
    assert (100 * contrast.delta_v0, 100 * contrast.delta_v1) == pytest.approx(gains)
    assert contrast.n == 100
    assert found.outputs_checked
    for flips, table in zip(contrast.flips, counts, strict=True):
        assert (flips.both_pass, flips.only_v0, flips.only_v1, flips.neither) == table


def test_published_spreadsheet_gain(tmp_path):
    """Loose and strict comparison of workbooks both give +32; text numbers tell them apart."""
    if os.environ.get("EVALKIT_ALL_DEPS") == "1":
        openpyxl = importlib.import_module("openpyxl")
    else:
        openpyxl = pytest.importorskip("openpyxl")
    paths = []
    for name, value in (("gold", 5), ("text", "5"), ("wrong", 6)):
        book = openpyxl.Workbook()
        book.active["A1"] = value
        paths.append(tmp_path / f"{name}.xlsx")
        book.save(paths[-1])
    gold, text, wrong = paths
    verifiers = [
        functools.cache(functools.partial(workbook_cells, cells="A1", mode=mode))
        for mode in ("loose", "strict")
    ]
    found = rescore(verifiers, gold, (gold, text, None, wrong), ((40, 2, 0, 58), (72, 2, 0, 26)))
    contrast = found.contrasts[0]
    assert (100 * contrast.delta_v0, 100 * contrast.delta_v1) == pytest.approx((32.0, 32.0))
    assert contrast.disagreements == 4


def test_abstentions_have_no_score():
    """A missing output and an unreadable reply are told apart, and neither is a 0."""
    label = functools.partial(option_label, labels="AB")
    rows = apply_verifiers({"s": {"p": None, "q": "?"}}, {"p": "A", "q": "A"}, {"V0": label})
    assert [(r["score"], r["status"]) for r in rows] == [(None, "missing"), (None, "judge_error")]
    assert rows[0]["output_sha256"] is None


def test_credit_is_success_unless_asked_otherwise():
    """ANLS of 10/11 is a failure at .999; the graded credit enters on request."""
    arguments = ({"s": {"q": "hallo world"}}, {"q": "hello world"}, {"V0": anls})
    assert apply_verifiers(*arguments)[0]["score"] == 0.0
    assert apply_verifiers(*arguments, credit="score")[0]["score"] == pytest.approx(10 / 11)
    graded = apply_verifiers(*arguments[:2], {"V0": token_f1})
    assert graded[0]["score"] == pytest.approx(0.5)
    with pytest.raises(ArgumentError, match="credit"):
        apply_verifiers(*arguments, credit="both")


def test_hash_is_of_the_bytes(tmp_path):
    """A text and a file with its bytes have one hash; None has none."""
    path = tmp_path / "x.txt"
    path.write_bytes(b"Paris")
    assert output_sha256("Paris") == output_sha256(path) == output_sha256(b"Paris")
    assert output_sha256("Paris ") != output_sha256("Paris")
    assert output_sha256("\ud800") != output_sha256("")
    with pytest.raises(FileMissingError, match="gone"):
        output_sha256(tmp_path / "gone")


def test_a_verifier_that_writes_is_refused(tmp_path):
    """Verifiers only read: changing the output file is caught."""
    path = tmp_path / "x.txt"
    path.write_text("a", encoding="utf-8")

    def writes(output, _reference):
        output.write_text("b", encoding="utf-8")
        return Verdict(passed=True, score=1.0, reason="")

    with pytest.raises(ArgumentError, match="changed the output"):
        apply_verifiers({"s": {"q": path}}, {"q": "a"}, {"V0": writes})


def test_wrong_inputs_are_refused():
    """No verifier, no reference, and a verifier that returns no verdict are errors."""
    with pytest.raises(ArgumentError, match="verifiers"):
        apply_verifiers({}, {}, {})
    with pytest.raises(ArgumentError, match="item 'q'"):
        apply_verifiers({"s": {"q": "x"}}, {}, {"V0": exact_match})
    with pytest.raises(ArgumentError, match="returned bool"):
        apply_verifiers({"s": {"q": "x"}}, {"q": "x"}, {"V0": lambda o, r: o == r})
