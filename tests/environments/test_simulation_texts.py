"""What texts say to the world, and what the world's texts do not say."""

import re
import zlib
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.environments import Component, Draw
from evalkit.environments.simulation import build
from evalkit.environments.simulation.catalogue import PROFILES
from evalkit.environments.simulation.clauses import recognise

ROOT = Draw.of(23)
SMALL = {"train": 40, "validation": 40, "test": 40, "pairs": 120, "infra": 0, "timeout": 0}
WORLDS = {name: build({**SMALL, "profile": name}, 6) for name in ("qa", "workbook")}
TOKEN = re.compile(r"[0-9a-f]{28}")
CATALOGUES = [
    (name, agent, getattr(profile, agent))
    for name, profile in PROFILES.items()
    for agent in ("habits", "checks")
]


def truth(world, prompt, **skills):
    """Return the expected success on new items of a solver with a text."""
    return world.truth(Component(prompt=prompt, skills=skills), "population")


@pytest.mark.parametrize(("profile", "agent", "catalogue"), CATALOGUES)
def test_each_clause_is_recognised_alone(profile, agent, catalogue):
    """A catalogue's own wording says its clause and no other one."""
    for clause in catalogue:
        assert recognise(clause.text, catalogue) == {clause.name: 1.0}, (profile, agent)


@pytest.mark.parametrize(("profile", "agent", "catalogue"), CATALOGUES)
def test_clauses_survive_rewriting(profile, agent, catalogue):
    """Capitals, bullets, emphasis and surrounding sentences do not hide a clause."""
    for clause in catalogue:
        text = f"# Rules\n\n* **{clause.text.upper()}** Thanks.\n1) Something else entirely."
        assert recognise(text, catalogue).get(clause.name) == 1.0, (profile, agent, clause.name)


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("Do not forget to recompute each figure.", 1.0),
        ("Never answer before you have recomputed each figure.", 1.0),
        ("Don't submit without redoing the calculation", 1.0),
        ("Don\u2019t recompute any figure.", -1.0),
        ("To save time, skip recomputing the figures!", -1.0),
        ("There is no need to redo a sum;\nplease recompute every number.", 0.0),
        ("Recompute.\nThe figure is on the left.", None),
        ("", None),
    ],
)
def test_negation_is_understood(text, sign):
    """A negated clause is told from a reminder and from a condition; sentences stand alone."""
    found = recognise(text, PROFILES["qa"].habits)
    assert found.get("recompute") == sign


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_any_text_is_read(text):
    """No text breaks the reader, and what it recognises is in the catalogue."""
    catalogue = PROFILES["qa"].habits
    assert set(recognise(text, catalogue)) <= {clause.name for clause in catalogue}


def test_every_helpful_habit_helps():
    """Each good habit raises the truth, its negation lowers it, each harmful one lowers it."""
    for world in WORLDS.values():
        bare = truth(world, "")
        for habit in world.profile.habits:
            said = truth(world, habit.text)
            negated = truth(world, "Never do this: " + habit.text)
            if habit.helps:
                assert negated < bare < said, habit.name
            else:
                assert said < bare == negated, habit.name


def test_every_check_helps():
    """Each good check raises the agreement on new pairs, each harmful one lowers it."""
    for world in WORLDS.values():
        bare = world.grader_truth(Component(), "population")
        for check in world.profile.checks:
            found = world.grader_truth(Component(prompt=check.text), "population")
            assert (found > bare) == check.helps, check.name
            assert found != bare


def test_other_text_is_inert_and_length_costs():
    """Unknown text changes nothing until it is long; a clause counts once; both ways cancel."""
    world = WORLDS["qa"]
    redo = "Recompute each figure step by step."
    bare = truth(world, "")
    assert truth(world, "Kindly be thorough and polite.") == bare
    assert truth(world, redo + "\n" + redo) == truth(world, redo)
    assert truth(world, f"{redo}\nNever recompute a figure.") == bare
    assert truth(world, "word " * 450) == bare
    assert truth(world, "word " * 1500) < bare


def test_skills_count_for_their_kind_of_task():
    """A skill named after a kind of task helps there alone; any other skill helps everywhere."""
    world = WORLDS["qa"]
    redo = "Recompute each figure step by step."
    bare, prompt = truth(world, ""), truth(world, redo)
    assert truth(world, "", helper=redo) == pytest.approx(prompt)
    special = truth(world, "", **{"tables-skill": redo})
    assert bare < special < prompt
    assert truth(world, "", manuals=world.profile.habits[9].text) == bare


