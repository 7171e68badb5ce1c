"""Many requests at once, answers in order."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

from evalkit.errors import ArgumentError
from evalkit.models.base import Model, Reply, Request

__all__ = ["generate_all"]


def generate_all(model: Model, requests: Sequence[Request], /, *, workers: int = 8) -> list[Reply]:
    """Ask a model several requests; the replies stand in the order of the requests.

    Parameters
    ----------
    model : Model
        Safe to call from several threads.
    requests : sequence of Request
        What to ask.
    workers : int
        Calls at the same time, at most.

    Returns
    -------
    list of Reply
        One a request. A call that fails is a reply with a status.

    Raises
    ------
    ArgumentError
        If `workers` is not a whole number of 1 or more.
    ModelError
        As soon as the model cannot be used at all; requests that have not begun are not made.

    Examples
    --------
    >>> from evalkit.models import Message, MockModel, Request
    >>> asks = [Request(messages=(Message(role="user", content=c),), purpose="p") for c in "ab"]
    >>> [r.text for r in generate_all(MockModel(lambda r: r.messages[0].content * 2), asks)]
    ['aa', 'bb']
    """
    if not isinstance(workers, int) or isinstance(workers, bool) or workers < 1:
        raise ArgumentError(f"`workers` is {workers!r}; it must be a whole number, 1 or more")
    if not requests:
        return []
    pool = ThreadPoolExecutor(max_workers=min(workers, len(requests)))
    try:
        futures = [pool.submit(model, request) for request in requests]
        wait(futures, return_when=FIRST_EXCEPTION)
        failed = next((f for f in futures if f.done() and f.exception() is not None), None)
        if failed is not None:
            failed.result()
        return [future.result() for future in futures]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
