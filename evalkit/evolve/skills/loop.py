"""Skill evolution as the engine sees it: settings, checks, stages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalkit.environments.base import Environment, Execution
from evalkit.errors import ArgumentError, InputError
from evalkit.evolve.parts import Parts
from evalkit.evolve.settings import read_settings
from evalkit.evolve.skills.after_selection import (
    SCALING,
    VERIFIERS,
    ScalingStage,
    VerifierStage,
)
from evalkit.evolve.skills.search import PARENT, ParentStage, ViewStage
from evalkit.evolve.skills.selecting import SELECTION, SelectionStage
from evalkit.evolve.skills.settings import SkillSettings
from evalkit.evolve.skills.state import ParentState
from evalkit.evolve.stages import Stage
from evalkit.evolve.worlds import World

__all__ = ["SKILLS", "Skills", "check_splits"]


class Skills:
    """Skill evolution for `evalkit.evolve.loops.LOOPS`."""

    state = ParentState

    def settings(self, table: Mapping[str, Any], /, *, path: str) -> SkillSettings:
        """Check the ``[skills]`` table."""
        return read_settings(SkillSettings, table, place="skills", path=path)

    def initial(self, settings: SkillSettings, world: World, /, *, path: str) -> ParentState:
        """Return the first state of the first stage.

        Raises
        ------
        InputError
            If the environment lacks what the settings need.
        """
        check_splits(world.environment, path=path, loop="skills")
        for name in filter(None, (settings.auxiliary, *settings.verifiers)):
            _check_verifier(world.environment, name, path)
        if settings.initial not in world.initials:
            known = ", ".join(map(repr, world.initials)) or "none"
            raise InputError(
                f"`skills.initial` is {settings.initial!r}; the environment has {known}", path=path
            )
        return ParentStage().begin(settings, world, {})

    def step(self, settings: SkillSettings, parts: Parts, /, *, rounds: int) -> Any:
        """Return the step of the first stage."""
        return ParentStage().step(settings, parts, rounds=rounds)

    def stages(self, settings: SkillSettings, /) -> Mapping[str, Stage[SkillSettings, Any]]:
        """Return the stages in order: parent, views, selection, controls, verifiers."""
        found: dict[str, Stage[SkillSettings, Any]] = {PARENT: ParentStage()}
        found |= {view: ViewStage(view) for view in settings.views}
        found[SELECTION] = SelectionStage()
        if settings.attempts > 1:
            found[SCALING] = ScalingStage()
        if settings.verifiers:
            found[VERIFIERS] = VerifierStage()
        return found


SKILLS = Skills()


def check_splits(environment: Environment, *, path: str, loop: str) -> None:
    """Refuse an environment without the splits, or with an item in two of them."""
    seen: dict[str, str] = {}
    for split in ("train", "validation", "test"):
        items = environment.items(split)
        if not items:
            raise InputError(
                f"the environment has no {split} items, which `{loop}` needs; add some", path=path
            )
        for item in items:
            if item.id in seen:
                raise InputError(
                    f"stands in {seen[item.id]} and in {split}; ids must differ, so that no "
                    "training item is tested on",
                    path=path,
                    item=item.id,
                )
            seen[item.id] = split


def _check_verifier(environment: Environment, name: str, path: str) -> None:
    """Refuse a verifier that the environment does not know, before anything is run."""
    item = environment.items("test")[0]
    nothing = Execution(item=item.id, output=None, status="infra")
    try:
        environment.verify(item, nothing, verifier=name)
    except ArgumentError as error:
        raise InputError(f"in `skills`, {error}", path=path) from None
