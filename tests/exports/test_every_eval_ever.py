"""The Every Eval Ever document: required fields, uncertainty, rows, what is left out."""

import hashlib
import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evalkit
from evalkit.errors import ArgumentError, FileMissingError, MissingColumnError
from evalkit.exports import every_eval_ever
from evalkit.exports.sample_rows import SampleTexts

# Required fields of version 0.2.1 of the two schemas.
REQUIRED = {
    "": {
        "schema_version",
        "evaluation_id",
        "retrieved_timestamp",
        "source_metadata",
        "model_info",
        "eval_library",
        "evaluation_results",
    },
    "source_metadata": {"source_type", "source_organization_name", "evaluator_relationship"},
    "model_info": {"name", "id"},
    "eval_library": {"name", "version"},
}
OPTIONAL = {"dedupe_identity", "evaluation_timestamp", "detailed_evaluation_results"}
RESULT = {"evaluation_name", "source_data", "metric_config", "score_details"}
ROW = {
    "schema_version",
    "evaluation_id",
    "model_id",
    "evaluation_name",
    "sample_id",
    "interaction_type",
    "input",
    "answer_attribution",
    "evaluation",
}
SETTINGS = {"name": "bench", "organization": "lab", "retrieved": 1700000000.0}


def records_of(scores, **columns):
    """Return records of one system."""
    ids = [f"q{i}" for i in range(len(scores))]
    return evalkit.read(pd.DataFrame({"id": ids, "score": scores, **columns}), system="S")


def exported(records, **settings):
    """Return the export of all rows."""
    return every_eval_ever(records, evalkit.estimate(records), **{**SETTINGS, **settings})


def test_document_has_what_the_schema_requires():
    """Every required field is there, none that is unknown, and the types are the schema's."""
    document = exported(records_of([1, 0, 1])).document
    for part, fields in REQUIRED.items():
        assert fields <= set(document[part] if part else document)
    assert set(document) <= REQUIRED[""] | OPTIONAL
    assert document["retrieved_timestamp"] == "1700000000"
    result = document["evaluation_results"][0]
    assert set(result) == RESULT
    assert result["source_data"]["source_type"] == "other"
    assert result["metric_config"]["score_type"] == "binary"
    assert all(isinstance(v, str) for v in result["score_details"]["details"].values())


def test_uncertainty_is_the_estimate_of_evalkit():
    """Standard error, interval, level, method and n are those of the estimate."""
    records = records_of([1, 0, 1, 1, 0, 1, 1, 1])
    estimate = evalkit.estimate(records)[0]
    found = exported(records).document["evaluation_results"][0]["score_details"]
    assert found["score"] == estimate.estimate
    assert found["uncertainty"]["standard_error"]["value"] == estimate.se
    interval = found["uncertainty"]["confidence_interval"]
    assert (interval["lower"], interval["upper"]) == (estimate.interval.low, estimate.interval.high)
    assert (interval["confidence_level"], interval["method"]) == (0.95, estimate.interval.method)
    assert found["uncertainty"]["num_samples"] == 8


def test_undefined_uncertainty_is_absent_and_never_zero():
    """All right: no standard error, an interval still."""
    found = exported(records_of([1] * 20)).document["evaluation_results"][0]["score_details"]
    assert "standard_error" not in found["uncertainty"]
    assert found["uncertainty"]["confidence_interval"]["lower"] < 1


def test_errored_rows_are_counted_and_left_out():
    """Rows without a score are no rows of the schema; counts and bounds are details."""
    found = exported(records_of([1, 0, None, None]))
    assert [row["sample_id"] for row in found.samples] == ["q0", "q1"]
    details = found.document["evaluation_results"][0]["score_details"]["details"]
    assert (details["attempted"], details["errored"]) == ("4", "2")
    assert (details["low_if_errors_fail"], details["high_if_errors_pass"]) == ("0.25", "0.75")
    assert any("q2, q3" in note for note in found.notes)


def test_metric_without_score_is_left_out():
    """Nothing scored: no result, with a note, and not a 0."""
    found = exported(records_of([None, None]))
    assert found.document["evaluation_results"] == []
    assert any("no score" in note for note in found.notes)


