"""Many uniform numbers from one draw, for the price of two hashes."""

from __future__ import annotations

import hashlib
import struct

from evalkit.environments.draws import Draw

__all__ = ["COUNT", "chances"]

COUNT = 16
_UNPACK = struct.Struct(f">{COUNT}I").unpack
_SCALE = 1 / (1 << 32)


def chances(draw: Draw, purpose: str) -> list[float]:
    """Return 16 numbers in (0, 1) that depend on the draw and on the purpose alone.

    Examples
    --------
    >>> chances(Draw.of(0), "a") == chances(Draw.of(0), "a") != chances(Draw.of(0), "b")
    True
    """
    digest = hashlib.blake2b(purpose.encode(), key=draw.integer().to_bytes(8, "big")).digest()
    return [(value + 0.5) * _SCALE for value in _UNPACK(digest)]
