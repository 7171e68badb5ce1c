"""Item-level outcomes of the test-time-scaling controls with the margins of A26 and A27."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

Numbers = Mapping[tuple[str, str], str]


def scaling_records(
    numbers: Numbers, allocations: Numbers, benchmark: str
) -> Iterator[Sequence[object]]:
    """Yield item-level outcomes with the reported margins at every number of attempts.

    Items have one difficulty order; outcome k of a control is a success for the items whose
    rank lies below the reported number of successes with k attempts. Attempt 1 is shared.
    """
    yield "system", "item", "attempt", "score"
    oracle, last = f"{benchmark} / Parallel oracle", f"{benchmark} / Sequential last"
    k_max = max(
        int(c[2]) for r, c in numbers if r == oracle and c.endswith(" successes") and c[0] == "K"
    )
    margins = {
        row: [int(numbers[row, f"K={k} successes"]) for k in range(1, k_max + 1)]
        for row in (oracle, last)
    }
    n = int(numbers[oracle, "Panel n"])
    items = [(k_max, rank, margins[oracle], margins[last]) for rank in _spread(n)]
    evolved = [rank < int(numbers[oracle, "Evolved successes"]) for _, rank, *_ in items]
    short = {
        int(column.rpartition("=")[2]): int(text)
        for (row, column), text in allocations.items()
        if row == f"{benchmark} / allocation" and not column.endswith(f" {k_max}")
    }
    if short:
        tail, more = _short_items(numbers, benchmark, short, margins, evolved)
        items, evolved = [*tail, *items], [*more, *evolved]
    width = len(str(len(items)))
    for number, (attempts, rank, best, final) in enumerate(items, start=1):
        item = f"{benchmark.lower()}-{number:0{width}d}"
        for k in range(attempts):
            yield "parallel", item, k + 1, int(rank < best[k])
        for k in range(attempts):
            yield "sequential", item, k + 1, int(rank < final[k])
        yield "evolved", item, 1, int(evolved[number - 1])


def _short_items(
    numbers: Mapping[tuple[str, str], str],
    benchmark: str,
    short: Mapping[int, int],
    margins: Mapping[str, Sequence[int]],
    evolved: Sequence[bool],
) -> tuple[list[tuple[int, int, list[int], list[int]]], list[bool]]:
    """Return the items below the full budget, so that the dynamic panel adds up."""
    row = f"{benchmark} / dynamic"
    oracle, last = margins.values()
    parent = int(numbers[row, "Parent successes"]) - oracle[0]
    best = int(numbers[row, "Parallel successes"]) - oracle[-1]
    final = int(numbers[row, "Sequential successes"]) - last[-1]
    budgets = [k for k, count in sorted(short.items()) for _ in range(count)]
    ranks = _spread(len(budgets))
    items = [
        (k, rank, [parent, *[best] * (k - 1)], [*[parent] * (k - 1), final])
        for k, rank in zip(budgets, ranks, strict=True)
    ]
    wanted = int(numbers[row, "Evolved successes"]) - sum(evolved)
    return items, [rank < wanted for rank in ranks]


def _spread(n: int) -> list[int]:
    """Return the ranks 0..n-1 in bit-reversed order, so that no block of items is favoured."""
    bits = max(1, (n - 1).bit_length())
    reverse = (int(f"{i:0{bits}b}"[::-1], 2) for i in range(1 << bits))
    return [rank for rank in reverse if rank < n]
