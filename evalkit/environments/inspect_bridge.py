"""The Inspect environment: a task of Inspect with a prompt or skills injected."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from evalkit.environments.base import Component, Execution, Item, Pair, Verdict
from evalkit.environments.dataset_rows import SPLITS, HeldItem, assign_splits
from evalkit.environments.draws import Draw
from evalkit.environments.inspect_scores import sample_verdict
from evalkit.environments.isolation import IsolatedFunction
from evalkit.environments.prompting import component_text, judge_with
from evalkit.errors import ArgumentError, MissingPackageError, ModelError
from evalkit.models.base import Model, Usage
from evalkit.models.tables import FORBID_EXTRA, check_table

__all__ = ["InspectEnvironment", "InspectSettings", "build"]

_TARGET = "evalkit.environments.inspect_run:inspect_task"


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectSettings:
    """Settings of ``[environment]`` with the kind ``inspect``.

    Attributes
    ----------
    task : str
        ``module:function``, ``file.py@task`` relative to the configuration, or a registered name.
    arguments : mapping
        Arguments of the task.
    model : str or None
        What the task runs on: a name of Inspect, or the server's own with `base_url`. ``None``
        leaves it to the task.
    base_url, api_key_env : str or None
        An OpenAI-compatible server, and the environment variable of its key.
    max_retries : int
        Tries of a model call after the first.
    timeout : int
        Seconds for one try of a model call.
    scorer : str or None
        Whose score counts; ``scorer/key`` where a scorer gives several. Needed where there are
        several.
    cluster : str or None
        Key of the sample's metadata that names its cluster.
    split : str or None
        Key of the sample's metadata that names its split; without it, splits are drawn.
    metadata : tuple of str
        Keys of the sample's metadata that agents and reports may see.
    shares, split_seed
        See `evalkit.environments.dataset.DatasetSettings`.
    time_limit : float
        Seconds for a sample, after which Inspect ends it.
    grace : float
        Further seconds after which its process is killed.
    name : str
        Name that records carry.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = FORBID_EXTRA

    task: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    max_retries: int = 5
    timeout: int = 120
    scorer: str | None = None
    cluster: str | None = None
    split: str | None = None
    metadata: tuple[str, ...] = ()
    shares: Mapping[str, float] = field(
        default_factory=lambda: {"train": 0.5, "validation": 0.25, "test": 0.25}
    )
    split_seed: int = 0
    time_limit: float = 600.0
    grace: float = 30.0
    name: str = "inspect"

    def __post_init__(self) -> None:
        if not 0 < self.time_limit < math.inf or not 0 < self.grace < math.inf:
            raise ArgumentError("`time_limit` and `grace` must be finite seconds above 0")
        if set(self.shares) - set(SPLITS) or sum(self.shares.values()) <= 0:
            raise ArgumentError(f"`shares` must be positive shares of {', '.join(SPLITS)}")
        if self.base_url is not None and self.model is None:
            raise ArgumentError("`base_url` needs `model`, the name that the server knows")


