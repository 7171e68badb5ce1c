"""Exact law of a whole run behind a gate: a Markov chain over truths and observed counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evalkit.errors import ArgumentError
from evalkit.results import json_value
from evalkit.trajectories.gates import Gate
from evalkit.trajectories.operating_laws import count_decisions, pair_decisions
from evalkit.trajectories.paired_gates import PairedGate

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["EffectPrior", "RunCharacteristics", "run_characteristics"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectPrior:
    """How often a candidate is truly better than the incumbent, equal to it, or worse.

    Attributes
    ----------
    better, equal, worse : float
        Chances; they add up to 1.
    """

    better: float
    equal: float
    worse: float

    def __post_init__(self) -> None:
        values = (self.better, self.equal, self.worse)
        if min(values) < 0 or abs(sum(values) - 1) > 1e-9:
            raise ArgumentError(f"`prior` is {values}; chances are at least 0 and add up to 1")

    def to_dict(self) -> dict[str, Any]:
        """Return the chances."""
        return {"better": self.better, "equal": self.equal, "worse": self.worse}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCharacteristics:
    """What is to be expected of a run of several rounds behind one gate.

    Attributes
    ----------
    rounds : int
        Candidates, one a round.
    prior : EffectPrior
        What candidates are like.
    acceptances, noise_acceptances : float
        Expected accepted candidates, and those among them that are not truly better than the
        incumbent they revise.
    new_bests, noise_new_bests : float
        The same of accepted candidates that also score above the best so far.
    real_share : float or None
        ``1 - noise_new_bests / new_bests``; ``None`` where no new best is possible.
    any_noise_new_best : float
        Chance of at least one new best that is noise.
    drift : float
        Expected true rate of the last incumbent less that of the parent.
    best_gain : float
        Expected true rate of the best artifact less that of the parent.
    best_validation : float
        Expected validation score of the best artifact, at its selection.
    tax : float
        ``best_validation`` less the expected true rate of the best artifact.
    """

    rounds: int
    prior: EffectPrior
    acceptances: float
    noise_acceptances: float
    new_bests: float
    noise_new_bests: float
    real_share: float | None
    any_noise_new_best: float
    drift: float
    best_gain: float
    best_validation: float
    tax: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "rounds": self.rounds,
            "prior": self.prior.to_dict(),
            "acceptances": self.acceptances,
            "noise_acceptances": self.noise_acceptances,
            "new_bests": self.new_bests,
            "noise_new_bests": self.noise_new_bests,
            "real_share": json_value(self.real_share),
            "any_noise_new_best": self.any_noise_new_best,
            "drift": self.drift,
            "best_gain": self.best_gain,
            "best_validation": self.best_validation,
            "tax": self.tax,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chain:
    """Items that are settled and open, the ladder of true rates, and the gate's decisions."""

    n: int
    settled: int
    rates: NDArray[np.float64]  # of the open items, by level
    start: int
    laws: NDArray[np.float64]  # level x count
    decisions: NDArray[np.float64]  # reference count x candidate count
    against_best: bool

    @property
    def truths(self) -> NDArray[np.float64]:
        """True rate of all items, by level."""
        open_items = self.laws.shape[1] - 1
        found: NDArray[np.float64] = (self.settled + open_items * self.rates) / self.n
        return found


@dataclass(slots=True)
class _Flow:
    """Distribution over (level, incumbent's count, best count), and what was counted on the way."""

    mass: NDArray[np.float64]
    truth: NDArray[np.float64]  # mass times true rate of the best artifact
    clean: NDArray[np.float64]  # mass without any noise new best
    counts: dict[str, float]


def _chain(
    gate: Gate, *, n: int, base: float, effect: float, correlation: float, rounds: int
) -> _Chain:
    from scipy.stats import binom

    open_items = max(1, round((1 - correlation) * n))
    settled = round(base * (n - open_items))
    start_rate = min(1.0, max(0.0, (base * n - settled) / open_items))
    step = effect * n / open_items
    ladder = np.clip(start_rate + step * np.arange(-rounds, rounds + 1), 0.0, 1.0)
    rates = np.asarray(np.unique(ladder), dtype=np.float64)  # equal rungs at 0 and 1 are one rung
    return _Chain(
        n=n,
        settled=settled,
        rates=rates,
        start=int(np.argmin(np.abs(rates - start_rate))),
        laws=np.asarray(binom.pmf(np.arange(open_items + 1)[None, :], open_items, rates[:, None])),
        decisions=pair_decisions(gate, n, open_items=open_items)
        if isinstance(gate, PairedGate)
        else count_decisions(gate, n, settled=settled, open_items=open_items),
        against_best=getattr(gate, "reference", "incumbent") == "best",
    )


