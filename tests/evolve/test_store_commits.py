"""The run folder: what is committed stays, what is not leaves no trace."""

import json
import random
import shutil
from dataclasses import dataclass

import pytest
from worlds import run_duet, tree

from evalkit.errors import ArgumentError, InputError
from evalkit.evolve.engine import run
from evalkit.evolve.journal import commit_line, last_commit, read_journal
from evalkit.evolve.reading import event_rows, history_rows, record_rows, run_state
from evalkit.evolve.round_log import RoundLog
from evalkit.evolve.store import RunStore

FILES = ("records.jsonl", "history.jsonl", "events.jsonl", "journal.jsonl")


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """A state that counts."""

    round: int = -1
    stopped: str | None = None


def counting_step(last):
    """Make a step that writes two records, an event and an artifact a round."""

    def step(_, log):
        log.records += [{"item": f"i{k}", "score": 1.0, "text": "é\u2028"} for k in range(2)]
        log.history.append({"round": log.round, "score": log.round / 10})
        log.event("seen", value=log.round)
        log.artifact(f"text of round {log.round}")
        return Count(round=log.round, stopped="done" if log.round == last else None)

    return step


def count_to(folder, last, *, step=None):
    """Run the counting loop in a folder."""
    with RunStore(folder, Count, spec={"a": {"b": 1}}) as store:
        return run(store, Count(), step or counting_step(last), watch=lambda *_: None)


@pytest.fixture
def whole(tmp_path):
    """Finish a run of four rounds."""
    count_to(tmp_path / "whole", 3)
    return tmp_path / "whole"


def test_a_run_that_fails_in_a_round_continues_as_if_it_had_not(tmp_path, whole):
    """An exception in round 2 leaves two rounds; the second start makes the same files."""

    def failing(state, log):
        if log.round == 2:
            raise RuntimeError("down")
        return counting_step(3)(state, log)

    with pytest.raises(RuntimeError, match="down"):
        count_to(tmp_path / "cut", 3, step=failing)
    assert run_state(tmp_path / "cut") == {"round": 1, "stopped": None}
    assert count_to(tmp_path / "cut", 3) == Count(round=3, stopped="done")
    assert tree(tmp_path / "cut") == tree(whole)


def test_a_kill_at_any_byte_of_a_commit_leaves_the_same_run(tmp_path, whole):
    """Every prefix of the writes of a round, byte by byte, resumes to the same folder."""
    commits = read_journal(whole / "journal.jsonl")
    before, after = commits[1], commits[2]
    ends = {name: extent.bytes for name, extent in before.files.items()}
    ends["journal.jsonl"] = before.end
    goals = {name: extent.bytes for name, extent in after.files.items()}
    goals["journal.jsonl"] = after.end
    moments = [(name, n) for name in FILES for n in range(ends[name], goals[name] + 1)]
    rng = random.Random(0)  # noqa: S311
    for name, cut in rng.sample(moments, 60) + [(n, goals[n]) for n in FILES]:
        folder = tmp_path / "cut"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(whole, folder)
        for place, other in enumerate(FILES):
            at = FILES.index(name)
            end = goals[other] if place < at else cut if place == at else ends[other]
            (folder / other).write_bytes((whole / other).read_bytes()[:end])
        (folder / ".run.json.tmp").write_text("half")
        (folder / "artifacts" / ".x.txt.tmp").write_text("half")
        count_to(folder, 3)
        assert tree(folder) == tree(whole), (name, cut)


def test_a_finished_run_is_left_as_it_is(whole):
    """Resuming it writes nothing, not even a time."""
    before = {p: (p.stat().st_mtime_ns, p.stat().st_size) for p in whole.rglob("*")}
    assert count_to(whole, 3).stopped == "done"
    assert before == {p: (p.stat().st_mtime_ns, p.stat().st_size) for p in whole.rglob("*")}


def test_other_settings_are_refused_by_name(whole):
    """The message names the setting and both values."""
    with pytest.raises(ArgumentError, match=r"`a\.b` was 1 .* is 2 now"):
        RunStore(whole, Count, spec={"a": {"b": 2}})
    with pytest.raises(ArgumentError, match=r"`c` was 'not set'"):
        RunStore(whole, Count, spec={"a": {"b": 1}, "c": 3})


