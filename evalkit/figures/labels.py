"""Labels that can be drawn: one line, known glyphs, bounded length, never two alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from evalkit.errors import ArgumentError
from evalkit.tables.plain import one_line

if TYPE_CHECKING:
    from matplotlib.text import Text

__all__ = ["display_labels", "drawable", "keep_literal", "spread"]


def drawable(value: str) -> str:
    r"""Return one line of text that the current font can draw.

    A lone surrogate becomes U+FFFD and a character without a glyph becomes its code.

    Examples
    --------
    >>> print(drawable("a\nb"), drawable("m\u4e2d"))
    a\nb m[U+4E2D]
    """
    glyphs = _glyphs(_font_path())
    return "".join(
        char if ord(char) in glyphs else f"[U+{ord(char):04X}]" for char in one_line(value)
    )


def display_labels(names: Sequence[str], *, limit: int = 40) -> list[str]:
    """Return one label a name, such that different names keep different labels.

    Parameters
    ----------
    names : sequence of str
        Full names.
    limit : int
        Longest label, at least 12. A longer name loses its middle.

    Returns
    -------
    list of str
        In the order of `names`; equal names get equal labels, and names that would become
        equal get a number.

    Raises
    ------
    ArgumentError
        If `limit` is below 12.

    Examples
    --------
    >>> display_labels(["x" * 300, "x" * 301, "ok"], limit=12)
    ['xxxxxx…xxxxx', 'xxxx…xxx (2)', 'ok']
    """
    if limit < 12:
        raise ArgumentError(f"`limit` is {limit}; a label needs at least 12 characters")
    labels: dict[str, str] = {}
    taken: set[str] = set()
    # Names that need no change keep their label whatever comes before them.
    changed = [name for name in dict.fromkeys(names) if _cut(drawable(name), limit) != name]
    unchanged = set(names).difference(changed)
    taken |= unchanged
    labels |= {name: name for name in unchanged}
    for name in changed:
        label, copy = _cut(drawable(name), limit), 1
        while label in taken:
            copy += 1
            suffix = f" ({copy})"
            label = _cut(drawable(name), limit - len(suffix)) + suffix
        taken.add(label)
        labels[name] = label
    return [labels[name] for name in names]


def keep_literal(texts: Iterable[Text]) -> None:
    """Draw dollar signs as they are, whatever the rcParams say."""
    for text in texts:
        text.set_parse_math(False)


def spread(values: Sequence[float], *, gap: float) -> list[float]:
    """Move values apart until neighbours are at least `gap` apart, as little as needed.

    Examples
    --------
    >>> spread([1.0, 1.0, 5.0], gap=1.0)
    [0.5, 1.5, 5.0]
    """
    order = sorted(range(len(values)), key=lambda i: values[i])
    blocks: list[tuple[float, list[int]]] = []
    for i in order:
        centre, members = values[i], [i]
        while blocks and centre - gap * (len(members) - 1) / 2 < (
            blocks[-1][0] + gap * (len(blocks[-1][1]) - 1) / 2 + gap
        ):
            members = [*blocks.pop()[1], *members]
            centre = sum(values[j] for j in members) / len(members)
        blocks.append((centre, members))
    placed = [0.0] * len(values)
    for centre, members in blocks:
        for rank, i in enumerate(members):
            placed[i] = centre + gap * (rank - (len(members) - 1) / 2)
    return placed


def _cut(value: str, limit: int) -> str:
    if len(value) <= limit:
        return value
    tail = (limit - 1) // 2
    return f"{value[: limit - 1 - tail]}…{value[-tail:]}"


def _font_path() -> str:
    from matplotlib.font_manager import FontProperties, findfont

    return str(findfont(FontProperties(family="DejaVu Sans")))


@cache
def _glyphs(path: str) -> frozenset[int]:
    from matplotlib.font_manager import get_font

    return frozenset(get_font(path).get_charmap())
