"""Save a figure so that two runs write the same bytes."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from evalkit.figures.style import paper_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["save_figure", "svg_text"]


def save_figure(figure: Figure, stem: Path) -> tuple[Path, Path]:
    """Write a figure as PNG and as SVG.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    stem : Path
        Path without a suffix (a dot in the name is kept); missing folders are made.

    Returns
    -------
    tuple of Path
        The PNG (200 dots per inch) and the SVG (text as paths).

    Notes
    -----
    Neither file holds a date or the version of the drawing library.
    """
    stem = Path(stem)
    stem.parent.mkdir(parents=True, exist_ok=True)
    png, svg = (stem.with_name(f"{stem.name}.{suffix}") for suffix in ("png", "svg"))
    figure.savefig(png, dpi=200, metadata={"Software": None})
    svg.write_text(svg_text(figure), encoding="utf-8", newline="\n")
    return png, svg


def svg_text(figure: Figure) -> str:
    """Return a figure as SVG text, without metadata and without a document type."""
    import matplotlib as mpl

    buffer = BytesIO()
    metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with mpl.rc_context({key: v for key, v in paper_style().items() if key.startswith("svg.")}):
        figure.savefig(buffer, format="svg", metadata=metadata)
    text = buffer.getvalue().decode("utf-8")
    return re.sub(r"<!DOCTYPE[^>]*>\s*", "", text)
