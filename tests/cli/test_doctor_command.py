"""`doctor`: what a file is, what it supports, and every fault it looks for."""

import json
import shlex

import pytest
import typer
from logs import (
    LOGS,
    cap_evolve,
    gepa,
    inspect_eval,
    results,
    save,
    skillopt,
    skillopt_lite,
    step_record,
)
from typer.testing import CliRunner

from evalkit.cli.app import app as main
from evalkit.cli.doctor import doctor
from evalkit.doctor import examine
from evalkit.errors import FileMissingError, InputError
from evalkit.records import write
from evalkit.records.importers import frame, load

RUNNER = CliRunner()
app = typer.Typer()
app.command()(doctor)


def table(path, header, *rows):
    """Write a CSV table."""
    return save(path, "\n".join([header, *rows]) + "\n")


def findings(diagnosis):
    """Return findings by check."""
    return {each.check: each for each in diagnosis.findings}


def possible(diagnosis):
    """Verbs that can use the file."""
    return {each.command.split()[1] for each in diagnosis.supports if each.possible}


@pytest.mark.parametrize("name", sorted(LOGS))
def test_what_is_possible_is_possible(name, tmp_path):
    """Every command that is printed for an imported table runs."""
    imported = load(LOGS[name](tmp_path))
    for kind, rows in imported.tables.items():
        path = tmp_path / f"the {kind}.jsonl"
        write(frame(rows), path)
        for each in examine(path).supports:
            if each.possible:
                found = RUNNER.invoke(main, shlex.split(each.command)[1:])
                assert found.exit_code == 0, (each.command, found.stderr)


@pytest.mark.parametrize("name", sorted(LOGS))
def test_every_log_is_examined(name, tmp_path):
    """Each format is named and supports at least one verb; JSON is strict."""
    found = examine(LOGS[name](tmp_path))
    assert "estimate" in possible(found)
    assert sum(found.tables.values()) > 0
    json.dumps(found.to_dict(), allow_nan=False)


def test_the_command_prints_and_fails_on_request(tmp_path):
    """A table by default, one JSON object on request, exit code 1 with --strict and an error."""
    path = table(tmp_path / "run.csv", "item,score", "a,1", "a,0")
    shown = RUNNER.invoke(app, [str(path)])
    assert shown.exit_code == 0, shown.stderr
    assert "duplicates" in shown.stdout
    strict = RUNNER.invoke(app, [str(path), "--strict", "-f", "json"])
    assert strict.exit_code == 1
    document = json.loads(strict.stdout)
    assert document["command"] == "doctor"
    assert document["results"][0]["findings"][0]["check"] == "duplicates"
    clean = table(tmp_path / "clean.csv", "item,score", "a,1", "b,0")
    assert RUNNER.invoke(app, [str(clean), "--strict"]).exit_code == 0
    missing = RUNNER.invoke(app, [str(tmp_path / "nope.csv")])
    assert missing.exit_code == 2


def test_duplicates_are_told_apart(tmp_path):
    """Copies are to be removed; rows that a column tells apart are to be named by it."""
    rows = [f"{i},{f},{s}" for i in range(4) for f, s in (("strict", 1), ("flexible", 0))]
    found = examine(table(tmp_path / "a.csv", "doc_id,part,score", *rows))
    assert found.findings[0].check == "duplicates"
    assert found.findings[0].count == 4
    assert "tells them apart (part)" in found.findings[0].message
    copies = examine(table(tmp_path / "b.csv", "item,score", "a,1", "b,0", "a,1"))
    assert "remove the copies" in copies.findings[0].message
    assert copies.findings[0].examples == ("'a'",)
    assert copies.errors


def test_ids_that_nearly_collide(tmp_path):
    """Leading zeros, case, blanks and Unicode form; numbers inside texts are left alone."""
    names = ("7", "007", "7.0", "Q1", "q1", "\u00e9", "e\u0301", "x10", "x010")
    rows = [f"{name},1" for name in names]
    found = findings(examine(table(tmp_path / "a.csv", "item,score", *rows)))
    assert found["id collisions"].count == 3
    assert found["id collisions"].examples[0] == "'7' and '007' and '7.0'"


