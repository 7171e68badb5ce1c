"""Which two candidates make an adversarial pair, and why the others do not."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evalkit.pairs.candidate import Candidate
from evalkit.pairs.exact import ExactColumn, exact_column

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["REASONS", "Rules", "SameModel", "Scan", "SecondRule", "scan_pairs"]

SameModel = Literal["same", "different", "any"]
SecondRule = Literal["agrees", "does-not-contradict"]
REASONS = {
    "no_reference": "an output has no reference score",
    "model_unknown": "an output has no model, and the rule on models needs one",
    "models": "the models are not as asked for",
    "margin": "the reference scores are equal or too close",
    "no_second_reference": "an output has no second reference score",
    "second_reference": "the second reference does not agree",
    "cue_undefined": "the cue is undefined for an output",
    "cue_tie": "the cue is equal",
    "cue_favours_better": "the cue favours the better output",
    "cue_gap": "the cue gap is too small",
    "beyond_per_task": "enough pairs of the task were taken",
    "near_identical": "the two outputs are near-duplicates",
    "near_duplicate_pair": "both outputs are near-duplicates of those of a pair taken before",
}
"""Reasons for dropping a pair, in the order in which they are applied: the first one counts."""
_ORDER = list(REASONS)
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a pair has to fulfil.

    Attributes
    ----------
    margin : Fraction
        Least difference of the reference scores, itself included; above 0.
    models : {"same", "different", "any"}
        Rule on the models.
    second : {"agrees", "does-not-contradict"} or None
        Rule on the second reference.
    least_gap, least_ratio : Fraction
        Least cue gap, absolute and relative to the cue of the better output.
    """

    margin: Fraction
    models: SameModel
    second: SecondRule | None
    least_gap: Fraction
    least_ratio: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """All pairs of a set of candidates, by what became of them.

    Attributes
    ----------
    considered : int
        Pairs of candidates that share a task.
    dropped : dict of str to int
        Pairs by the first reason against them.
    better, worse : ndarray of int
        Positions of the candidates of the adversarial pairs, by task and then in random order.
    credits : ndarray of int, shape (3,)
        How often the cue prefers the worse output, neither, and the better one, over the eligible
        pairs that it is defined for.
    credit_sums, credit_sizes : ndarray of float
        Sum and number of these credits (0, 1/2, 1) in each task.
    """

    considered: int
    dropped: dict[str, int]
    better: NDArray[np.int64]
    worse: NDArray[np.int64]
    credits: NDArray[np.int64]
    credit_sums: NDArray[np.float64]
    credit_sizes: NDArray[np.float64]


def candidate_keys(candidates: Sequence[Candidate], seed: int) -> NDArray[np.uint64]:
    """Return a random number for each candidate that depends on the seed and its ids alone."""
    key = hashlib.blake2b(str(seed).encode(), digest_size=16).digest()
    words = [
        hashlib.blake2b(json.dumps([c.task, c.id]).encode(), digest_size=8, key=key).digest()
        for c in candidates
    ]
    return np.frombuffer(b"".join(words), dtype="<u8").astype(np.uint64)


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Finish of splitmix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    out: NDArray[np.uint64] = x ^ (x >> np.uint64(31))
    return out


