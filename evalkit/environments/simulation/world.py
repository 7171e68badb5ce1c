"""A world of tasks, outcomes and judgments whose truth is known."""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Mapping
from typing import Literal, TypeVar

from evalkit.environments.base import Component, Execution, Item, Pair, Verdict
from evalkit.environments.draws import Draw
from evalkit.environments.simulation import truths
from evalkit.environments.simulation.catalogue import (
    PROFILES,
    calibrated_ability,
    calibrated_population,
)
from evalkit.environments.simulation.chances import chances
from evalkit.environments.simulation.grader_model import STEPS, GraderLaw, grader_law
from evalkit.environments.simulation.pair_law import SOLVER_STYLE
from evalkit.environments.simulation.seals import Outcome, Seal
from evalkit.environments.simulation.settings import SimulationSettings, parse_settings
from evalkit.environments.simulation.solver_model import SolverLaw, solver_law
from evalkit.environments.simulation.stock import Stock, make_stock
from evalkit.environments.simulation.verifying import VerifierName, verdict_of
from evalkit.errors import ArgumentError
from evalkit.models.base import Usage

T = TypeVar("T")
InitialKind = Literal["minimal", "empty", "informed", "adversarial", "full"]
__all__ = ["ANCHORING", "REFINEMENT", "InitialKind", "SimulatedWorld", "build"]

_KEPT_LAWS = 256
_CHARACTERS = 4  # of a token
_NONCE, _WORD = struct.Struct(">2I").pack, 1 << 32
ANCHORING, REFINEMENT = 0.7, 0.85
"""Chance that a retry keeps a fault or its absence; hazard of a retry that thinks anew."""


