"""GEPA runs in every form, and pickles that must not be run."""

import io
import os
import pickle
import time

import pytest
from logs import TRACE, gepa, gepa_iterations, gepa_result, gepa_state, save

from evalkit.errors import ArgumentError, InputError
from evalkit.records import read
from evalkit.records.importers import load
from evalkit.records.importers.gepa_recorder import GepaRecorder
from evalkit.trajectories import evaluation_ledger, trajectory


def scores(imported):
    """Scores by system and item."""
    found = {}
    for row in imported.tables["verdicts"]:
        found.setdefault(row["system"], {})[row["item"]] = row["score"]
    return found


def notes(imported):
    """All notes in one text."""
    return "\n".join(imported.notes)


SEED = {"0": 1.0, "1": 1.0, "2": 0.0, "3": 0.0}
CHILD = {"0": 1.0, "1": 1.0, "2": 1.0, "3": 0.0}


def write_state(path, **changes):
    """Write a state with some fields changed."""
    return save(path, pickle.dumps({**gepa_state(), **changes}))


@pytest.mark.parametrize("make", [gepa, gepa_iterations], ids=["state", "iterations"])
def test_every_folder_tells_the_same(make, tmp_path):
    """Item scores of both candidates with text ids; the rejected proposal is a round."""
    imported = load(make(tmp_path / "run"))
    assert scores(imported) == {"candidate 0": SEED, "candidate 1": CHILD}
    decisions = [row["decision"] for row in imported.tables["history"]]
    assert decisions[:3] == [None, "reject", "new best"]
    assert imported.tables["history"][2]["score"] == 0.75
    assert trajectory(imported.tables["history"]).accounting.new_bests == 1


def test_results_as_json_have_text_ids(tmp_path):
    """GEPAResult written as JSON gives the same items as the pickle, and no rejected rounds."""
    imported = load(gepa_result(tmp_path / "result.json"))
    assert scores(imported) == {"candidate 0": SEED, "candidate 1": CHILD}
    assert "rejected proposals are not in it" in notes(imported)
    assert imported.facts["total_metric_calls"] == 21


def test_the_trace_alone_has_no_validation_scores(tmp_path):
    """run_log.json knows what was accepted, not how it scored."""
    imported = load(save(tmp_path / "run_log.json", TRACE))
    assert "verdicts" not in imported.tables
    rows = imported.tables["history"]
    assert [row["decision"] for row in rows] == [None, "reject", "flat", "no-op"]
    assert rows[2]["minibatch_before"] == pytest.approx(1 / 3)
    assert "whether they set a new best is not known" in notes(imported)


def test_the_oldest_schema_lists_scores(tmp_path):
    """Lists of scores are numbered from 0."""
    path = write_state(
        tmp_path / "gepa_state.bin",
        prog_candidate_val_subscores=[[1.0, 0.0], [1.0, 1.0]],
    )
    assert scores(load(path)) == {
        "candidate 0": {"0": 1.0, "1": 0.0},
        "candidate 1": {"0": 1.0, "1": 1.0},
    }


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_every_pickle_protocol(protocol, tmp_path):
    """Protocols 2 to 5 of a state of builtins are read (protocol 2 names no set)."""
    state = gepa_state()
    if protocol < 4:
        state["program_at_pareto_front_valset"] = {}
    path = save(tmp_path / "gepa_state.bin", pickle.dumps(state, protocol=protocol))
    assert scores(load(path))["candidate 1"] == CHILD


