"""Rounds of a SkillOpt-Lite workspace: snapshots, the runs between them, and what was decided.

There is no log of decisions. A round begins with its ``before`` snapshot and ends with the next
one; the last run of a split inside that window counts. A ``best`` snapshot is a new best, equal
bytes before and after are a null round, and what the next round begins with tells the rest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from evalkit.records.importers.tables import Decision, artifact_hash, named

__all__ = ["EvalRun", "Round", "assign_runs", "judge_rounds", "read_snapshots"]

_SNAPSHOT = re.compile(r"round(\d{1,9})__(\d{8}_\d{6})__(before|after|best)\.md")
_SINGLE = re.compile(r"(\d{8}_\d{6})__(before|after|best)\.md")


@dataclass(slots=True, kw_only=True)
class EvalRun:
    """One evaluation run.

    Attributes
    ----------
    folder : Path
        Where it is.
    stamp : str
        ``YYYYmmdd_HHMMSS``.
    split : str
        Split that it evaluated.
    hard : float or None
        Reported mean.
    n_items : int or None
        Reported number of items.
    system : str
        Name of what was evaluated, once it is known.
    role : str
        ``baseline``, ``counted``, ``superseded`` or empty.
    artifact : str or None
        Hash of what was evaluated, where a snapshot shows it.
    """

    folder: Path
    stamp: str
    split: str
    hard: float | None
    n_items: int | None
    system: str
    role: str = ""
    artifact: str | None = None


@dataclass(slots=True, kw_only=True)
class Round:
    """One round.

    Attributes
    ----------
    number : int
        As the file names say.
    start : str
        Time stamp of the ``before`` snapshot.
    before, after, best : str or None
        Hashes of the snapshots.
    counted : dict of str to EvalRun
        The run that counts, by split.
    changed : bool or None
        Whether ``after`` differs from ``before``.
    decision : str or None
        As reconstructed.
    """

    number: int
    start: str
    before: str | None = None
    after: str | None = None
    best: str | None = None
    counted: dict[str, EvalRun] = field(default_factory=dict)
    changed: bool | None = None
    decision: Decision | None = None


def read_snapshots(folder: Path, notes: list[str]) -> list[Round]:
    """Return the rounds of a history folder in order."""
    if not folder.is_dir():
        return []
    kept: dict[tuple[int, str], tuple[str, str]] = {}
    starts: dict[int, str] = {}
    repeats, strange, single = [], [], 0
    for path in sorted(folder.iterdir()):
        match = _SNAPSHOT.fullmatch(path.name)
        if match is None or not path.is_file():
            single += _SINGLE.fullmatch(path.name) is not None
            if _SINGLE.fullmatch(path.name) is None:
                strange.append(path.name)
            continue
        number, stamp, kind = int(match[1]), match[2], match[3]
        if (number, kind) in kept:
            repeats.append(f"round {number} {kind}")
        if kind == "before":
            starts[number] = min(starts.get(number, stamp), stamp)
        kept[number, kind] = max(kept.get((number, kind), ("", "")), (stamp, _hash(path)))
    if repeats:
        notes.append(
            f"ambiguous: several snapshots of {named(repeats)}, as after a round that was run "
            "again; the last one counts"
        )
    if strange:
        notes.append(f"files that are no snapshots were left out: {named(strange)}")
    if single:
        notes.append(f"{single} snapshots of single improvements have no round and were left out")
    return _rounds(kept, starts, notes)


def _hash(path: Path) -> str:
    return artifact_hash(path.read_bytes())


def _rounds(
    kept: dict[tuple[int, str], tuple[str, str]], starts: dict[int, str], notes: list[str]
) -> list[Round]:
    rounds = []
    for number in sorted({number for number, _ in kept}):
        stamps = [stamp for (n, _), (stamp, _) in kept.items() if n == number]
        if number not in starts:
            notes.append(
                f"ambiguous: round {number} has no `before` snapshot; its window begins with its "
                "first snapshot"
            )
        snapshots = {kind: digest for (n, kind), (_, digest) in kept.items() if n == number}
        rounds.append(
            Round(
                number=number,
                start=starts.get(number, min(stamps)),
                before=snapshots.get("before"),
                after=snapshots.get("after"),
                best=snapshots.get("best"),
            )
        )
    late = [str(after.number) for before, after in pairwise(rounds) if after.start < before.start]
    if late:
        notes.append(
            f"ambiguous: rounds {named(late)} begin before the round they follow; windows are "
            "taken in order of time"
        )
    return rounds


def assign_runs(rounds: list[Round], runs: list[EvalRun], notes: list[str]) -> None:
    """Give each run its round, baseline and name; the last of a split in a window counts."""
    if not rounds:
        return
    ordered = sorted(rounds, key=lambda entry: entry.start)
    for run in runs:
        owner = next((entry for entry in reversed(ordered) if entry.start <= run.stamp), None)
        if owner is None:
            _replace_baseline(run, runs, ordered[0].before)
            continue
        earlier = owner.counted.get(run.split)
        if earlier is not None:
            earlier.role, earlier.system = "superseded", f"round {owner.number}, {earlier.system}"
            earlier.artifact = None
        owner.counted[run.split] = run
        run.role, run.artifact = "counted", owner.after
    for entry in rounds:
        for run in entry.counted.values():
            run.system = f"round {entry.number}"
    if not any(run.role == "baseline" for run in runs):
        _baseline_inside(ordered[0], runs, notes)
    notes += _assignment_notes(rounds, runs)


def _assignment_notes(rounds: list[Round], runs: list[EvalRun]) -> list[str]:
    """Say what was ambiguous, what does not count, and which rounds have no run."""
    notes = []
    ties = [run.stamp for run in runs if any(run.stamp == entry.start for entry in rounds)]
    if ties:
        notes.append(
            f"ambiguous: runs {named(ties)} carry the time stamp of a snapshot; they count for the "
            "round that begins there"
        )
    superseded = [run.stamp for run in runs if run.role == "superseded"]
    if superseded:
        notes.append(
            f"{len(superseded)} runs were followed by another of the same split in their round and "
            f"do not count for it ({named(superseded)})"
        )
    empty = [str(e.number) for e in rounds if not any(s != "train" for s in e.counted)]
    if empty:
        notes.append(f"no validation or test run in the window of rounds {named(empty)}")
    return notes


def _replace_baseline(run: EvalRun, runs: list[EvalRun], before: str | None) -> None:
    for other in runs:
        if other.role == "baseline" and other.split == run.split:
            other.role, other.system = "superseded", f"baseline, run {other.stamp}"
    run.role, run.system, run.artifact = "baseline", "baseline", before


def _baseline_inside(first: Round, runs: list[EvalRun], notes: list[str]) -> None:
    """Take the first of several runs in the first window as the parent's: nothing came before."""
    for split, last in first.counted.items():
        mine = [run for run in runs if run.split == split and run.stamp >= first.start]
        if mine and mine[0] is not last and mine[0].role == "superseded":
            mine[0].role, mine[0].system, mine[0].artifact = "baseline", "baseline", first.before
            notes.append(
                f"ambiguous: no {split} run before the first round; the first of the runs in "
                f"round {first.number} ({mine[0].stamp}) is taken as the parent's"
            )
    if not any(run.role == "baseline" for run in runs):
        notes.append("the parent was not evaluated; give its score as round 0 to replay the run")


