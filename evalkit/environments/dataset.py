"""The dataset environment: items from files, a model that answers, a verifier that compares."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from evalkit.environments.base import Component, Execution, Item, Pair, Verdict
from evalkit.environments.checking import Check, CheckSettings, make_check
from evalkit.environments.dataset_rows import (
    SPLITS,
    Fields,
    HeldItem,
    assign_splits,
    read_items,
    read_pairs,
)
from evalkit.environments.draws import Draw
from evalkit.environments.isolation import within
from evalkit.environments.prompting import judge_with, solve_with
from evalkit.errors import ArgumentError
from evalkit.models.base import Model
from evalkit.models.tables import FORBID_EXTRA, check_table

__all__ = ["DatasetEnvironment", "DatasetSettings", "build"]

T = TypeVar("T")
_SHARES: Mapping[str, float] = {"train": 0.5, "validation": 0.25, "test": 0.25}


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetSettings:
    """Settings of ``[environment]`` with the kind ``dataset``; paths are relative to its file.

    Attributes
    ----------
    items : str or None
        JSONL, CSV or Parquet file of all items, with a split column or without.
    splits : mapping of str to str
        In place of `items`: a file each for ``train``, ``validation`` and ``test``.
    fields : Fields
        Which column is what.
    metadata : tuple of str
        Columns that agents and reports may see beside the input; all others stay hidden.
    shares : mapping of str to float
        Share of the items that each split gets where the file names none.
    split_seed : int
        Another seed is another assignment; it is not the seed of the run, so that runs share
        their test items.
    verifier : str
        The reference verifier: a name of `evalkit.verifiers`, or ``module:function``.
    options : mapping
        Its settings.
    verifiers : mapping of str to CheckSettings
        Further verifiers by name, for `verify`.
    pairs : str or None
        File of grader pairs: ``item``, ``better``, ``worse``, and ``id`` if there is one.
    time_limit : float
        Seconds for an item to be solved or judged, waiting for a connection included.
    verifier_limit : float
        Seconds for one call of a verifier of one's own.
    temperature, max_tokens : optional
        Generation settings; the provider's default where missing.
    seeded : bool
        Send a seed with each request; not all providers take one.
    name : str
        Name that records carry.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = FORBID_EXTRA

    items: str | None = None
    splits: Mapping[str, str] = field(default_factory=dict)
    fields: Fields = field(default_factory=Fields)
    metadata: tuple[str, ...] = ()
    shares: Mapping[str, float] = field(default_factory=lambda: dict(_SHARES))
    split_seed: int = 0
    verifier: str = "exact_match"
    options: Mapping[str, Any] = field(default_factory=dict)
    verifiers: Mapping[str, CheckSettings] = field(default_factory=dict)
    pairs: str | None = None
    time_limit: float = 900.0
    verifier_limit: float = 30.0
    temperature: float | None = None
    max_tokens: int | None = None
    seeded: bool = False
    name: str = "dataset"

    def __post_init__(self) -> None:
        if (self.items is None) == (not self.splits):
            raise ArgumentError("give either `items`, one file, or `splits`, a file for each split")
        for setting in ("splits", "shares"):
            wrong = sorted(set(getattr(self, setting)) - set(SPLITS))
            if wrong:
                raise ArgumentError(f"`{setting}` has {wrong[0]!r}; splits are {', '.join(SPLITS)}")
        shares = list(self.shares.values())
        if not all(math.isfinite(s) and s >= 0 for s in shares) or not any(shares):
            raise ArgumentError("`shares` must be finite numbers, 0 or more, and not all 0")
        for setting in ("time_limit", "verifier_limit"):
            if not 0 < getattr(self, setting) < math.inf:
                raise ArgumentError(f"`{setting}` must be a finite number of seconds above 0")
        if "reference" in self.verifiers:
            raise ArgumentError("`verifiers` has 'reference', which is the name of `verifier`")


