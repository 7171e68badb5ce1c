"""Running GEPA for some iterations, and what its callbacks report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from evalkit.environments.base import Item
from evalkit.errors import MissingPackageError
from evalkit.evolve.baselines.gepa_adapter import PROMPT, GepaAdapter
from evalkit.evolve.baselines.settings import GepaSettings

__all__ = ["Iteration", "require_gepa", "run_gepa"]


@dataclass(slots=True, kw_only=True)
class Iteration:
    """What GEPA reported of its last iteration, and of its pool.

    Attributes
    ----------
    number : int
        The iteration; 0 evaluated the seed.
    accepted : str or None
        Text that entered the pool.
    rejected : str or None
        Why GEPA turned a candidate down.
    skipped : str or None
        Why there was no candidate.
    pool : list of (str, float)
        Texts with their mean validation score as GEPA sees it, the seed first.
    metric_calls : int
        Evaluated items, as GEPA counts them.
    """

    number: int
    accepted: str | None = None
    rejected: str | None = None
    skipped: str | None = None
    pool: list[tuple[str, float]] = field(default_factory=list)
    metric_calls: int = 0


class _Recorder:
    """GEPA's callbacks; those of earlier iterations are replays and leave no trace."""

    def __init__(self, number: int) -> None:
        self.seen = Iteration(number=number)

    def on_valset_evaluated(self, event: Any) -> None:
        text = event["candidate"][PROMPT]
        self.seen.pool.append((text, float(event["average_score"])))

    def on_candidate_accepted(self, event: Any) -> None:
        if event["iteration"] == self.seen.number:
            self.seen.accepted = self.seen.pool[event["new_candidate_idx"]][0]

    def on_candidate_rejected(self, event: Any) -> None:
        if event["iteration"] == self.seen.number:
            self.seen.rejected = str(event["reason"])

    def on_evaluation_skipped(self, event: Any) -> None:
        if event["iteration"] == self.seen.number:
            self.seen.skipped = str(event["reason"])


class _Log(Protocol):
    def log(self, message: str) -> None: ...


class _Silent:
    """GEPA's logger; its messages repeat what the callbacks say."""

    def log(self, message: str) -> None:
        """Drop a message."""


def require_gepa() -> None:
    """Refuse to begin without the package.

    Raises
    ------
    MissingPackageError
        If ``gepa`` is not installed.
    """
    from importlib.util import find_spec

    if find_spec("gepa") is None:
        raise MissingPackageError(
            "this baseline needs the package 'gepa'; install it with `pip install evalkit[gepa]`"
        )


def run_gepa(
    adapter: GepaAdapter,
    *,
    start: str,
    train: Sequence[Item],
    validation: Sequence[Item],
    settings: GepaSettings,
    seed: int,
    iterations: int,
) -> Iteration:
    """Run GEPA from its seed through a number of iterations.

    Parameters
    ----------
    adapter : GepaAdapter
        Answers; what it has answered before is replayed.
    iterations : int
        Iterations in all; 0 evaluates the seed.

    Returns
    -------
    Iteration
        The last one. Its number is below `iterations` where the budget ended the run before.
    """
    from gepa.api import optimize

    recorder = _Recorder(iterations)
    done = 0

    def stop(gepa_state: Any) -> bool:
        nonlocal done
        done = gepa_state.i + 1
        recorder.seen.metric_calls = int(gepa_state.total_num_evals)
        return done >= iterations or recorder.seen.metric_calls >= settings.metric_calls

    logger: _Log = _Silent()
    optimize(
        seed_candidate={PROMPT: start},
        trainset=list(train),
        valset=list(validation),
        adapter=cast("Any", adapter),
        candidate_selection_strategy=settings.selection,
        reflection_minibatch_size=settings.batch,
        stop_callbacks=[stop],
        logger=logger,
        callbacks=cast("Any", [recorder]),
        display_progress_bar=False,
        seed=seed,
        raise_on_exception=True,
    )
    recorder.seen.number = done
    return recorder.seen
