"""Test-time scaling: best of k, last of k, pass@k, pass^k, and the calls they cost."""

from __future__ import annotations

from evalkit.testtime.calls import amortised_calls, break_even_deployments
from evalkit.testtime.curve import ScalingCurve, ScalingPoint, Support, scaling
from evalkit.testtime.draws import pass_at_k, pass_hat_k
from evalkit.testtime.reading import outcomes_from_frame

__all__ = [
    "ScalingCurve",
    "ScalingPoint",
    "Support",
    "amortised_calls",
    "break_even_deployments",
    "outcomes_from_frame",
    "pass_at_k",
    "pass_hat_k",
    "scaling",
]