class DatasetEnvironment:
    """Items with references, solved and judged by models.

    Parameters
    ----------
    settings : DatasetSettings
        What to read and how to judge.
    models : mapping of str to Model
        ``solver``; ``grader``, or the solver judges; ``verifier`` for ``model_judge``.
    base : path
        Folder that paths are relative to.

    Raises
    ------
    ArgumentError, InputError, FileMissingError
        If a setting or file cannot be used; all references are tried before anything runs.

    Attributes
    ----------
    notes : tuple of str
        What is odd about the items.
    """

    def __init__(
        self, settings: DatasetSettings, *, models: Mapping[str, Model], base: Path
    ) -> None:
        if "solver" not in models:
            raise ArgumentError(
                "the dataset environment needs a model that answers; give `[models.solver]`"
            )
        self._settings = settings
        self._solver = models["solver"]
        self._grader = models.get("grader", models["solver"])
        path, held = _held(settings, base)
        self._splits = assign_splits(
            held, shares=settings.shares, seed=settings.split_seed, path=path
        )
        self._references = {entry.item.id: entry.reference for entry in held}
        self._pairs = (
            {} if settings.pairs is None else read_pairs(base / settings.pairs, self._splits)
        )
        self._checks: dict[str, Check] = {
            name: make_check(
                check,
                held,
                judge=models.get("verifier"),
                seconds=settings.verifier_limit,
                base=base,
                path=path,
            )
            for name, check in _checks(settings).items()
        }
        self.notes = tuple(_notes(self._splits))

    @property
    def name(self) -> str:
        """Name that records carry."""
        return self._settings.name

    def items(self, split: str, /) -> tuple[Item, ...]:
        """Return the items of a split, without references."""
        return tuple(entry.item for entry in self._splits[_known_split(split)])

    def pairs(self, split: str, /) -> tuple[Pair, ...]:
        """Return the grader pairs of a split."""
        return tuple(self._pairs.get(_known_split(split), ()))

    def solve(self, component: Component, item: Item, /, *, draw: Draw) -> Execution:
        """Ask the solver, within the time limit."""
        held = self._settings
        done = self._within(
            lambda: solve_with(
                self._solver,
                component,
                item,
                draw=draw,
                temperature=held.temperature,
                max_tokens=held.max_tokens,
                seeded=held.seeded,
            )
        )
        late = f"not done within {held.time_limit:g} s"
        return done or Execution(item=item.id, output=None, status="timeout", error=late)

    def judge(
        self, component: Component, item: Item, execution: Execution, /, *, draw: Draw
    ) -> Verdict:
        """Ask the grader for a score and a critique, within the time limit."""
        held = self._settings
        done = self._within(
            lambda: judge_with(
                self._grader,
                component,
                item,
                execution,
                draw=draw,
                temperature=held.temperature,
                max_tokens=held.max_tokens,
                seeded=held.seeded,
            )
        )
        late = f"not judged within {held.time_limit:g} s"
        return done or Verdict(score=None, status="timeout", critique=late)

    def verify(
        self, item: Item, execution: Execution, /, *, verifier: str = "reference"
    ) -> Verdict:
        """Compare with the reference.

        Raises
        ------
        ArgumentError
            If the item or the verifier is unknown.
        """
        if verifier not in self._checks:
            known = ", ".join(map(repr, self._checks))
            raise ArgumentError(f"`verifier` is {verifier!r}; it must be one of {known}")
        if item.id not in self._references:
            raise ArgumentError(f"the item {item.id!r} is not one of this environment")
        return self._checks[verifier](item, execution, self._references[item.id])

    def close(self) -> None:
        """End the processes of verifiers of one's own."""
        for check in self._checks.values():
            check.close()

    def _within(self, work: Callable[[], T]) -> T | None:
        return within(self._settings.time_limit, work)


def build(
    settings: Mapping[str, Any], /, *, seed: int, models: Mapping[str, Model], base: Path
) -> DatasetEnvironment:
    """Make the environment from a table of a configuration; its items do not depend on `seed`."""
    del seed
    checked = check_table(DatasetSettings, settings, place="environment")
    return DatasetEnvironment(checked, models=models, base=base)


def _held(settings: DatasetSettings, base: Path) -> tuple[Path, list[HeldItem]]:
    """Return the items with their splits, and the file to name in messages."""
    if settings.items is not None:
        path = base / settings.items
        return path, read_items(path, settings.fields, metadata=settings.metadata)
    held: list[HeldItem] = []
    path = base
    for split in SPLITS:
        if split in settings.splits:
            path = base / settings.splits[split]
            read = read_items(path, settings.fields, metadata=settings.metadata, split=split)
            held += [replace(entry, split=split) for entry in read]
    return path, held


def _checks(settings: DatasetSettings) -> dict[str, CheckSettings]:
    reference = CheckSettings(name=settings.verifier, options=settings.options)
    return {"reference": reference, **settings.verifiers}


def _known_split(split: str) -> str:
    if split not in SPLITS:
        raise ArgumentError(f"`split` is {split!r}; it must be one of {', '.join(SPLITS)}")
    return split


def _notes(splits: Mapping[str, Sequence[HeldItem]]) -> list[str]:
    notes = [f"the split {name} has no items" for name in SPLITS if not splits[name]]
    where: dict[str, set[str]] = {}
    inputs: dict[str, set[str]] = {}
    for name, entries in splits.items():
        for entry in entries:
            where.setdefault(entry.item.cluster or entry.item.id, set()).add(name)
            inputs.setdefault(entry.item.input, set()).add(name)
    torn = sorted(cluster for cluster, names in where.items() if len(names) > 1)
    if torn:
        notes.append(f"{len(torn)} clusters stand in several splits, such as {torn[0]!r}")
    shared = sum(len(names) > 1 for names in inputs.values())
    if shared:
        notes.append(f"{shared} inputs stand in several splits, word for word")
    return notes
