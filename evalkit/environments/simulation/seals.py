"""Sealed outcomes: a token that only its world can read."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

__all__ = ["Outcome", "Seal"]

_TOKEN = re.compile(r"\brecord ([0-9a-f]{28})\b")
_BODY, _CHECK, _NONCE, _LUCK = 2, 4, 8, 4


@dataclass(frozen=True, slots=True)
class Outcome:
    """What really came of an execution.

    Attributes
    ----------
    mask : int
        Failure modes that occurred, one bit each.
    style : int
        Sentences added to the answer: 0, 1 or 2.
    luck : float
        A number in [0, 1) that no text depends on, fixed for this outcome.
    """

    mask: int
    style: int
    luck: float


class Seal:
    """Writes and reads tokens with the key of one world.

    Parameters
    ----------
    key : bytes
        16 to 64 bytes.
    """

    __slots__ = ("_check", "_pad")

    def __init__(self, key: bytes) -> None:
        self._pad = hashlib.blake2b(b"pad", key=key).digest()
        self._check = hashlib.blake2b(b"check", key=key).digest()

    def close(self, item: str, mask: int, style: int, nonce: bytes) -> str:
        """Return the token of an outcome; `nonce` holds 8 random bytes."""
        text = item.encode()
        body = ((mask << 8) | style).to_bytes(_BODY, "big")
        pad = hashlib.blake2b(nonce + text, key=self._pad, digest_size=_BODY + _LUCK).digest()
        check = hashlib.blake2b(nonce + body + text, key=self._check, digest_size=_CHECK).digest()
        hidden = bytes((body[0] ^ pad[0], body[1] ^ pad[1]))
        return (nonce + hidden + check).hex()

    def open(self, item: str, text: str | None) -> Outcome | None:
        """Return the outcome in a text; ``None`` unless this world made it for this item."""
        found = None if text is None else _TOKEN.search(text)
        if found is None:
            return None
        raw = bytes.fromhex(found.group(1))
        nonce, hidden, check = raw[:_NONCE], raw[_NONCE : _NONCE + _BODY], raw[_NONCE + _BODY :]
        name = item.encode()
        pad = hashlib.blake2b(nonce + name, key=self._pad, digest_size=_BODY + _LUCK).digest()
        body = bytes((hidden[0] ^ pad[0], hidden[1] ^ pad[1]))
        made = hashlib.blake2b(nonce + body + name, key=self._check, digest_size=_CHECK).digest()
        if made != check:
            return None
        return Outcome(body[0], body[1], int.from_bytes(pad[_BODY:], "big") / 2**32)
