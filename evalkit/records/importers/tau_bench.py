"""tau-bench lists and both result forms of tau2: one file, or a folder with one file a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalkit.errors import InputError
from evalkit.records.importers.base import Imported, LogFormat
from evalkit.records.importers.files import Ids, Place, head, jsonable, peek_json, read_json
from evalkit.records.importers.tables import VerdictRows, named, status_note

__all__ = ["FORMAT"]

_NAME = "tau-bench"
_TOLERANCE = 1e-6
_SIMULATIONS = ("simulations", "simulation_index")
_INFRA = frozenset({"infrastructure_error"})
_COUNTED_AS_FAILURES = {
    "unexpected_error": "infra",
    "user_error": "infra",
    "timeout": "timeout",
}
"""Ends that are not the agent's, which tau2 itself counts as failures."""


def _is_list(start: bytes) -> bool:
    return start.startswith(b"[") and all(
        key in start for key in (b'"task_id"', b'"reward"', b'"info"')
    )


def _is_tau2(path: Path, start: bytes) -> bool:
    if not start.startswith(b"{"):
        return False
    if b'"agent_info"' in start and b'"num_trials"' in start:
        return True
    document = peek_json(path)
    return (
        isinstance(document, Mapping)
        and any(key in document for key in _SIMULATIONS)
        and ("tasks" in document or "info" in document)
    )


def detects(path: Path) -> bool:
    """Whether `path` is a list of results, a tau2 file, or a tau2 folder."""
    file = path / "results.json" if path.is_dir() else path
    if not file.is_file():
        return False
    start = head(file).lstrip(b"\xef\xbb\xbf \r\n\t")
    return _is_tau2(file, start) or (not path.is_dir() and _is_list(start))


def load(path: Path) -> Imported:
    """Read results of tau-bench or tau2."""
    file = path / "results.json" if path.is_dir() else path
    if not file.is_file():
        raise InputError("the folder holds no results.json", path=str(path))
    document = read_json(file)
    if isinstance(document, list):
        return _old(document, Place(path=str(file)))
    place = Place(path=str(file))
    return _Tau2(place=place, document=place.mapping(document, "the document")).load(path)


FORMAT = LogFormat(
    name=_NAME,
    title="tau-bench result list, tau2 results.json, or tau2 result folder",
    detects=detects,
    load=load,
)


def _success(reward: float | None) -> float | None:
    """Return 1 where the reward is 1 to within rounding, else 0, as the benchmark defines it."""
    return None if reward is None else float(abs(reward - 1) <= _TOLERANCE)


def _old(entries: list[Any], place: Place) -> Imported:
    notes: list[str] = []
    rows = VerdictRows()
    ids = Ids()
    counts: dict[str, int] = {}
    for position, raw in enumerate(entries, 1):
        here = place.at(item=f"entry {position}")
        entry = here.mapping(raw, "the entry")
        if entry.get("task_id") is None:
            rows.drops.append(("has no task_id", f"entry {position}"))
            continue
        item = ids.take(entry["task_id"], here, "`task_id`")
        here = place.at(item=item)
        counts[item] = counts.get(item, 0) + 1
        trial = here.text(entry.get("trial"), "`trial`")
        reward, status = here.score(entry.get("reward"), "`reward`")
        info = entry.get("info")
        if isinstance(info, Mapping) and info.get("error"):
            status = "timeout" if "timed out" in str(info["error"]).casefold() else "infra"
        rows.add(
            system="agent",
            item=item,
            attempt=str(counts[item]) if trial is None else trial,
            score=_success(reward),
            status=status,
            extra={"logged_reward": reward},
        )
    verdicts, dropped = rows.finish(notes)
    notes += status_note(verdicts)
    notes += _unequal(verdicts)
    notes.append("the list names no agent; the system is called `agent` (NAME=PATH to name it)")
    return Imported(
        format=_NAME,
        sources=(place.path,),
        tables={"verdicts": verdicts},
        dropped=dropped,
        notes=tuple(notes),
    )


