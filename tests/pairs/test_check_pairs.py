"""Checks of pairs: each fault is found where it is put, and built sets are clean."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.comparisons import mcnemar_exact
from evalkit.errors import ArgumentError, FileMissingError
from evalkit.pairs import PairSet, build_pairs, check_pairs, export_pairs, make_candidate


def text(k, side, length):
    """Make a text like no other."""
    return " ".join(f"{side}{k}{n}" for n in range(length))


def built(number=20, **more):
    """One pair of each of some tasks, the longer output being worse."""
    rows = [
        make_candidate(id=s, task=f"t{k}", reference=r, output=text(k, s, n),
                       prompt=text(k, "p", 9))
        for k in range(number) for s, r, n in (("x", "0.9", 12), ("y", "0.5", 20))
    ]  # fmt: skip
    return build_pairs(rows, cue="words", **more)


@pytest.fixture
def split():
    """Return a set in two splits."""
    return built(splits={"train": 0.5, "test": 0.5})


def test_a_built_set_is_clean(split):
    """No fault; that length gives the label away is a warning, since length is the cue."""
    found = check_pairs(split, margin="0.08")
    assert found.ok
    assert found.by_split == {"test": 10, "train": 10}
    assert {f.check: f.status for f in found.findings} == {
        "pairs": "ok", "pair ids": "ok",
        "tasks across splits": "ok", "clusters across splits": "ok",
        "outputs across splits": "ok", "texts across splits": "ok", "near-duplicate pairs": "ok",
        "near-identical outputs": "ok", "sides": "ok", "cue": "ok", "margin": "ok",
        "length": "warning",
    }  # fmt: skip
    assert found["length"].p_value == 2 / 2**20
    with pytest.raises(ArgumentError, match="no check"):
        found["colour"]


@settings(max_examples=12, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 3))
def test_built_sets_pass_their_checks(rng, per_task):
    """Whatever near-copies the outputs and prompts hold, a set that was built has no fault."""
    stock = [[f"{k}w{rng.randrange(40)}" for _ in range(30)] for k in range(4)]

    def near_copy():
        words = list(rng.choice(stock))
        for _ in range(rng.randrange(6)):
            words[rng.randrange(30)] = f"new{rng.randrange(9)}"
        return " ".join(words[: rng.randrange(20, 31)])

    prompts = {t: near_copy() for t in range(12)}
    rows = [
        make_candidate(id=str(s), task=str(t), reference=rng.random(), output=near_copy(),
                       prompt=prompts[t], cluster=str(t % 7))
        for t in range(12) for s in range(4)
    ]  # fmt: skip
    found = build_pairs(
        rows, cue="words", per_task=per_task or None, splits={"train": 0.5, "test": 0.5}
    )
    check = check_pairs(found, margin="0.08")
    faults = [f.check for f in check.findings if f.status == "fault"]
    assert faults == ([] if len(found) else ["pairs"])


def test_shared_tasks_are_found(split):
    """A pair filed under two splits shares its id, task, cluster, outputs and texts."""
    parts = {name: replace(split, pairs=tuple(p for p in split if p.split == name))
             for name in ("train", "test")}  # fmt: skip
    parts["test"] = replace(parts["test"], pairs=(*parts["test"].pairs, parts["train"].pairs[0]))
    found = check_pairs(parts)
    faults = {f.check for f in found.findings if f.status == "fault"}
    assert faults == {"pair ids", "tasks across splits", "clusters across splits",
                      "outputs across splits", "texts across splits",
                      "near-duplicate pairs"}  # fmt: skip
    assert found["tasks across splits"].examples == (parts["train"].pairs[0].task,)
    assert not found.ok


@pytest.mark.parametrize("threshold", [0.8, None])
@pytest.mark.parametrize("field", ["output", "prompt"])
def test_texts_of_other_tasks_leak(split, threshold, field):
    """A text that another split also has is found; a variant of it by similarity."""
    train = next(p for p in split if p.split == "train")
    test = next(p for p in split if p.split == "test")
    leaked = getattr(train.better, field) + (" more" if threshold else "")
    side = "a" if test.better is test.a else "b"
    changed = replace(test, **{side: replace(test.better, **{field: leaked})})
    if field == "prompt":
        changed = replace(test, a=replace(test.a, prompt=leaked), b=replace(test.b, prompt=leaked))
    pairs = tuple(changed if p is test else p for p in split)
    found = check_pairs(PairSet(pairs=pairs), near_duplicate=threshold)
    assert [f.check for f in found.findings if f.status == "fault"] == ["texts across splits"]
    assert field in found["texts across splits"].examples[0]


def test_sides_are_tested_exactly():
    """Fifteen of twenty on one side are p .0414 by the binomial law, a fault at .95, not at .99."""
    pairs = built().pairs
    turned = []
    for k, pair in enumerate(pairs):
        want = "A>B" if k < 15 else "B>A"
        turned.append(pair if pair.label == want else replace(
            pair, a=pair.b, b=pair.a, cue_a=pair.cue_b, cue_b=pair.cue_a, label=want))  # fmt: skip
    found = check_pairs(PairSet(pairs=tuple(turned)))["sides"]
    assert found.status == "fault"
    assert found.p_value == mcnemar_exact(15, 5) == pytest.approx(0.04139, abs=1e-5)
    assert check_pairs(PairSet(pairs=tuple(turned)), level=0.99)["sides"].status == "ok"


def test_margins_and_cues_are_checked():
    """A label against the reference, a margin too small, and a cue for the better output."""
    pairs = built().pairs
    assert check_pairs(PairSet(pairs=pairs), margin="0.4")["margin"].status == "ok"
    assert check_pairs(PairSet(pairs=pairs), margin="0.41")["margin"].count == 20
    wrong = replace(pairs[0], label="A>B" if pairs[0].label == "B>A" else "B>A")
    found = check_pairs(PairSet(pairs=(wrong, *pairs[1:])))
    assert found["margin"].examples == (wrong.id,)
    assert found["cue"].examples == (wrong.id,)


def test_near_identical_outputs_are_found():
    """Two outputs that are one are a fault."""
    pairs = built().pairs
    same = replace(pairs[0], a=replace(pairs[0].a, output=pairs[0].b.output))
    assert check_pairs([PairSet(pairs=(same,))])["near-identical outputs"].examples == (same.id,)


def test_what_cannot_be_checked_says_so(tmp_path):
    """Files without sides, cues, scores or texts are not passed as clean."""
    path = tmp_path / "t.jsonl"
    path.write_text('{"chosen": "a", "rejected": "b c d"}\n')
    found = check_pairs(path)
    assert {found[name].status for name in ("sides", "cue", "margin")} == {"not checked"}
    assert any("shown as A" in note for note in found.notes)
    rows = [make_candidate(id=i, task="t", reference=r, features={"n": r}) for i, r in ("x1", "y0")]
    bare = check_pairs(build_pairs(rows, cue="-n"))
    assert bare["length"].status == "not checked"
    assert bare["near-duplicate pairs"].status == "not checked"
    empty = check_pairs(PairSet(pairs=()))
    assert not empty.ok
    assert empty["pairs"].status == "fault"
    assert empty["sides"].status == "not checked"
    with pytest.raises(FileMissingError):
        check_pairs(tmp_path / "none")


def test_files_are_splits_of_their_own(tmp_path, split):
    """A folder with a file for each split, and the two files by name, are found clean."""
    files = export_pairs(split, tmp_path / "out", format="trl")
    assert check_pairs(tmp_path / "out").by_split == {"test": 10, "train": 10}
    assert check_pairs(dict(zip("ab", files, strict=True))).by_split == {"a": 10, "b": 10}
    assert check_pairs([files[0], files[0]])["pair ids"].count == 10
