"""Exports of pairs and what comes back: equal pairs, byte-exact texts, foreign files."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalkit.errors import ArgumentError, FileMissingError, InputError
from evalkit.pairs import LOSSES, build_pairs, export_pairs, make_candidate, read_pairs

FORMATS = ("judgebench", "rewardbench", "trl", "datasets")
ODD = 'Zeile 1\r\nline 2\u2028 \ttab 😀 "quoted", ,\\ \x00 \ufeff é e\u0301 \n\n'


def built(splits=None, **more):
    """Build eight pairs with odd texts, two references, features and clusters."""
    rows = []
    for k in range(8):
        rows += [
            make_candidate(
                id=f"{s}/{k}", task=f"täsk {k:03d}",
                reference=f"{k % 3}.58" if s == "x" else "0.07",
                second_reference=1 if s == "x" else 0, output=text, model=f"m{s}",
                features={"cells": n, "note": None}, prompt=f"Do {k}?", cluster=f"c{k % 3}",
            )
            for s, text, n in (("x", f"{ODD}{k}", 3), ("y", f"{k} {ODD * 2}", "4.50"))
        ]  # fmt: skip
    return build_pairs(rows, cue="column:cells", margin="0.08", near_duplicate=None,
                       splits=splits, **more)  # fmt: skip


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("splits", [None, {"train": 0.5, "test": 0.5}])
def test_reimport_equals(tmp_path, form, splits):
    """Every format returns the very pairs: ids, texts, labels, sides, scores, cue, split."""
    found = built(splits)
    files = export_pairs(found, tmp_path / "out", format=form)
    back = read_pairs(tmp_path / "out")
    assert back.pairs == found.pairs
    assert back.sided
    assert len([f for f in files if f.suffix in (".jsonl", ".parquet")]) == len(splits or [0])
    texts = [(p.a.output, p.b.output) for p in back]
    assert texts == [(p.a.output, p.b.output) for p in found]
    assert export_pairs(found, tmp_path / "out", format=form) == files


@pytest.mark.parametrize("name", ["pairs.jsonl", "pairs.jsonl.gz", "pairs.jsonl.zst"])
@pytest.mark.parametrize("form", FORMATS[:3])
def test_one_file_holds_all_splits(tmp_path, form, name):
    """A file by name holds every pair with its split, compressed or not."""
    found = built({"train": 0.5, "test": 0.5})
    export_pairs(found, tmp_path / name, format=form)
    assert read_pairs(tmp_path / name, format=form).pairs == found.pairs


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(st.text(st.characters(codec=None), max_size=12), min_size=2, max_size=2, unique=True),
    st.sampled_from(["judgebench", "rewardbench", "trl"]),
)
def test_any_text_survives_json(tmp_path, outputs, form):
    """Any text comes back as it was, half surrogate pairs and controls included."""
    rows = [make_candidate(id=i, task=outputs[0], reference=r, output=o, features={"n": r})
            for i, r, o in zip("xy", (0, 1), outputs, strict=True)]  # fmt: skip
    found = build_pairs(rows, cue="-n", near_duplicate=None)
    assert len(found) == 1
    export_pairs(found, tmp_path / "p.jsonl", format=form)
    assert read_pairs(tmp_path / "p.jsonl").pairs == found.pairs


def test_parquet_refuses_half_surrogates(tmp_path):
    """Parquet cannot hold half a pair, so the text is refused instead of changed."""
    rows = [make_candidate(id=i, task="t", reference=r, output=o)
            for i, r, o in [("x", 1, "a"), ("y", 0, "b\ud800")]]  # fmt: skip
    found = build_pairs(rows, cue="length")
    with pytest.raises(InputError, match="half a surrogate"):
        export_pairs(found, tmp_path / "d", format="datasets")


def test_features_without_texts(tmp_path):
    """Pairs of features come back from judgebench and datasets; the others refuse them."""
    rows = [make_candidate(id=i, task="t", reference=r, features={"n": r}) for i, r in ("x1", "y0")]
    found = build_pairs(rows, cue="-n")
    assert len(found) == 1
    for form in ("judgebench", "datasets"):
        export_pairs(found, tmp_path / form, format=form)
        assert read_pairs(tmp_path / form).pairs == found.pairs
    for form in ("trl", "rewardbench"):
        with pytest.raises(ArgumentError, match="has no texts"):
            export_pairs(found, tmp_path / form, format=form)


def test_standard_columns_are_those_of_the_formats(tmp_path):
    """Other tools find their columns; chosen is the better output."""
    found = built()
    rows = {}
    for form in ("judgebench", "rewardbench", "trl"):
        export_pairs(found, tmp_path / f"{form}.jsonl", format=form)
        lines = (tmp_path / f"{form}.jsonl").read_bytes().splitlines()
        rows[form] = [json.loads(line) for line in lines]
    assert list(rows["judgebench"][0]) == ["pair_id", "original_id", "source", "question",
                                           "response_model", "response_A", "response_B", "label",
                                           "evalkit"]  # fmt: skip
    assert list(rows["rewardbench"][0]) == ["prompt", "chosen", "chosen_model", "rejected",
                                            "rejected_model", "subset", "id",
                                            "evalkit"]  # fmt: skip
    assert list(rows["trl"][0]) == ["prompt", "chosen", "rejected", "evalkit"]
    for pair, row in zip(found, rows["trl"], strict=True):
        assert (row["chosen"], row["rejected"]) == (pair.better.output, pair.worse.output)
    assert set(LOSSES) == set(FORMATS)


def test_card_and_provenance(tmp_path):
    """The folder says how the pairs were chosen, and names a file for each split."""
    found = built({"train": 0.5, "test": 0.5}, rng=7)
    export_pairs(found, tmp_path, format="datasets")
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "  - split: train\n    path: data/train.parquet" in card
    assert found.report.source_sha256 in card
    assert '"seed": 7' in card
    assert "column:cells" in card
    document = json.loads((tmp_path / "provenance.json").read_bytes())
    assert document["report"] == found.report.to_dict()
    read_back = read_pairs(tmp_path)
    export_pairs(read_back, tmp_path / "again", format="datasets")
    assert "not known here" in (tmp_path / "again" / "README.md").read_text(encoding="utf-8")


def test_parquet_columns(tmp_path):
    """Texts are strings, scores are floats, and the file opens without evalkit."""
    import pyarrow.parquet as pq

    export_pairs(built(), tmp_path, format="datasets")
    table = pq.read_table(tmp_path / "data" / "pairs.parquet")
    assert table.num_rows == 8
    assert str(table.schema.field("reference_a").type) == "double"
    assert str(table.schema.field("response_a").type) == "string"


def test_agreement_reads_the_labels(tmp_path):
    """`evalkit.agreement` takes labels and clusters from the exported file."""
    from evalkit import agreement

    found = built()
    export_pairs(found, tmp_path / "p.jsonl", format="judgebench")
    verdicts = [{"pair_id": p.id, "order1": "A>B"} for p in found]
    result = agreement(verdicts, reference=tmp_path / "p.jsonl", cluster="source")[0]
    assert (result.agreement, result.n, result.clusters) == (0.5, 8, 3)


def test_foreign_judgebench(tmp_path):
    """JudgeBench's own rows: whole-number ids, null ids, and rows without a preference."""
    row = {"pair_id": "p1", "original_id": 12, "source": "mmlu", "question": "q",
           "response_model": "m", "response_A": "a", "response_B": "b", "label": "B>A"}  # fmt: skip
    rows = [
        row,
        row | {"pair_id": "p2", "original_id": None},
        row | {"pair_id": "p3", "label": "A=B"},
    ]
    path = tmp_path / "j.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    found = read_pairs(path)
    assert [(p.id, p.task, p.label, p.better.output) for p in found] == [
        ("p1", "12", "B>A", "b"), ("p2", "q", "B>A", "b"),
    ]  # fmt: skip
    assert found.pairs[0].a.model == "m"
    assert any("1 rows whose label" in note for note in found.notes)
    path.write_text(json.dumps(row | {"label": "A"}) + "\n")
    with pytest.raises(InputError, match="the label is 'A'"):
        read_pairs(path)


