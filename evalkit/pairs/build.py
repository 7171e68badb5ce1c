"""Adversarial pairs from candidates: ``evalkit.build_pairs``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from evalkit.bootstrap.seeds import streams
from evalkit.errors import ArgumentError
from evalkit.pairs.candidate import Candidate
from evalkit.pairs.cues import check_features, find_cue
from evalkit.pairs.exact import number_text
from evalkit.pairs.ordering import sorted_candidates
from evalkit.pairs.pair import Pair, pair_id
from evalkit.pairs.picking import Picked, pick_pairs
from evalkit.pairs.report import PairSet
from evalkit.pairs.requirements import OutcomeChoice, find_rules
from evalkit.pairs.selection import SameModel, SecondRule, scan_pairs
from evalkit.pairs.set_power import set_power
from evalkit.pairs.similarity import check_threshold
from evalkit.pairs.splitting import assign_splits, check_splits, first_is_better, linked_groups
from evalkit.pairs.summary import make_report
from evalkit.results import check_level

__all__ = ["build_pairs"]


def _make_pairs(
    picked: Picked,
    rows: Sequence[Candidate],
    cues: Sequence[Fraction | None],
    splits: Mapping[str, float],
    *,
    threshold: float | None,
    seed: int,
    notes: list[str],
) -> tuple[Pair, ...]:
    """Give each pair its id, split and sides."""
    chosen = {pair_id(rows[b], rows[w]): (b, w) for b, w in picked.pairs}
    cluster = {
        i: rows[b].task if rows[b].cluster is None else str(rows[b].cluster)
        for i, (b, _) in chosen.items()
    }
    split: dict[str, str | None] = dict.fromkeys(chosen)
    if splits:
        linked = linked_groups(
            [(cluster[i], picked.texts.get(k)) for i, both in chosen.items() for k in both],
            [(cluster[i], rows[b].prompt) for i, (b, _) in chosen.items()],
            threshold=threshold,
        )
        sizes = Counter(linked.group[cluster[i]] for i in chosen)
        placed = assign_splits(sizes, splits, seed=seed)
        split = {i: placed[linked.group[cluster[i]]] for i in chosen}
        merged = len(set(cluster.values())) - len(sizes)
        notes.append(
            f"splits: {len(sizes)} groups, the largest of {max(sizes.values(), default=0)} pairs"
            + (f"; {merged} clusters joined others by near-duplicate texts" if merged else "")
            + (f"; {linked.crowded} buckets of prompts were too large" if linked.crowded else "")
        )
    first = first_is_better(split, seed=seed)
    pairs = []
    for name in sorted(chosen):
        b, w = chosen[name]
        x, y = (b, w) if first[name] else (w, b)
        pairs.append(
            Pair(
                id=name,
                a=rows[x],
                b=rows[y],
                label="A>B" if first[name] else "B>A",
                cue_a=cues[x],
                cue_b=cues[y],
                split=split[name],
            )
        )
    return tuple(pairs)


def build_pairs(
    candidates: Iterable[Candidate],
    *,
    cue: str,
    outcome: OutcomeChoice = "auto",
    margin: object = None,
    second: SecondRule | None = None,
    models: SameModel = "any",
    per_task: int | None = 1,
    least_gap: object = 0,
    least_ratio: object = 0,
    near_duplicate: float | None = 0.8,
    splits: Mapping[str, float] | None = None,
    graders: Collection[str] = (),
    not_graders: Collection[str] = (),
    gain: float = 0.1,
    discordance: float = 0.3,
    icc: float = 0.2,
    level: float = 0.95,
    rng: np.random.Generator | int = 0,
) -> PairSet:
    """Choose pairs of outputs in which an observable cue favours the worse one.

    Parameters
    ----------
    candidates : iterable of Candidate
        Outputs with their reference scores (:func:`read_candidates`, :func:`make_candidate`).
        A candidate has no field for the score of a grader under evaluation.
    cue : str
        A cue on texts (``length`` in characters, ``words``, ``citations``, ``confidence``,
        ``populated-cells``, ``numbers``, ``markdown``), ``column:NAME`` of a feature, or an
        expression over both, such as ``cells + styled / 2``.
    outcome : {"auto", "binary", "graded"}
        Kind of the reference scores; ``auto`` takes scores that are all 0 or 1 as binary.
    margin : number or decimal text, optional
        Least difference of graded reference scores, itself included, compared exactly. 0.08 by
        default where scores lie in 0..1. Binary ones have opposite outcomes.
    second : {"agrees", "does-not-contradict"}, optional
        Rule on the second reference score: higher, or not lower, for the better output.
        ``agrees`` where candidates have one.
    models : {"same", "different", "any"}
        Whether both outputs come from one model.
    per_task : int or None
        Pairs of one task at most, drawn at random; ``None`` for all.
    least_gap, least_ratio : number or decimal text
        Least cue gap, absolute, and relative to the absolute cue of the better output.
    near_duplicate : float or None
        Jaccard similarity of three-word shingles from which two texts count as one: such a pair is
        dropped, as is one whose outputs are both near-duplicates of those of an earlier pair.
        ``None`` for no removal.
    splits : mapping of str to float, optional
        Shares of splits, which add up to 1. Tasks, clusters and near-duplicate texts stay together.
    graders, not_graders : collection of str
        Features that are, and are not, scores of a grader under evaluation. The cue cannot use
        the former, nor one whose name looks like it and that is not among the latter.
    gain, discordance, icc, level : float
        For the power of the set: see :func:`set_power`.
    rng : Generator or int
        Seed of the draw. The order of the candidates does not matter.

    Returns
    -------
    PairSet

    Raises
    ------
    ArgumentError
        If a setting is not allowed, or the cue uses a grader's score.
    InputError
        If ids occur twice, or a task has two prompts or clusters.
    MissingColumnError
        If no candidate has a feature that the cue reads.

    Notes
    -----
    Every two candidates of a task are considered, and dropped by the first rule against them:
    ``report.dropped`` and the pairs add up to ``report.considered``. The construction follows
    appendix C.4 of DUET (adversarial pairs by reference scores and output properties alone).
    Half of the pairs show the better output first, up to one. In such a set the cue is wrong every
    time, so its opposite is right every time: report agreement beside that on unselected pairs.

    Examples
    --------
    >>> from evalkit.pairs import build_pairs, make_candidate
    >>> rows = [("x", "t1", "0.58", 3), ("y", "t1", "0.50", 9), ("z", "t1", "0.51", 9)]
    >>> found = build_pairs(
    ...     [make_candidate(id=i, task=t, reference=r, features={"citations_n": c})
    ...      for i, t, r, c in rows],
    ...     cue="column:citations_n")
    >>> [(pair.better.id, pair.worse.id) for pair in found], found.report.dropped["margin"]
    ([('x', 'y')], 2)
    """
    check_level(level)
    check_threshold(near_duplicate)
    if per_task is not None and (isinstance(per_task, bool) or per_task < 1):
        raise ArgumentError(f"`per_task` is {per_task!r}; it must be at least 1, or None for all")
    shares = check_splits(splits)
    found_cue = find_cue(cue, graders=graders, not_graders=not_graders)
    rows = sorted_candidates(candidates)
    check_features(found_cue, rows, graders=graders)
    seed = streams(rng).seed
    kind, rules, notes = find_rules(
        rows,
        outcome=outcome,
        margin=margin,
        second=second,
        models=models,
        least_gap=least_gap,
        least_ratio=least_ratio,
    )
    cues = [found_cue.value(c) for c in rows]
    scan = scan_pairs(rows, cues, rules=rules, seed=seed)
    picked = pick_pairs(scan, rows, per_task=per_task, threshold=near_duplicate)
    pairs = _make_pairs(
        picked, rows, cues, shares, threshold=near_duplicate, seed=seed, notes=notes
    )
    settings: dict[str, Any] = {
        "cue": cue, "outcome": outcome, "margin": number_text(rules.margin),
        "second": rules.second, "models": models, "per_task": per_task,
        "least_gap": number_text(rules.least_gap), "least_ratio": number_text(rules.least_ratio),
        "near_duplicate": near_duplicate, "splits": shares or None, "graders": sorted(graders),
        "not_graders": sorted(not_graders), "gain": gain, "discordance": discordance, "icc": icc,
        "level": level, "seed": seed,
    }  # fmt: skip
    sizes = list(Counter(pair.cluster for pair in pairs).values())
    report = make_report(
        pairs,
        rows,
        scan,
        cue=found_cue,
        outcome=kind,
        rules=rules,
        dropped=scan.dropped | picked.dropped,
        power=set_power(sizes, gain=gain, discordance=discordance, icc=icc, level=level),
        settings=settings,
        notes=[*notes, *picked.notes],
    )
    return PairSet(pairs=pairs, report=report)
