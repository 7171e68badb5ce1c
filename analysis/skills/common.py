"""The records of the skills study, read once, and the quantities that several tables share."""

from __future__ import annotations

import csv
import gzip
import io
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

from evalkit.studies import (
    Computed,
    Printed,
    load_reported,
    number_of,
    read_rows,
)
from evalkit.testtime import ScalingCurve, scaling
from evalkit.trajectories import (
    Accounting,
    Replay,
    Run,
    Selection,
    SelectionGap,
    ViewResult,
    new_best_accounting,
    replay,
    runs_from_rows,
    select_view,
    selection_gap,
)

VIEWS = ("Normal", "Fail-only", "Success-only")
PRIMARY = ("SearchQA", "OfficeQA", "SpreadsheetBench", "LiveMath", "DocVQA")
MODELS = ("GPT-5.5", "Gemini 3.1 Pro", "DeepSeek V4-Pro")
GPT, GEMINI, DEEPSEEK = MODELS
DEPLOYMENTS = 3
EVOLUTION_CALLS = 2750

Cells = dict[tuple[str, str], Computed]
Setting = tuple[str, str]
RunKey = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Successes out of n at the end of a run, on one split."""

    k: int
    n: int
    aux: Fraction | None
    basis: str

    @property
    def share(self) -> Fraction:
        """Score as a proportion."""
        return Fraction(self.k, self.n)

    @property
    def score(self) -> Fraction:
        """Score in percent."""
        return 100 * self.share


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One panel difference: `units` more successes in `deployments` times n items."""

    units: int | None
    n: int
    text: str

    @property
    def delta(self) -> Fraction:
        """Difference in points; the printed one where no count prints like it."""
        if self.units is None:
            return number_of(self.text)
        return Fraction(100 * self.units, DEPLOYMENTS * self.n)