def judge_rounds(rounds: list[Round], final: bytes | None, notes: list[str]) -> None:
    """Reconstruct what became of each round from the bytes of the snapshots."""
    end = None if final is None else artifact_hash(final)
    odd: list[str] = []
    for position, entry in enumerate(rounds):
        following = rounds[position + 1].before if position + 1 < len(rounds) else end
        if entry.before is not None and entry.after is not None:
            entry.changed = entry.before != entry.after
        entry.decision = _judge(entry, following)
        odd += _oddities(entry, following)
    notes += [f"ambiguous: {each}" for each in odd]
    undecided = [str(entry.number) for entry in rounds if entry.decision is None]
    if undecided:
        notes.append(
            f"ambiguous: the snapshots do not tell what became of rounds {named(undecided)}; "
            "the replay decides by score"
        )
    if rounds:
        notes.append("decisions were reconstructed from snapshots; the log holds none")
    null = [str(entry.number) for entry in rounds if entry.changed is False and entry.counted]
    if null:
        notes.append(
            f"rounds {named(null)} evaluated byte-identical skills again: their runs are "
            "repeated measurements of one skill (A/A data)"
        )


def _judge(entry: Round, following: str | None) -> Decision | None:
    """Return what became of a round, by its snapshots and what the next one begins with."""
    if entry.changed is False:
        return "no-op"
    if entry.best is not None:
        return "new best"
    if following is None:
        return None
    if following == entry.after:
        return "flat"
    return "reject" if following == entry.before else None


def _oddities(entry: Round, following: str | None) -> list[str]:
    if entry.best is None:
        return []
    if entry.changed is False:
        return [f"round {entry.number} has a best snapshot and changed nothing"]
    found = []
    if entry.after is not None and entry.best != entry.after:
        found.append(f"the best snapshot of round {entry.number} is not its `after`")
    if following is not None and following not in {entry.best, entry.after}:
        found.append(f"round {entry.number} set a best that the next round does not begin with")
    return found
