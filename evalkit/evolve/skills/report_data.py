"""What the stages of skill evolution found, gathered from their folders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalkit.evolve.reading import (
    event_rows,
    record_rows,
    run_folders,
    run_specification,
    run_state,
)
from evalkit.evolve.report_data import ExperimentData, RunData, gather
from evalkit.evolve.skills.after_selection import SCALING, VERIFIERS
from evalkit.evolve.skills.search import PARENT
from evalkit.evolve.skills.selecting import PARENT_ROLE, SELECTION
from evalkit.evolve.skills.views import VIEWS

__all__ = ["SELECTED", "Deployed", "SkillData", "SkillRun", "gather_skills"]

SELECTED = "Selected"
"""Role of the skill that validation selects, which may be the parent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployed:
    """One outcome of a frozen skill.

    Attributes
    ----------
    deployment : str
        Seed and number of the deployment.
    item, cluster : str
        The item, and what is independent of others.
    score : float or None
        ``None`` where it errored.
    """

    deployment: str
    item: str
    cluster: str
    score: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRun:
    """One arm under one seed, all stages.

    Attributes
    ----------
    arm, seed : str
        Which.
    folders : mapping of str to Path
        Run folders by stage.
    unfinished : tuple of str
        Stages that began and have not ended, and those that are missing.
    views : mapping of str to RunData
        The searches.
    best_items : mapping of str to mapping of str to float
        Validation scores of each view's best, and of the parent, by item.
    clusters : mapping of str to str
        Cluster of each validation item.
    selected : mapping or None
        Event of the selection.
    deployed : mapping of (str, str) to tuple of Deployed
        Outcomes by panel and role.
    artifacts : mapping of str to str
        Artifact of each role.
    """

    arm: str
    seed: str
    folders: Mapping[str, Path]
    unfinished: tuple[str, ...]
    views: Mapping[str, RunData]
    best_items: Mapping[str, Mapping[str, float]]
    clusters: Mapping[str, str]
    selected: Mapping[str, Any] | None
    deployed: Mapping[tuple[str, str], tuple[Deployed, ...]]
    artifacts: Mapping[str, str]

    def of(self, panel: str, role: str) -> tuple[Deployed, ...]:
        """Return the outcomes of a role; `SELECTED` is the view that was selected."""
        if role == SELECTED:
            role = "" if self.selected is None else self.selected["view"]
        return self.deployed.get((panel, role), ())

    @property
    def panels(self) -> tuple[str, ...]:
        """Panels that were run, ``test`` first."""
        return tuple(dict.fromkeys(panel for panel, _ in self.deployed))


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillData:
    """An experiment.

    Attributes
    ----------
    runs : tuple of SkillRun
        Arms and seeds.
    stages : ExperimentData
        The stages as single runs; their arm is ``ARM/STAGE``.
    """

    runs: tuple[SkillRun, ...]
    stages: ExperimentData

    @property
    def arms(self) -> tuple[str, ...]:
        """Names of the arms, in order."""
        return tuple(dict.fromkeys(run.arm for run in self.runs))

    def of(self, arm: str) -> list[SkillRun]:
        """Return the runs of an arm."""
        return [run for run in self.runs if run.arm == arm]

    def views(self, arm: str) -> tuple[str, ...]:
        """Return the views of an arm."""
        return tuple(dict.fromkeys(view for run in self.of(arm) for view in run.views))


def gather_skills(folder: Path, *, arms: Sequence[str] = ()) -> SkillData:
    """Read an experiment of skill evolution.

    Raises
    ------
    FileMissingError
        If there is no run.
    """
    stages = gather(folder)
    found: dict[tuple[str, str], dict[str, Path]] = {}
    for path in run_folders(folder):
        spec = run_specification(path)
        found.setdefault((spec["arm"], str(spec["seed"])), {})[spec.get("stage", "")] = path
    place = {arm: i for i, arm in enumerate(arms)}
    ordered = sorted(found, key=lambda key: place.get(key[0], len(place)))
    by_folder = {run.folder: run for run in stages.runs}
    return SkillData(
        runs=tuple(_run(arm, seed, found[arm, seed], by_folder) for arm, seed in ordered),
        stages=stages,
    )


def _run(
    arm: str, seed: str, folders: Mapping[str, Path], by_folder: Mapping[Path, RunData]
) -> SkillRun:
    settings = run_specification(next(iter(folders.values())))["settings"]
    names = [PARENT, *settings["views"], SELECTION]
    names += [SCALING] * (settings["attempts"] > 1) + [VERIFIERS] * bool(settings["verifiers"])
    ended = [n for n in names if n in folders and by_folder[folders[n]].stopped is not None]
    views: dict[str, RunData] = {
        view: by_folder[folders[view]] for view in VIEWS if view in folders
    }
    chosen = event_rows(folders[SELECTION], kind="selected") if SELECTION in folders else ()
    return SkillRun(
        arm=arm,
        seed=seed,
        folders=folders,
        unfinished=tuple(name for name in names if name not in ended),
        views=views,
        best_items=_best_items(folders, tuple(views)),
        clusters=_clusters(folders),
        selected=chosen[0] if chosen else None,
        deployed=_deployed(folders.get(SELECTION)),
        artifacts=chosen[0]["artifacts"] if chosen else {},
    )


def _best_items(
    folders: Mapping[str, Path], views: Sequence[str]
) -> dict[str, Mapping[str, float]]:
    out: dict[str, Mapping[str, float]] = {}
    for stage, key in ((PARENT, "parent"), *((view, "best") for view in views)):
        state = run_state(folders[stage]) if stage in folders else None
        if state is not None:
            out[PARENT_ROLE if stage == PARENT else stage] = dict(state[key]["items"])
    return out


def _clusters(folders: Mapping[str, Path]) -> dict[str, str]:
    if PARENT not in folders:
        return {}
    rows = record_rows(folders[PARENT], split="validation")
    return {row["item"]: row.get("cluster") or row["item"] for row in rows}


def _deployed(folder: Path | None) -> dict[tuple[str, str], tuple[Deployed, ...]]:
    out: dict[tuple[str, str], list[Deployed]] = {}
    for row in _rows(folder):
        role = row["system"].rpartition("/")[2]
        out.setdefault((row["split"], role), []).append(
            Deployed(
                deployment=row["attempt"],
                item=row["item"],
                cluster=row.get("cluster") or row["item"],
                score=row["score"],
            )
        )
    return {key: tuple(rows) for key, rows in out.items()}


def _rows(folder: Path | None) -> Iterator[Mapping[str, Any]]:
    yield from () if folder is None else record_rows(folder)
