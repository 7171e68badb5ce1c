"""The application: every verb registered under its name."""

from __future__ import annotations

from typing import Annotated

import typer

from evalkit import __version__
from evalkit.cli.agreement import agreement
from evalkit.cli.audit import audit
from evalkit.cli.compare import compare
from evalkit.cli.contrasts import contrasts
from evalkit.cli.doctor import doctor
from evalkit.cli.estimate import estimate
from evalkit.cli.guard import debugging
from evalkit.cli.import_ import import_
from evalkit.cli.methods import methods
from evalkit.cli.pairs import pairs
from evalkit.cli.power import power
from evalkit.cli.rank import rank
from evalkit.cli.raters import raters
from evalkit.cli.report import report
from evalkit.cli.reproduce import reproduce
from evalkit.cli.run import run
from evalkit.cli.scaling import scaling
from evalkit.cli.sensitivity import sensitivity
from evalkit.cli.trajectory import trajectory

__all__ = ["app"]

app = typer.Typer(
    name="evalkit",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"evalkit {__version__}")
        raise typer.Exit


@app.callback()
def root(
    *,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
    version: Annotated[  # noqa: ARG001 - handled by its callback
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Measure whether an agent, or its grader, got better, and how sure we are."""
    debugging(on=debug)


for verb in (
    reproduce,
    estimate,
    compare,
    agreement,
    raters,
    rank,
    sensitivity,
    trajectory,
    scaling,
    power,
    audit,
    run,
    report,
    doctor,
    methods,
):
    app.command()(verb)


app.command("import")(import_)
app.add_typer(contrasts)
app.add_typer(pairs)
