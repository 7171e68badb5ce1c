"""The files of one report, as bytes, and what differs between two sets of them."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evalkit.report import ReportFigure, render_page
from evalkit.rounding import format_number
from evalkit.studies.cells import CheckedCell, sum_line
from evalkit.studies.claims import CheckedClaim
from evalkit.studies.manifest import MANIFEST, manifest_bytes
from evalkit.studies.output import StudyFigure, StudyOutput
from evalkit.studies.reported import natural_key
from evalkit.tables import Table, make_table, to_csv, to_latex, to_markdown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["differences", "index_readme", "report_files", "same_pixels"]

_TOLERANCE = 2  # of 255, per channel
_SHARE = 1e-3  # of the pixels may lie beyond it
_RENDERERS = {"csv": to_csv, "md": to_markdown, "tex": to_latex}
_CELL_FIELDS = ("table", "row", "column", "reported", "computed", "level", "status", "note")
_CLAIM_FIELDS = ("claim", "where", "reported", "computed", "status", "note")


def report_files(
    slug: str, output: StudyOutput, *, root: Path, committed: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Return every file of a report.

    Parameters
    ----------
    slug : str
        Name of the study.
    output : StudyOutput
        What it computed.
    root : Path
        Root of the repository.
    committed : mapping of str to bytes
        The report that stands there now: drawings with equal pixels and the versions of an
        equal report are taken from it.

    Returns
    -------
    dict of str to bytes
        By path below ``reports/<slug>``.
    """
    files = {
        "cells.csv": _rows_as_csv(_CELL_FIELDS, output.cells),
        "claims.csv": _rows_as_csv(_CLAIM_FIELDS, output.claims),
    }
    for name, table in output.tables.items():
        for suffix, render in _RENDERERS.items():
            files[f"tables/{name}.{suffix}"] = render(table).encode()
    drawings = {name: _draw(figure) for name, figure in output.figures.items()}
    for name, (png, svg) in drawings.items():
        files |= _kept_drawing(name, png, svg, committed)
    figures = [
        ReportFigure(
            svg=files[f"figures/{name}.svg"].decode(), alt=figure.alt, caption=figure.caption
        )
        for name, figure in output.figures.items()
    ]
    files["index.html"] = _page(slug, output, figures).encode()
    files = dict(sorted(files.items()))
    files[MANIFEST] = manifest_bytes(
        slug, root=root, outputs=files, seeds=output.seeds, committed=committed.get(MANIFEST)
    )
    return files


def differences(made: Mapping[str, bytes], committed: Mapping[str, bytes]) -> tuple[str, ...]:
    """Say which files differ.

    Parameters
    ----------
    made, committed : mapping of str to bytes
        The files that a study makes, and those that stand there.

    Returns
    -------
    tuple of str
        ``<file>: missing``, ``<file>: not made any more`` or ``<file>: differs ...``.

    Examples
    --------
    >>> differences({"a": b"1", "b": b"2"}, {"b": b"3", "c": b"4"})
    ('a: missing', 'b: differs at line 1', 'c: not made any more')
    """
    found = []
    for name in sorted({*made, *committed}):
        if name not in committed:
            found.append(f"{name}: missing")
        elif name not in made:
            found.append(f"{name}: not made any more")
        elif made[name] != committed[name]:
            found.append(f"{name}: differs{_first_line(made[name], committed[name])}")
    return tuple(found)


def same_pixels(first: bytes, second: bytes) -> bool:
    """Whether two PNG files show the same picture.

    Parameters
    ----------
    first, second : bytes
        PNG files.

    Returns
    -------
    bool
        Equal size, and at most one pixel in a thousand differs by more than 2 of 255.
        False if either is no PNG file.
    """
    if first == second:
        return True
    import numpy as np

    left, right = _pixels(first), _pixels(second)
    if left is None or right is None or left.shape != right.shape:
        return False
    apart = np.abs(left - right).max(axis=-1) > _TOLERANCE / 255
    return bool(apart.mean() <= _SHARE)


def index_readme(slugs: Iterable[str]) -> bytes:
    """Return ``reports/README.md``."""
    links = ", ".join(f"[{slug}]({slug}/index.html)" for slug in slugs)
    return (
        "# Reports\n\n"
        "Everything below this folder is written by `evalkit reproduce` and never edited by hand. "
        f"Studies: {links}. "
        "Each folder holds the tables (CSV, Markdown, LaTeX), the figures (PNG, SVG), `cells.csv` "
        "with one row a printed number, `claims.csv` with one row a number of the running text, "
        "`manifest.json` with the hashes of all inputs and outputs, and the page `index.html`.\n"
    ).encode()


