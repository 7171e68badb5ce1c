"""The checks of pairs, one function each."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from evalkit.comparisons.sign_tests import mcnemar_exact
from evalkit.pairs.exact import number_text
from evalkit.pairs.pair import Pair
from evalkit.pairs.similarity import group_texts, jaccard, shingles
from evalkit.rounding import format_number

__all__ = [
    "Finding",
    "Labelled",
    "Status",
    "cue_gaps",
    "duplicate_pairs",
    "identical_outputs",
    "length",
    "margins",
    "pairs_there",
    "repeated_ids",
    "shared_ids",
    "shared_texts",
    "sides",
]

Status = Literal["ok", "fault", "warning", "not checked"]
Labelled = tuple[str, Pair]
"""A pair with the split it belongs to."""
_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one check found.

    Attributes
    ----------
    check : str
        Name of the check.
    status : {"ok", "fault", "warning", "not checked"}
        What came of it.
    detail : str
        In words, with figures.
    count : int
        Pairs, ids or groups at fault.
    p_value : float or None
        Of an exact two-sided binomial test at 1/2.
    examples : tuple of str
        The first few at fault.
    """

    check: str
    status: Status
    detail: str
    count: int = 0
    p_value: float | None = None
    examples: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-safe values."""
        return {
            "check": self.check,
            "status": self.status,
            "detail": self.detail,
            "count": self.count,
            "p_value": self.p_value,
            "examples": list(self.examples),
        }


def _finding(check: str, faults: Sequence[str], bad: str, good: str) -> Finding:
    return Finding(
        check=check,
        status="fault" if faults else "ok",
        detail=f"{len(faults)} {bad}" if faults else good,
        count=len(faults),
        examples=tuple(faults[:_NAMED]),
    )


def pairs_there(pairs: Sequence[Pair], empty: Sequence[str]) -> Finding:
    """Look for sets that hold no pairs: nothing in them can be found wrong."""
    faults = list(empty) if pairs or empty else ["all"]
    return _finding("pairs", faults, "sets hold no pairs", f"{len(pairs)} pairs")


def repeated_ids(labelled: Sequence[Labelled]) -> Finding:
    """Look for pair ids that occur more than once, in one split or several."""
    counts = Counter(pair.id for _, pair in labelled)
    twice = sorted(name for name, count in counts.items() if count > 1)
    return _finding("pair ids", twice, "pair ids occur more than once", "every pair id occurs once")


def _in_several(values: Iterable[tuple[Hashable, str]]) -> list[Any]:
    splits: dict[Hashable, set[str]] = defaultdict(set)
    for value, split in values:
        splits[value].add(split)
    return [value for value, names in splits.items() if len(names) > 1]


def shared_ids(labelled: Sequence[Labelled]) -> tuple[Finding, ...]:
    """Look for tasks, clusters and outputs that stand in two splits."""
    several = len({split for split, _ in labelled}) > 1
    members = {
        "tasks": [(pair.task, split) for split, pair in labelled],
        "clusters": [(pair.cluster, split) for split, pair in labelled],
        "outputs": [(f"{p.task}/{c.id}", split) for split, p in labelled for c in (p.a, p.b)],
    }
    found = []
    for name, values in members.items():
        check = f"{name} across splits"
        if not several:
            found.append(Finding(check=check, status="not checked", detail="there is one split"))
            continue
        shared = sorted(_in_several(values))
        found.append(
            _finding(check, shared, f"{name} stand in two splits", f"no split shares {name}")
        )
    return tuple(found)


def _groups(texts: Sequence[str], threshold: float | None) -> tuple[tuple[int, ...], int]:
    if threshold is not None:
        found = group_texts(texts, threshold=threshold)
        return found.labels, found.crowded
    place: dict[str, int] = {}
    return tuple(place.setdefault(text, len(place)) for text in texts), 0


def shared_texts(labelled: Sequence[Labelled], threshold: float | None) -> Finding:
    """Look for outputs, and prompts, that are near-duplicates and stand in two splits."""
    check = "texts across splits"
    if len({split for split, _ in labelled}) < 2:
        return Finding(check=check, status="not checked", detail="there is one split")
    outputs = [
        (c.output, split, pair.id)
        for split, pair in labelled
        for c in (pair.a, pair.b)
        if c.output is not None
    ]
    prompts = [(p.prompt, split, p.id) for split, p in labelled if p.prompt is not None]
    if not outputs and not prompts:
        return Finding(check=check, status="not checked", detail="the pairs have no texts")
    examples: list[str] = []
    crowded = 0
    for what, texts in (("output", outputs), ("prompt", prompts)):
        labels, full = _groups([text for text, _, _ in texts], threshold)
        crowded += full
        named = zip(labels, texts, strict=True)
        shared = set(_in_several((label, split) for label, (_, split, _) in named))
        first: dict[int, str] = {}
        for label, (_, _, name) in zip(labels, texts, strict=True):
            if label in shared:
                first.setdefault(label, f"{what} of pair {name}")
        examples += list(first.values())
    alike = "equal" if threshold is None else f"similar by {threshold:g} or more"
    good = f"no texts of two splits are {alike}"
    if crowded:
        good += f"; {crowded} crowded buckets were compared with neighbours only"
    return _finding(check, examples, f"groups of texts that are {alike} stand in two splits", good)


def duplicate_pairs(pairs: Sequence[Pair], threshold: float | None) -> Finding:
    """Look for pairs whose outputs are both near-duplicates of those of another."""
    check = "near-duplicate pairs"
    texted = [p for p in pairs if p.a.output is not None and p.b.output is not None]
    if not texted:
        return Finding(check=check, status="not checked", detail="the pairs have no texts")
    labels, _ = _groups([c.output or "" for p in texted for c in (p.better, p.worse)], threshold)
    seen: dict[tuple[int, int], str] = {}
    faults = []
    for place, pair in enumerate(texted):
        key = (labels[2 * place], labels[2 * place + 1])
        if key in seen:
            faults.append(f"{pair.id} like {seen[key]}")
        seen.setdefault(key, pair.id)
    return _finding(
        check, faults, "pairs repeat another in both outputs", "no pair repeats another"
    )


def identical_outputs(pairs: Sequence[Pair], threshold: float | None) -> Finding:
    """Look for pairs whose two outputs are near-duplicates of each other."""
    check = "near-identical outputs"
    faults = []
    looked_at = False
    for pair in pairs:
        a, b = pair.a.output, pair.b.output
        if a is None or b is None:
            continue
        looked_at = True
        same = a == b
        if not same and threshold is not None:
            same = jaccard(shingles(a), shingles(b)) >= threshold
        if same:
            faults.append(pair.id)
    if not looked_at:
        return Finding(check=check, status="not checked", detail="the pairs have no texts")
    return _finding(check, faults, "pairs have near-identical outputs", "all outputs differ")


def sides(pairs: Sequence[Pair], *, sided: bool, alpha: float) -> Finding:
    """Test whether the place alone predicts the label."""
    if not pairs:
        return Finding(check="sides", status="not checked", detail="there are no pairs")
    if not sided:
        detail = "the file does not say which output is shown as A"
        return Finding(check="sides", status="not checked", detail=detail)
    a = sum(pair.label == "A>B" for pair in pairs)
    p = mcnemar_exact(a, len(pairs) - a)
    return Finding(
        check="sides",
        status="fault" if p < alpha else "ok",
        detail=f"A is better in {a} of {len(pairs)} pairs (exact p {_shown(p)})",
        count=max(a, len(pairs) - a),
        p_value=p,
    )


def _shown(p: float) -> str:
    return "< 0.0001" if p < 0.0001 else format_number(p, 4)


def cue_gaps(pairs: Sequence[Pair]) -> Finding:
    """Look for pairs in which the cue does not favour the worse output."""
    known = [(pair, gap) for pair in pairs if (gap := pair.cue_gap) is not None]
    if not known:
        detail = "the file does not hold the cue" if pairs else "there are no pairs"
        return Finding(check="cue", status="not checked", detail=detail)
    gaps = [gap for _, gap in known]
    ends = " / ".join(
        str(number_text(x)) for x in (min(gaps), Fraction(statistics.median(gaps)), max(gaps))
    )
    without = f"; unknown for {len(pairs) - len(known)}" if len(known) < len(pairs) else ""
    faults = [pair.id for pair, gap in known if gap <= 0]
    return _finding(
        "cue",
        faults,
        "pairs have a cue that does not favour the worse output",
        f"it favours the worse output in all {len(known)} pairs{without}; gap least / median / "
        f"largest: {ends}",
    )


def margins(pairs: Sequence[Pair], least: Fraction | None) -> Finding:
    """Look for pairs whose reference scores contradict the label, or are too close."""
    known = [(pair, gap) for pair in pairs if (gap := pair.margin) is not None]
    if not known:
        detail = "the file holds no reference scores" if pairs else "there are no pairs"
        return Finding(check="margin", status="not checked", detail=detail)
    faults = [p.id for p, gap in known if gap <= 0 or (least is not None and gap < least)]
    smallest = number_text(min(gap for _, gap in known))
    wanted = "above 0" if least is None else f"at least {number_text(least)}"
    without = f"; unknown for {len(pairs) - len(known)}" if len(known) < len(pairs) else ""
    return _finding(
        "margin",
        faults,
        f"pairs have a reference margin that is not {wanted}",
        f"{wanted} in all {len(known)} pairs, the least being {smallest}{without}",
    )


def length(pairs: Sequence[Pair], *, alpha: float) -> Finding:
    """Test whether the length of the outputs alone predicts the label."""
    texts = [
        (len(p.better.output), len(p.worse.output))
        for p in pairs
        if p.better.output is not None and p.worse.output is not None
    ]
    if not texts:
        return Finding(check="length", status="not checked", detail="the pairs have no texts")
    longer = sum(better > worse for better, worse in texts)
    shorter = sum(better < worse for better, worse in texts)
    p = mcnemar_exact(longer, shorter)
    return Finding(
        check="length",
        status="warning" if p < alpha else "ok",
        detail=f"the longer output is better in {longer} pairs, the shorter in {shorter} (exact p "
        f"{_shown(p)})",
        count=max(longer, shorter),
        p_value=p,
    )
