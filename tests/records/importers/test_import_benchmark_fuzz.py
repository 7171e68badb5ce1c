"""Benchmark files with one value replaced or removed: a table, or an error that names the place."""

import copy
import json
import random
import resource

import pytest
from logs import save

from evalkit.errors import EvalkitError
from evalkit.records.importers import detect, load

JUDGED = {"judgment": {"judge_model": "j", "scores": [1, 2]}, "decision": "A>B"}
DOCUMENTS = {
    "judgebench": [
        {
            "pair_id": "p",
            "original_id": None,
            "source": "mmlu",
            "response_A": "x",
            "response_B": "y",
            "label": "A>B",
            "judge_name": "j",
            "judgments": [JUDGED, None],
        }
    ],
    "llmbar": [
        {
            "input": "i",
            "output_1": "x",
            "output_2": "y",
            "label": 1,
            "results": [{"swap = False": {"winner": "1"}, "score_1": ["4"], "score_2": ["4"]}],
        }
    ],
    "arena-hard": [{"uid": "u", "judge": "j", "model": "m", "games": [{"score": "A>B"}]}],
    "alpaca-eval": [
        {"instruction": "i", "generator_1": "a", "generator_2": "b", "preference": 1.5}
    ],
    "trl": [
        {"prompt": "p", "chosen": "x", "rejected": [{}], "score_chosen": 1, "score_rejected": 2}
    ],
    "rewardbench": [
        {"id": "ref:1", "subset": "Ties", "scores": [3, 1, 2], "num_correct": 1},
        {"id": 1, "subset": "s", "scores_chosen": [1], "scores_rejected": 2, "results": 1},
        {"id": 2, "subset": "s", "chosen": ["x"], "rejected": ["y"]},
    ],
    "arena-battles": [
        {"question_id": 1, "model_a": "x", "model_b": "y", "winner": "tie", "judge": ["a"]},
        {"question_id": 1, "model_1": "x", "model_2": "y", "g1_winner": "tie", "g2_winner": "tie"},
        {"question_id": 1, "model": "x", "judge": "j", "score": 5, "turn": 1},
    ],
    "finance-benchmark": {
        "metadata": {"judge_deployment": "j", "inf_run_id": "r"},
        "results": [{"question": "q", "overall_score": 1, "assertion_scores": {"t": {"a": None}}}],
    },
    "spreadsheetbench": [
        {"id": "a", "instruction_type": "t", "result": 1, "test_case_results": [1, 0]}
    ],
    "swebench": {"total_instances": 3, "resolved_ids": ["a__b-1"], "error_ids": ["a__b-2"]},
    "lm-eval": [{"doc_id": 0, "doc": {}, "filter": "none", "acc": 1, "metrics": ["acc"]}],
}
ODD = [None, True, -1, 1e400, "x", [], {"a": 1}, "\ud800", [None], 10**30]


def places(value, place=()):
    """Yield the place of every value inside `value`."""
    yield place
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*place, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from places(inner, (*place, number))


def changed(document, place, value):
    """Return a copy with one value replaced."""
    fresh = copy.deepcopy(document)
    inner = fresh
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return fresh


def attempt(path, name):
    """Return what is imported, or the message of the error."""
    try:
        return load(path, name), ""
    except EvalkitError as fault:
        return None, str(fault)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_one_odd_value(tmp_path, name):
    """No value makes an importer stumble, and what it returns is strict JSON."""
    document = DOCUMENTS[name]
    for place in places(document):
        for value in ODD if place else ():
            variant = changed(document, place, value)
            path = tmp_path / ("x.jsonl" if isinstance(variant, list) else "x.json")
            save(path, variant)
            detect(path)
            found, message = attempt(path, name)
            assert "defect" not in message, (place, value)
            if found is not None:
                rows = [dict(row) for table in found.tables.values() for row in table]
                json.dumps([rows, dict(found.facts)], allow_nan=False)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_cut_files(tmp_path, name):
    """A file cut anywhere is read as partial or refused, never misread as whole."""
    suffix = "jsonl" if isinstance(DOCUMENTS[name], list) else "json"
    text = save(tmp_path / f"whole.{suffix}", DOCUMENTS[name]).read_bytes()
    path = tmp_path / "cut.jsonl"
    for cut in range(0, len(text) - 1, 7):
        path.write_bytes(text[:cut])
        detect(path)
        found, message = attempt(path, name)
        assert "defect" not in message, cut
        if found is not None:
            whole = text[:cut].endswith((b"}", b"}\n")) or not text[:cut].strip()
            assert whole or found.notes


def damaged(data, rng):
    """Flip, drop, repeat or insert a few bytes, or cut the file off."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        place, kind = rng.randrange(len(out) + 1), rng.randrange(5)
        if kind == 0 and place < len(out):
            out[place] ^= rng.randint(1, 255)
        elif kind == 1:
            del out[place : place + rng.randint(1, 20)]
        elif kind == 2:
            out[place:place] = out[place : place + rng.randint(1, 40)]
        elif kind == 3:
            out[place:place] = rng.choice(
                (b"NaN", b"null", b'"', b"{", b"]", b",", b"1e999", b"\x00")
            )
        elif rng.random() < 0.2:
            del out[place:]
    return bytes(out)


@pytest.mark.slow
@pytest.mark.parametrize("name", DOCUMENTS)
def test_ten_thousand_damaged_files(tmp_path, name):
    """Damaged bytes load with a report or are refused by an error of evalkit; memory is bounded."""
    document = DOCUMENTS[name]
    path = tmp_path / ("x.jsonl" if isinstance(document, list) else "x.json")
    whole = save(path, document).read_bytes()
    rng = random.Random(4)  # noqa: S311
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(10_000):
        path.write_bytes(damaged(whole, rng))
        detect(path)
        _, message = attempt(path, name)
        assert "defect" not in message, path.read_bytes()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1 << 19