def test_evaluations_are_counted_once(tmp_path):
    """Seed on 20 items, four proposals of 3 + 3, full validation when accepted: 104 in all."""
    ids = list(range(20))
    half = {i: float(i < 10) for i in ids}
    entry = {"subsample_scores": [0.0] * 3, "new_subsample_scores": [1.0] * 3}
    trace = [{"i": i, "subsample_ids": [0, 1, 2], **entry} for i in range(4)]
    for index, position in enumerate((1, 2, 3), 1):
        trace[position]["new_program_idx"] = index
    path = write_state(
        tmp_path / "gepa_state.bin",
        program_candidates=[{"p": str(i)} for i in range(4)],
        parent_program_for_candidate=[[None], [0], [0], [1]],
        prog_candidate_val_subscores=[half, {i: float(i < 11) for i in ids}, half, half],
        full_program_trace=trace,
        total_num_evals=116,
    )
    imported = load(path)
    ledger = evaluation_ledger(imported.facts["evaluation_steps"])
    assert ledger.total == 104
    assert ledger.cumulative == (20, 26, 52, 78, 104)
    assert ledger.best == (0.5, 0.5, 0.55, 0.55, 0.55)
    assert "counted 116 metric calls, and its log accounts for 104" in notes(imported)


def test_merges_and_parallel_proposals(tmp_path):
    """A merge pays for its own mini-batch only; several proposals of an iteration are rounds."""
    merge = {
        "i": 1,
        "invoked_merge": True,
        "merged": True,
        "id1_subsample_scores": [1.0, 0.0],
        "id2_subsample_scores": [0.0, 1.0],
        "new_program_subsample_scores": [1.0, 1.0],
        "new_program_idx": 1,
    }
    tasks = [
        {"subsample_scores": [0.0], "new_subsample_scores": [0.0]},
        {"subsample_scores": [0.0], "new_subsample_scores": [1.0]},
    ]
    parallel = {"i": 0, "subsample_ids": [0], "tasks": tasks, "new_program_indices": [2]}
    state = gepa_state()
    path = write_state(
        tmp_path / "gepa_state.bin",
        program_candidates=[{"p": "a"}, {"p": "b"}, {"p": "c"}],
        parent_program_for_candidate=[[None], [0, 2], [0]],
        prog_candidate_val_subscores=[
            *state["prog_candidate_val_subscores"],
            state["prog_candidate_val_subscores"][0],
        ],
        full_program_trace=[parallel, merge],
    )
    imported = load(path)
    rows = imported.tables["history"]
    assert [(r.get("candidate_number"), r["decision"]) for r in rows] == [
        (None, None),
        (None, "reject"),
        (2, "flat"),
        (1, "new best"),
    ]
    assert [s["evals"] for s in imported.facts["evaluation_steps"]][-1] == {"mini": 2, "val": 4}
    assert "1 iterations made several proposals" in notes(imported)


def test_entries_with_one_task(tmp_path):
    """Scores that stand under the one task of an iteration, and the text of what was rejected."""
    task = {"subsample_scores": [0.0, 1.0], "new_subsample_scores": [0.0, 0.0]}
    entry = {"i": 0, "subsample_ids": [0], "tasks": [task], "proposed_candidate": {"prompt": "a"}}
    path = write_state(tmp_path / "gepa_state.bin", full_program_trace=[entry])
    rows = load(path).tables["history"]
    assert (rows[1]["decision"], rows[1]["minibatch_before"]) == ("reject", 0.5)
    assert rows[1]["artifact"] == rows[0]["artifact"]


def test_identical_and_partly_run_candidates(tmp_path):
    """Byte-identical programs are A/A data or copies; fewer validation items are said."""
    first, second = gepa_state()["prog_candidate_val_subscores"]
    twins = [{"prompt": "a"}, {"prompt": "a"}]
    path = write_state(tmp_path / "gepa_state.bin", program_candidates=twins)
    assert "repeated measurements of one program (A/A data)" in notes(load(path))
    path = write_state(
        tmp_path / "gepa_state.bin",
        program_candidates=twins,
        prog_candidate_val_subscores=[first, first],
    )
    assert "copies from a cache" in notes(load(path))
    path = write_state(
        tmp_path / "gepa_state.bin", prog_candidate_val_subscores=[first, {0: second[0]}]
    )
    assert "candidates 1 (1) were run on fewer than 4 validation items" in notes(load(path))


