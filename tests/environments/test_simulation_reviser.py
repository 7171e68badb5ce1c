"""The simulated updater: what it may read, what it may change, how good it is."""

from collections import Counter
from dataclasses import dataclass

import pytest

from evalkit.environments import Component, Draw, Execution, Item, Verdict
from evalkit.environments.simulation import Reviser, UpdaterSettings, build
from evalkit.environments.simulation.edits import (
    add_line,
    instructions,
    remove_line,
    revise_line,
)
from evalkit.environments.simulation.reading import read_evidence
from evalkit.errors import ArgumentError

ROOT = Draw.of(31)
SURE = UpdaterSettings(skill=1.0, remove=0.0, revise=0.0, idle=0.0)


@dataclass(frozen=True)
class Row:
    """One row of evidence."""

    item: Item
    execution: Execution
    verdict: Verdict


@dataclass(frozen=True)
class Shown:
    """Evidence as a loop gives it."""

    rows: tuple = ()
    digest: str = ""
    max_edits: int | None = None
    skills: bool = False
    max_skill_edits: int | None = None


def row(critique, score=0.0, domain="reports", number=7):
    """One row with a critique."""
    item = Item(id=f"i{number}", input=f"About tram depots {number}.", metadata={"domain": domain})
    return Row(item, Execution(item=item.id, output="x"), Verdict(score=score, critique=critique))


ARITHMETIC = row("The arithmetic does not come out when it is repeated.")
PRAISE = row("The claims have support in the sources.", 1.0)


def test_reading_tells_complaints_from_praise():
    """Known sentences speak for themselves; other wording is a complaint when the score is low."""
    qa = Reviser("qa").profile
    found = read_evidence(qa, Shown(rows=(ARITHMETIC, PRAISE, row("Bad CALCULATION here!", 0.2))))
    assert found.complaints == Counter({"arithmetic": 2})
    assert found.praise == Counter({"unsupported": 1})
    assert found.topics == ("tram depots 7",)
    fine = read_evidence(qa, Shown(rows=(row("Nice calculation.", 0.9),)))
    assert fine.praise == Counter({"arithmetic": 1})


def test_a_skilled_updater_answers_the_complaint():
    """Shown wrong arithmetic, it adds habits against wrong arithmetic, and then has none left."""
    reviser = Reviser("qa", SURE)
    habits = {h.text: h for h in reviser.profile.habits}
    for k in range(20):
        found = reviser("solver", Component(), Shown(rows=(ARITHMETIC,)), draw=ROOT.child(k))
        first = instructions(found.component)[0]
        assert habits[first].effects.get("arithmetic", 0) > 0
        assert found.facts["added"].startswith(first)
        assert found.edits == len(instructions(found.component))


def test_successes_say_less_than_failures():
    """From failures most proposals help; from successes few do."""
    world = build({"test": 0, "infra": 0, "timeout": 0}, 3)
    reviser, solver = Reviser("qa"), world.initial("solver")
    base = world.truth(solver, "population")
    rows: dict[float, list[Row]] = {0.0: [], 1.0: []}
    for item in world.items("train"):
        e = world.solve(solver, item, draw=ROOT.child(item.id))
        verdict = world.verify(item, e)
        rows[verdict.score].append(Row(item, e, verdict))
    helped = {}
    for score, shown in rows.items():
        found = [
            reviser("solver", solver, Shown(rows=tuple(shown)), draw=ROOT.child(k, str(score)))
            for k in range(60)
        ]
        gains = [
            world.truth(f.component, "population") - base for f in found if f.component is not None
        ]
        helped[score] = sum(gain > 1e-9 for gain in gains) / len(gains)
        assert any(gain < 0 for gain in gains)
    assert helped[0.0] > 0.6 > helped[1.0] > 0.1


def test_budgets_hold_and_a_retry_is_a_part_of_the_first_try():
    """No more edits than allowed; with the same draw the first edits are kept."""
    reviser = Reviser("qa", UpdaterSettings(edits=6, idle=0.0))
    for k in range(40):
        free, bounded = (
            reviser(
                "solver",
                Component(prompt="Go."),
                Shown(rows=(ARITHMETIC, PRAISE), max_edits=m),
                draw=ROOT.child(k),
            )
            for m in (None, 1)
        )
        assert bounded.component is None or bounded.edits == 1
        if bounded.component is not None and free.facts.get("added"):
            kept = bounded.facts.get("added") or bounded.facts.get("removed") or ""
            assert kept in "; ".join(free.facts.values())
        none = reviser(
            "solver", Component(), Shown(rows=(ARITHMETIC,), max_edits=0), draw=ROOT.child(k)
        )
        assert none.component is None


