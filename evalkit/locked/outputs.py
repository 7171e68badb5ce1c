"""Score the same outputs with every verifier, and fingerprint them on the way."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from evalkit.errors import ArgumentError, FileMissingError
from evalkit.verifiers import Verdict

__all__ = ["apply_verifiers", "output_sha256"]

Credit = Literal["passed", "score"]
Verifier = Callable[[Any, Any], Verdict]
"""From an output and its reference to a verdict; settings are bound beforehand."""


def output_sha256(output: str | bytes | os.PathLike[str] | None) -> str | None:
    """Return the SHA-256 of an output: of the text in UTF-8, or of the bytes of a file.

    Parameters
    ----------
    output : str, bytes, path or None
        A text, or a :class:`pathlib.Path` to a file.

    Returns
    -------
    str or None
        Hexadecimal; ``None`` for a missing output.

    Raises
    ------
    FileMissingError
        If the file is not there.

    Examples
    --------
    >>> output_sha256("Paris")[:8], output_sha256(None)
    ('5dd272b4', None)
    """
    if output is None:
        return None
    if isinstance(output, os.PathLike):
        path = Path(output)
        if not path.is_file():
            raise FileMissingError(f"{path}: there is no such output")
        output = path.read_bytes()
    elif isinstance(output, str):
        output = output.encode("utf-8", "surrogatepass")
    return hashlib.sha256(output).hexdigest()


def _row(
    system: str, item: str, name: str, output: Any, verdict: Any, *, credit: Credit
) -> dict[str, Any]:
    if not isinstance(verdict, Verdict):
        raise ArgumentError(
            f"verifier {name!r} returned {type(verdict).__name__}; it must return a Verdict"
        )
    status = "missing" if output is None else "judge_error"
    passed = verdict.passed
    score = verdict.score if credit == "score" or passed is None else float(passed)
    return {
        "system": system,
        "item": item,
        "verifier": name,
        "score": score,
        "status": status if verdict.abstained else "scored",
        "reason": verdict.reason,
        "output_sha256": output_sha256(output),
    }


def apply_verifiers(
    outputs: Mapping[str, Mapping[str, Any]],
    references: Mapping[str, Any],
    verifiers: Mapping[str, Verifier],
    *,
    credit: Credit = "passed",
) -> list[dict[str, Any]]:
    """Score every output with every verifier.

    Parameters
    ----------
    outputs : mapping of str to mapping of str to output
        System -> item -> output: a text, a path, or ``None`` where there is none.
    references : mapping of str to reference
        Item -> whatever the verifiers take as their second argument.
    verifiers : mapping of str to callable
        Name -> ``(output, reference) -> Verdict``.
    credit : {"passed", "score"}
        What a row holds as its score: success as 1 or 0, or the verifier's own credit. A verdict
        that only grades enters with its credit either way.

    Returns
    -------
    list of dict
        Rows for :func:`evalkit.locked.sensitivity`: system, item, verifier, score, status, reason
        and ``output_sha256``. A verdict that abstains has no score.

    Raises
    ------
    ArgumentError
        If an item has no reference, or a verifier does not return a verdict.

    Notes
    -----
    The fingerprint is taken before and after scoring; a verifier that changes a file is refused.

    Examples
    --------
    >>> from evalkit.verifiers import canonical_membership, exact_match
    >>> rows = apply_verifiers(
    ...     {"parent": {"q1": "the cat"}},
    ...     {"q1": "cat"},
    ...     {"V0": exact_match, "V1": canonical_membership},
    ... )
    >>> [(row["verifier"], row["score"]) for row in rows]
    [('V0', 1.0), ('V1', 0.0)]
    """
    if credit not in get_args(Credit):
        raise ArgumentError(f"`credit` is {credit!r}; it must be 'passed' or 'score'")
    if not verifiers:
        raise ArgumentError("`verifiers` is empty; give a mapping of names to verifiers")
    rows = []
    for system, answers in outputs.items():
        for item, output in answers.items():
            if item not in references:
                raise ArgumentError(f"`references` has no item {item!r}, which {system!r} answered")
            for name, verify in verifiers.items():
                before = output_sha256(output)
                verdict = verify(output, references[item])
                rows.append(_row(system, item, name, output, verdict, credit=credit))
                if rows[-1]["output_sha256"] != before:
                    raise ArgumentError(
                        f"verifier {name!r} changed the output of {system!r} on item {item!r}; "
                        "a verifier only reads"
                    )
    return rows
