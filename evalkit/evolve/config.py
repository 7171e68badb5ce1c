"""Experiments as a TOML file describes them: one loop, one environment, arms and seeds."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from evalkit.environments.base import Component
from evalkit.errors import ArgumentError, FileMissingError, InputError
from evalkit.evolve.protocols import Agent
from evalkit.evolve.settings import FORBID_EXTRA, read_settings

__all__ = ["Arm", "Experiment", "PaperValue", "read_config"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
_DEFAULT_ARM = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Header:
    """The ``[experiment]`` table."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = FORBID_EXTRA

    name: str
    loop: str
    rounds: int
    seeds: tuple[int, ...] = (0,)
    title: str = ""

    def __post_init__(self) -> None:
        _check_name(self.name, "name")
        if self.rounds < 1:
            raise ArgumentError(f"`rounds` is {self.rounds}; it must be at least 1")
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise ArgumentError(f"`seeds` is {list(self.seeds)}; give distinct seeds, at least one")
        if any(seed < 0 for seed in self.seeds):
            raise ArgumentError(f"`seeds` is {list(self.seeds)}; seeds must be 0 or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperValue:
    """A published result that the report prints beside an arm.

    Attributes
    ----------
    arm : str
        The arm.
    solver, grader : str
        As printed.
    source : str
        Where it is printed.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = FORBID_EXTRA

    arm: str
    solver: str = ""
    grader: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Initial:
    """Initial components of one name: texts."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = FORBID_EXTRA

    solver: str = ""
    grader: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One setting of an experiment.

    Attributes
    ----------
    name : str
        Its name, which is also a folder.
    rounds : int
        Rounds that are allowed.
    environment : mapping
        The environment's table.
    loop : mapping
        The loop's table.
    """

    name: str
    rounds: int
    environment: Mapping[str, Any]
    loop: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """What a configuration asks for.

    Attributes
    ----------
    name, title : str
        Names of the experiment.
    loop : str
        Name of the loop.
    seeds : tuple of int
        Seeds; every arm runs under each.
    arms : tuple of Arm
        In the order of the file.
    initials : mapping
        Initial components of the file, by name and agent.
    paper : tuple of PaperValue
        Published values to print beside.
    path : Path
        The file.
    """

    name: str
    title: str
    loop: str
    seeds: tuple[int, ...]
    arms: tuple[Arm, ...]
    initials: Mapping[str, Mapping[Agent, Component]] = field(default_factory=dict)
    paper: tuple[PaperValue, ...] = ()
    path: Path


def read_config(path: Path) -> Experiment:
    """Read the configuration of an experiment.

    Parameters
    ----------
    path : Path
        A TOML file with the tables ``[experiment]``, ``[environment]`` and one of the loop's name,
        and optionally ``[[arm]]``, ``[initial.NAME]`` and ``[[paper]]``. An arm has a ``name`` and
        the keys that it changes, such as ``duet.batch = 4``.

    Returns
    -------
    Experiment
        Its loop's and environment's tables are checked when they are used.

    Raises
    ------
    FileMissingError, InputError
        If the file is not there, is no TOML or holds what is not allowed; the message names it.
    """
    table = _parse(path)
    where = str(path)
    header = read_settings(
        _Header, _table(table, "experiment", where), place="experiment", path=where
    )
    allowed = {"experiment", "environment", header.loop, "arm", "initial", "paper"}
    for key in table:
        if key not in allowed:
            raise InputError(
                f"`{key}` is not a table of this file; they are {', '.join(sorted(allowed))}",
                path=where,
            )
    base = {
        "environment": _table(table, "environment", where),
        header.loop: _table(table, header.loop, where, default={}),
        "experiment": {"rounds": header.rounds},
    }
    arms = _arms(table.get("arm", []), base, header, where)
    paper = tuple(
        read_settings(PaperValue, _entry(row, "paper", where), place=f"paper.{i}", path=where)
        for i, row in enumerate(_list(table.get("paper", []), "paper", where))
    )
    return Experiment(
        name=header.name,
        title=header.title or header.name,
        loop=header.loop,
        seeds=header.seeds,
        arms=arms,
        initials=_initials(_table(table, "initial", where, default={}), where),
        paper=paper,
        path=path,
    )


def _parse(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise FileMissingError(f"{path} does not exist; give the path of a TOML file") from None
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 ({error.reason}); save it as UTF-8", path=str(path)) from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"not TOML: {error}", path=str(path)) from None


def _table(
    table: Mapping[str, Any], key: str, path: str, default: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    found = table.get(key, default)
    if found is None:
        raise InputError(f"the table `[{key}]` is missing; it is required", path=path)
    return _entry(found, key, path)


def _entry(value: Any, key: str, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"`{key}` is {value!r}; it must be a table", path=path)
    return value


def _list(value: Any, key: str, path: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(f"`{key}` must be written as `[[{key}]]`, once for each", path=path)
    return value


def _arms(
    rows: Any, base: Mapping[str, dict[str, Any]], header: _Header, path: str
) -> tuple[Arm, ...]:
    out: list[Arm] = []
    for row in _list(rows, "arm", path) or [{"name": _DEFAULT_ARM}]:
        table = dict(_entry(row, "arm", path))
        name = table.pop("name", None)
        if not isinstance(name, str):
            raise InputError(f"`arm.name` is {name!r}; every arm needs a name", path=path)
        try:
            _check_name(name, "arm.name")
        except ArgumentError as error:
            raise InputError(str(error), path=path) from None
        if name in {arm.name for arm in out}:
            raise InputError(f"two arms are named {name!r}; give each its own name", path=path)
        unknown = [key for key in table if key not in base]
        if unknown:
            raise InputError(
                f"arm {name!r}: `{unknown[0]}` is not a table; an arm may change keys of "
                f"{', '.join(sorted(base))}, as `{header.loop}.KEY = VALUE`",
                path=path,
            )
        merged = {
            key: {**held, **_entry(table.get(key, {}), key, path)} for key, held in base.items()
        }
        rounds = merged["experiment"].pop("rounds")
        if merged["experiment"] or not isinstance(rounds, int) or rounds < 1:
            raise InputError(
                f"arm {name!r}: of `experiment`, an arm may change `rounds` only, to at least 1",
                path=path,
            )
        out.append(
            Arm(
                name=name,
                rounds=rounds,
                environment=merged["environment"],
                loop=merged[header.loop],
            )
        )
    return tuple(out)


def _initials(table: Mapping[str, Any], path: str) -> dict[str, Mapping[Agent, Component]]:
    out: dict[str, Mapping[Agent, Component]] = {}
    for name, row in table.items():
        place = f"initial.{name}"
        texts = read_settings(_Initial, _entry(row, place, path), place=place, path=path)
        out[name] = {
            "solver": Component(prompt=texts.solver),
            "grader": Component(prompt=texts.grader),
        }
    return out


def _check_name(name: str, key: str) -> None:
    if not _NAME.fullmatch(name):
        raise ArgumentError(
            f"`{key}` is {name!r}; it names a folder, so use letters, digits and . _ + - only"
        )
