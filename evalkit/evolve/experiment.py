"""Run an experiment: every arm under every seed, each in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from evalkit.environments.draws import Draw
from evalkit.errors import ArgumentError
from evalkit.evolve.config import Arm, Experiment
from evalkit.evolve.engine import LoopState, run
from evalkit.evolve.interruption import Interruption
from evalkit.evolve.locking import FolderLock
from evalkit.evolve.loops import Loop, load_loop
from evalkit.evolve.parts import Labels, Parts
from evalkit.evolve.round_log import RoundLog
from evalkit.evolve.run_spec import agree_on_spec
from evalkit.evolve.stages import WHOLE, Stage, stages_of
from evalkit.evolve.store import RunStore
from evalkit.evolve.worlds import World, load_world

__all__ = ["EXPERIMENT", "RUNS", "Planned", "Watch", "plan", "run_experiment"]

EXPERIMENT = "experiment.json"
RUNS = "runs"
_FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One run of an experiment, checked and ready.

    Attributes
    ----------
    arm : Arm
        The arm.
    seed : int
        The seed.
    world : World
        What it runs in.
    settings : object
        Settings of the loop.
    initial : LoopState
        Where its first stage starts.
    name : str
        Name of its stage; `WHOLE` for a loop without stages.
    stage : Stage
        The stage.
    """

    arm: Arm
    seed: int
    world: World
    settings: Any
    initial: LoopState
    name: str = WHOLE
    stage: Stage[Any, Any]

    @property
    def folder(self) -> str:
        """Folder of the run below the experiment's."""
        return "/".join(filter(None, (RUNS, self.arm.name, self.name, f"seed-{self.seed}")))


class Watch(Protocol):
    """Sees committed rounds; it can change nothing."""

    def begin(self, planned: Planned, done: int) -> None:
        """Hear that a run begins, or continues after round `done`; -1 is a new one."""
        ...

    def round(self, planned: Planned, state: Any, log: RoundLog) -> None:
        """Hear that a round was committed."""
        ...


def plan(experiment: Experiment) -> tuple[Loop[Any, Any], tuple[Planned, ...]]:
    """Check every setting of an experiment before anything is run.

    Raises
    ------
    InputError
        If a setting is not allowed.
    """
    loop = load_loop(experiment.loop, path=experiment.path)
    return loop, tuple(_planned(experiment, loop))


def _planned(experiment: Experiment, loop: Loop[Any, Any]) -> Iterator[Planned]:
    path = str(experiment.path)
    worlds: dict[str, World] = {}
    for arm in experiment.arms:
        settings = loop.settings(arm.loop, path=path)
        key = repr(sorted(arm.environment.items(), key=str))
        if key not in worlds:
            made = load_world(arm.environment, path=experiment.path)
            worlds[key] = replace(made, initials={**made.initials, **experiment.initials})
        initial = loop.initial(settings, worlds[key], path=path)
        for seed in experiment.seeds:
            for name, stage in stages_of(loop, settings).items():
                yield Planned(
                    arm=arm,
                    seed=seed,
                    world=worlds[key],
                    settings=settings,
                    initial=initial,
                    name=name,
                    stage=stage,
                )


def run_experiment(
    experiment: Experiment,
    output: Path,
    *,
    resume: bool = False,
    workers: int = 1,
    watch: Watch,
) -> None:
    """Run an experiment, or what is left of it.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    output : Path
        Folder to write.
    resume : bool
        Continue `output` where it exists; finished runs are left as they are.
    workers : int
        Calls at the same time within a round; it does not change any result.
    watch : Watch
        Sees the progress.

    Raises
    ------
    ArgumentError
        If `output` exists and `resume` is not set, or was made with other settings.
    KeyboardInterrupt
        After the round in flight, if Ctrl-C was pressed.
    """
    if workers < 1:
        raise ArgumentError(f"`workers` is {workers}; it must be at least 1")
    if not resume and output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise ArgumentError(
            f"{output} exists; continue it with --resume, or write to another folder"
        )
    _, planned = plan(experiment)
    if output.exists() and not output.is_dir():
        raise ArgumentError(f"{output} is a file; write to a folder")
    output.mkdir(parents=True, exist_ok=True)
    with closing(FolderLock(output)), Interruption() as interruption:
        agree_on_spec(output / EXPERIMENT, _experiment_spec(experiment, planned))
        earlier: dict[tuple[str, int], dict[str, Any]] = {}
        for one in planned:
            before = earlier.setdefault((one.arm.name, one.seed), {})
            before[one.name] = _run_one(
                experiment, one, before, output, workers, watch, interruption
            )


def _run_one(
    experiment: Experiment,
    planned: Planned,
    earlier: Mapping[str, Any],
    output: Path,
    workers: int,
    watch: Watch,
    interruption: Interruption,
) -> Any:
    """Run one stage, or the one stage of a loop without any; return its last state."""
    interruption.check()
    labels = Labels(run=experiment.name, setting=planned.arm.name, seed=str(planned.seed))
    if planned.name:
        labels = replace(labels, view=planned.name)
    parts = Parts(
        environment=planned.world.environment,
        propose=planned.world.propose,
        draw=Draw.of(planned.seed),
        labels=labels,
        workers=workers,
        truth=planned.world.truth,
    )
    step = planned.stage.step(planned.settings, parts, rounds=planned.arm.rounds)
    initial = planned.initial
    if earlier:
        initial = planned.stage.begin(planned.settings, planned.world, earlier)

    def seen(state: Any, log: RoundLog) -> None:
        watch.round(planned, state, log)
        interruption.check()

    spec = _run_spec(experiment, planned)
    with RunStore(output / planned.folder, planned.stage.state, spec=spec) as store:
        watch.begin(planned, -1 if store.state is None else store.state.round)
        return run(store, initial, step, watch=seen)


def _run_spec(experiment: Experiment, planned: Planned) -> dict[str, Any]:
    initials = experiment.initials
    return {
        "format": _FORMAT,
        "experiment": experiment.name,
        "loop": experiment.loop,
        "arm": planned.arm.name,
        **({"stage": planned.name} if planned.name else {}),
        "seed": planned.seed,
        "rounds": planned.arm.rounds,
        "environment": _texts(planned.arm.environment),
        "settings": planned.settings,
        **({"initial": initials} if initials else {}),
    }


def _experiment_spec(experiment: Experiment, planned: tuple[Planned, ...]) -> dict[str, Any]:
    arms = {one.arm.name: one for one in planned}
    return {
        "format": _FORMAT,
        "name": experiment.name,
        "title": experiment.title,
        "loop": experiment.loop,
        "seeds": experiment.seeds,
        "arms": {
            name: {
                "rounds": one.arm.rounds,
                "environment": _texts(one.arm.environment),
                "settings": one.settings,
            }
            for name, one in arms.items()
        },
        "paper": experiment.paper,
        **({"initial": experiment.initials} if experiment.initials else {}),
    }


def _texts(table: Mapping[str, Any]) -> Any:
    """Return a table of a TOML file as JSON values; dates as text."""
    import json

    return json.loads(json.dumps(dict(table), default=str))