def test_ids_that_collide_are_refused(tmp_path):
    """7 and "7" in one mapping are one id twice."""
    path = write_state(
        tmp_path / "gepa_state.bin", prog_candidate_val_subscores=[{7: 1.0, "7": 0.0}, {7: 1.0}]
    )
    with pytest.raises(InputError, match="as a number and as text"):
        load(path)


def test_lists_of_unequal_length_are_refused(tmp_path):
    """A state whose lists do not fit its candidates names the field."""
    path = write_state(tmp_path / "gepa_state.bin", prog_candidate_val_subscores=[{}])
    with pytest.raises(InputError, match="has 1 entries for 2 candidates"):
        load(path)


class Evil:
    """Runs a command when it is unpickled."""

    def __init__(self, target):
        self.target = target

    def __reduce__(self):
        return os.system, (f"touch {self.target}",)


class Stateful:
    """A plain object."""

    def __init__(self):
        self.value = 1


def opcodes(*parts):
    """Build a pickle of protocol 4 from raw instructions."""
    return b"\x80\x04" + b"".join(parts) + b"."


def nested_tuples(depth):
    """Nest a tuple in itself twice, `depth` times, as a key: hashing it takes 2**depth steps."""
    grow = b"".join(b"\x94h" + bytes([i]) + b"\x86" for i in range(depth))
    return b"}" + b"K\x01\x85" + b"".join([grow]) + b"K\x01s"


