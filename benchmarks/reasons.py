"""What the profile says about work that may stay below its goal; printed where it does."""

from __future__ import annotations

__all__ = ["REASONS", "STARTUP_REASON"]

_COMPILED = "evalkit exact, numba"
_SAMPLED = "evalkit Monte Carlo, numba"

_CALL = (
    "Half of a call is argument checks, the array of results and the hand-over to compiled code; "
    "the law itself takes 7 us."
)
_COUNT = (
    "Counting reads the array once, at half the speed or more of a plain sum, and nothing else "
    "depends on its length; the scipy side is extrapolated from a fiftieth of the resamples."
)
_RATIO = (
    "The law of a ratio is inverted anew at each limit that is tried, 16 to 20 times, over all "
    "distinct pairs of sum and size."
)
_ROWS = (
    "A third goes to checking the columns and moving them to Arrow, almost half to grouping "
    "396,144 rows there and bringing the cells together, and a quarter to the 504 intervals."
)
_CELLS = (
    "Each distinct outcome of a continuous metric is a cell of its own, 100,000 of them; grouping "
    "the rows and bringing the cells together take more than the 504 intervals do."
)
_WEIGHTS = (
    "What is left is drawing the weights, about 1 ns an item and resample on each processor, and "
    "the products with the data; a busy second processor counts twice here."
)
_FLIPS = (
    "Each of some hundred frequencies takes a sine and a logarithm for each magnitude, and those "
    "that matter an arctangent too; a quarter goes to argument checks and the result."
)

REASONS: dict[tuple[str, str], str] = {
    ("W1", _COMPILED): _CALL,
    ("W2", _COMPILED): _COUNT,
    ("W3", _COMPILED): _CALL,
    ("W4", _COMPILED): _CALL,
    ("W4-unequal", _COMPILED): _RATIO,
    ("W6", "evalkit.estimate on a pandas frame"): _ROWS,
    ("W6", "evalkit.estimate on a Polars LazyFrame"): _CELLS,
    ("W6", f"{_SAMPLED}, shared resamples"): _WEIGHTS,
    ("W7", _COMPILED): _FLIPS,
    ("any", _SAMPLED): _WEIGHTS,
}
STARTUP_REASON = """
A command loads typer and rich, numpy, scipy.special for quantiles, and pandas, in which rows are
kept; pandas and scipy.special are two thirds of the time.
"""