class Records:
    """Everything below ``fixtures/skills``."""

    def __init__(self, fixtures: Path) -> None:
        self.reported_folder = fixtures / "reported"
        self.folder = fixtures / "records"
        self.printed = Printed(load_reported(self.reported_folder))

    def labels(self, name: str) -> list[dict[str, str]]:
        """Return a file of words that goes with a reported table."""
        return read_rows(self.reported_folder / f"{name}.csv")

    def rows(self, name: str) -> list[dict[str, str]]:
        """Return a record file."""
        return read_rows(self.folder / f"{name}.csv")

    # --- endpoints ---------------------------------------------------------------------

    @cached_property
    def splits(self) -> dict[str, dict[str, int]]:
        """Items by benchmark and split."""
        return {
            row["benchmark"]: {k: int(v) for k, v in row.items() if k != "benchmark"}
            for row in self.rows("splits")
        }

    @cached_property
    def endpoints(self) -> dict[tuple[str, str, str, str], Endpoint]:
        """Counts by model, benchmark, condition and split."""
        return {
            (row["model"], row["benchmark"], row["condition"], row["split"]): Endpoint(
                k=int(row["successes"]),
                n=int(row["n"]),
                aux=number_of(row["aux"]) if row["aux"] else None,
                basis=row["basis"],
            )
            for row in self.rows("endpoints")
        }

    def end(self, setting: Setting, condition: str, split: str) -> Endpoint:
        """Return one endpoint."""
        return self.endpoints[(*setting, condition, split)]

    @cached_property
    def all_settings(self) -> tuple[Setting, ...]:
        """Model and benchmark, ALFWorld included."""
        return tuple(dict.fromkeys((m, b) for m, b, *_ in self.endpoints))

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """The primary settings."""
        return tuple(s for s in self.all_settings if s[1] in PRIMARY)

    # --- runs --------------------------------------------------------------------------

    @cached_property
    def runs(self) -> dict[RunKey, Run]:
        """Recorded runs."""
        rows = [{k: v for k, v in row.items() if k != "basis"} for row in self.rows("histories")]
        runs = runs_from_rows(rows, labels=("model", "benchmark", "view"))
        return {(r.labels["model"], r.labels["benchmark"], r.labels["view"]): r for r in runs}

    @cached_property
    def replays(self) -> dict[RunKey, Replay]:
        """Replayed runs."""
        return {key: replay(run) for key, run in self.runs.items()}

    @cached_property
    def primary_runs(self) -> tuple[Run, ...]:
        """The 42 primary runs."""
        return tuple(run for key, run in self.runs.items() if key[1] in PRIMARY)

    @cached_property
    def accounting(self) -> Accounting:
        """New-best accounting of the primary runs, by view."""
        return new_best_accounting(self.primary_runs, by="view")

    def improved(self, setting: Setting, view: str) -> bool:
        """Whether a run returned another artifact than its parent."""
        return self.replays[(*setting, view)].best_round > 0

    # --- selection ---------------------------------------------------------------------

    @cached_property
    def recorded_choice(self) -> dict[Setting, str]:
        """The view that the paper marks as chosen; only used to break validation ties."""
        chosen = {}
        for row in self.labels("cross_view_choice"):
            if row["choice"] == "Yes":
                chosen[row["model"], row["benchmark"]] = row["view"]
        return chosen

    def view_result(self, setting: Setting, condition: str) -> ViewResult:
        """Return what a view scored."""
        validation = self.end(setting, condition, "validation")
        return ViewResult(
            validation=validation.share,
            auxiliary=validation.aux,
            test=self.end(setting, condition, "test").share,
            changed=None if condition == "Parent" else self.improved(setting, condition),
        )

    @cached_property
    def selections(self) -> dict[Setting, Selection]:
        """The view that validation selects in each setting."""
        return {s: select_view(*self._views(s), prefer=self._prefer(s)) for s in self.all_settings}

    @cached_property
    def gaps(self) -> dict[Setting, SelectionGap]:
        """What that selection gives away on the released test."""
        return {
            s: selection_gap(*self._views(s), prefer=self._prefer(s)) for s in self.all_settings
        }

    def _views(self, setting: Setting) -> tuple[dict[str, ViewResult], ViewResult]:
        views = {view: self.view_result(setting, view) for view in VIEWS}
        return views, self.view_result(setting, "Parent")

    def _prefer(self, setting: Setting) -> list[str]:
        first = self.recorded_choice.get(setting, VIEWS[0])
        return [first, *(view for view in VIEWS if view != first)]

    def tie_note(self, setting: Setting) -> str:
        """Say that a selection rests on the recorded choice, where it does."""
        choice = self.selections[setting]
        if choice.decided_by != "preference":
            return ""
        return (
            f"validation ties {' and '.join(choice.tied)}; the tie goes to the choice marked in A9"
        )

    def selected_round(self, setting: Setting) -> int:
        """Return the round of the selected artifact; 0 is the parent."""
        name = self.selections[setting].selected
        return 0 if name == "Parent" else self.replays[(*setting, name)].best_round

    @cached_property
    def evolved_settings(self) -> tuple[Setting, ...]:
        """Primary settings in which an evolved artifact is selected."""
        return tuple(s for s in self.settings if not self.selections[s].parent_kept)

    def delta(self, setting: Setting, condition: str, split: str) -> Fraction:
        """Return a view's score minus its parent's, in points."""
        return self.end(setting, condition, split).score - self.end(setting, "Parent", split).score

    # --- probes ------------------------------------------------------------------------

    @cached_property
    def probes(self) -> dict[RunKey, dict[str, Probe]]:
        """Panel differences by model, benchmark and condition."""
        found: dict[RunKey, dict[str, Probe]] = {}
        for row in self.rows("probes"):
            key = row["model"], row["benchmark"], row["condition"]
            units = int(row["units"]) if row["units"] else None
            found.setdefault(key, {})[row["panel"]] = Probe(
                units=units, n=int(row["n"]), text=row["delta"]
            )
        return found

    def macro(self, key: RunKey, family: str) -> Fraction | None:
        """Return the equal-weight mean over the available panels of R or T."""
        panels = [p.delta for name, p in self.probes.get(key, {}).items() if name[0] == family]
        return sum(panels, Fraction(0)) / len(panels) if panels else None

    def macro_of_printed(self, key: RunKey, family: str) -> tuple[Fraction, str]:
        """Return the same mean over the printed differences, as an alternative."""
        texts = [p.text for name, p in self.probes[key].items() if name[0] == family]
        mean = sum(map(number_of, texts), Fraction(0)) / len(texts)
        return mean, "equal as the mean of the rounded panel differences"

    # --- test-time scaling -------------------------------------------------------------

    @cached_property
    def outcomes(self) -> dict[str, dict[str, dict[str, list[float]]]]:
        """Item-level outcomes by benchmark, system and item, in order of attempts."""
        return {
            path.name.removesuffix(".csv.gz"): _read_outcomes(path)
            for path in sorted((self.folder / "scaling").glob("*.csv.gz"))
        }

    @cached_property
    def curves(self) -> dict[tuple[str, str], ScalingCurve]:
        """Scaling curves by benchmark and control."""
        return {
            (benchmark, system): scaling(systems[system])
            for benchmark, systems in self.outcomes.items()
            for system in ("parallel", "sequential")
        }


def _read_outcomes(path: Path) -> dict[str, dict[str, list[float]]]:
    text = gzip.decompress(path.read_bytes()).decode()
    found: dict[str, dict[str, list[float]]] = {}
    for row in csv.DictReader(io.StringIO(text)):
        found.setdefault(row["system"], {}).setdefault(row["item"], []).append(float(row["score"]))
    return found


def setting_name(setting: Setting) -> str:
    """Return how rows name a setting."""
    return " / ".join(setting)


def exact(value: float | None, support: int) -> Fraction:
    """Return a mean of 0/1 outcomes as an exact fraction of its items."""
    if value is None:
        return Fraction(0)
    return Fraction(round(value * support), support)
