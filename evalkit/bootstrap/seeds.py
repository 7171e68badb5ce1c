"""Seeds: what may be one, and one independent stream for each block of replicates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evalkit.errors import ArgumentError

__all__ = ["BLOCK", "PIECE", "Streams", "check_seed", "streams"]

BLOCK = 64
"""Replicates that share a stream: fixed, so that no setting of memory or threads can matter."""
PIECE = 4 * BLOCK
"""Replicates handed to a thread at once."""


@dataclass(frozen=True, slots=True)
class Streams:
    """Independent generators by block number.

    Attributes
    ----------
    seed : int
        The seed, drawn from the operating system when none was given: the run can be repeated.
    """

    seed: int

    def generator(self, block: int) -> np.random.Generator:
        """Return the generator of a block; the same one every time it is asked for."""
        return np.random.Generator(np.random.PCG64(self._sequence(block)))

    def key(self) -> np.uint64:
        """Return the word from which the compiled streams of all replicates start."""
        return np.uint64(np.random.SeedSequence(self.seed).generate_state(1, np.uint64)[0])

    def _sequence(self, block: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.seed, spawn_key=(block,))


def streams(rng: int | np.integer | np.random.Generator | None) -> Streams:
    """Make streams from a seed, a generator, or entropy of the operating system.

    Parameters
    ----------
    rng : int, Generator or None
        A non-negative seed, 0 included; a generator, from which one seed is drawn; ``None``
        draws entropy, which `Streams.seed` reports.

    Returns
    -------
    Streams

    Raises
    ------
    ArgumentError
        If `rng` is a boolean, negative, or something else.

    Examples
    --------
    >>> streams(0).seed, streams(np.int64(7)).seed
    (0, 7)
    """
    if rng is None:
        return Streams(_entropy())
    if isinstance(rng, np.random.Generator):
        return Streams(int(rng.integers(2**63)))
    check_seed(rng)
    return Streams(int(rng))


def check_seed(rng: object) -> None:
    """Refuse what is no seed: truth values, negative numbers, and other types.

    Parameters
    ----------
    rng : object
        A whole number, a numpy Generator or ``None`` passes.

    Raises
    ------
    ArgumentError
        If `rng` is a boolean, negative, or something else.
    """
    if rng is None or isinstance(rng, np.random.Generator):
        return
    if isinstance(rng, (bool, np.bool_)) or not isinstance(rng, (int, np.integer)):
        raise ArgumentError(
            f"`rng` is {rng!r}; it must be a non-negative whole number, a numpy Generator or None"
        )
    if rng < 0:
        raise ArgumentError(f"`rng` is {rng}; a seed must not be negative, use 0 or more")


def _entropy() -> int:
    drawn = np.random.SeedSequence().entropy
    return int(drawn) if isinstance(drawn, int) else 0