def _rows_as_csv(
    fields: Sequence[str], rows: Sequence[CheckedCell] | Sequence[CheckedClaim]
) -> bytes:
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, fieldnames=fields, lineterminator="\n")
    writer.writeheader()
    writer.writerows(row.to_dict() for row in rows)
    return buffer.getvalue().encode()


def _draw(figure: StudyFigure) -> tuple[bytes, bytes]:
    from tempfile import TemporaryDirectory

    import matplotlib as mpl

    from evalkit.figures import paper_style, save_figure

    with mpl.rc_context(paper_style(figure.columns)), TemporaryDirectory() as folder:
        png, svg = save_figure(figure.draw(), Path(folder) / "figure")
        return png.read_bytes(), svg.read_bytes()


def _kept_drawing(
    name: str, png: bytes, svg: bytes, committed: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Return the committed files if they show the same picture."""
    names = f"figures/{name}.png", f"figures/{name}.svg"
    before = [committed.get(key) for key in names]
    if before[0] is not None and before[1] is not None and same_pixels(png, before[0]):
        # The SVG can differ in the last digits of its coordinates only: same picture.
        png, svg = before[0], before[1] if _close_svg(svg, before[1]) else svg
    return dict(zip(names, (png, svg), strict=True))


def _close_svg(first: bytes, second: bytes) -> bool:
    """Whether two drawings have the same elements and nearly the same numbers."""
    import re

    number = re.compile(rb"-?\d+\.?\d*(?:e-?\d+)?")
    if number.sub(b"0", first) != number.sub(b"0", second):
        return False
    pairs = zip(number.findall(first), number.findall(second), strict=True)
    return all(abs(float(a) - float(b)) <= 1e-3 for a, b in pairs)


def _pixels(png: bytes) -> NDArray[np.float32] | None:
    from matplotlib.image import imread

    try:
        return imread(io.BytesIO(png), format="png")
    except (OSError, SyntaxError, ValueError):
        return None


def _first_line(made: bytes, committed: bytes) -> str:
    try:
        pairs = zip(made.decode().split("\n"), committed.decode().split("\n"), strict=False)
    except UnicodeDecodeError:
        return ""
    line = next((i for i, (a, b) in enumerate(pairs, start=1) if a != b), None)
    return "" if line is None else f" at line {line}"


def _page(slug: str, output: StudyOutput, figures: Sequence[ReportFigure]) -> str:
    tables = [
        ("Reported numbers by table", _levels(output.cells)),
        *_contradicted(output.claims),
        *((table.caption or name, table) for name, table in output.tables.items()),
    ]
    return render_page(
        title=output.title,
        summary=f"{sum_line(output.cells)}. {output.summary}",
        findings=output.findings,
        tables=tables,
        figures=figures,
        methods="\n\n".join(output.methods),
        left_out=output.left_out,
        provenance={
            "Paper": output.source,
            "Command": f"evalkit reproduce {slug}",
            "Inputs, outputs, versions": MANIFEST,
            **{f"Seed, {name}": str(seed) for name, seed in output.seeds.items()},
        },
    )


def _contradicted(claims: Sequence[CheckedClaim]) -> list[tuple[str, Table]]:
    """Return the claims of the text that the records contradict, as a table if there are any."""
    wrong = [claim for claim in claims if claim.status == "mismatch"]
    if not wrong:
        return []
    done = sum(claim.status != "not-computed" for claim in claims)
    table = make_table(
        ["where", "reported", "computed", "note"],
        [[claim.where, claim.reported, claim.computed, claim.note] for claim in wrong],
        notes=[f"{len(claims)} numbers of the running text, {done} of them computed; claims.csv."],
    )
    return [("Numbers of the text that the tables contradict", table)]


def _levels(cells: Sequence[CheckedCell]) -> Table:
    """Count levels and statuses by table."""
    names = sorted({cell.table for cell in cells}, key=natural_key)
    rows = []
    for name in (*names, "all"):
        chosen = [cell for cell in cells if name in {cell.table, "all"}]
        level, status = (
            Counter(getattr(cell, field) for cell in chosen) for field in ("level", "status")
        )
        done = level["recomputed"] + level["derived"]
        share = format_number(100 * done / len(chosen), 0) + "%" if chosen else None
        rows.append(
            [
                f"Table {name}" if name != "all" else "All tables",
                len(chosen),
                *(level[key] for key in ("recomputed", "derived", "transcribed")),
                share,
                *(status[key] for key in ("match", "rounding", "mismatch")),
            ]
        )
    return make_table(
        [
            *("table", "numbers", "recomputed", "derived", "transcribed"),
            *("recomputed or derived", "match", "by rounding", "contradiction"),
        ],
        rows,
        notes=[
            (
                "Recomputed: from counts or records, by code that never reads the printed cell. "
                "Derived: from other printed cells. Transcribed: nothing lower is printed."
            )
        ],
    )