def test_foreign_chosen_and_rejected(tmp_path):
    """Without sides the better output is A, and that is said; lists are refused."""
    path = tmp_path / "t.jsonl"
    path.write_text('{"prompt": "q", "chosen": "a", "rejected": "b"}\n' * 2)
    found = read_pairs(path)
    assert [(p.id, p.label, p.better.output) for p in found] == [
        ("row 1", "A>B", "a"), ("row 2", "A>B", "a"),
    ]  # fmt: skip
    assert not found.sided
    path.write_text('{"chosen": [{"role": "user", "content": "x"}], "rejected": []}\n')
    with pytest.raises(InputError, match="plain texts"):
        read_pairs(path)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"task": "t", "a": 1}', "null", '"x"'])
def test_broken_extra_column(tmp_path, text):
    """A changed extra column is named, with file and line."""
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps({"chosen": "a", "rejected": "b", "evalkit": text}) + "\n")
    with pytest.raises(InputError, match="export the pairs again"):
        read_pairs(path)


def test_paths_are_checked(tmp_path):
    """What is not there, holds nothing, or holds other pairs is refused."""
    with pytest.raises(FileMissingError):
        read_pairs(tmp_path / "none")
    with pytest.raises(InputError, match=r"no \.jsonl"):
        read_pairs(tmp_path)
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n')
    with pytest.raises(InputError, match="not those of"):
        read_pairs(tmp_path / "x.jsonl")
    with pytest.raises(ArgumentError, match="other pairs"):
        export_pairs(built(), tmp_path, format="trl")
    with pytest.raises(ArgumentError, match="`format`"):
        export_pairs(built(), tmp_path / "y", format="csv")
    with pytest.raises(ArgumentError, match="needs a folder"):
        export_pairs(built(), tmp_path / "y.jsonl", format="datasets")
    with pytest.raises(ArgumentError, match=r"write \.jsonl"):
        export_pairs(built(), tmp_path / "y.csv", format="trl")


def test_an_empty_set_is_written_and_read(tmp_path):
    """No pairs are a file without rows."""
    found = build_pairs([], cue="length")
    for form in ("judgebench", "trl"):
        export_pairs(found, tmp_path / f"{form}.jsonl", format=form)
        assert read_pairs(tmp_path / f"{form}.jsonl").pairs == ()
    export_pairs(found, tmp_path / "d", format="datasets")
    assert (tmp_path / "d" / "README.md").exists()


@pytest.mark.slow
def test_datasets_loads_the_folder(tmp_path):
    """`datasets.load_dataset` finds the splits that the card names."""
    datasets = pytest.importorskip("datasets")
    found = built({"train": 0.5, "test": 0.5})
    export_pairs(found, tmp_path / "d", format="datasets")
    loaded = datasets.load_dataset(str(tmp_path / "d"), cache_dir=str(tmp_path / "cache"))
    assert {name: len(part) for name, part in loaded.items()} == found.report.by_split
    assert loaded["test"][0]["label"] in ("A>B", "B>A")
