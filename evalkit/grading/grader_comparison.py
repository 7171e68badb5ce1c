"""Two graders on the same pairs: the difference of their agreement, paired."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from evalkit.errors import ArgumentError
from evalkit.grading.credits import OrderRule, pair_credits
from evalkit.grading.judgments import SecondOrder, read_judgments
from evalkit.grading.pairwise import check_settings
from evalkit.results import Comparison

if TYPE_CHECKING:
    from evalkit.comparisons.paired import PairedMethod

__all__ = ["compare_graders"]


def compare_graders(
    data: Any,
    a: str,
    b: str,
    *,
    reference: Any = None,
    cluster: str | None = None,
    tie_tolerance: float = 0.0,
    method: PairedMethod = "default",
    level: float = 0.95,
    rule: OrderRule = "average",
    order2: SecondOrder = "displayed",
    columns: Mapping[str, str] | None = None,
    partial: bool = False,
    rng: np.random.Generator | int = 0,
) -> Comparison:
    """Compare the agreement of two graders on the pairs that both judged: `b` minus `a`.

    Parameters
    ----------
    data : path, dataframe of any engine, or sequence of mappings
        As in :func:`agreement`.
    a, b : str
        Graders, base and candidate; columns that name a grader together are joined by a slash.
    reference, cluster, tie_tolerance, level, rule, order2, columns, partial
        As in :func:`agreement`.
    method : str
        Interval of a paired difference by name.
    rng : Generator or int
        Seed of the tests that sample.

    Returns
    -------
    Comparison

    Raises
    ------
    ArgumentError
        If a grader is not there, or there are no labels.

    Examples
    --------
    >>> rows = [{"pair": i, "label": "A", "judge": judge, "verdict": verdict}
    ...         for judge, verdicts in (("old", "ABAB"), ("new", "AABA"))
    ...         for i, verdict in enumerate(verdicts)]
    >>> found = compare_graders(rows, "old", "new")
    >>> found.difference, found.n_pairs
    (0.25, 4)
    """
    import pyarrow as pa

    from evalkit.comparison import compare

    check_settings(rule, level)
    found = read_judgments(
        data,
        reference=reference,
        cluster=cluster,
        tie_tolerance=tie_tolerance,
        order2=order2,
        columns=columns,
        partial=partial,
    )
    if found.reference is None:
        raise ArgumentError("there are no reference labels; name their column or their file")
    graders = found.graders()
    known = sorted(set(graders.tolist()))
    for name in (a, b):
        if name not in known:
            raise ArgumentError(f"grader {name!r} is not there; the graders are {', '.join(known)}")
    kept = np.isin(graders, [a, b]) & (np.abs(found.reference) == 1)
    credit = pair_credits(*found.by_answer(kept), found.reference[kept], rule=rule)
    frame = {
        "system": graders[kept].tolist(),
        "item": found.pairs[kept].tolist(),
        "score": [None if np.isnan(c) else float(c) for c in credit],
    }
    if found.clusters is not None:
        frame["cluster"] = found.clusters[kept].tolist()
    return compare(
        pa.table({**frame, "score": pa.array(frame["score"], pa.float64())}),
        systems=(a, b),
        cluster=None if cluster is None else "cluster",
        method=method,
        level=level,
        score_range=(0.0, 1.0),
        rng=rng,
    )
