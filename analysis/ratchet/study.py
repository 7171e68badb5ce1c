"""The Double Ratchet study: four numbers of an abstract, and a simulation of what they describe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evalkit import Estimate, estimate_values
from evalkit.figures import forest, forest_row, new_figure
from evalkit.report import Finding
from evalkit.rounding import format_number
from evalkit.studies import (
    StudyFigure,
    StudyOutput,
    check_claims,
    check_table,
    load_module,
    load_reported,
    read_rows,
    reproduced_table,
    transcribed,
)
from evalkit.tables import Table, estimate, make_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HERE = Path(__file__)
WHOLE = frozenset({"drawbacks", "anchors", "unlabelled", "held_out", "candidates", "rounds"})
COUNTS = WHOLE | {"batch", "seeds"}
VERIFIERS = ("seed composition", "judge alone", "anchored", "anchor-free")
METHODS = (
    (
        "The source is an abstract, so its numbers are transcribed. The simulation is ours, with "
        "its own settings (fixtures/ratchet/records/world.csv): simulated, not reproduced. Only "
        "the direction of its results bears on the claims, not their size."
    ),
    (
        "An output has drawbacks, each with some chance, and is right if it has none. Verifiers "
        "are sets of detectors, changed by one detector at a time for 25 rounds and selected for "
        "agreement with ten anchored outputs plus consensus on unlabelled ones, or for consensus "
        "alone; with anchors, a detector is born only if it flags no right and some wrong anchor, "
        "and a verifier that passes or fails all anchors is refused. Skills take proposals that "
        "help with chance 0.6, gated by the verifier on 40 outputs. Intervals are over seeds."
    ),
)


def build(fixtures: Path) -> StudyOutput:
    """Compute the study from ``fixtures/ratchet``."""
    simulate = load_module(HERE.with_name("simulate.py"))
    printed = load_reported(fixtures / "reported")["abstract"]
    cells = check_table(printed, {n.key: transcribed("the abstract alone") for n in printed})
    outcomes = simulate.simulate(world(fixtures, simulate))
    reason = "an abstract prints nothing below it; see the simulation for its direction"
    claims = ("agreement-gain", "lift-low", "lift-high", "anchors")
    return StudyOutput(
        title="Who verifies the verifier: the claims of an abstract, and a simulation beside them",
        source="Who Verifies the Verifier? Co-Evolving Inspectable Graders with Self-Improving "
        "Agents (abstract)",
        summary=_summary(outcomes),
        cells=cells,
        claims=check_claims(
            fixtures / "reported" / "claims.csv", {}, reasons=dict.fromkeys(claims, reason)
        ),
        tables={
            "added_verifiers": _verifiers(outcomes),
            "added_skills": _skills(outcomes),
            "abstract": reproduced_table(cells, caption="Numbers of the abstract"),
        },
        figures={
            "simulated_agreement": StudyFigure(
                draw=lambda: _drawn(outcomes),
                caption="Simulated, not reproduced: held-out agreement and skill success over "
                f"{len(outcomes)} seeds, with 95% intervals.",
                alt="The anchor-free verifier has the lowest agreement and the skill it trains is "
                "no worse than the others.",
            )
        },
        findings=_findings(outcomes),
        methods=METHODS,
        left_out=("Every number but the four of the abstract: no table of the paper is at hand.",),
        seeds={"simulation": 0},
    )


def world(fixtures: Path, simulate: object) -> object:
    """Read the settings of the simulation."""
    rows = {row["setting"]: row["value"] for row in read_rows(fixtures / "records" / "world.csv")}
    settings = {k: int(v) if k in COUNTS else float(v) for k, v in rows.items()}
    return simulate.World(**settings)  # type: ignore[attr-defined]


def over_seeds(outcomes: list[object], field: str, name: str, *, less: str = "") -> Estimate:
    """Mean over seeds of one quantity, or of its difference from another."""
    values = [getattr(o, field)[name] - (getattr(o, field)[less] if less else 0) for o in outcomes]
    return estimate_values(values, method="t")


def _verifiers(outcomes: list[object]) -> Table:
    rows = [
        [
            name,
            estimate(over_seeds(outcomes, "agreement", name), 3),
            estimate(over_seeds(outcomes, "agreement", name, less="seed composition"), 3)
            if name != "seed composition"
            else None,
            estimate(over_seeds(outcomes, "pass_rate", name), 3),
        ]
        for name in VERIFIERS
    ]
    return make_table(
        ["verifier", "held-out agreement", "gain over the seed composition", "pass rate"],
        rows,
        caption="Simulated, not reproduced: verifiers with and without anchors",
        notes=[f"95% Student t intervals over {len(outcomes)} seeds; differences are paired."],
    )


def _skills(outcomes: list[object]) -> Table:
    rows = [
        [
            name,
            estimate(over_seeds(outcomes, "success", name), 3),
            estimate(over_seeds(outcomes, "success", name, less="start"), 3),
            _retained(outcomes, name),
        ]
        for name in ("ground truth", "anchored", "anchor-free")
    ]
    return make_table(
        ["skill gated by", "true success", "lift over the start", "share of the reference lift"],
        rows,
        caption="Simulated, not reproduced: skills trained by each verifier",
        notes=[
            (
                f"95% Student t intervals over {len(outcomes)} seeds. The share is a ratio of mean "
                "lifts. Seeds are not paired between gates: each skill has its own proposals."
            ),
        ],
    )


def _lift(outcomes: list[object], name: str) -> float:
    return over_seeds(outcomes, "success", name, less="start").estimate or 0.0


def _retained(outcomes: list[object], name: str) -> str:
    share = _lift(outcomes, name) / _lift(outcomes, "ground truth")
    return f"{format_number(100 * share, 0)}%"


def _summary(outcomes: list[object]) -> str:
    collapsed = sum(o.pass_rate["anchor-free"] == 1 for o in outcomes)  # type: ignore[attr-defined]
    return (
        f"Simulated: without anchors the verifier passes everything in {collapsed} of "
        f"{len(outcomes)} seeds, and the skill it gates still gains "
        f"{_retained(outcomes, 'anchor-free')} of the reference lift."
    )


def _findings(outcomes: list[object]) -> tuple[Finding, ...]:
    gain = over_seeds(outcomes, "agreement", "anchored", less="seed composition")
    free = over_seeds(outcomes, "agreement", "anchor-free", less="seed composition")
    judge = over_seeds(outcomes, "agreement", "anchored", less="judge alone")

    def shown(found: Estimate) -> str:
        low, high = (
            (format_number(x, 3, sign=True) for x in (found.interval.low, found.interval.high))
            if found.interval is not None
            else ("?", "?")
        )
        return f"{format_number(found.estimate, 3, sign=True)} [{low}, {high}]"

    return (
        Finding(
            status="simulated",
            title="Without anchors, selection by consensus ends at a verifier that passes all.",
            detail=f"Held-out agreement against the seed composition: {shown(free)}. A detector "
            "flags few outputs, so the majority passes each, and the empty verifier agrees best.",
        ),
        Finding(
            status="simulated",
            title="The score of the skill does not tell the two verifiers apart.",
            detail=(
                f"Share of the reference lift: {_retained(outcomes, 'anchored')} anchored, "
                f"{_retained(outcomes, 'anchor-free')} anchor-free. Proposals that help more often "
                "than they harm improve a skill even when every one is taken."
            ),
        ),
        Finding(
            status="simulated",
            title="Ten anchors gain over the seed composition; here not over the bare judge.",
            detail=f"Anchored less seed composition {shown(gain)}; less judge {shown(judge)}. The "
            "abstract reports +0.21 and an end ahead of the judge, on another world.",
        ),
    )


def _drawn(outcomes: list[object]) -> Figure:
    rows = [
        forest_row(name, over_seeds(outcomes, "agreement", name), group="held-out agreement")
        for name in VERIFIERS
    ]
    rows += [
        forest_row(name, over_seeds(outcomes, "success", name), group="skill gated by")
        for name in ("ground truth", "anchored", "anchor-free")
    ]
    figure = new_figure(columns=1, height=2.8)
    forest(figure.subplots(), rows, scale=100, digits=1, xlabel="percent (simulated)")
    return figure
