"""Table A28 from locked outputs: the verdicts that the implemented verifiers give."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

from evalkit.locked import GainContrast, sensitivity
from evalkit.tables import Table, delta, make_table


def contrasts(folder: Path) -> dict[str, GainContrast]:
    """Return the two gains of each benchmark and what changes between them."""
    import pandas as pd

    text = gzip.decompress((folder / "locked" / "verdicts.csv.gz").read_bytes()).decode()
    rows: dict[str, list[dict[str, str]]] = {}
    for row in csv.DictReader(io.StringIO(text)):
        rows.setdefault(row.pop("benchmark"), []).append(row)
    return {
        benchmark: sensitivity(
            pd.DataFrame(own), base="parent", candidate="evolved", verifiers=["V0", "V1"]
        ).contrasts[0]
        for benchmark, own in rows.items()
    }


def locked_sensitivity(folder: Path) -> Table:
    """Gains under V0 and V1 on the same bytes, and the flips behind their difference."""
    rows: list[list[object]] = []
    found = contrasts(folder)
    for benchmark, contrast in found.items():
        gains = (contrast.delta_v0, contrast.delta_v1, contrast.difference)
        flips = [f"{table.only_v0} / {table.only_v1}" for table in contrast.flips]
        rows.append(
            [
                benchmark,
                *(delta(gain, 1, scale=100) for gain in gains),
                *flips,
                contrast.disagreements,
                contrast.verdicts,
            ]
        )
    counts = [
        sum(getattr(c, name) for c in found.values()) for name in ("disagreements", "verdicts")
    ]
    rows.append(["all", None, None, None, None, None, *counts])
    return make_table(
        [
            "benchmark",
            "gain V0",
            "gain V1",
            "difference",
            "parent: only V0 / only V1",
            "evolved: only V0 / only V1",
            "disagreements",
            "verdicts",
        ],
        rows,
        caption="Added: Table A28 from locked outputs under the implemented verifiers",
        notes=[
            (
                "Outputs are reconstructed: 100 items a benchmark, verified by evalkit.verifiers "
                "set as V0 and V1 are defined (the judge by recorded replies). The gains and the "
                "48 disagreements are the paper's; how the 48 fall on the benchmarks, the levels "
                "and the pairing of items are free, so no interval is given."
            ),
        ],
    )