def _accepted(chain: _Chain, state: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mass by level, best count and candidate count, before the candidate's own law."""
    if chain.against_best:
        found: NDArray[np.float64] = state.sum(axis=1)[:, :, None] * chain.decisions[None, :, :]
        return found
    flow: NDArray[np.float64] = np.einsum("juw,uv->jwv", state, chain.decisions, optimize=True)
    return flow


def _advance(chain: _Chain, flow: _Flow, weights: dict[int, float]) -> _Flow:
    """Carry the distribution through one round."""
    levels, size = chain.laws.shape
    counts = np.arange(size)
    above = counts[None, :] > counts[:, None]  # best count x candidate count
    truths = chain.truths
    taken = {name: _accepted(chain, getattr(flow, name)) for name in ("mass", "truth", "clean")}
    new = {name: np.zeros_like(flow.mass) for name in taken}
    refused = np.ones((levels, size))
    seen = dict(flow.counts)
    for move, weight in weights.items():
        if not weight:
            continue
        for level in range(levels):
            target = min(levels - 1, max(0, level + move))
            law = weight * chain.laws[target]
            refused[level] -= chain.decisions @ law
            real = truths[target] > truths[level]
            flows = {name: table[level] * law for name, table in taken.items()}
            kept = {name: np.where(above, 0.0, part) for name, part in flows.items()}
            fresh = {name: np.where(above, part, 0.0).sum(axis=0) for name, part in flows.items()}
            for name, part in kept.items():
                new[name][target] += part.T
            new["mass"][target, counts, counts] += fresh["mass"]
            new["truth"][target, counts, counts] += fresh["mass"] * truths[target]
            if real:
                new["clean"][target, counts, counts] += fresh["clean"]
            total, best = float(flows["mass"].sum()), float(fresh["mass"].sum())
            seen["acceptances"] += total
            seen["new_bests"] += best
            seen["noise_acceptances"] += 0.0 if real else total
            seen["noise_new_bests"] += 0.0 if real else best
    stays = refused[:, None, :] if chain.against_best else refused[:, :, None]
    return _Flow(
        mass=new["mass"] + flow.mass * stays,
        truth=new["truth"] + flow.truth * stays,
        clean=new["clean"] + flow.clean * stays,
        counts=seen,
    )


def run_characteristics(
    gate: Gate,
    *,
    n: int,
    base: float,
    effect: float,
    correlation: float,
    rounds: int,
    prior: EffectPrior,
) -> RunCharacteristics:
    """Carry the exact law of a run through its rounds; see `operating_characteristics`."""
    chain = _chain(gate, n=n, base=base, effect=effect, correlation=correlation, rounds=rounds)
    levels, size = chain.laws.shape
    start = np.zeros((levels, size, size))
    diagonal = np.arange(size)
    start[chain.start, diagonal, diagonal] = chain.laws[chain.start]
    truths = chain.truths
    names = ("acceptances", "noise_acceptances", "new_bests", "noise_new_bests")
    flow = _Flow(start, start * truths[chain.start], start.copy(), dict.fromkeys(names, 0.0))
    for _ in range(rounds):
        flow = _advance(chain, flow, {1: prior.better, 0: prior.equal, -1: prior.worse})
    best = float(flow.mass.sum(axis=(0, 1)) @ (chain.settled + diagonal)) / n
    truth = float(flow.truth.sum())
    bests = flow.counts["new_bests"]
    return RunCharacteristics(
        rounds=rounds,
        prior=prior,
        **flow.counts,
        real_share=1 - flow.counts["noise_new_bests"] / bests if bests > 1e-12 else None,
        any_noise_new_best=min(1.0, max(0.0, 1 - float(flow.clean.sum()))),
        drift=float(flow.mass.sum(axis=(1, 2)) @ truths) - float(truths[chain.start]),
        best_gain=truth - float(truths[chain.start]),
        best_validation=best,
        tax=best - truth,
    )