def test_two_processes_never_write_one_run(whole):
    """The second one is refused while the first has it open, and let in afterwards."""
    with (
        RunStore(whole, Count, spec={"a": {"b": 1}}),
        pytest.raises(ArgumentError, match="another process"),
    ):
        RunStore(whole, Count, spec={"a": {"b": 1}})
    RunStore(whole, Count, spec={"a": {"b": 1}}).close()


def test_a_damaged_line_inside_the_journal_is_an_error(whole):
    """Only a last line can be torn; damage before it is named."""
    lines = (whole / "journal.jsonl").read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b'"round": 1', b'"round": 7', 1)
    (whole / "journal.jsonl").write_bytes(b"".join(lines))
    with pytest.raises(InputError, match=r"journal\.jsonl, line 2: .*damaged"):
        count_to(whole, 3)


@pytest.mark.parametrize("name", FILES[:3])
def test_lost_bytes_take_the_run_back_to_the_last_whole_round(whole, name):
    """After a power failure that lost the end of a file, or zeroed it, earlier rounds stand."""
    expected = tree(whole)
    data = (whole / name).read_bytes()
    for damaged in (data[:-5], data[:-5] + b"\0" * 5):
        (whole / name).write_bytes(damaged)
        count_to(whole, 3)
        assert tree(whole) == expected


def test_a_lost_artifact_of_the_last_round_takes_the_run_back(whole):
    """It is written again; one of an older round is named, and nothing is thrown away."""
    expected = tree(whole)
    commits = read_journal(whole / "journal.jsonl")
    path = whole / "artifacts" / f"{commits[-1].artifacts[0]}.txt"
    for damage in (path.unlink, lambda: path.write_text("half")):
        damage()
        count_to(whole, 3)
        assert tree(whole) == expected
    (whole / "artifacts" / f"{commits[1].artifacts[0]}.txt").write_text("half")
    with pytest.raises(InputError, match=r"artifacts/.*artifact of round 1 is missing"):
        count_to(whole, 3)


def test_readers_see_committed_rows_only(whole):
    """Rows of a round in flight, and a torn last line, are not read."""
    held = (record_rows(whole), history_rows(whole), event_rows(whole))
    for name in FILES[:3]:
        with (whole / name).open("ab") as stream:
            stream.write(b'{"kind": "seen", "round": 9')
    with (whole / "journal.jsonl").open("ab") as stream:
        stream.write(b'{"sha256": "00", "commit": {}}\n{"sha')
    assert (record_rows(whole), history_rows(whole), event_rows(whole)) == held
    assert [row["round"] for row in held[1]] == [0, 1, 2, 3]
    assert last_commit(whole / "journal.jsonl").round == 3


def test_a_damaged_specification_is_named(whole):
    """An edited or cut run.json is an error, not another run."""
    text = (whole / "run.json").read_text()
    for broken in (text.replace('"b": 1', '"b": 3'), text[:-9], "[]"):
        (whole / "run.json").write_text(broken)
        with pytest.raises(InputError, match=r"run\.json"):
            count_to(whole, 3)


def test_a_state_of_another_version_is_named(whole):
    """A state that does not fit its class says which field does not."""

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Other:
        round: str
        stopped: str | None = None

    with pytest.raises(InputError, match="round"):
        RunStore(whole, Other, spec={"a": {"b": 1}})


def test_what_json_cannot_hold_is_refused_before_anything_is_written(tmp_path):
    """NaN in a record stops the round and leaves the folder as it was."""
    with RunStore(tmp_path / "r", Count, spec={}) as store:
        before = tree(tmp_path / "r")
        log = RoundLog(round=0, records=[{"score": float("nan")}])
        with pytest.raises(ValueError, match="not JSON compliant"):
            store.commit(Count(round=0), log)
        assert tree(tmp_path / "r") == before
    with pytest.raises(TypeError, match="not a JSON value"):
        commit_line(0, {}, (), {"x": object()})


def test_equal_runs_are_equal_byte_for_byte_and_hold_no_time(tmp_path):
    """Two runs of one seed, and one on four threads, write the same bytes; another seed differs."""
    settings = {"patience": 30}
    for name, workers in (("a", 1), ("b", 1), ("threads", 4)):
        run_duet(tmp_path / name, workers=workers, **settings)
    assert tree(tmp_path / "a") == tree(tmp_path / "b") == tree(tmp_path / "threads")
    times = [json.loads(line) for line in (tmp_path / "a/timing.jsonl").read_text().splitlines()]
    assert [row["round"] for row in times] == list(range(14))
