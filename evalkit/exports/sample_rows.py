"""Records as the instance rows of Every Eval Ever."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evalkit.errors import MissingColumnError
from evalkit.records.schema import Records
from evalkit.records.values import utf8_text

__all__ = ["SampleTexts", "sample_rows"]

_SCHEMA = "instance_level_eval_0.2.1"
_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleTexts:
    """Columns of the records that hold texts.

    Attributes
    ----------
    input, output, reference : str, optional
        Names of kept extra columns.
    """

    input: str | None = None
    output: str | None = None
    reference: str | None = None


def sample_rows(
    records: Records,
    *,
    system: str,
    base: Mapping[str, str],
    texts: SampleTexts,
    correct: float,
    lower_is_better: bool,
    notes: list[str],
) -> list[dict[str, Any]]:
    """Return the scored rows of a system; the others are named in `notes`.

    Parameters
    ----------
    records : Records
        What was read.
    system : str
        Whose rows.
    base : mapping of str to str
        ``evaluation_id``, ``model_id`` and ``evaluation_name``.
    texts : SampleTexts
        Where the texts are.
    correct : float
        Score from which a row is correct, or up to which where lower is better.
    lower_is_better : bool
        Which of the two.
    notes : list of str
        Takes what was left out.

    Raises
    ------
    MissingColumnError
        A column of `texts` is not among the records.
    """
    frame = records.frame
    for column in (texts.input, texts.output, texts.reference):
        if column is not None and column not in frame.columns:
            raise MissingColumnError(
                f"column {column!r} is not among the records; their columns are "
                f"{', '.join(map(repr, frame.columns))}"
            )
    if texts.input is None:
        notes.append("no column holds the inputs: `input.raw` is empty")
    rows: list[dict[str, Any]] = []
    left: dict[str, list[str]] = {}
    for record in frame.loc[frame["system"] == system].to_dict("records"):
        if record["status"] != "scored":
            left.setdefault(str(record["status"]), []).append(str(record["item"]))
            continue
        rows.append(_row(record, base, texts, correct, lower_is_better))
    for status, items in left.items():
        more = ", ..." if len(items) > _NAMED else ""
        notes.append(
            f"{len(items)} rows are {status} and have no score, which the schema cannot hold: "
            f"{', '.join(items[:_NAMED])}{more}"
        )
    return rows


def _row(
    record: Mapping[Any, Any],
    base: Mapping[str, str],
    texts: SampleTexts,
    correct: float,
    lower_is_better: bool,
) -> dict[str, Any]:
    def text(column: str | None) -> str | None:
        value = None if column is None else record[column]
        return value if isinstance(value, str) else None

    score = float(record["score"])
    verifier = str(record["verifier"])
    name = f"{base['evaluation_name']}/{verifier}" if verifier else base["evaluation_name"]
    reference = text(texts.reference)
    output = text(texts.output)
    return {
        "schema_version": _SCHEMA,
        **base,
        "evaluation_name": name,
        "sample_id": utf8_text(str(record["item"])),
        "interaction_type": "single_turn",
        "input": {
            "raw": utf8_text(text(texts.input) or ""),
            "reference": [] if reference is None else [utf8_text(reference)],
        },
        "output": {"raw": [] if output is None else [utf8_text(output)]},
        "messages": None,
        "answer_attribution": [],
        "evaluation": {
            "score": score,
            "is_correct": score <= correct if lower_is_better else score >= correct,
        },
        "metadata": {key: str(record[key]) for key in ("attempt", "order") if record[key]},
    }
