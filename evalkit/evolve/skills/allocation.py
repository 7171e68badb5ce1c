"""How many attempts an item gets: fixed before any outcome is known."""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.environments.base import Item
from evalkit.environments.draws import Draw

__all__ = ["allocation"]


def allocation(
    items: Sequence[Item], *, attempts: int, shares: Sequence[float], draw: Draw
) -> dict[str, int]:
    """Return the number of attempts of each item.

    Parameters
    ----------
    items : sequence of Item
        The panel.
    attempts : int
        Most attempts, K.
    shares : sequence of float
        Shares of the items that get a 2nd, ..., K-th attempt; empty: all of them.
    draw : Draw
        Depends on the seed alone.

    Returns
    -------
    dict of str to int
        From 1 to `attempts`.

    Notes
    -----
    Items are ranked by a hash of seed and id; the k-th attempt goes to the first round(share n) of
    them, halves up. So D_2, D_3, ... are nested, their sizes are fixed, and nothing depends on
    outcomes or on the order of `items`.
    """
    ranked = sorted(items, key=lambda item: (draw.child("attempts", item.id).integer(), item.id))
    given = shares or (1.0,) * (attempts - 1)
    sizes = [int(share * len(ranked) + 0.5) for share in given]
    return {item.id: 1 + sum(rank < size for size in sizes) for rank, item in enumerate(ranked)}
