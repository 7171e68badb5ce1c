"""Draw docs/images/gates.svg: which gates keep noise out at 39 and at 200 validation items."""

from __future__ import annotations

from pathlib import Path

from evalkit.figures import gate_characteristics_panels, new_figure, paper_style, svg_text
from evalkit.trajectories import operating_characteristics, standard_gates


def drawing() -> str:
    """Return the figure of docs/simulation.md as SVG."""
    from matplotlib import rc_context

    results = [
        operating_characteristics(gate, n=n, base=0.75, effect=0.03, correlation=0.58, rounds=10)
        for n in (39, 200)
        for gate in standard_gates(n)
    ]
    with rc_context(paper_style(2)):
        figure = new_figure(columns=2)
        gate_characteristics_panels(figure, results)
        return svg_text(figure)


if __name__ == "__main__":
    path = Path(__file__).with_name("images") / "gates.svg"
    path.write_text(drawing(), encoding="utf-8")
