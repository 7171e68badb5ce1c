"""Blinded presentation: what graders see of a contrast set, and the key that they do not see.

The rows for graders are types without a field for family, direction, or item. Ids are hashes, rows
stand in the order of their ids, and sides are balanced within each family.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from evalkit.contrasts.building import Contrast, ContrastSet
from evalkit.contrasts.degradation import opaque, seeded
from evalkit.errors import ArgumentError, InputError

__all__ = ["BlindPair", "BlindResponse", "Blinded", "Key", "KeyRow", "blind", "key_row"]

Side = Literal["A", "B"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindPair:
    """A pair as a grader sees it.

    Attributes
    ----------
    presentation_id : str
        A hash.
    task : str
        What the responses answer.
    response_a, response_b : str
        The responses; which is degraded stands in the key.
    """

    presentation_id: str
    task: str
    response_a: str
    response_b: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindResponse:
    """One response as a grader sees it; equal responses to a task are one.

    Attributes
    ----------
    response_id : str
        A hash.
    task : str
        What it answers.
    response : str
        The response.
    """

    response_id: str
    task: str
    response: str

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRow:
    """What a contrast is, and under which ids its parts were shown. Private.

    Attributes
    ----------
    contrast : Contrast
        Family, item, texts.
    presentation_id : str
        Id of its pair.
    base_side : {"A", "B"}
        Where the base was shown.
    base_response_id, degraded_response_id : str
        Ids of its two responses.
    """

    contrast: Contrast
    presentation_id: str
    base_side: Side
    base_response_id: str
    degraded_response_id: str

    def to_dict(self) -> dict[str, Any]:
        """Return one flat row as JSON-safe values."""
        ids = {name: getattr(self, name) for name in self.__slots__ if name != "contrast"}
        return {**self.contrast.to_dict(), **ids}


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """The private key of a blinded set.

    Attributes
    ----------
    rows : tuple of KeyRow
        One for each contrast.
    families : tuple of str
        Families that were asked for, those without a contrast too.
    """

    rows: tuple[KeyRow, ...]
    families: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blinded:
    """What graders see, and the key apart.

    Attributes
    ----------
    pairs : tuple of BlindPair
        For graders that compare two responses.
    responses : tuple of BlindResponse
        For graders that score one response.
    key : Key
        Private.
    """

    pairs: tuple[BlindPair, ...]
    responses: tuple[BlindResponse, ...]
    key: Key


def _sides(contrasts: Sequence[Contrast], seed: int) -> dict[str, Side]:
    """Side of each base: half of each family on either, the odd one by chance."""
    groups: dict[str, list[str]] = defaultdict(list)
    for contrast in contrasts:
        groups[contrast.family].append(contrast.contrast)
    sides: dict[str, Side] = {}
    for family, ids in groups.items():
        rng = seeded(seed, "sides", family)
        first = int(rng.integers(2))
        for rank, place in enumerate(rng.permutation(len(ids)).tolist()):
            sides[ids[place]] = "A" if (rank + first) % 2 == 0 else "B"
    return sides


def blind(contrast_set: ContrastSet, *, seed: int = 0) -> Blinded:
    """Hide families and directions.

    Parameters
    ----------
    contrast_set : ContrastSet
        What to present.
    seed : int
        Decides sides and ids; keep it from graders, as the key.

    Returns
    -------
    Blinded

    Raises
    ------
    ArgumentError
        If two contrasts have one id.

    Notes
    -----
    Within each family the base stands first in half of the pairs, so a grader that always names
    the same side has an accuracy of 1/2 there and a driving capacity of 0 (or, in an odd number,
    one contrast off).

    Examples
    --------
    >>> from evalkit.contrasts import build_contrasts
    >>> rows = [{"item": "q1", "task": "Report.", "response": "Sales rose 12 % [1]."}]
    >>> shown = blind(build_contrasts(rows, families=["drop-citation"]))
    >>> sorted(shown.pairs[0].to_dict()), len(shown.responses)
    (['presentation_id', 'response_a', 'response_b', 'task'], 2)
    """
    contrasts = contrast_set.contrasts
    repeated = [i for i, k in Counter(c.contrast for c in contrasts).items() if k > 1]
    if repeated:
        raise ArgumentError(f"`contrast_set` has the id {repeated[0]!r} twice; ids must differ")
    sides = _sides(contrasts, seed)
    pairs, rows = [], []
    responses: dict[str, BlindResponse] = {}
    for c in contrasts:
        side = sides[c.contrast]
        shown = opaque(str(seed), "presentation", c.contrast)
        a, b = (c.base, c.degraded) if side == "A" else (c.degraded, c.base)
        pairs.append(BlindPair(presentation_id=shown, task=c.task, response_a=a, response_b=b))
        ids = []
        for text in (c.base, c.degraded):
            name = opaque(str(seed), "response", c.item, c.task, text)
            responses[name] = BlindResponse(response_id=name, task=c.task, response=text)
            ids.append(name)
        rows.append(
            KeyRow(
                contrast=c,
                presentation_id=shown,
                base_side=side,
                base_response_id=ids[0],
                degraded_response_id=ids[1],
            )
        )
    return Blinded(
        pairs=tuple(sorted(pairs, key=lambda pair: pair.presentation_id)),
        responses=tuple(responses[name] for name in sorted(responses)),
        key=Key(rows=tuple(rows), families=contrast_set.families),
    )


def key_row(cells: Mapping[str, Any]) -> KeyRow:
    """Make a row of the key from the columns of its file."""
    names = [name for name in Contrast.__slots__ if name not in ("task", "detail")]
    names += [name for name in KeyRow.__slots__ if name != "contrast"]
    lacking = [name for name in names if not isinstance(cells.get(name), str)]
    if lacking or cells["base_side"] not in ("A", "B"):
        raise InputError(f"the row is no row of a key: {', '.join(lacking) or 'base_side'}")
    return KeyRow(
        contrast=Contrast(**{n: str(cells.get(n) or "") for n in Contrast.__slots__}),
        presentation_id=cells["presentation_id"],
        base_side=cast("Side", cells["base_side"]),
        base_response_id=cells["base_response_id"],
        degraded_response_id=cells["degraded_response_id"],
    )
