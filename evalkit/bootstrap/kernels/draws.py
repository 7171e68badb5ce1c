"""Multinomial weights, one stream of random bits for each replicate.

The generator is splitmix64 (Steele, Lea and Flood 2014) read by position: word j of replicate r is
``mix(key + (r 2^36 + j) γ)``, so no two replicates share a word below 2^36 words each, and any of
them can be made on its own, by any thread, in any order.

*Weights.* Item i first gets a Poisson count N_i of mean ``λ = 1 - 2.5 / sqrt(n)``, by comparing 32
random bits with the tail probabilities of that law. Given their sum T, independent Poisson counts
are multinomial with T draws; where T <= n, n - T further draws make it n, and the result is
multinomial with n draws. Where T > n (0.6 % of the replicates) all counts are drawn anew. The
comparisons have no branch and no scattered store, which is what limits drawing n indices.
Tail probabilities are rounded to 2^-32; indices are unbiased (Lemire 2019).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from evalkit.bootstrap.kernels.jit import fast_jit, jit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FEW_UNITS", "WORDS", "fill_row", "fill_weights", "poisson_tails", "widen"]

FEW_UNITS = 64
"""Units up to which n indices are drawn."""
_TAILS = 13  # P(N >= 14) < 2^-33 for a mean of 1
_COMMON = 6  # counts beyond this one are rare: they are looked for afterwards
_REACH = 2.5
_STRIDE = np.uint64(36)
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_M1, _M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_R1, _R2, _R3 = np.uint64(30), np.uint64(27), np.uint64(31)
_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
WORDS = 1024
"""Random words made at a time, two units each."""


@lru_cache(maxsize=64)
def poisson_tails(units: int) -> NDArray[np.uint32]:
    """Return ``2^32 P(N >= k)`` for k = 1..13, N a Poisson count of the mean used for n units."""
    rate = max(0.0, 1.0 - _REACH / math.sqrt(units))
    law = [math.exp(-rate) * rate**k / math.factorial(k) for k in range(40)]
    tails = [math.fsum(law[k:]) for k in range(1, _TAILS + 1)]
    return np.array([round(math.ldexp(p, 32)) for p in tails], dtype=np.uint32)


@jit
def _word(place: np.uint64) -> np.uint64:
    """Mix a position of the sequence into 64 random bits."""
    z = place
    z = (z ^ (z >> _R1)) * _M1
    z = (z ^ (z >> _R2)) * _M2
    return np.uint64(z ^ (z >> _R3))


@jit
def _fill_words(place: np.uint64, words: NDArray[np.uint64]) -> None:
    for i in range(words.size):
        words[i] = _word(place + np.uint64(i) * _GAMMA)


@fast_jit
def _count_tails(
    bits: NDArray[np.uint32], tails: NDArray[np.uint32], counts: NDArray[np.float32]
) -> float:
    """Fill Poisson counts by inversion; return their sum."""
    t1, t2, t3, t4 = tails[0], tails[1], tails[2], tails[3]
    t5, t6, t7 = tails[4], tails[5], tails[6]
    one, none = np.float32(1.0), np.float32(0.0)
    total = rare = none
    for i in range(counts.size):
        u = bits[i]
        low = (one if u < t1 else none) + (one if u < t2 else none) + (one if u < t3 else none)
        high = (one if u < t4 else none) + (one if u < t5 else none) + (one if u < t6 else none)
        counts[i] = low + high
        total += low + high
        rare += one if u < t7 else none
    if rare > none:
        for i in range(counts.size):
            if bits[i] < t7:
                for k in range(_COMMON, tails.size):
                    more = one if bits[i] < tails[k] else none
                    counts[i] += more
                    total += more
    return float(total)


@jit
def _poisson(
    place: np.uint64, tails: NDArray[np.uint32], words: NDArray[np.uint64], row: NDArray[np.float32]
) -> int:
    """Fill a row with Poisson counts, a block at a time; return their sum."""
    total = 0.0
    bits = words.view(np.uint32)
    for start in range(0, row.size, 2 * WORDS):
        counts = row[start : start + 2 * WORDS]
        _fill_words(place + np.uint64(start // 2) * _GAMMA, words[: (counts.size + 1) // 2])
        total += _count_tails(bits, tails, counts)
    return int(total)


@jit
def _add_draws(place: np.uint64, draws: int, row: NDArray[np.float32]) -> None:
    """Add the counts of further draws, two from each 64 bits.

    A draw is the upper half of ``bits * n``; bits whose lower half falls below ``2^32 mod n`` are
    drawn again, so all units are exactly as likely.
    """
    size = np.uint64(row.size)
    reject = np.uint64(2**32 % row.size)
    drawn = 0
    while drawn < draws:
        bits = _word(place)
        place += _GAMMA
        product = (bits & _LOW) * size
        if (product & _LOW) >= reject:
            row[np.int64(product >> _HALF)] += np.float32(1.0)
            drawn += 1
        product = (bits >> _HALF) * size
        if drawn < draws and (product & _LOW) >= reject:
            row[np.int64(product >> _HALF)] += np.float32(1.0)
            drawn += 1


@jit
def fill_row(
    key: np.uint64,
    replicate: int,
    tails: NDArray[np.uint32],
    words: NDArray[np.uint64],
    row: NDArray[np.float32],
) -> None:
    """Fill a row with the weights of a replicate; they depend on nothing else."""
    units = row.size
    place = key + (np.uint64(replicate) << _STRIDE) * _GAMMA
    total = 0
    if units > FEW_UNITS:
        total = units + 1
        while total > units:
            total = _poisson(place, tails, words, row)
            place += np.uint64((units + 1) // 2) * _GAMMA
    else:
        for i in range(units):
            row[i] = 0.0
    _add_draws(place, units - total, row)


@fast_jit
def widen(row: NDArray[np.float32], wide: NDArray[np.float64]) -> None:
    """Copy to double precision; an assignment of slices would not be vectorised."""
    for i in range(row.size):
        wide[i] = row[i]


@jit
def fill_weights(
    key: np.uint64, first: int, tails: NDArray[np.uint32], weights: NDArray[np.float64]
) -> None:
    """Fill row r with the weights of replicate ``first + r``."""
    words, row = np.empty(WORDS, np.uint64), np.empty(weights.shape[1], np.float32)
    for r in range(weights.shape[0]):
        fill_row(key, first + r, tails, words, row)
        widen(row, weights[r])
