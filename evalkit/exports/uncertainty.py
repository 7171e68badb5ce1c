"""The score of a metric with its uncertainty, in the words of Every Eval Ever."""

from __future__ import annotations

from typing import Any

from evalkit.results import Estimate

__all__ = ["score_details"]


def score_details(estimate: Estimate) -> dict[str, Any]:
    """Return the ``score_details`` of an estimate.

    Notes
    -----
    What is undefined is absent. All values of ``details`` are text, as the schema asks: the counts
    of attempted, scored and errored rows, the bounds that errored rows allow, and the note.

    Examples
    --------
    >>> from evalkit.estimation import estimate_values
    >>> found = score_details(estimate_values([1] * 27 + [0] * 7))
    >>> sorted(found["uncertainty"]), found["details"]["scored"]
    (['confidence_interval', 'num_samples', 'standard_error'], '34')
    """
    counts = estimate.counts
    details = {
        "attempted": str(counts.attempted),
        "scored": str(counts.scored),
        "errored": str(counts.errored),
        **{f"errored_{status}": str(number) for status, number in counts.by_status.items()},
    }
    for name in ("low_if_errors_fail", "high_if_errors_pass", "clusters", "attempts", "note"):
        value = getattr(estimate, name)
        if value is not None:
            details[name] = str(value)
    uncertainty: dict[str, Any] = {"num_samples": estimate.n}
    clustered = "cluster-robust" if estimate.clusters is not None else "analytic"
    if estimate.se is not None:
        uncertainty["standard_error"] = {"value": estimate.se, "method": clustered}
    if estimate.interval is not None:
        uncertainty["confidence_interval"] = {
            "lower": estimate.interval.low,
            "upper": estimate.interval.high,
            "confidence_level": estimate.interval.level,
            "method": estimate.interval.method,
        }
    return {"score": estimate.estimate, "details": details, "uncertainty": uncertainty}
