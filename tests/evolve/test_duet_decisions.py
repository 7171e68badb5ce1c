"""Decisions of DUET, each on hand-computed cases."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.environments.base import Component
from evalkit.errors import InputError
from evalkit.evolve.duet.alternation import agents_of, turns, updated_in
from evalkit.evolve.duet.bounded_adoption import Edits, bounded_adoption
from evalkit.evolve.duet.checkpoints import better_checkpoint
from evalkit.evolve.duet.digest import history_digest, revisited
from evalkit.evolve.duet.edit_budget import edit_budget
from evalkit.evolve.duet.edit_distance import prompt_edits, skill_edits
from evalkit.evolve.duet.patience import ending
from evalkit.evolve.duet.settings import DuetSettings
from evalkit.evolve.duet.state import Checkpoint, TaskRun, Update
from evalkit.evolve.duet.task_selection import in_warm_up, select_tasks, sw_ucb
from evalkit.evolve.protocols import Proposal
from evalkit.evolve.settings import read_settings


def runs(*pairs):
    """Make executions from (round, score) pairs."""
    return tuple(TaskRun(round=number, score=score) for number, score in pairs)


def select(tasks, held, number, *, c=0.01, batch=2, window=10, selection="sw-ucb"):
    """Select a batch; return its tasks."""
    return select_tasks(
        tasks, held, number=number, batch=batch, window=window, exploration=c, selection=selection
    )[0]


def test_bound_of_a_hand_computed_history():
    """Round 7, tau 4: changes of rounds 3..6 count; log(min(6, 4)) = log 4 over N = 2."""
    # Scores .2 (1), .5 (2), .9 (4), .8 (6): changes .3 (round 2, out), .4 (4), .1 (6).
    held = runs((1, 0.2), (2, 0.5), (4, 0.9), (6, 0.8))
    found = sw_ucb(held, number=7, window=4, exploration=0.1)
    assert found == pytest.approx(0.25 + 0.1 * math.sqrt(math.log(4) / 2))
    assert sw_ucb(held, number=7, window=100, exploration=0.1) == pytest.approx(
        (0.3 + 0.4 + 0.1) / 3 + 0.1 * math.sqrt(math.log(6) / 3)
    )


@pytest.mark.parametrize(("number", "window"), [(1, 5), (2, 5), (9, 1)])
def test_the_logarithm_is_never_below_zero(number, window):
    """At t <= 2, and with a window of one round, the bonus is 0."""
    held = runs((number - 2, 0.0), (number - 1, 1.0))
    assert sw_ucb(held, number=number, window=window, exploration=5.0) == 1.0


def test_an_errored_execution_is_no_score_of_zero():
    """The change is taken between the scores on either side of an error."""
    assert sw_ucb(runs((1, 0.9), (2, None), (3, 0.8)), number=4, window=9, exploration=0) == (
        pytest.approx(0.1)
    )
    assert sw_ucb(runs((1, 0.9), (2, None)), number=4, window=9, exploration=0) == math.inf


def test_warm_up_runs_every_task_twice_in_turn():
    """Five tasks in batches of two: a cycle, until none has run less than twice."""
    tasks, held, seen = list("abcde"), {}, []
    number = 0
    while in_warm_up(tasks, held):
        number += 1
        batch = select(tasks, held, number)
        seen += batch
        for task in batch:
            held[task] = (*held.get(task, ()), TaskRun(round=number, score=0.5))
    assert seen == list("abcdeabcde")


def test_order_after_the_warm_up():
    """Unseen in the window first, then large changes; ties by least recent, then by id."""
    held = {
        "a": runs((7, 0.0), (8, 0.3)),
        "b": runs((7, 0.1), (9, 0.4)),
        "c": runs((6, 0.2), (8, 0.5)),
        "d": runs((1, 0.0), (2, 1.0)),
        "e": runs((7, 0.0), (8, 0.9)),
    }
    # d left the window; e changed by .9; a, b, c by .3, of which a and c ran before b.
    assert select(list("abcde"), held, 12, batch=5, window=5) == tuple("deacb")


def test_without_exploration_selection_is_greedy():
    """C = 0 ignores how often a task was seen; a large c prefers the rarely seen."""
    often = runs(*((k, 0.6 * (k % 2)) for k in range(1, 10)))
    held = {"often": often, "rare": runs((8, 0.0), (9, 0.5))}
    assert select(["often", "rare"], held, 10, c=0.0, batch=1) == ("often",)
    assert select(["often", "rare"], held, 10, c=1.0, batch=1) == ("rare",)


@given(
    st.lists(st.floats(0, 1), min_size=4, max_size=8),
    st.integers(1, 10),
    st.sampled_from(["sw-ucb", "round-robin"]),
)
def test_a_batch_holds_distinct_tasks(scores, batch, rule):
    """Whatever the scores, a batch has `batch` distinct tasks, or all of them."""
    tasks = [f"t{i}" for i in range(len(scores))]
    held = {t: runs((1, 0.0), (2, s)) for t, s in zip(tasks, scores, strict=True)}
    found = select(tasks, held, 3, batch=batch, selection=rule)
    assert len(set(found)) == len(found) == min(batch, len(tasks))


def test_turns_of_each_schedule():
    """Grader on odd rounds; halves in sequence; both or one."""
    assert [updated_in(t, schedule="alternating", rounds=3) for t in (1, 2, 3)] == [
        ("grader",), ("solver",), ("grader",),
    ]  # fmt: skip
    assert updated_in(5, schedule="simultaneous", rounds=9) == ("grader", "solver")
    assert [turns("grader", schedule=s, rounds=5) for s in (
        "alternating", "sequential", "simultaneous", "solver-only", "grader-only",
    )] == [3, 3, 5, 0, 5]  # fmt: skip
    assert agents_of("solver-only") == ("solver",)


def test_budget_schedule():
    """4, 4, ..., 2 with halves rounded up; a single turn starts at the maximum."""
    found = [edit_budget(j, total=15) for j in range(16)]
    assert found == [4] * 6 + [3] * 5 + [2] * 5
    assert [edit_budget(j, total=4, high=8, low=4) for j in range(4)] == [8, 7, 6, 5]
    assert edit_budget(0, total=1) == 4
    assert edit_budget(9, total=0) == edit_budget(99, total=3) == 2


@given(st.integers(1, 60), st.integers(1, 9), st.integers(0, 9))
def test_the_budget_never_rises_and_stays_in_its_range(total, low, extra):
    """It falls from the maximum to the minimum."""
    found = [edit_budget(j, total=total, high=low + extra, low=low) for j in range(total + 1)]
    assert found[0] == low + extra
    assert found[-1] == low
    assert found == sorted(found, reverse=True)


@pytest.mark.parametrize(
    ("before", "after", "edits"),
    [
        ("", "", 0),
        ("", "Read the task.", 1),
        ("a b c d e", "a x c y e", 2),
        ("a b c", "a b c d", 1),
        ("Check it.", "Check  it.", 1),
        ("one two three", "", 1),
        ("a, b", "a; b", 1),
    ],
)
def test_prompt_edits_are_changed_blocks(before, after, edits):
    """Contiguous blocks of changed tokens; white space alone is one edit."""
    assert prompt_edits(before, after) == edits


@given(st.text("ab c.", max_size=30), st.text("ab c.", max_size=30))
def test_edit_distance_properties(before, after):
    """Zero exactly for equal texts, whatever the tokenizer."""
    for tokenizer in ("words", "characters", "whitespace"):
        found = prompt_edits(before, after, tokenizer=tokenizer)
        assert (found == 0) == (before == after)


def test_skill_edits_are_structured():
    """Added and removed skills, and blocks of changed lines."""
    assert skill_edits({"a": "1\n2\n3", "b": "x"}, {"a": "9\n2\n8", "c": "y"}) == 4
    assert skill_edits({"a": "x"}, {"a": "x\n"}) == 1


def adopt(after, limit, retry=None, *, before="a b c d e f g h i j k l"):
    """Decide on a candidate; the retry returns a fixed text, or fails."""
    asked = []

    def again(large):
        asked.append(large)
        component = None if retry is None else Component(prompt=retry)
        return Proposal(component=component, status="infra" if retry is None else "ok")

    found = bounded_adoption(
        Component(prompt=before),
        Component(prompt=after),
        limit=None if limit is None else Edits(prompt=limit),
        tokenizer="words",
        retry=again,
    )
    return found, len(asked)


TWO, THREE = "A b C d e f g h i j k l", "A b C d E f g h i j k l"
FIVE, SIX = "A b C d E f G h I j k l", "A b C d E f G h I j K l"


@pytest.mark.parametrize(
    ("after", "limit", "retry", "decision", "edits", "asked"),
    [
        (TWO, 2, None, "accepted", 2, 0),
        (SIX, None, None, "accepted", 6, 0),
        (THREE, 2, None, "accepted", 3, 1),  # the retry fails; 3 <= 2 x 2
        (FIVE, 2, None, "rejected", 5, 1),
        (FIVE, 2, TWO, "accepted", 2, 1),
        (FIVE, 2, SIX, "rejected", 5, 1),  # more edits: the first stays, and 5 > 4
        (THREE, 2, SIX, "accepted", 3, 1),
        (SIX, 4, FIVE, "accepted", 5, 1),
        (FIVE, 2, "a b c d e f g h i j k l", "no-op", 0, 1),
        ("a b c d e f g h i j k l", 2, None, "no-op", 0, 0),
    ],
)
def test_bounded_adoption(after, limit, retry, decision, edits, asked):
    """Up to 1.15 of the budget; one retry, used with no more edits; above twice it, rejected."""
    found, times = adopt(after, limit, retry)
    assert (found.decision, found.edits.total, times) == (decision, edits, asked)


def test_the_margin_of_the_budget_is_fifteen_percent():
    """Exactly 1.15 times the budget is within it, for every budget that allows it."""
    for budget in range(20, 2001, 20):
        count = Edits(prompt=budget * 23 // 20)
        assert count.within(Edits(prompt=budget), factor=Fraction(23, 20))
        assert not Edits(prompt=count.prompt + 1).within(
            Edits(prompt=budget), factor=Fraction(23, 20)
        )


def test_skills_have_a_budget_of_their_own():
    """A prompt within its budget does not make room for skills."""
    limit = Edits(prompt=4, skills=2)
    assert Edits(prompt=4, skills=2).within(limit, factor=Fraction(23, 20))
    assert not Edits(prompt=0, skills=3).within(limit, factor=Fraction(23, 20))


def test_the_best_needs_a_strict_improvement_and_other_bytes():
    """Equal scores, equal bytes and missing scores change nothing."""
    best = Checkpoint(component=Component(prompt="a"), round=2, score=0.5)
    other = Component(prompt="b")
    assert better_checkpoint(best, Component(prompt="a"), score=0.9, number=3) is best
    assert better_checkpoint(best, other, score=0.5, number=3) is best
    assert better_checkpoint(best, other, score=0.5 + 1e-14, number=3) is best
    assert better_checkpoint(best, other, score=None, number=3) is best
    assert better_checkpoint(best, other, score=0.51, number=3).round == 3


def test_patience_counts_from_the_later_best():
    """Neither agent improved for p rounds; a sequential run gives the solver its turn."""
    common = {"rounds": 30, "patience": 10, "checkpoints": "validation"}
    assert ending(10, best_rounds=(0, 0), schedule="alternating", **common) == "patience"
    assert ending(10, best_rounds=(0, 1), schedule="alternating", **common) is None
    assert ending(24, best_rounds=(0, 0), schedule="sequential", **common) is None
    assert ending(25, best_rounds=(0, 0), schedule="sequential", **common) == "patience"
    fixed = {**common, "checkpoints": "last"}
    assert ending(29, best_rounds=(0,), schedule="alternating", **fixed) is None
    assert ending(30, best_rounds=(0,), schedule="alternating", **fixed) == "rounds"


def test_digest_judges_an_update_by_the_same_tasks():
    """Scores of a task before and after it; tasks that did not run again say nothing."""
    tasks = {"a": runs((1, 0.2), (3, 0.6)), "b": runs((1, 0.5)), "c": runs((1, None), (3, 0.1))}
    assert revisited(tasks, number=1) == (pytest.approx(0.4), 1)
    history = [
        Update(round=1, agent="grader", outcome="accepted", edits=2, rationale="look\n deeper"),
        Update(round=2, agent="solver", outcome="no-op", edits=0, rationale="x" * 500),
        Update(round=3, agent="grader", outcome="infra", edits=0, rationale=""),
    ]
    text = history_digest(history, tasks, rounds=10)
    assert "Reason given: look deeper" in text
    assert "+0.40" in text
    assert len(text.splitlines()) == 3
    assert max(map(len, text.splitlines())) < 440
    solver = [Update(round=1, agent="solver", outcome="accepted", edits=1, rationale="")]
    assert history_digest(solver, tasks, rounds=1).endswith("moved by +0.40, for the better.")
    worse = {"a": runs((1, 0.6), (2, 0.5))}
    assert history_digest(solver, worse, rounds=1).endswith("moved by -0.10, for the worse.")
    assert history_digest(history, tasks, rounds=1).startswith("Round 3")
    assert history_digest(history, tasks, rounds=0) == history_digest([], tasks, rounds=9) == ""


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"bach": 3}, r"loop\.toml: `duet\.bach` is not a setting; the settings are batch"),
        ({"batch": "8"}, r"`duet\.batch` is '8'; input should be a valid integer"),
        ({"batch": True}, r"`duet\.batch` is True"),
        ({"batch": 0}, r"`batch` is 0; it must be at least 1"),
        ({"exploration": -0.1}, r"`exploration` is -0\.1"),
        ({"exploration": float("nan")}, r"`exploration` is nan"),
        ({"schedule": "both"}, r"`duet\.schedule` is 'both'; input should be 'alternating'"),
        ({"budget_max": 1}, r"`budget_max` is 1; it must be at least `budget_min`, 2"),
        ({"digest_rounds": -1}, r"`digest_rounds` is -1"),
    ],
)
def test_settings_name_what_is_wrong(table, message):
    """Key, value, what is allowed, and the file."""
    with pytest.raises(InputError, match=message):
        read_settings(DuetSettings, table, place="duet", path="loop.toml")
