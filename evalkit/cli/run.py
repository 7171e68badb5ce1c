"""``evalkit run``: carry out an experiment, crash-safe, and write its report."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evalkit.cli.guard import INTERRUPTED, guarded, say
from evalkit.cli.options import Format
from evalkit.cli.output import emit

if TYPE_CHECKING:
    from evalkit.evolve.config import Experiment
    from evalkit.evolve.progress import LiveProgress, SilentProgress
    from evalkit.evolve.report_data import RunData

__all__ = ["RunFormat", "run"]


class RunFormat(StrEnum):
    """Formats of the closing table."""

    table = "table"
    json = "json"


@guarded
def run(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="TOML file of the experiment.")],
    *,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Folder to write; runs/NAME by default."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the folder where it exists.")
    ] = False,
    workers: Annotated[
        int, typer.Option("--workers", min=1, help="Calls at the same time within a round.")
    ] = 1,
    fmt: Annotated[
        RunFormat, typer.Option("--format", "-f", help="Format of the closing table.")
    ] = RunFormat.table,
) -> None:
    """Run a co-evolution loop under every arm and seed of a configuration, and report on it.

    Every round is committed as a whole: a run that is killed or interrupted continues with
    --resume and ends as if nothing had happened.
    """
    from evalkit.evolve.config import read_config
    from evalkit.evolve.experiment import run_experiment
    from evalkit.evolve.report import write_run_report
    from evalkit.evolve.report_data import gather
    from evalkit.evolve.report_tables import run_table

    experiment = read_config(config)
    folder = output or Path("runs") / experiment.name
    try:
        with _progress(experiment) as watch:
            run_experiment(experiment, folder, resume=resume, workers=workers, watch=watch)
        page = write_run_report(folder)
    except KeyboardInterrupt:
        say(f"evalkit: interrupted; continue with `evalkit run {config} -o {folder} --resume`")
        raise typer.Exit(INTERRUPTED) from None
    data = gather(folder, arms=[arm.name for arm in experiment.arms])
    emit(
        "run",
        table=run_table(data),
        results=[_result(one) for one in data.runs],
        settings={"config": str(config), "output": str(folder), "workers": workers},
        notes=[f"report: {page}"],
        fmt=Format(fmt.value),
        output=None,
    )


def _progress(experiment: Experiment) -> LiveProgress | SilentProgress:
    """Show progress where somebody is watching."""
    from evalkit.evolve.progress import LiveProgress, SilentProgress, total_rounds

    if not sys.stderr.isatty():
        return SilentProgress()
    return LiveProgress(sys.stderr, total=total_rounds(experiment))


def _result(one: RunData) -> dict[str, Any]:
    agents = {
        name: {
            "validation_initial": agent.history[0]["score"],
            "validation_best": None if agent.best is None else agent.best["score"],
            "best_round": None if agent.best is None else agent.best["round"],
            **{
                f"test_{role}": agent.final_score("test", role)
                for role in ("initial", "last", "best")
            },
        }
        for name, agent in one.agents.items()
    }
    return {
        "arm": one.arm,
        "seed": one.seed,
        "rounds": one.rounds,
        "stopped": one.stopped,
        **agents,
        "calls": one.spent("calls"),
        "cost": one.spent("cost"),
    }