def test_rows_follow_the_instance_schema():
    """Required fields, texts from their columns, references as lists."""
    records = records_of([1, 0], question=["a", "b"], answer=["x", None], gold=["x", "y"])
    texts = SampleTexts(input="question", output="answer", reference="gold")
    found = exported(records, texts=texts, model="org/m")
    row = found.samples[1]
    assert set(row) >= ROW
    assert row["input"] == {"raw": "b", "reference": ["y"]}
    assert row["output"] == {"raw": []}
    assert row["messages"] is None
    assert row["evaluation"] == {"score": 0.0, "is_correct": False}
    assert row["model_id"] == "org/m"
    assert row["evaluation_id"] == found.document["evaluation_id"]


def test_files_are_strict_and_checksummed(tmp_path):
    """Both files parse strictly, the checksum is right, and equal input gives equal bytes."""
    records = records_of([1, 0, None])
    document, rows = exported(records).write(tmp_path)
    loaded = json.loads(document.read_text(), parse_constant=pytest.fail)
    about = loaded["detailed_evaluation_results"]
    assert about["file_path"] == rows.name == document.stem + "_samples.jsonl"
    assert about["checksum"] == hashlib.sha256(rows.read_bytes()).hexdigest()
    assert about["total_rows"] == len(rows.read_text().splitlines())
    before = document.read_bytes()
    exported(records).write(tmp_path)
    assert document.read_bytes() == before
    with pytest.raises(FileMissingError):
        exported(records).write(tmp_path / "none")


def test_verifiers_are_metrics():
    """Each verifier is one result of the document, named after it."""
    frame = pd.DataFrame(
        {"id": ["a", "b"] * 2, "verifier": ["x", "x", "y", "y"], "score": [1, 0, 1, 1]}
    )
    records = evalkit.read(frame, system="S")
    estimates = evalkit.estimate(records, by=["system", "verifier"])
    found = every_eval_ever(records, estimates, **SETTINGS)
    names = [each["evaluation_name"] for each in found.document["evaluation_results"]]
    assert names == ["bench/x", "bench/y"]
    assert found.samples[-1]["evaluation_name"] == "bench/y"


def test_scale_beyond_one_must_be_declared():
    """A score of 7 needs a range; with it the bounds and correctness follow."""
    with pytest.raises(ArgumentError, match="score_range"):
        exported(records_of([7, 3]))
    frame = pd.DataFrame({"id": ["a", "b"], "score": [7, 10]})
    records = evalkit.read(frame, system="S", score_range=(0, 10))
    found = exported(records)
    metric = found.document["evaluation_results"][0]["metric_config"]
    assert (metric["score_type"], metric["max_score"]) == ("continuous", 10.0)
    assert [row["evaluation"]["is_correct"] for row in found.samples] == [False, True]
    assert exported(records, correct_from=7).samples[0]["evaluation"]["is_correct"] is True


def test_one_system_at_a_time():
    """Several systems need a name; groups that are no metrics are refused."""
    frame = pd.DataFrame({"id": ["a", "a"], "system": ["x", "y"], "score": [1, 0], "topic": "t"})
    records = evalkit.read(frame)
    by_system = evalkit.estimate(records, by=["system"])
    with pytest.raises(ArgumentError, match="'x', 'y'"):
        every_eval_ever(records, by_system, **SETTINGS)
    found = every_eval_ever(records, by_system, system="y", **SETTINGS)
    assert found.document["evaluation_results"][0]["score_details"]["score"] == 0.0
    with pytest.raises(ArgumentError, match="topic"):
        every_eval_ever(records, evalkit.estimate(records, by=["topic"]), system="y", **SETTINGS)


def test_wrong_settings_are_refused():
    """Unknown relationship and absent text columns are errors."""
    with pytest.raises(ArgumentError, match="relationship"):
        exported(records_of([1]), relationship="friend")
    with pytest.raises(MissingColumnError, match="nope"):
        exported(records_of([1]), texts=SampleTexts(input="nope"))


@given(st.lists(st.none() | st.floats(0, 1), min_size=1, max_size=12))
def test_export_is_strict_json(scores):
    """Any scores give strict JSON whose rows are the scored ones."""
    found = exported(records_of(scores))
    json.dumps(found.to_dict(), allow_nan=False)
    assert len(found.samples) == sum(score is not None for score in scores)
