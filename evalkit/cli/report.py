"""``evalkit report``: one HTML page about a run, a study or a file."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from evalkit.cli.compare import Adjust
from evalkit.cli.guard import guarded
from evalkit.cli.options import (
    Cluster,
    Columns,
    Errors,
    ErrorsChoice,
    Level,
    ScoreRange,
    Seed,
    column_map,
)
from evalkit.errors import FileMissingError
from evalkit.report.settings import ReportSettings

__all__ = ["report"]

_PAGE = "index.html"
_OPTIONS = {
    "cluster": "--cluster",
    "level": "--level",
    "score_range": "--range",
    "errors": "--errors",
    "adjust": "--adjust",
    "seed": "--seed",
}


def study_page(source: str) -> Path | None:
    """Return the page of a study, by its name or one of its folders; ``None`` if it is none."""
    from evalkit.studies import find_root, study_slugs

    given = Path(source)
    try:
        root = find_root(given if given.is_dir() else None)
    except FileMissingError:
        return None
    for slug in study_slugs(root):
        folders = (root / "reports" / slug, root / "analysis" / slug)
        named = source == slug and not given.is_file()
        if named or given.resolve() in folders:
            page = folders[0] / _PAGE
            if not page.is_file():
                raise FileMissingError(f"{page} is not there; `evalkit reproduce {slug}` writes it")
            return page
    return None


def _target(source: Path, output: Path | None) -> Path:
    """Return the page to write; beside nothing else, in the working directory by default."""
    if output is not None:
        return output / _PAGE
    name = source.resolve().name
    return Path(f"{name.split('.')[0] or name}-report") / _PAGE


def _command(source: str, settings: ReportSettings) -> str:
    """Return the command that writes the page again, with what is not a default."""
    words = ["evalkit", "report", source]
    default = ReportSettings()
    for name, option in _OPTIONS.items():
        value = getattr(settings, name)
        if value != getattr(default, name):
            values = value if isinstance(value, tuple) else (value,)
            words += [option, *map(str, values)]
    for name, column in (settings.columns or {}).items():
        words += ["--column", f"{name}={column}"]
    return shlex.join(words)


@guarded
def report(
    source: Annotated[
        str, typer.Argument(help="Folder of `evalkit run`, name of a study, or file of results.")
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help="Folder for index.html; report/ within a run, NAME-report/ otherwise.",
        ),
    ] = None,
    cluster: Cluster = None,
    level: Level = 0.95,
    score_range: ScoreRange = None,
    errors: ErrorsChoice = Errors.exclude,
    adjust: Annotated[Adjust, typer.Option(help="Adjustment over all pairs.")] = Adjust.holm,
    column: Columns = None,
    seed: Seed = 0,
) -> None:
    """Write one self-contained HTML page, and print where it is.

    The folder of a run gives the report of its loop, the name of a study its committed page, and
    a file scores, every pair of systems, figures and what is wrong with the file. The settings
    are for files.
    """
    from evalkit.evolve.reading import is_run_folder
    from evalkit.evolve.report import write_run_report
    from evalkit.report import write_file_report

    path = Path(source)
    page = None if is_run_folder(path) else study_page(source)
    if is_run_folder(path):
        target = None if output is None else output / _PAGE
        page = write_run_report(path, path=target)
    elif page is not None and output is not None:
        target = output / _PAGE
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(page.read_bytes())
        page = target
    elif page is None:
        settings = ReportSettings(
            cluster=cluster,
            level=level,
            score_range=score_range,
            errors=errors.value,
            adjust=adjust.value,
            columns=column_map(column) or None,
            seed=seed,
        )
        settings = replace(settings, command=_command(source, settings))
        page = write_file_report(path, _target(path, output), settings=settings)
    typer.echo(str(page))
