"""Questions over documents."""

from __future__ import annotations

from evalkit.environments.simulation.clauses import Clause
from evalkit.environments.simulation.profiles import GENERAL_CHECKS, Mode, Profile

__all__ = ["QA"]

_MODES = (
    Mode(
        name="wrong-option",
        severity=0.9,
        mild=False,
        complaint="The answer settles on an alternative that the question does not ask for.",
        praise="The answer addresses the alternative that was asked for.",
        cues=(("alternative", "option"),),
    ),
    Mode(
        name="unsupported",
        severity=0.6,
        mild=False,
        complaint="A claim has no support in the sources.",
        praise="The claims have support in the sources.",
        cues=(("claim",), ("support", "source")),
    ),
    Mode(
        name="arithmetic",
        severity=0.7,
        mild=False,
        complaint="The arithmetic does not come out when it is repeated.",
        praise="The arithmetic comes out when it is repeated.",
        cues=(("arithmetic", "calculation"),),
    ),
    Mode(
        name="incomplete",
        severity=0.5,
        mild=False,
        complaint="A part of the question is left open.",
        praise="Every part of the question is dealt with.",
        cues=(("part",), ("question",)),
    ),
    Mode(
        name="form",
        severity=0.3,
        mild=True,
        complaint="The result is given in another form than the one requested.",
        praise="The result is given in the form requested.",
        cues=(("form", "format"), ("request",)),
    ),
)

_HABITS = (
    Clause(
        name="compare-options",
        text="Weigh every option against the question before choosing.",
        groups=(("weigh", "compare"), ("option", "alternative", "choice")),
        effects={"wrong-option": 0.6},
    ),
    Clause(
        name="restate",
        text="Restate what the question asks for in one sentence.",
        groups=(("restate", "rephrase"), ("question", "ask")),
        effects={"wrong-option": 0.4, "incomplete": 0.2},
    ),
    Clause(
        name="quote",
        text="Quote the passage behind each claim.",
        groups=(("quote", "cite"), ("passage", "source", "line")),
        effects={"unsupported": 0.7},
    ),
    Clause(
        name="drop-claims",
        text="Drop a claim when the documents are silent on it.",
        groups=(("drop", "remove", "leave out"), ("claim", "statement")),
        effects={"unsupported": 0.4},
    ),
    Clause(
        name="recompute",
        text="Recompute each figure step by step.",
        groups=(("recompute", "recalculate", "redo"), ("figure", "number", "sum", "calculation")),
        effects={"arithmetic": 0.8},
    ),
    Clause(
        name="units",
        text="Write the unit beside each quantity.",
        groups=(("unit",), ("quantit", "value", "number")),
        effects={"arithmetic": 0.3, "form": 0.2},
    ),
    Clause(
        name="list-parts",
        text="List the parts of the question and answer each of them.",
        groups=(("list", "enumerate"), ("part", "subquestion")),
        effects={"incomplete": 0.6},
    ),
    Clause(
        name="reread",
        text="Reread the question at the end and fill what is missing.",
        groups=(("reread", "read again"), ("missing", "gap", "open")),
        effects={"incomplete": 0.4},
    ),
    Clause(
        name="final-line",
        text="Put the final answer on one line in the form that was asked for.",
        groups=(("final answer",), ("line", "form")),
        effects={"form": 0.8},
    ),
    Clause(
        name="row-and-column",
        text="Name the row and the column before reading a value from a table.",
        groups=(("row",), ("column",)),
        effects={"wrong-option": 0.5, "arithmetic": 0.4},
        domain="tables",
    ),
    Clause(
        name="in-force",
        text="Use the provision in force on the date in the question.",
        groups=(("in force", "effective"), ("date", "time")),
        effects={"unsupported": 0.5, "wrong-option": 0.3},
        domain="regulations",
    ),
    Clause(
        name="memory",
        text="Answer from memory where you can.",
        groups=(("from memory",),),
        effects={"unsupported": -0.6},
    ),
    Clause(
        name="hurry",
        text="Answer as quickly as you can.",
        groups=(("quick", "fast", "hurry"), ("answer", "reply")),
        effects={"incomplete": -0.4, "arithmetic": -0.4},
    ),
    Clause(
        name="longest-option",
        text="Choose the longest alternative when in doubt.",
        groups=(("longest",), ("option", "alternative")),
        effects={"wrong-option": -0.6},
    ),
)

_CHECKS = (
    Clause(
        name="option-check",
        text="Check that the alternative chosen is the one the question asks for.",
        groups=(("alternative chosen", "chosen option", "selected option"), ("question", "ask")),
        effects={"wrong-option": 1.0},
    ),
    Clause(
        name="source-check",
        text="Trace each claim back to a source.",
        groups=(("trace", "look up"), ("claim", "statement")),
        effects={"unsupported": 1.0},
    ),
    Clause(
        name="arithmetic-check",
        text="Repeat the arithmetic on your own.",
        groups=(("repeat", "redo", "recompute"), ("arithmetic", "calculation", "figure")),
        effects={"arithmetic": 1.0},
    ),
    Clause(
        name="parts-check",
        text="Tick off every part of the question.",
        groups=(("tick off", "check off"), ("part", "requirement")),
        effects={"incomplete": 1.0},
    ),
    Clause(
        name="form-check",
        text="Hold the form of the result against the form requested.",
        groups=(("form", "format"), ("request", "asked")),
        effects={"form": 1.0},
    ),
    *GENERAL_CHECKS,
)

QA = Profile(
    name="qa",
    modes=_MODES,
    domains={
        "tables": (0.20, 0.10, 0.40, 0.15, 0.15),
        "regulations": (0.25, 0.40, 0.05, 0.30, 0.10),
        "reports": (0.20, 0.25, 0.25, 0.20, 0.10),
        "manuals": (0.30, 0.15, 0.05, 0.25, 0.15),
    },
    request="Use the {domain} in the folder to answer the question about {topic}.",
    answer="On {topic}: the documents lead to the result under record {token}.",
    extras=(
        " The passage is cited as [1].",
        " A second passage, [2], was read beside it.",
    ),
    trace="read the question about {topic}\nopened {steps} documents\nwrote the answer",
    nouns=("harbour fees", "crop yields", "tram depots", "glass recycling", "museum loans"),
    solver_prompt="You answer questions with the help of documents.",
    grader_prompt="You grade the answer to a question. Give a score from 0 to 1 and a critique.",
    habits=_HABITS,
    checks=_CHECKS,
)
"""Questions over documents."""