def _unequal(rows: Any) -> list[str]:
    """Say where tasks have unequal numbers of trials, which pass^k must not pool."""
    counts: dict[str, int] = {}
    for row in rows:
        if row["status"] == "scored":
            counts[row["item"]] = counts.get(row["item"], 0) + 1
    if len(set(counts.values())) < 2:
        return []
    least, most = min(counts.values()), max(counts.values())
    short = [item for item, count in counts.items() if count < most]
    note = (
        f"tasks have {least} to {most} scored trials (fewer than {most}: {named(short)}); the "
        f"largest k of pass^k over all tasks is {least}"
    )
    return [note]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tau2:
    """One tau2 document."""

    place: Place
    document: Mapping[str, Any]
    ids: Ids = field(default_factory=Ids)

    def load(self, path: Path) -> Imported:
        notes: list[str] = []
        rows = VerdictRows()
        info = self._info()
        system = self._system(info)
        domain = self._name(info.get("environment_info"), "domain_name")
        listed, sources = self._simulations(path, notes)
        softened: dict[str, int] = {}
        for here, simulation in listed:
            self._add(here, simulation, rows, system, domain, softened)
        self._planned(info, rows, system, domain, notes)
        verdicts, dropped = rows.finish(notes)
        notes += status_note(verdicts, counted_as="")
        notes += _unequal(verdicts)
        for reason, count in softened.items():
            notes.append(
                f"{count} runs ended by {reason}, which tau2 counts as failures and which is not "
                "the agent's doing: they hold no score (--errors fail counts them)"
            )
        return Imported(
            format=_NAME,
            sources=(self.place.path, *sources),
            tables={"verdicts": verdicts},
            dropped=dropped,
            notes=tuple(notes),
            facts={
                name: jsonable(info[name])
                for name in ("git_commit", "num_trials", "max_steps", "seed")
                if name in info
            },
        )

    def _info(self) -> Mapping[str, Any]:
        info = self.document.get("info")
        return {} if info is None else self.place.mapping(info, "`info`")

    def _name(self, part: Any, *names: str) -> str | None:
        if not isinstance(part, Mapping):
            return None
        found = (self.place.text(part.get(name), f"`{name}`") for name in names)
        return next((each for each in found if each), None)

    def _system(self, info: Mapping[str, Any]) -> str:
        return self._name(info.get("agent_info"), "llm", "implementation") or "agent"

    def _simulations(
        self, path: Path, notes: list[str]
    ) -> tuple[list[tuple[Place, Mapping[str, Any]]], list[str]]:
        """Return every simulation: from the document, from its own file, or from the index."""
        inline = self.document.get("simulations") or []
        found: dict[str, tuple[Place, Mapping[str, Any]]] = {}
        loose: list[tuple[Place, Mapping[str, Any]]] = []
        for raw in self.place.listing(inline, "`simulations`"):
            simulation = self.place.mapping(raw, "a simulation")
            self._keep(self.place, simulation, found, loose)
        folder = path / "simulations" if path.is_dir() else path.parent / "simulations"
        sources = []
        if not inline and folder.is_dir():
            for each in sorted(folder.glob("*.json")):
                place = Place(path=str(each))
                simulation = place.mapping(read_json(each), "the document")
                self._keep(place, simulation, found, loose)
                sources.append(str(each))
        index = self.place.listing(self.document.get("simulation_index") or [], "the index")
        lost = []
        for raw in index:
            entry = self.place.mapping(raw, "an entry of the index")
            ident = str(entry.get("id"))
            if ident not in found and not inline:
                lost.append(ident)
                self._keep(self.place, entry, found, loose)
        if lost:
            notes.append(
                f"{len(lost)} simulations have no file of their own and were read from the index: "
                f"{named(lost)}"
            )
        known = {str(entry.get("id")) for entry in index if isinstance(entry, Mapping)}
        if index and sources and (extra := [name for name in found if name not in known]):
            notes.append(f"{len(extra)} simulations are not in the index: {named(extra)}")
        return [*found.values(), *loose], sources

    @staticmethod
    def _keep(
        place: Place,
        simulation: Mapping[str, Any],
        found: dict[str, tuple[Place, Mapping[str, Any]]],
        loose: list[tuple[Place, Mapping[str, Any]]],
    ) -> None:
        ident = simulation.get("id")
        if ident is None or str(ident) in found:
            loose.append((place, simulation))
        else:
            found[str(ident)] = (place, simulation)

    def _add(
        self,
        place: Place,
        simulation: Mapping[str, Any],
        rows: VerdictRows,
        system: str,
        domain: str | None,
        softened: dict[str, int],
    ) -> None:
        if simulation.get("task_id") is None:
            rows.drops.append(("has no task_id", f"simulation {simulation.get('id')}"))
            return
        item = self.ids.take(simulation["task_id"], place, "`task_id`")
        here = place.at(item=item)
        reward_info = simulation.get("reward_info")
        value = reward_info.get("reward") if isinstance(reward_info, Mapping) else None
        reward, status = here.score(simulation.get("reward") if value is None else value)
        end = here.text(simulation.get("termination_reason"), "`termination_reason`") or ""
        end = end.rpartition(".")[2].casefold()
        if end in _INFRA:
            status = "infra"
        elif end in _COUNTED_AS_FAILURES and not (reward is not None and reward > 0):
            status = _COUNTED_AS_FAILURES[end]
            softened[end] = softened.get(end, 0) + 1
        trial = here.text(simulation.get("trial"), "`trial`")
        rows.add(
            system=system,
            item=item,
            attempt="0" if trial is None else trial,
            score=_success(reward),
            status=status,
            extra={
                "logged_reward": reward,
                "termination": end or None,
                "domain": domain,
                "agent_cost": here.number(simulation.get("agent_cost"), "`agent_cost`"),
                "duration": here.number(simulation.get("duration"), "`duration`"),
            },
        )

    def _planned(
        self,
        info: Mapping[str, Any],
        rows: VerdictRows,
        system: str,
        domain: str | None,
        notes: list[str],
    ) -> None:
        """Add a missing row for each trial that was planned and has no simulation."""
        trials = self.place.whole(info.get("num_trials"), "`num_trials`")
        tasks = self.document.get("tasks")
        if trials is None or not isinstance(tasks, list) or not 0 < trials <= 1000:
            return
        there: dict[str, int] = {}
        for row in rows.rows:
            there[row["item"]] = there.get(row["item"], 0) + 1
        used = {(row["item"], row["attempt"]) for row in rows.rows}
        missing = 0
        for task in tasks:
            ident = task.get("id") if isinstance(task, Mapping) else None
            if ident is None:
                continue
            item = self.place.ident(ident, "a task id")
            free = (str(n) for n in range(trials) if (item, str(n)) not in used)
            for _ in range(trials - there.get(item, 0)):
                attempt = next(free, None)
                if attempt is None:
                    break
                missing += 1
                extra = {"domain": domain}
                rows.add(system=system, item=item, attempt=attempt, score=None, extra=extra)
        if missing:
            notes.append(
                f"{missing} of {trials * len(tasks)} planned trials have no simulation: missing"
            )
