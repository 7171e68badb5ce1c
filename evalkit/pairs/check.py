"""Faults of sets of pairs: leakage between splits, sides that tell the label, broken margins."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalkit.errors import ArgumentError
from evalkit.pairs import checks
from evalkit.pairs.checks import Finding, Labelled
from evalkit.pairs.exact import exact_setting
from evalkit.pairs.pair import Pair
from evalkit.pairs.reading import read_pairs
from evalkit.pairs.report import PairSet
from evalkit.pairs.similarity import check_threshold
from evalkit.results import check_level

__all__ = ["Finding", "PairCheck", "check_pairs"]

Source = PairSet | str | os.PathLike[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCheck:
    """Findings about one or several sets of pairs.

    Attributes
    ----------
    pairs, tasks : int
        Pairs and tasks in all sets.
    by_split : mapping of str to int
        Pairs of each split.
    findings : tuple of Finding
        One for each check.
    notes : tuple of str
        What was guessed when files were read.
    """

    pairs: int
    tasks: int
    by_split: Mapping[str, int]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether no check found a fault."""
        return all(finding.status != "fault" for finding in self.findings)

    def __getitem__(self, check: str) -> Finding:
        """Return the finding of a check by name."""
        for finding in self.findings:
            if finding.check == check:
                return finding
        raise ArgumentError(
            f"no check is called {check!r}; they are {', '.join(f.check for f in self.findings)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "ok": self.ok,
            "pairs": self.pairs,
            "tasks": self.tasks,
            "by_split": dict(self.by_split),
            "findings": [finding.to_dict() for finding in self.findings],
            "notes": list(self.notes),
        }


def _labelled(
    sources: Mapping[str, Source] | Sequence[Source] | Source,
) -> tuple[list[Labelled], list[str], bool, list[str]]:
    """Pairs with their split (declared, their own, or the source's), and the empty sources."""
    if isinstance(sources, (PairSet, str, os.PathLike)):
        sources = [sources]
    named: Iterable[tuple[str | None, Source]] = (
        sources.items() if isinstance(sources, Mapping) else ((None, each) for each in sources)
    )
    found: list[Labelled] = []
    notes: list[str] = []
    sided = True
    empty: list[str] = []
    for number, (name, source) in enumerate(named, 1):
        read = source if isinstance(source, PairSet) else read_pairs(source)
        notes += read.notes
        sided &= read.sided
        own = f"set {number}"
        if not isinstance(source, PairSet):
            own = os.path.basename(os.fsdecode(source)) or own  # noqa: PTH119 - a label
        if not read.pairs:
            empty.append(name or own)
        found += [(name or pair.split or own, pair) for pair in read.pairs]
    return found, notes, sided, empty


def check_pairs(
    sources: Mapping[str, Source] | Sequence[Source] | Source,
    *,
    margin: object = None,
    near_duplicate: float | None = 0.8,
    level: float = 0.95,
) -> PairCheck:
    """Check sets of pairs for leakage and for what gives the label away.

    Parameters
    ----------
    sources : PairSet, path, sequence of them, or mapping of split to one
        The sets. A pair belongs to the split it is filed under, else to the one it names itself,
        else to its file.
    margin : number or decimal text, optional
        Least difference of the reference scores. Without it, the better output has to have the
        higher score.
    near_duplicate : float or None
        Similarity from which two texts count as one; ``None`` compares no texts but for equality.
    level : float
        A balance whose exact two-sided p-value is below ``1 - level`` is a fault.

    Returns
    -------
    PairCheck
        A check is ``ok``, a ``fault``, a ``warning``, or ``not checked`` with the reason.

    Raises
    ------
    InputError, FileMissingError
        If a file cannot be read.

    Notes
    -----
    Faults: a set without pairs; ids twice; tasks, clusters, outputs or near-duplicate texts in two
    splits; near-duplicate pairs, and near-duplicate outputs within a pair; sides out of balance; a
    cue that does not favour the worse output; a reference margin that is not met. That the length
    of the outputs predicts the label is a warning: it is so by design where length is the cue.

    Examples
    --------
    >>> from evalkit.pairs import build_pairs, make_candidate
    >>> rows = [make_candidate(id=i, task=t, reference=r, output=o) for t in ("t", "u")
    ...         for i, r, o in [("x", 1, f"Yes, {t}."), ("y", 0, f"A longer answer, {t}.")]]
    >>> found = check_pairs(build_pairs(rows, cue="length", near_duplicate=None))
    >>> found.ok, found["sides"].status
    (True, 'ok')
    """
    check_level(level)
    check_threshold(near_duplicate)
    least = None if margin is None else exact_setting("margin", margin)
    labelled, notes, sided, empty = _labelled(sources)
    pairs: list[Pair] = [pair for _, pair in labelled]
    by_split: dict[str, int] = {}
    for split, _ in labelled:
        by_split[split] = by_split.get(split, 0) + 1
    alpha = 1 - level
    findings = (
        checks.pairs_there(pairs, empty),
        checks.repeated_ids(labelled),
        *checks.shared_ids(labelled),
        checks.shared_texts(labelled, near_duplicate),
        checks.duplicate_pairs(pairs, near_duplicate),
        checks.identical_outputs(pairs, near_duplicate),
        checks.sides(pairs, sided=sided, alpha=alpha),
        checks.cue_gaps(pairs),
        checks.margins(pairs, least),
        checks.length(pairs, alpha=alpha),
    )
    return PairCheck(
        pairs=len(pairs),
        tasks=len({pair.task for pair in pairs}),
        by_split=dict(sorted(by_split.items())),
        findings=findings,
        notes=tuple(dict.fromkeys(notes)),
    )
