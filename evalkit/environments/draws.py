"""Randomness by name: a draw depends on the seed and on what it is for, never on its turn."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

__all__ = ["Draw"]


@dataclass(frozen=True, slots=True)
class Draw:
    """A named source of random numbers.

    Two draws with the same path give the same numbers, whatever was drawn between them and
    however many workers there are.

    Attributes
    ----------
    path : tuple of str
        Seed, then what the draw is for.

    Examples
    --------
    >>> root = Draw.of(0)
    >>> root.child("solve", "item-1").uniform() == root.child("solve", "item-1").uniform()
    True
    """

    path: tuple[str, ...]

    @classmethod
    def of(cls, seed: int) -> Draw:
        """Return the root of a seed; 0 is a seed."""
        return cls((str(seed),))

    def child(self, *names: str | int) -> Draw:
        """Return the draw for a purpose within this one."""
        return Draw((*self.path, *map(str, names)))

    def integer(self) -> int:
        """Return 64 bits; the seed that a model is given."""
        text = "\x1f".join(part.replace("\x1f", "\x1f\x1f") for part in self.path)
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")

    def uniform(self) -> float:
        """Return one number in [0, 1)."""
        return (self.integer() >> 11) / (1 << 53)

    def generator(self) -> np.random.Generator:
        """Return a generator for many numbers."""
        return np.random.default_rng(self.integer())
