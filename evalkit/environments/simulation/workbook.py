"""Edits of spreadsheets."""

from __future__ import annotations

from evalkit.environments.simulation.clauses import Clause
from evalkit.environments.simulation.profiles import GENERAL_CHECKS, Mode, Profile

__all__ = ["WORKBOOK"]

_MODES = (
    Mode(
        name="wrong-cell",
        severity=0.9,
        mild=False,
        complaint="A value stands at the wrong address.",
        praise="The values stand at the addresses named.",
        cues=(("address",),),
    ),
    Mode(
        name="wrong-type",
        severity=0.4,
        mild=True,
        complaint="Numbers or dates are stored as another type.",
        praise="Numbers and dates are stored with their type.",
        cues=(("type",), ("number", "date")),
    ),
    Mode(
        name="missing-cells",
        severity=0.6,
        mild=False,
        complaint="The range is filled only in part.",
        praise="The range is filled to its end.",
        cues=(("range",), ("fill",)),
    ),
    Mode(
        name="text-formula",
        severity=0.7,
        mild=False,
        complaint="A formula is left as text and shows no result.",
        praise="The formulas show their results.",
        cues=(("formula",),),
    ),
    Mode(
        name="collateral",
        severity=0.5,
        mild=False,
        complaint="Something outside the request was changed as well.",
        praise="Nothing outside the request was changed.",
        cues=(("outside",), ("request",)),
    ),
)

_HABITS = (
    Clause(
        name="inspect-first",
        text="Inspect sheet names and headers before editing.",
        groups=(("inspect", "look at", "read"), ("header", "sheet name")),
        effects={"wrong-cell": 0.6},
    ),
    Clause(
        name="plan-addresses",
        text="Write down the target addresses before the first edit.",
        groups=(("write down", "note", "plan"), ("address", "target cell")),
        effects={"wrong-cell": 0.4, "collateral": 0.2},
    ),
    Clause(
        name="keep-types",
        text="Keep numbers and dates in their native type.",
        groups=(("keep", "preserve"), ("type",)),
        effects={"wrong-type": 0.7},
    ),
    Clause(
        name="convert-text",
        text="Convert numeric text to numbers.",
        groups=(("convert", "cast"), ("number",)),
        effects={"wrong-type": 0.4},
    ),
    Clause(
        name="fill-range",
        text="Fill the whole range down to its last row.",
        groups=(("fill", "extend"), ("range", "last row")),
        effects={"missing-cells": 0.7},
    ),
    Clause(
        name="count-rows",
        text="Count the rows before and after the edit.",
        groups=(("count",), ("row",)),
        effects={"missing-cells": 0.4},
    ),
    Clause(
        name="evaluate-formulas",
        text="Evaluate each formula and look at its result.",
        groups=(("evaluate", "recalculate"), ("formula", "result")),
        effects={"text-formula": 0.8},
    ),
    Clause(
        name="equals-sign",
        text="Start formulas with an equals sign.",
        groups=(("equals sign", "equal sign"),),
        effects={"text-formula": 0.4},
    ),
    Clause(
        name="untouched",
        text="Leave every other cell untouched.",
        groups=(("leave", "keep"), ("untouched", "unchanged", "as it is")),
        effects={"collateral": 0.7},
    ),
    Clause(
        name="lookup-keys",
        text="Match lookup keys by exact spelling.",
        groups=(("match",), ("key",)),
        effects={"wrong-cell": 0.4, "missing-cells": 0.4},
        domain="lookups",
    ),
    Clause(
        name="sort-whole-rows",
        text="Sort entire rows together.",
        groups=(("sort", "move"), ("entire row", "whole row")),
        effects={"wrong-cell": 0.5, "collateral": 0.4},
        domain="layout",
    ),
    Clause(
        name="hardcode",
        text="Type the computed values in place of formulas.",
        groups=(("type the computed", "hardcode", "paste values"),),
        effects={"text-formula": -0.5, "wrong-type": -0.2},
    ),
    Clause(
        name="tidy-up",
        text="Tidy up the rest of the sheet while you are there.",
        groups=(("tidy", "clean up"), ("sheet", "workbook")),
        effects={"collateral": -0.6},
    ),
    Clause(
        name="sample-rows",
        text="Edit a sample of the rows to save time.",
        groups=(("sample",), ("row",)),
        effects={"missing-cells": -0.6},
    ),
)

_CHECKS = (
    Clause(
        name="address-check",
        text="Compare the address of each value with the request.",
        groups=(("address",), ("compare", "check", "verify")),
        effects={"wrong-cell": 1.0},
    ),
    Clause(
        name="type-check",
        text="Read the stored type of numbers and dates.",
        groups=(("stored type", "cell type", "data type"),),
        effects={"wrong-type": 1.0},
    ),
    Clause(
        name="range-check",
        text="Follow the range to its last row.",
        groups=(("follow", "check", "scroll"), ("range", "last row")),
        effects={"missing-cells": 1.0},
    ),
    Clause(
        name="formula-check",
        text="Evaluate the formulas again and compare the results.",
        groups=(("evaluate", "recompute"), ("formula",)),
        effects={"text-formula": 1.0},
    ),
    Clause(
        name="diff-check",
        text="List the differences between input and output cell by cell.",
        groups=(("difference", "diff"), ("cell", "input", "original")),
        effects={"collateral": 1.0},
    ),
    *GENERAL_CHECKS,
)

WORKBOOK = Profile(
    name="workbook",
    modes=_MODES,
    domains={
        "formulas": (0.20, 0.10, 0.15, 0.45, 0.10),
        "cleanup": (0.10, 0.35, 0.20, 0.05, 0.25),
        "lookups": (0.40, 0.10, 0.35, 0.15, 0.10),
        "layout": (0.25, 0.10, 0.10, 0.05, 0.35),
    },
    request="Edit the workbook on {topic} ({domain}) as its first sheet asks.",
    answer="The workbook on {topic} was saved under record {token}.",
    extras=(
        " The edited cells are listed on a note sheet.",
        " A summary of each step stands beside them.",
    ),
    trace="opened the workbook on {topic}\nedited {steps} ranges\nsaved the workbook",
    nouns=("ferry rosters", "seed stocks", "print orders", "pump readings", "choir dues"),
    solver_prompt="You edit workbooks as they ask for it.",
    grader_prompt="You grade an edited workbook. Give a score from 0 to 1 and a critique.",
    habits=_HABITS,
    checks=_CHECKS,
)
"""Edits of spreadsheets."""