HOSTILE = {
    "global": pickle.dumps({"a": os.path.join}),
    "object": pickle.dumps(Stateful()),
    "protocol 0": pickle.dumps({"a": Stateful()}, protocol=0),
    "persistent id": opcodes(b"\x8c\x01xQ"),
    "extension": opcodes(b"\x82\x01"),
    "far slot": opcodes(b"Nr\xff\xff\xff\x7f0N"),
    "huge number": opcodes(b"\x8b\x00\x10\x00\x00" + b"\x01" * 4096),
    "bytearray": pickle.dumps(bytearray(b"x"), protocol=5),
    "nested tuples": opcodes(nested_tuples(60)),
    "inst": b"(S'touch x'\nios\nsystem\n.",
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_pickles_are_refused(name, tmp_path):
    """Anything but builtin containers is refused with the reason, at once and unrun."""
    path = save(tmp_path / "gepa_state.bin", HOSTILE[name])
    start = time.monotonic()
    with pytest.raises(InputError, match=r"not read, because it|damaged"):
        load(path, "gepa")
    assert time.monotonic() - start < 2


@pytest.mark.parametrize(
    "where",
    ["program_candidates", "prog_candidate_val_subscores", "parent_program_for_candidate", "i"],
)
def test_shared_lists_are_never_spelled_out(where, tmp_path):
    """A few bytes can stand for 10**30 elements; wherever they are, the answer comes at once."""
    bomb = ["x"]
    for _ in range(30):
        bomb = [bomb] * 10
    value = {
        "program_candidates": [{"prompt": bomb}, {"prompt": "b"}],
        "prog_candidate_val_subscores": [{0: bomb}, {0: 1.0}],
        "parent_program_for_candidate": [[bomb], [0]],
        "i": bomb,
    }[where]
    path = write_state(tmp_path / "gepa_state.bin", **{where: value})
    start = time.monotonic()
    if where in {"program_candidates", "i"}:
        assert load(path).tables["verdicts"]
    else:
        with pytest.raises(InputError, match="is a list; a single value belongs here"):
            load(path)
    assert time.monotonic() - start < 5


def test_nothing_is_run(tmp_path):
    """A pickle that would create a file does not; the message names what it wanted."""
    target = tmp_path / "created"
    path = save(tmp_path / "gepa_state.bin", pickle.dumps({"state": Evil(target)}))
    with pytest.raises(InputError, match=r"it names posix\.system|it holds the instruction"):
        load(path)
    assert not target.exists()


def test_a_refused_pickle_leaves_the_trace(tmp_path):
    """In a run folder run_log.json is still read, and the note says what is missing and why."""
    root = gepa(tmp_path / "run")
    save(root / "gepa_state.bin", pickle.dumps({**gepa_state(), "cache": Stateful()}))
    imported = load(root)
    assert "verdicts" not in imported.tables
    assert len(imported.tables["history"]) == 4
    assert "was left out, and with it the scores of items" in notes(imported)


@pytest.mark.parametrize("keep", [0, 1, 2, 20, 200])
def test_cut_off_pickles(keep, tmp_path):
    """A state that is cut off anywhere is refused, not read in part."""
    data = pickle.dumps(gepa_state())[:keep]
    path = save(tmp_path / "gepa_state.bin", data)
    with pytest.raises(InputError):
        load(path, "gepa")


def test_a_pickle_of_something_else(tmp_path):
    """A list, or a mapping that is no state, is refused."""
    buffer = io.BytesIO()
    pickle.dump([1, 2], buffer)
    with pytest.raises(InputError, match="holds list, not the state"):
        load(save(tmp_path / "gepa_state.bin", buffer.getvalue()))
    with pytest.raises(InputError, match="`program_candidates` is missing"):
        load(save(tmp_path / "gepa_state.bin", pickle.dumps({"a": 1})))


def test_progress_logs_and_gskill(tmp_path):
    """optimize_anything is a history; gskill's tasks are items of its prompts."""
    rows = [
        {"val_score": s, "best_val_score": s, "candidate_id": i}
        for i, s in enumerate((0.5, 0.4, 0.7))
    ]
    save(tmp_path / "out" / "progress_log.jsonl", rows)
    for i, score in enumerate((0.5, 0.6)):
        save(tmp_path / "out" / "evals" / f"{i}.json", {"score": score, "candidate": "same"})
    imported = load(tmp_path / "out")
    decisions = [row["decision"] for row in imported.tables["history"]]
    assert decisions == [None, "reject", "new best"]
    assert "1 byte-identical candidates were evaluated more than once" in notes(imported)
    task = {"instance_id": "t1", "success": True, "score": 1.0}
    row = {"eval_id": 1, "prompt_hash": "p", "task_metrics": [task, {**task, "instance_id": 2}]}
    imported = load(save(tmp_path / "iterations.jsonl", [row]))
    assert scores(imported) == {"p": {"t1": 1.0, "2": 1.0}}


def test_the_recorder_is_an_importer(tmp_path):
    """Events in, the tables of a run out; histories and verdicts are written for every verb."""
    recorder = GepaRecorder(run="r")
    recorder.on_valset_evaluated(
        {"candidate_idx": 0, "scores_by_val_id": {0: 1.0, "b": 0.0}, "candidate": {"p": "a"}}
    )
    recorder.on_candidate_rejected({"iteration": 1, "old_score": 2, "new_score": 1, "reason": "x"})
    recorder.on_valset_evaluated(
        {
            "candidate_idx": 1,
            "scores_by_val_id": {0: 1.0, "b": 1.0},
            "parent_ids": [0],
            "candidate": {"p": "b"},
        }
    )
    recorder.on_candidate_accepted({"iteration": 2, "new_candidate_idx": 1, "new_score": 1.0})
    recorder.on_merge_accepted({"iteration": 2, "new_candidate_idx": 1})
    recorder.on_merge_rejected({"iteration": 3, "reason": "no"})
    recorder.on_budget_updated({"metric_calls_used": 10})
    decisions = [row["decision"] for row in recorder.history()]
    assert decisions == [None, "reject", "new best", "reject"]
    assert recorder.imported().facts == {"total_metric_calls": 10}
    assert scores(recorder.imported())["candidate 1"] == {"0": 1.0, "b": 1.0}
    path = recorder.write(tmp_path / "history.jsonl")
    assert trajectory(path).accounting.new_bests == 1
    assert len(read(recorder.write(tmp_path / "v.csv", table="verdicts"))) == 4
    with pytest.raises(ArgumentError, match="holds verdicts, history"):
        recorder.write(tmp_path / "x.csv", table="pairs")
    with pytest.raises(InputError, match="the event has no `candidate_idx`"):
        recorder.on_valset_evaluated({"scores_by_val_id": {}})