def test_unequal_coverage_and_missing_results(tmp_path):
    """Systems on other items, lost rows by status, unequal attempts."""
    rows = ["A,a,1,1,", "A,b,1,0,", "A,b,2,1,", "B,a,1,1,", "B,c,1,,timeout"]
    found = findings(examine(table(tmp_path / "a.csv", "system,item,attempt,score,status", *rows)))
    assert "1 of 3 are scored for all" in found["coverage"].message
    assert found["coverage"].examples == ("A: 2 of 3", "B: 1 of 3")
    assert found["missing results"].examples == ("B: 1 of 2 (1 timeout)",)
    assert found["attempts"].examples == ("A: 1 to 2",)


def test_score_scales(tmp_path):
    """A stray 90 among fractions is a warning; a system in percent is an error."""
    rows = ["A,a,0.8", "A,b,90", "A,c,0.6"]
    found = findings(examine(table(tmp_path / "a.csv", "system,item,score", *rows)))
    assert found["score scale"].severity == "warning"
    assert found["score scale"].examples == ("A: 1 of 3 above 1, up to 90",)
    rows = ["A,a,0.83", "A,b,0.8", "B,a,82", "B,b,85"]
    found = findings(examine(table(tmp_path / "b.csv", "system,item,score", *rows)))
    assert found["score scale"].severity == "error"
    assert "A within 1 and B up to 85" in found["score scale"].message


def test_copies_of_attempts_and_systems(tmp_path):
    """Attempts that never differ, and systems with the same outcomes, look like copies."""
    rows = [f"{s},{i},{k},{i % 2}" for s in "AB" for i in range(12) for k in (1, 2)]
    found = findings(examine(table(tmp_path / "a.csv", "system,item,attempt,score", *rows)))
    assert "copies from a cache" in found["identical repeats"].message
    assert found["identical systems"].examples == ("A and B",)
    rows = [f"A,{i},{k},{(i + k) % 2}" for i in range(12) for k in (1, 2)]
    clean = findings(examine(table(tmp_path / "b.csv", "system,item,attempt,score", *rows)))
    assert "identical repeats" not in clean


def test_splits_that_overlap(tmp_path):
    """An item in two splits is an error, from a column or from the folders of a run."""
    rows = ["a,1,train", "b,0,train", "a2,1,test"]
    clean = findings(examine(table(tmp_path / "a.csv", "item,score,split", *rows)))
    assert "split overlap" not in clean
    assert findings(examine(cap_evolve(tmp_path / "cap")))["split overlap"].examples == ("'b'",)
    root = skillopt(tmp_path / "run")
    assert "coverage" in findings(examine(root))
    assert any("--by split,system" in each.command for each in examine(root).supports)
    save(root / "test_eval_baseline" / "results.jsonl", results(0, 1))
    found = findings(examine(root))
    assert found["split overlap"].severity == "error"
    assert found["split overlap"].examples[0] == "'q1' (selection, test)"


def test_candidates_that_were_never_measured(tmp_path):
    """Skills of a slow update, and accepted candidates without a validation score."""
    root = skillopt(tmp_path / "run")
    save(
        root / "history.json",
        [step_record(1, "accept", 0.5, 0.5, current_origin="slow_update_epoch_01")],
    )
    found = findings(examine(root))
    assert found["unmeasured candidates"].examples == (
        "current skill after step 1 (slow_update_epoch_01)",
    )
    folder = gepa(tmp_path / "gepa")
    (folder / "gepa_state.bin").unlink()
    assert findings(examine(folder))["unmeasured candidates"].count == 1


def test_byte_identical_candidates_are_noise_data(tmp_path):
    """A null round of a Lite workspace is A/A data, in the history and between systems."""
    found = [
        each
        for each in examine(skillopt_lite(tmp_path / "workspace")).findings
        if each.check == "byte-identical candidates"
    ]
    assert any("the spread is noise" in each.message for each in found)
    assert any(each.examples[0] == "round 1 and round 2" for each in found)
    rows = ["0,0.5,x", "1,0.7,y", "2,0.7,y"]
    same = findings(examine(table(tmp_path / "h.csv", "round,score,artifact", *rows)))
    assert "have the same score" in same["byte-identical candidates"].message


def test_histories_that_do_not_replay(tmp_path):
    """Rounds twice, a parent without a score, decisions that no gate makes."""
    rows = ["0,0.5,", "1,0.4,new best", "2,0.9,reject"]
    found = findings(examine(table(tmp_path / "a.csv", "round,score,decision", *rows)))
    assert found["decisions"].count == 2
    twice = findings(examine(table(tmp_path / "b.csv", "round,score", "0,0.5", "1,1", "1,1")))
    assert twice["history"].severity == "error"
    bare = findings(examine(table(tmp_path / "c.csv", "round,score,decision", "1,,reject")))
    assert bare["parent score"].severity == "warning"