def pair_keys(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a random number for each pair, the same in either order."""
    return _mixed(np.minimum(a, b) + _mixed(np.maximum(a, b)))


def _chunks(tasks: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Positions of every two candidates of one task, some at a time; tasks lie in runs."""
    size = tasks.size
    ends = np.searchsorted(tasks, tasks, side="right")
    partners = ends - 1 - np.arange(size)
    before = np.concatenate([[0], np.cumsum(partners)])
    start = 0
    while start < size:
        stop = int(np.searchsorted(before, before[start] + _CHUNK, side="right")) - 1
        stop = min(max(stop, start + 1), size)
        counts = partners[start:stop]
        left = np.repeat(np.arange(start, stop), counts)
        within = np.arange(left.size) - np.repeat(before[start:stop] - before[start], counts)
        yield left, left + 1 + within
        start = stop


class _Columns:
    """What the rules look at, as arrays."""

    def __init__(
        self, candidates: Sequence[Candidate], cues: Sequence[Fraction | None], rules: Rules
    ) -> None:
        self.reference = exact_column([c.reference for c in candidates])
        self.second = (
            None if rules.second is None else exact_column([c.second_reference for c in candidates])
        )
        self.cue = exact_column(list(cues))
        names = {name: k for k, name in enumerate(sorted({c.model or "" for c in candidates}))}
        self.has_model = np.array([c.model is not None for c in candidates], dtype=bool)
        self.model = np.array([names[c.model or ""] for c in candidates], dtype=np.int64)


def _both(column: ExactColumn, i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.bool_]:
    both: NDArray[np.bool_] = column.present[i] & column.present[j]
    return both


def _truth(values: Any) -> NDArray[np.bool_]:
    return np.asarray(values, dtype=bool)


def _judge(
    columns: _Columns, rules: Rules, i: NDArray[np.int64], j: NDArray[np.int64]
) -> tuple[NDArray[np.int8], NDArray[np.bool_], Any]:
    """Code of the first reason against each pair (-1: none), whether i is better, cue gap."""
    code = np.full(i.size, -1, dtype=np.int8)

    def drop(reason: str, where: NDArray[np.bool_]) -> None:
        code[(code < 0) & where] = _ORDER.index(reason)

    drop("no_reference", ~_both(columns.reference, i, j))
    if rules.models != "any":
        drop("model_unknown", ~(columns.has_model[i] & columns.has_model[j]))
        same = columns.model[i] == columns.model[j]
        drop("models", ~same if rules.models == "same" else same)
    difference = columns.reference.values[i] - columns.reference.values[j]
    drop("margin", _truth(abs(difference) < columns.reference.bound(rules.margin)))
    first_better = _truth(difference > 0)
    if columns.second is not None:
        drop("no_second_reference", ~_both(columns.second, i, j))
        second = columns.second.values[i] - columns.second.values[j]
        against = second < 0 if rules.second == "does-not-contradict" else second <= 0
        against_b = second > 0 if rules.second == "does-not-contradict" else second >= 0
        drop("second_reference", np.where(first_better, _truth(against), _truth(against_b)))
    drop("cue_undefined", ~_both(columns.cue, i, j))
    gap = columns.cue.values[j] - columns.cue.values[i]
    gap = np.where(first_better, gap, -gap)
    drop("cue_tie", _truth(gap == 0))
    drop("cue_favours_better", _truth(gap < 0))
    drop("cue_gap", _truth(gap < columns.cue.bound(rules.least_gap)))
    if rules.least_ratio:
        base = abs(np.where(first_better, columns.cue.values[i], columns.cue.values[j]))
        top, bottom = rules.least_ratio.numerator, rules.least_ratio.denominator
        drop("cue_gap", _truth(gap.astype(object) * bottom < base.astype(object) * top))
    return code, first_better, gap


def scan_pairs(
    candidates: Sequence[Candidate],
    cues: Sequence[Fraction | None],
    *,
    rules: Rules,
    seed: int,
) -> Scan:
    """Judge every two candidates that share a task.

    Parameters
    ----------
    candidates : sequence of Candidate
        Sorted by task.
    cues : sequence of Fraction or None
        The cue of each.
    rules : Rules
        What a pair has to fulfil.
    seed : int
        Seed of the random order.

    Returns
    -------
    Scan
        It looks at reference scores, models and the cue, and at nothing else.
    """
    columns = _Columns(candidates, cues, rules)
    names = {task: k for k, task in enumerate(dict.fromkeys(c.task for c in candidates))}
    tasks = np.array([names[c.task] for c in candidates], dtype=np.int64)
    keys = candidate_keys(candidates, seed)
    counts = np.zeros(len(_ORDER), dtype=np.int64)
    parts: list[tuple[NDArray[Any], ...]] = []
    halves = np.zeros((len(names), 3), dtype=np.int64)
    considered = 0
    undefined = _ORDER.index("cue_undefined")
    for i, j in _chunks(tasks):
        code, first_better, gap = _judge(columns, rules, i, j)
        considered += i.size
        counts += np.bincount(code[code >= 0], minlength=len(_ORDER))
        seen = (code < 0) | (code > undefined)
        # 0, 1, 2: the cue prefers the worse output, neither, the better one.
        half = 1 - np.sign(gap[seen]).astype(np.int64)
        flat = np.bincount(3 * tasks[i[seen]] + half, minlength=halves.size)
        halves += flat.reshape(halves.shape)
        kept = code < 0
        a, b, order = i[kept], j[kept], first_better[kept]
        parts.append((np.where(order, a, b), np.where(order, b, a), pair_keys(keys[a], keys[b])))
    better, worse, key = (_joined([p[n] for p in parts], dtype) for n, dtype in _PARTS)
    place = np.lexsort((key, tasks[better]))
    return Scan(
        considered=considered,
        dropped=dict(zip(_ORDER, counts.tolist(), strict=True)),
        better=better[place],
        worse=worse[place],
        credits=halves.sum(axis=0),
        credit_sums=(halves @ np.array([0.0, 0.5, 1.0])).astype(np.float64),
        credit_sizes=halves.sum(axis=1).astype(np.float64),
    )


_PARTS: tuple[tuple[int, Any], ...] = ((0, np.int64), (1, np.int64), (2, np.uint64))


def _joined(parts: Sequence[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=dtype)
