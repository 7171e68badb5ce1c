"""Pairs as rows of other tools' formats, and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Literal, cast

from evalkit.errors import ArgumentError, InputError
from evalkit.grading.grading_rows import cell_text
from evalkit.pairs.candidate import Candidate
from evalkit.pairs.exact import number_text
from evalkit.pairs.pair import Label, Pair

__all__ = ["EXTRA", "LOSSES", "PairFormat", "detect_format", "from_row", "to_row"]

PairFormat = Literal["judgebench", "rewardbench", "trl", "datasets"]
EXTRA = "evalkit"
"""Column of JSON text for what a format has no column for; other tools pass over it."""

LOSSES: Mapping[PairFormat, str] = MappingProxyType(
    {
        "judgebench": "two models, reference scores, features, the cue, the split",
        "rewardbench": "sides (chosen and rejected have none), task, reference scores, features, "
        "the cue, the split; a pair without texts",
        "trl": "pair id, sides, task, models, reference scores, features, the cue, the split; a "
        "pair without texts",
        "datasets": "features, exact references that no float holds; half surrogate pairs",
    }
)
"""What the standard columns of a format cannot hold. All but the texts stands in `EXTRA`."""


def _side(candidate: Candidate) -> dict[str, Any]:
    return {
        "id": candidate.id,
        "reference": number_text(candidate.reference),
        "second_reference": number_text(candidate.second_reference),
        "model": candidate.model,
        "features": dict(candidate.features),
    }


def _extra(pair: Pair, **more: Any) -> str:
    content = {
        **more,
        "task": pair.task,
        "cluster": pair.a.cluster,
        "split": pair.split,
        "a": _side(pair.a),
        "b": _side(pair.b),
        "cue_a": number_text(pair.cue_a),
        "cue_b": number_text(pair.cue_b),
    }
    return json.dumps(content, allow_nan=False)


def _judgebench(pair: Pair) -> dict[str, Any]:
    models = dict.fromkeys(m for m in (pair.a.model, pair.b.model) if m is not None)
    return {
        "pair_id": pair.id,
        "original_id": pair.task,
        "source": pair.cluster,
        "question": pair.prompt,
        "response_model": " | ".join(models) or None,
        "response_A": pair.a.output,
        "response_B": pair.b.output,
        "label": pair.label,
        EXTRA: _extra(pair),
    }


def _texts(pair: Pair, form: PairFormat) -> tuple[str, str]:
    chosen, rejected = pair.better.output, pair.worse.output
    if chosen is None or rejected is None:
        raise ArgumentError(
            f"pair {pair.id!r} has no texts, and {form} holds nothing else; export to 'datasets' "
            "or 'judgebench', which keep features"
        )
    return chosen, rejected


def _rewardbench(pair: Pair) -> dict[str, Any]:
    chosen, rejected = _texts(pair, "rewardbench")
    return {
        "prompt": pair.prompt,
        "chosen": chosen,
        "chosen_model": pair.better.model,
        "rejected": rejected,
        "rejected_model": pair.worse.model,
        "subset": pair.a.cluster or "pairs",
        "id": pair.id,
        EXTRA: _extra(pair, label=pair.label),
    }


def _trl(pair: Pair) -> dict[str, Any]:
    chosen, rejected = _texts(pair, "trl")
    prompt = {} if pair.prompt is None else {"prompt": pair.prompt}
    extra = _extra(pair, label=pair.label, pair_id=pair.id)
    return {**prompt, "chosen": chosen, "rejected": rejected, EXTRA: extra}


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _datasets(pair: Pair) -> dict[str, Any]:
    return {
        "pair_id": pair.id,
        "task": pair.task,
        "cluster": pair.cluster,
        "prompt": pair.prompt,
        "response_a": pair.a.output,
        "response_b": pair.b.output,
        "label": pair.label,
        "model_a": pair.a.model,
        "model_b": pair.b.model,
        "reference_a": _float(pair.a.reference),
        "reference_b": _float(pair.b.reference),
        "cue_a": _float(pair.cue_a),
        "cue_b": _float(pair.cue_b),
        EXTRA: _extra(pair),
    }


_WRITERS: Mapping[PairFormat, Callable[[Pair], dict[str, Any]]] = MappingProxyType(
    {
        "judgebench": _judgebench,
        "rewardbench": _rewardbench,
        "trl": _trl,
        "datasets": _datasets,
    }
)


def to_row(pair: Pair, form: PairFormat) -> dict[str, Any]:
    """Return a pair as a row of a format.

    Raises
    ------
    ArgumentError
        If the format is unknown, or needs texts that the pair does not have.
    """
    writer = _WRITERS.get(form)
    if writer is None:
        raise ArgumentError(f"`format` is {form!r}; it must be one of {', '.join(_WRITERS)}")
    return writer(pair)


def detect_format(columns: Mapping[str, Any]) -> PairFormat:
    """Tell the format of a row by its columns.

    Raises
    ------
    InputError
        If they fit none.

    Examples
    --------
    >>> detect_format({"prompt": "?", "chosen": "a", "rejected": "b"})
    'trl'
    """
    if {"response_A", "response_B", "label"} <= set(columns):
        return "judgebench"
    if {"pair_id", "response_a", "response_b", "label"} <= set(columns):
        return "datasets"
    if {"chosen", "rejected"} <= set(columns):
        marks = {"subset", "chosen_model", "rejected_model"}
        return "rewardbench" if marks & set(columns) else "trl"
    raise InputError(
        f"the columns {', '.join(map(repr, columns)) or '(none)'} are not those of judgebench, "
        "rewardbench, trl or datasets pairs"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standard:
    """What the standard columns of a row say."""

    id: str | None
    task: str | None
    prompt: str | None
    cluster: str | None
    texts: tuple[str | None, str | None]
    models: tuple[str | None, str | None]
    label: str | None
    """Label of `texts`; ``None`` where they are (better, worse)."""


def _text(row: Mapping[str, Any], name: str) -> str | None:
    value = row.get(name)
    if value is None or isinstance(value, str):
        return None if value is None else str(value)
    if isinstance(value, (list, tuple, Mapping)):
        raise InputError(
            f"column {name!r} holds a list or an object; only plain texts are read here (not "
            "conversations, and not the several answers of RewardBench 2)"
        )
    return cell_text(value)


def _read_sided(row: Mapping[str, Any], form: PairFormat) -> _Standard:
    bench = form == "judgebench"
    model = _text(row, "response_model") if bench else None
    return _Standard(
        id=_text(row, "pair_id"),
        task=_text(row, "original_id" if bench else "task"),
        prompt=_text(row, "question" if bench else "prompt"),
        cluster=_text(row, "source" if bench else "cluster"),
        texts=(
            _text(row, "response_A" if bench else "response_a"),
            _text(row, "response_B" if bench else "response_b"),
        ),
        models=(model, model) if bench else (_text(row, "model_a"), _text(row, "model_b")),
        label=_text(row, "label"),
    )


def _read_chosen(row: Mapping[str, Any]) -> _Standard:
    return _Standard(
        id=_text(row, "id"),
        task=None,
        prompt=_text(row, "prompt"),
        cluster=None,
        texts=(_text(row, "chosen"), _text(row, "rejected")),
        models=(_text(row, "chosen_model"), _text(row, "rejected_model")),
        label=None,
    )


def _fraction(value: object) -> Fraction | None:
    return None if value is None else Fraction(str(value))


def _candidate(side: Mapping[str, Any], extra: Mapping[str, Any], **texts: Any) -> Candidate:
    return Candidate(
        id=str(side["id"]),
        task=str(extra["task"]),
        reference=_fraction(side["reference"]),
        second_reference=_fraction(side["second_reference"]),
        features=MappingProxyType(dict(side["features"])),
        model=side["model"],
        cluster=extra["cluster"],
        **texts,
    )


def _with_extra(standard: _Standard, text: str) -> Pair:
    """Put a pair together from its columns and what `EXTRA` holds."""
    try:
        extra = json.loads(text)
        label = standard.label or extra["label"]
        swapped = standard.label is None and label == "B>A"
        texts = standard.texts[::-1] if swapped else standard.texts
        a, b = (
            _candidate(extra[side], extra, output=output, prompt=standard.prompt)
            for side, output in zip("ab", texts, strict=True)
        )
        return Pair(
            id=str(standard.id or extra["pair_id"]),
            a=a,
            b=b,
            label=cast("Label", label),
            cue_a=_fraction(extra["cue_a"]),
            cue_b=_fraction(extra["cue_b"]),
            split=extra["split"],
        )
    except (ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError) as cause:
        raise InputError(
            f"the column {EXTRA!r} does not hold what export_pairs() writes ({cause}); export the "
            "pairs again, or drop the column",
            item=standard.id,
        ) from cause


def from_row(
    row: Mapping[str, Any], form: PairFormat, *, number: int, split: str | None = None
) -> Pair | None:
    """Return a row of a format as a pair; ``None`` where it prefers neither output.

    Parameters
    ----------
    row : mapping
        The row.
    form : str
        Its format.
    number : int
        Its place, which names a pair that has no id.
    split : str, optional
        Split of a pair that does not say it.

    Raises
    ------
    InputError
        If the row is not of the format.
    """
    sided = form in ("judgebench", "datasets")
    standard = _read_sided(row, form) if sided else _read_chosen(row)
    extra = _text(row, EXTRA)
    if sided and standard.label not in ("A>B", "B>A"):
        if standard.label in (None, "", "A=B"):
            return None
        raise InputError(
            f"the label is {standard.label!r}; it must be 'A>B' or 'B>A'", item=standard.id
        )
    if extra is not None:
        return _with_extra(standard, extra)
    name = standard.id or f"row {number}"
    task = standard.task or standard.prompt or name
    a, b = (
        Candidate(
            id=f"{name}/{side}",
            task=task,
            reference=None,
            output=output,
            model=model,
            cluster=standard.cluster,
            prompt=standard.prompt,
        )
        for side, output, model in zip("AB", standard.texts, standard.models, strict=True)
    )
    return Pair(id=name, a=a, b=b, label=cast("Label", standard.label or "A>B"), split=split)