def test_singling_out_a_task_overfits():
    """An instruction for one training task helps that task and nothing else."""
    world = WORLDS["workbook"]
    worst = min(
        world.items("train"),
        key=lambda i: len(
            [
                d
                for d in "abcdefgh"
                if world.verify(i, world.solve(Component(), i, draw=ROOT.child(d, i.id))).score == 1
            ]
        ),
    )
    topic = re.search(r"workbook on (.*? \d+)", worst.input).group(1)
    clause = Component(prompt=f"For the task on {topic.upper()}, go over the result twice.")
    assert world.truth(clause, "train") > world.truth(Component(), "train")
    assert world.truth(clause, "validation") < world.truth(Component(), "validation")
    assert world.truth(clause, "population") < world.truth(Component(), "population")


@pytest.mark.parametrize("profile", ["qa", "workbook"])
def test_outputs_and_traces_do_not_tell(profile):
    """Apart from the token, outputs and traces are alike whether the outcome is right or wrong."""
    world = WORLDS[profile]
    shapes: dict[float, Counter] = defaultdict(Counter)
    for k in range(60):
        for item in world.items("validation"):
            e = world.solve(Component(), item, draw=ROOT.child(k, item.id))
            assert len(TOKEN.findall(e.output)) == 1
            assert e.error is None
            shape = (e.output.count("."), re.sub(r"\w+ \d{3}", "", e.trace))
            shapes[world.verify(item, e).score][shape] += 1
    right, wrong = shapes[1.0], shapes[0.0]
    assert len(right) > 5
    for shape in right | wrong:
        shares = [found[shape] / found.total() for found in (right, wrong)]
        assert abs(shares[0] - shares[1]) < 0.07, shape


def test_tokens_do_not_tell():
    """No bit of a token goes with the outcome, equal outcomes differ, and tokens look random."""
    world = WORLDS["qa"]
    bits, scores, tokens = [], [], []
    for k in range(60):
        for item in world.items("validation"):
            e = world.solve(Component(), item, draw=ROOT.child("t", k, item.id))
            token = TOKEN.search(e.output).group()
            tokens.append(token)
            bits.append(np.unpackbits(np.frombuffer(bytes.fromhex(token), dtype=np.uint8)))
            scores.append(world.verify(item, e).score)
    assert len(set(tokens)) == len(tokens)
    table, n = np.array(bits, dtype=float), len(tokens)
    outcomes = np.array(scores) - np.mean(scores)
    correlation = outcomes @ (table - 0.5) / (n * 0.5 * np.std(scores))
    assert np.abs(correlation).max() < 4.5 / np.sqrt(n)
    assert np.abs(table.mean(axis=0) - 0.5).max() < 4.5 * 0.5 / np.sqrt(n)
    assert len(zlib.compress("".join(tokens).encode())) > 0.95 * 14 * n


def test_items_and_pairs_do_not_tell():
    """Items carry no difficulty or reference; the two outcomes of a pair look alike."""
    for world in WORLDS.values():
        for item in world.items("test"):
            assert set(item.metadata) == {"domain"}
            known = world._stock.known(item.id)
            for text in (item.id, item.input, *item.metadata.values()):
                assert f"{known.traits.difficulty:.3g}" not in text
        for pair in world.pairs("validation"):
            assert pair.better.output != pair.worse.output
            assert not re.search("better|worse|win|los", pair.id + pair.better.trace)
            better, worse = (
                TOKEN.sub("#", side.output).split("#")[0] for side in (pair.better, pair.worse)
            )
            assert better == worse


def test_critiques_name_faults_in_words():
    """A grader's critique reports modes in plain words, and a silent verifier says nothing."""
    world = build({**SMALL, "verifier_feedback": False}, 6)
    spoken = WORLDS["qa"]
    complaints = {mode.complaint for mode in spoken.profile.modes}
    for item in spoken.items("validation"):
        e = spoken.solve(Component(), item, draw=ROOT.child(item.id))
        verdict = spoken.verify(item, e)
        assert (verdict.critique in complaints) == (verdict.score == 0)
        assert world.verify(item, e).critique == ""
        critique = spoken.judge(Component(), item, e, draw=ROOT).critique
        assert not TOKEN.search(critique)
        assert critique