def test_judgments_show_flips(tmp_path):
    """Verdicts that follow the order, and those that say nothing."""
    header = "pair_id,judge,label,verdict_order1,verdict_order2"
    rows = ["p1,j,A>B,A>B,A>B", "p2,j,A>B,A>B,B>A", "p3,j,A>B,,B>A", "p4,j,B>A,B>A,B>A"]
    found = examine(table(tmp_path / "j.csv", header, *rows))
    flips = findings(found)["order flips"]
    assert "flip with the order of the answers in 2 of 3 pairs judged twice" in flips.message
    assert "1 towards the answer shown first, 1 towards the second" in flips.message
    assert flips.examples == ("p1", "p4")
    assert findings(found)["unparsed judgments"].count == 1
    assert "agreement" in possible(found)
    single = examine(table(tmp_path / "s.csv", "pair_id,judge,label,verdict", "p1,j,A,A"))
    assert findings(single)["order"].severity == "info"


def test_ratings_and_comparisons(tmp_path):
    """Columns of raters open `raters`, two systems a row open `rank`; both without items."""
    path = table(tmp_path / "r.csv", "unit,rater1,rater2", "1,A,A", "2,A,B")
    assert possible(examine(path)) == {"raters"}
    path = table(tmp_path / "g.csv", "left,right,winner", "x,y,left", "y,z,right")
    assert possible(examine(path)) == {"rank"}


def test_declared_columns_of_judgments(tmp_path):
    """Ids that span two columns are declared as for `agreement`."""
    rows = ["s,1,A,A,A", "t,1,A,A,B"]
    path = table(tmp_path / "j.csv", "set,id,label,verdict_order1,verdict_order2", *rows)
    assert examine(path).errors
    found = examine(path, columns={"pair": "set,id"})
    assert not found.errors
    assert found.counts["pairs"] == 2
    assert findings(found)["order flips"].count == 1


def test_wide_tables_with_repeats(tmp_path):
    """A column for each system, and ids that repeat: the column with fewest values is named."""
    rows = ["x,1,1,0,p", "y,1,0,0,q", "x,2,1,1,r", "y,2,1,1,s"]
    path = table(tmp_path / "w.csv", "set,id,a_correct,b_correct,word", *rows)
    found = examine(path)
    assert "tells them apart (set, word)" in found.findings[0].message
    assert found.counts["systems"] == 2
    assert not examine(path, columns={"item": "set,id"}).errors


def test_incomplete_sources(tmp_path):
    """A header that announced more rows, a last line cut off: partial, with the coverage."""
    lines = ['{"planned": 5}', *(json.dumps({"item": i, "score": 1}) for i in "abc"), '{"item": "d']
    found = findings(examine(save(tmp_path / "run.jsonl", "\n".join(lines))))
    assert found["partial"].examples == (
        "line 5 is cut off and was left out (byte 93 onwards)",
        "3 of 5 planned rows (coverage 0.6)",
    )


def test_supported_verbs_come_with_their_reasons(tmp_path):
    """Two systems, attempts, verifiers, clusters and rounds each open a verb."""
    found = examine(inspect_eval(tmp_path / "log.eval"))
    assert possible(found) == {"estimate"}
    assert any("--where verifier=rubric/style" in each.reason for each in found.supports)
    assert any("--cluster metadata_repo" in each.command for each in found.supports)
    assert any(each.reason.startswith("one system") for each in found.supports)
    assert possible(examine(gepa(tmp_path / "run"))) == {"estimate", "compare", "trajectory"}
    supports = examine(cap_evolve(tmp_path / "cap")).supports
    assert any("rows of several splits: keep one" in each.reason for each in supports)


def test_what_cannot_be_examined(tmp_path):
    """A missing file and one without rows or columns raise, naming it."""
    with pytest.raises(FileMissingError):
        examine(tmp_path / "nope")
    with pytest.raises(InputError, match=r"t\.csv"):
        examine(table(tmp_path / "t.csv", "colour,size", "red,1"))
    empty = findings(examine(table(tmp_path / "e.csv", "item,score")))
    assert empty["empty"].severity == "error"