class SimulatedWorld:
    """An environment with known truth; see ``docs/simulation.md``.

    Parameters
    ----------
    settings : SimulationSettings
        Its knobs.
    seed : int
        Which items, pairs and seals it holds; executions depend on their draw as well.

    Examples
    --------
    >>> world = build({"profile": "qa", "validation": 8}, seed=1)
    >>> solver = world.initial("solver")
    >>> item = world.items("validation")[0]
    >>> execution = world.solve(solver, item, draw=Draw.of(0).child("example"))
    >>> world.verify(item, execution).score
    1.0
    >>> round(world.truth(solver, "population"), 6)
    0.74
    """

    def __init__(self, settings: SimulationSettings, seed: int) -> None:
        self.settings = settings
        self.seed = seed
        self.profile = PROFILES[settings.profile]
        self.population = calibrated_population(settings)
        self.ability = calibrated_ability(settings)
        root = Draw.of(seed).child("simulation", self.profile.name)
        key = hashlib.blake2b("\x1f".join(root.path).encode(), digest_size=32).digest()
        self._seal = Seal(key)
        self._stock: Stock = make_stock(self.profile, settings, self.population, self._render, root)
        self._solvers: dict[str, SolverLaw] = {}
        self._graders: dict[str, GraderLaw] = {}

    @property
    def name(self) -> str:
        """Name that records carry."""
        return f"simulation-{self.profile.name}"

    def items(self, split: str, /) -> tuple[Item, ...]:
        """Return the items of a split: train, validation, test, and R1-R3 and T1-T3."""
        return self._stock.of(split, self._stock.items)

    def pairs(self, split: str, /) -> tuple[Pair, ...]:
        """Return the grader pairs of a split."""
        return self._stock.of(split, self._stock.pairs)

    def initial(
        self,
        agent: Literal["solver", "grader"],
        *,
        kind: InitialKind = "minimal",
    ) -> Component:
        """Return a text to start from.

        ``minimal`` has no clause, ``empty`` no text, ``informed`` every third helpful clause,
        ``adversarial`` the harmful ones, ``full`` all helpful ones.
        """
        solver = agent == "solver"
        prompt = self.profile.solver_prompt if solver else self.profile.grader_prompt
        clauses = self.profile.habits if solver else self.profile.checks
        helpful = [clause.text for clause in clauses if clause.helps]
        harmful = [clause.text for clause in clauses if not clause.helps]
        lines: Mapping[str, list[str]] = {
            "minimal": [],
            "empty": [],
            "informed": helpful[::3],
            "adversarial": harmful,
            "full": helpful,
        }
        if kind not in lines:
            raise ArgumentError(f"`kind` is {kind!r}; it must be one of {', '.join(lines)}")
        if kind == "empty":
            return Component()
        return Component(prompt="\n".join((prompt, *(f"- {line}" for line in lines[kind]))))

    def solve(self, component: Component, item: Item, /, *, draw: Draw) -> Execution:
        """Run the solver: every failure mode occurs with its own chance."""
        return self._execute(component, item, draw=draw, previous=None)

    def retry(
        self, component: Component, item: Item, previous: Execution, /, *, draw: Draw
    ) -> Execution:
        """Let the solver revise its own outcome.

        Each mode stays as it was with chance 0.7; otherwise it is drawn anew with 0.85 of its
        hazard. Without an outcome to revise this is a first try.
        """
        outcome = self._seal.open(item.id, previous.output) if previous.status == "ok" else None
        return self._execute(component, item, draw=draw, previous=outcome)

    def _execute(
        self, component: Component, item: Item, *, draw: Draw, previous: Outcome | None
    ) -> Execution:
        digest = component.digest
        law = self._solver(component, digest)
        hidden = self._stock.known(item.id)
        purpose = digest if previous is None else f"{digest}{previous.mask}{previous.luck}"
        u = chances(draw, f"{purpose}\x1f{item.id}")
        tokens = (law.characters + len(item.input)) // _CHARACTERS
        infra = self.settings.infra
        if u[0] < infra + self.settings.timeout:
            broken = u[0] < infra
            return Execution(
                item=item.id,
                output=None,
                status="infra" if broken else "timeout",
                error="the backend closed the connection" if broken else "no answer in time",
                usage=self._usage(tokens, 0),
            )
        scale = hidden.traits.difficulty * law.factor(hidden.topic)
        rates = law.rates[hidden.traits.domain]
        mask = 0
        if previous is None:
            for index, rate in enumerate(rates):
                if u[1 + index] >= math.exp(-scale * rate):
                    mask |= 1 << index
        else:
            for index, rate in enumerate(rates):
                kept = previous.mask >> index & 1
                fail = 1 - math.exp(-REFINEMENT * scale * rate)
                if u[1 + index] < ANCHORING * kept + (1 - ANCHORING) * fail:
                    mask |= 1 << index
        style = (u[10] > SOLVER_STYLE[0]) + (u[10] > SOLVER_STYLE[0] + SOLVER_STYLE[1])
        nonce = _NONCE(int(u[12] * _WORD), int(u[13] * _WORD))
        output = self._render(item.id, hidden.topic, mask, style, nonce)
        return Execution(
            item=item.id,
            output=output,
            trace=self.profile.trace.format(topic=hidden.topic, steps=2 + int(3 * u[11])),
            usage=self._usage(tokens, len(output) // _CHARACTERS),
        )

    def judge(
        self, component: Component, item: Item, execution: Execution, /, *, draw: Draw
    ) -> Verdict:
        """Judge with a grader's text: what it reports is right as often as its checks make it."""
        if execution.status != "ok":
            return Verdict(score=None, status=execution.status)
        outcome = self._seal.open(item.id, execution.output)
        if outcome is None:
            return Verdict(score=None, status="invalid", critique="This is no outcome of the task.")
        digest = component.digest
        law = self._grader(component, digest)
        u = chances(draw, f"{digest}\x1f{execution.output}")
        text = execution.output or ""
        tokens = (law.characters + len(item.input) + len(text)) // _CHARACTERS
        if u[0] < self.settings.judge_errors:
            return Verdict(score=None, status="judge_error", usage=self._usage(tokens, 0))
        left, complaints, praise = 1.0, [], []
        for index, mode in enumerate(self.profile.modes):
            chance = law.sensitivity[index] if outcome.mask >> index & 1 else law.alarms
            if u[1 + index] < chance:
                left *= 1 - mode.severity
                complaints.append(mode.complaint)
            else:
                praise.append(mode.praise)
        noise = law.noise * math.log(u[10] / (1 - u[10]))
        raw = left + law.style * (outcome.style - 1) + noise
        score = min(STEPS, max(0, math.floor(STEPS * raw + 0.5))) / STEPS
        if praise:
            complaints.append(praise[int(u[11] * len(praise))])
        critique = " ".join(complaints)
        return Verdict(
            score=score,
            critique=critique,
            usage=self._usage(tokens, len(critique) // _CHARACTERS),
        )

    def prefer(
        self,
        component: Component,
        pair: Pair,
        /,
        *,
        first: Literal["better", "worse"],
        draw: Draw,
    ) -> Verdict:
        """Compare a pair in one order: 1 for the better outcome, 0 for the worse, 1/2 for a tie.

        With chance `position_bias` the one shown first wins unread; otherwise both are scored.
        """
        if chances(draw, f"order\x1f{first}\x1f{pair.id}")[0] < self.settings.position_bias:
            return Verdict(score=1.0 if first == "better" else 0.0)
        sides = [
            self.judge(component, pair.item, side, draw=draw.child(name))
            for name, side in (("better", pair.better), ("worse", pair.worse))
        ]
        usage = sides[0].usage + sides[1].usage
        better, worse = (side.score for side in sides)
        if better is None or worse is None:
            status = next(side.status for side in sides if side.score is None)
            return Verdict(score=None, status=status, usage=usage)
        return Verdict(score=(1 + (better > worse) - (better < worse)) / 2, usage=usage)

    def verify(
        self, item: Item, execution: Execution, /, *, verifier: str = "reference"
    ) -> Verdict:
        """Judge against the truth.

        ``reference``: 1 for an outcome without any fault. ``V0``: lets mild faults pass.
        ``V1``: also rejects a known share of faultless outcomes. ``auxiliary``: the quality that
        the faults leave.
        """
        if execution.status != "ok":
            return Verdict(score=None, status=execution.status)
        outcome = self._seal.open(item.id, execution.output)
        return verdict_of(self.profile, self.settings, outcome, verifier=verifier)

    def truth(
        self, component: Component, split: str, *, verifier: VerifierName = "reference"
    ) -> float:
        """Return the expected score of a solver on a split or on new items (``population``).

        Exact: enumerated over items and modes, or integrated over the law of items.

        Raises
        ------
        ArgumentError
            If the split has no items, or the verifier is unknown.
        """
        law = self._solver(component, component.digest)
        if split == "population":
            return truths.population_truth(
                self.profile, self.settings, self.population, law, verifier
            )
        hidden = [self._stock.known(item.id) for item in self.items(split)]
        return truths.split_truth(self.profile, self.settings, hidden, law, verifier)

    def retry_truth(self, component: Component, split: str, *, tries: int) -> float:
        """Return the expected score of the last of several tries, each revising the one before."""
        law = self._solver(component, component.digest)
        hidden = [self._stock.known(item.id) for item in self.items(split)]
        return truths.retry_truth(hidden, law, tries, anchoring=ANCHORING, refinement=REFINEMENT)

    def parallel_truth(self, component: Component, split: str, *, tries: int) -> float:
        """Chance that at least one of several independent tries succeeds: exact."""
        law = self._solver(component, component.digest)
        hidden = [self._stock.known(item.id) for item in self.items(split)]
        return truths.parallel_truth(hidden, law, tries)

    def correlation(self, component: Component) -> tuple[float, float]:
        """Correlation of two executions of one new item, and of two items of a cluster: exact."""
        law = self._solver(component, component.digest)
        return truths.correlations(self.population, law)

    def grader_truth(self, component: Component, split: str) -> float:
        """Return the expected agreement of a grader on the pairs of a split, or on new ones.

        The chance that it scores the better outcome higher, ties half.
        """
        law = self._grader(component, component.digest)
        if split == "population":
            return truths.population_agreement(self.profile, law)
        found = [
            (self._outcome(pair, pair.better), self._outcome(pair, pair.worse))
            for pair in self.pairs(split)
        ]
        return truths.pair_truth(self.profile, law, found)

    def preference_truth(self, component: Component, split: str) -> float:
        """Return the expected credit of :meth:`prefer`, averaged over both orders."""
        bias = self.settings.position_bias
        return (1 - bias) * self.grader_truth(component, split) + bias / 2

    def _outcome(self, pair: Pair, execution: Execution) -> Outcome:
        found = self._seal.open(pair.item.id, execution.output)
        if found is None:
            raise ArgumentError(f"pair {pair.id!r} is not one of this world's")
        return found

    def _solver(self, component: Component, digest: str) -> SolverLaw:
        law = self._solvers.get(digest)
        if law is None:
            law = solver_law(self.profile, self.population, component)
            _keep(self._solvers, digest, law)
        return law

    def _grader(self, component: Component, digest: str) -> GraderLaw:
        law = self._graders.get(digest)
        if law is None:
            law = grader_law(self.profile, self.ability, component)
            _keep(self._graders, digest, law)
        return law

    def _render(self, item: str, topic: str, mask: int, style: int, nonce: bytes) -> str:
        token = self._seal.close(item, mask, style, nonce)
        text = self.profile.answer.format(topic=topic, token=token)
        return text + "".join(self.profile.extras[:style])

    def _usage(self, inputs: int, outputs: int) -> Usage:
        prices = (self.settings.input_price, self.settings.output_price)
        cost = None
        if prices[0] is not None or prices[1] is not None:
            cost = (inputs * (prices[0] or 0.0) + outputs * (prices[1] or 0.0)) / 1e6
        return Usage(calls=1, input_tokens=inputs, output_tokens=outputs, cost=cost)


def _keep(cache: dict[str, T], digest: str, law: T) -> None:
    cache[digest] = law
    while len(cache) > _KEPT_LAWS:
        cache.pop(next(iter(cache)), None)


def build(settings: Mapping[str, object], seed: int) -> SimulatedWorld:
    """Build a world from the ``[environment]`` table of a loop file.

    Parameters
    ----------
    settings : mapping
        The fields of :class:`SimulationSettings`.
    seed : int
        Seed of the world.

    Returns
    -------
    SimulatedWorld

    Raises
    ------
    ArgumentError
        If a setting is unknown or out of range.
    """
    return SimulatedWorld(parse_settings(settings), seed)