class InspectEnvironment:
    """Samples of an Inspect task; each is run in a process of its own, and scored by the task.

    Parameters
    ----------
    settings : InspectSettings
        Which task, on what model.
    models : mapping of str to Model
        ``grader`` for `judge`; the task itself runs on Inspect's own models.
    base : path
        Folder of the configuration.

    Raises
    ------
    MissingPackageError
        If `inspect_ai` is not installed.
    ArgumentError
        If the task cannot be loaded or a setting does not suit it.

    Notes
    -----
    The component is a system message, put behind those of the task's setup and before its solver
    runs; a solver that adds system messages of its own adds them behind it. The score is read as
    `evalkit.records` reads an Inspect log: C is 1, I and N are 0, P is 0.5, NaN and null are not
    scored; a sample with an error is ``infra``; one that a time limit ended without a score is a
    ``timeout``. It is kept beside the execution, so `verify` knows executions of this process
    only, and what agents see holds neither target nor score.
    """

    def __init__(
        self, settings: InspectSettings, *, models: Mapping[str, Model], base: Path
    ) -> None:
        if find_spec("inspect_ai") is None:
            raise MissingPackageError(
                "the Inspect environment needs the package inspect-ai; install it with "
                "`pip install 'evalkit-stats[models]'`"
            )
        self._settings, self._base = settings, base
        self._grader = models.get("grader", models.get("solver"))
        self._lock = threading.Lock()
        self._scores: dict[tuple[str, str | None, str], Verdict] = {}
        self._run = IsolatedFunction(
            _TARGET, timeout=settings.time_limit + settings.grace, base=base, prepare="prepare"
        )
        self._ids: dict[str, Any] = {}
        self._splits = self._listed()

    def _listed(self) -> dict[str, list[HeldItem]]:
        held = self._settings
        listing = self._run(self._call("list"))
        if listing.status != "ok":
            raise ArgumentError(f"the task {held.task!r} cannot be loaded: {listing.error}")
        out = []
        for entry in listing.value:
            known: dict[str, str] = entry["metadata"]
            split = known.get(held.split) if held.split is not None else None
            if split is not None and split not in SPLITS:
                raise ArgumentError(
                    f"the sample {entry['id']!r} has the split {split!r}; it must be one of "
                    f"{', '.join(SPLITS)}"
                )
            item = Item(
                id=str(entry["id"]),
                input=entry["input"],
                cluster=None if held.cluster is None else known.get(held.cluster),
                metadata={key: known[key] for key in held.metadata if key in known},
            )
            self._ids[item.id] = entry["id"]
            out.append(HeldItem(item=item, reference=None, split=split))
        if not out:
            raise ArgumentError(f"the task {held.task!r} has no samples")
        return assign_splits(out, shares=held.shares, seed=held.split_seed, path=Path(held.task))

    def _call(self, action: str, **more: Any) -> dict[str, Any]:
        held = self._settings
        return {
            "action": action,
            "task": held.task,
            "arguments": dict(held.arguments),
            "base": str(self._base.resolve()),
            **more,
        }

    @property
    def name(self) -> str:
        """Name that records carry."""
        return self._settings.name

    def items(self, split: str, /) -> tuple[Item, ...]:
        """Return the samples of a split, without targets."""
        if split not in SPLITS:
            raise ArgumentError(f"`split` is {split!r}; it must be one of {', '.join(SPLITS)}")
        return tuple(entry.item for entry in self._splits[split])

    def pairs(self, split: str, /) -> tuple[Pair, ...]:  # noqa: ARG002
        """Return no pairs; a task has none."""
        return ()

    def solve(self, component: Component, item: Item, /, *, draw: Draw) -> Execution:  # noqa: ARG002
        """Run the sample with the component injected; Inspect's models take no draw."""
        held = self._settings
        if item.id not in self._ids:
            raise ArgumentError(f"the item {item.id!r} is not one of this environment")
        outcome = self._run(
            self._call(
                "run",
                sample=self._ids[item.id],
                system=component_text(component),
                time_limit=held.time_limit,
                model={
                    "name": held.model,
                    "base_url": held.base_url,
                    "api_key_env": held.api_key_env,
                    "max_retries": held.max_retries,
                    "timeout": held.timeout,
                },
            )
        )
        if outcome.status != "ok":
            return Execution(
                item=item.id,
                output=None,
                status="timeout" if outcome.status == "timeout" else "infra",
                error=outcome.error,
            )
        if outcome.value["failed"] is not None:
            return Execution(
                item=item.id, output=None, status="infra", error=outcome.value["failed"][:500]
            )
        return self._read(item, outcome.value)

    def _read(self, item: Item, value: Mapping[str, Any]) -> Execution:
        usage = Usage(**value["usage"])
        verdict = sample_verdict(value["sample"], self._settings.scorer)
        if verdict.status in ("infra", "timeout"):
            return Execution(
                item=item.id,
                output=None,
                trace=value["trace"],
                status="timeout" if verdict.status == "timeout" else "infra",
                error=verdict.critique,
                usage=usage,
            )
        done = Execution(item=item.id, output=value["output"], trace=value["trace"], usage=usage)
        with self._lock:
            self._scores[done.item, done.output, done.trace] = verdict
        return done

    def judge(
        self, component: Component, item: Item, execution: Execution, /, *, draw: Draw
    ) -> Verdict:
        """Ask the grader for a score and a critique.

        Raises
        ------
        ModelError
            If there is no model that grades.
        """
        if self._grader is None:
            raise ModelError("there is no model that grades; give `[models.grader]`")
        return judge_with(self._grader, component, item, execution, draw=draw)

    def verify(
        self, item: Item, execution: Execution, /, *, verifier: str = "reference"
    ) -> Verdict:
        """Return the task's own score of an execution.

        Raises
        ------
        ArgumentError
            If another verifier is asked for.
        """
        if verifier != "reference":
            raise ArgumentError(f"`verifier` is {verifier!r}; a task has 'reference' only")
        if execution.status != "ok":
            return Verdict(score=None, status=execution.status, critique=execution.error or "")
        with self._lock:
            found = self._scores.get((item.id, execution.output, execution.trace))
        told = "the execution is not one of this process"
        return found or Verdict(score=None, status="missing", critique=told)

    def close(self) -> None:
        """End the processes."""
        self._run.close()


def build(
    settings: Mapping[str, Any], /, *, seed: int, models: Mapping[str, Model], base: Path
) -> InspectEnvironment:
    """Make the environment from a table of a configuration; it does not depend on `seed`."""
    del seed
    checked = check_table(InspectSettings, settings, place="environment")
    return InspectEnvironment(checked, models=models, base=base)