def test_skills_are_written_where_allowed():
    """Clauses for one kind of task become its skill, within the budget of skills."""
    reviser = Reviser("qa", SURE)
    shown = {"rows": (row(ARITHMETIC.verdict.critique, domain="tables"),)}
    seen = set()
    for k in range(40):
        draw = ROOT.child("skill", k)
        found = reviser("solver", Component(), Shown(**shown, skills=True), draw=draw).component
        seen |= set(found.skills)
        without = reviser("solver", Component(), Shown(**shown), draw=draw).component
        assert not without.skills
        none = reviser(
            "solver", Component(), Shown(**shown, skills=True, max_skill_edits=0), draw=draw
        ).component
        assert none is None or not none.skills
    assert seen == {"tables"}


def test_the_digest_is_heeded():
    """A clause that an earlier round rejected is proposed less often."""
    reviser = Reviser("qa", SURE)
    redo = next(h.text for h in reviser.profile.habits if h.name == "recompute")
    counts = []
    for digest in ("", f"Round 3: {redo} -> reject"):
        shown = Shown(rows=(ARITHMETIC,), digest=digest)
        found = [reviser("solver", Component(), shown, draw=ROOT.child("d", k)) for k in range(60)]
        counts.append(sum(redo in f.component.prompt for f in found if f.component))
    assert counts[1] < 0.6 * counts[0]


def test_graders_get_checks():
    """Shown judgments, it adds checks to a grader, general ones among them."""
    reviser = Reviser("workbook", SURE)
    texts = {c.text for c in reviser.profile.checks if c.helps}
    added = set()
    for k in range(40):
        found = reviser(
            "grader",
            Component(),
            Shown(rows=(row("A formula is off.", 0.2),)),
            draw=ROOT.child("g", k),
        )
        added |= set(instructions(found.component)) if found.component else set()
    assert len(added & texts) > 3


def test_nothing_shown_nothing_proposed():
    """Without rows there is no candidate; an updater that fails says so."""
    assert Reviser("qa")("solver", Component(), Shown(), draw=ROOT).component is None
    broken = Reviser("qa", UpdaterSettings(infra=1.0))
    found = broken("solver", Component(), Shown(rows=(PRAISE,)), draw=ROOT)
    assert (found.status, found.component, found.usage.calls) == ("infra", None, 1)
    idle = Reviser("qa", UpdaterSettings(idle=1.0))
    assert idle("solver", Component(), Shown(rows=(PRAISE,)), draw=ROOT).component is None


def test_it_depends_on_what_it_is_shown_alone():
    """Outputs, which only the world can read, make no difference to a proposal."""
    reviser = Reviser("qa")
    other = Row(
        ARITHMETIC.item,
        Execution(item="i7", output="something else"),
        ARITHMETIC.verdict,
    )
    for k in range(10):
        one, two = (
            reviser("solver", Component(), Shown(rows=(r,)), draw=ROOT.child(k))
            for r in (ARITHMETIC, other)
        )
        assert one == two


def test_edits_change_one_line():
    """Adding, removing and rewording touch the instruction and leave the rest."""
    start = Component(prompt="Head.\n- one\n- two", skills={"s": "- three"})
    assert instructions(start) == ["one", "two", "three"]
    assert add_line(start, "four", skill=None).prompt == "Head.\n- one\n- two\n- four"
    assert add_line(start, "four", skill="s").skills == {"s": "- three\n- four"}
    assert add_line(Component(), "four", skill=None).prompt == "- four"
    assert remove_line(start, "one").prompt == "Head.\n- two"
    reworded = revise_line(start, "one")
    assert reworded.prompt != start.prompt
    assert revise_line(reworded, instructions(reworded)[0]).prompt == start.prompt


@pytest.mark.parametrize(
    "knobs", [{"skill": 1.5}, {"harm": -0.1}, {"overfit": 0.8, "harm": 0.4}, {"edits": 0}]
)
def test_wrong_settings_are_refused(knobs):
    """Chances lie in 0..1 and those of one choice add up to at most 1."""
    with pytest.raises(ArgumentError):
        UpdaterSettings(**knobs)
