"""The option that a free-text reply chooses, by its label or by its text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from evalkit.errors import ArgumentError
from evalkit.verifiers.replies import answer_text
from evalkit.verifiers.text import check_output, fold
from evalkit.verifiers.verdict import Verdict, abstain, decided

__all__ = ["Unparsed", "option_label", "option_text", "parse_option"]

Unparsed = Literal["abstain", "fail"]
"""What becomes of an output from which nothing can be read."""

_LABELS = "ABCDEFGHIJ"
_OUTER = " \t\n.,;:()[]{}*_`'\"$<>"
_ALSO = r"\s*[)\]}*.,]*\s*(?:,|/|&|\bor\b|\band\b)\s*[(\[*]*(?:option\s+)?"
_MARK = (
    r"(?:\\boxed\s*\{\s*(?:\\(?:text|mathrm|textbf|mathbf)\s*\{)?\s*"
    r"|\[\["
    r"|<answer>\s*"
    r"|\b(?:answer|choice|(?:correct|right|best|final|chosen)\s+option)\W{0,3}(?:\s+(?:is|would\s+be|must\s+be))?"
    r"\s*[:=]?[\s*_`\"'$]*(?:option\s+|choice\s+)?(?:\\boxed\s*\{|\\text\s*\{)?)"
)


def _check_labels(labels: Sequence[str]) -> tuple[str, ...]:
    found = tuple(str(label).strip().upper() for label in labels)
    if not found or len(set(found)) != len(found) or not all(x.isalnum() for x in found):
        raise ArgumentError(f"`labels` is {labels!r}; give distinct labels such as 'ABCD'")
    return found


def _check_unparsed(value: str) -> None:
    if value not in ("abstain", "fail"):
        raise ArgumentError(f"`unparsed` is {value!r}; it must be 'abstain' or 'fail'")


def _marked(text: str, labels: str) -> tuple[str | None, str] | None:
    """Read the label after the last marker; ``None`` without a marker."""
    # A lower-case letter after a marker is a label only where it stands alone: "answer is a ...".
    pattern = re.compile(
        rf"(?i:{_MARK})[(\[{{*]*(?:(?P<upper>{labels})|(?P<lower>(?i:{labels}))"
        rf"(?=\s*[)\]}}*.,;!<$]|\s*(?:\n|\Z)))(?![\w'\u2019+^=-])(?!(?<=I)\s+[a-z])"
    )
    found = list(pattern.finditer(text))
    if not found:
        return None
    last = found[-1]
    label = (last["upper"] or last["lower"]).upper()
    other = re.match(rf"(?i:{_ALSO})(?P<other>{labels})(?!\w|\s+(?:is|are)\b)", text[last.end() :])
    if other and other["other"].upper() != label:
        return None, f"names {label} and {other['other'].upper()}"
    return label, "marked answer"


def _bare(text: str, labels: str) -> tuple[str | None, str]:
    """Read a reply that is a label, ends in a line that is one, or starts with one."""
    whole = re.compile(rf"(?i:(?:option|choice)\s+)?((?i:{labels}))")
    lines = [line for line in text.splitlines() if line.strip()]
    for part in (text, lines[-1] if lines else ""):
        match = whole.fullmatch(part.strip(_OUTER))
        if match:
            return match[1].upper(), "bare label"
    leading = re.compile(rf"\s*[*(\[]*({labels})[*]*[).:\]]+[*]*(?:\s|\Z)")
    starts = [match[1].upper() for line in lines if (match := leading.match(line))]
    if len(set(starts)) == 1:
        return starts[0], "leading label"
    if starts:
        return None, f"names {' and '.join(sorted(set(starts)))}"
    return None, "no option label"


def parse_option(reply: str, *, labels: Sequence[str] = _LABELS) -> tuple[str | None, str]:
    r"""Read the option label that a reply chooses.

    Parameters
    ----------
    reply : str
        Free text.
    labels : sequence of str
        Labels that can be chosen.

    Returns
    -------
    (str or None, str)
        The label in upper case, and how it was read or why it could not be.

    Notes
    -----
    In this order: reasoning blocks are removed; the last explicit marker decides
    (``\boxed{C}``, ``[[C]]``, ``<answer>C</answer>``, "answer is C", "Answer: C"), and is
    ambiguous when it names two labels; else a reply, or its last line, that is nothing but a
    label; else one label at the start of a line ("C) ..."), ambiguous when lines start with
    different ones. A lower-case label after a marker must stand alone.

    Examples
    --------
    >>> parse_option(r"Not A. So \boxed{C}")
    ('C', 'marked answer')
    >>> parse_option("Answer: A or B")
    (None, 'names A and B')
    """
    known = _check_labels(labels)
    text = answer_text(reply)
    if text is None:
        return None, "the reasoning never ends"
    alternatives = "|".join(re.escape(x) for x in sorted(known, key=len, reverse=True))
    return _marked(text, alternatives) or _bare(text, alternatives)


def _unread(reason: str, unparsed: Unparsed) -> Verdict:
    return abstain(reason) if unparsed == "abstain" else decided(False, reason)


def _gold(reference: str, labels: Sequence[str]) -> str:
    gold = reference.strip().upper() if isinstance(reference, str) else reference
    if gold not in labels:
        raise ArgumentError(f"`reference` is {reference!r}; it must be one of {', '.join(labels)}")
    return gold


def option_label(
    output: str | None,
    reference: str,
    *,
    labels: Sequence[str] = _LABELS,
    unparsed: Unparsed = "abstain",
) -> Verdict:
    """Compare the option label that the reply chooses with the gold label.

    Parameters
    ----------
    output : str or None
        Free text; ``None`` is a missing output.
    reference : str
        The gold label.
    labels : sequence of str
        Labels that can be chosen.
    unparsed : {"abstain", "fail"}
        What becomes of a reply that names no label, or several.

    Returns
    -------
    Verdict

    Raises
    ------
    ArgumentError
        If the reference is not one of the labels, or the output is not text.

    Notes
    -----
    How a label is read: :func:`parse_option`.

    Examples
    --------
    >>> option_label("The answer is (b).", "B").passed
    True
    >>> option_label("I cannot tell.", "B").abstained
    True
    """
    gold = _gold(reference, _check_labels(labels))
    _check_unparsed(unparsed)
    if check_output(output) is None:
        return abstain("no output")
    label, how = parse_option(str(output), labels=labels)
    if label is None:
        return _unread(how, unparsed)
    return decided(label == gold, f"{how} {label}", {"label": label})


def _option_key(text: str) -> str:
    return fold(text).strip(" .,;:\"'`*$")


def _by_text(text: str, options: Mapping[str, str]) -> list[str]:
    key = _option_key(text)
    return [label for label, option in options.items() if key and _option_key(option) == key]


def _texts(reply: str) -> list[str]:
    """Return the whole reply, what follows a leading label, and what follows the last marker."""
    after = re.split(r"(?i)\banswer\b\W{0,3}(?:\s*is\b)?\s*[:=]?\s*", reply)
    return [reply, re.sub(r"^\s*[*(\[]*\w{1,2}[*]*[).:\]]+[*]*\s+", "", reply), after[-1]]


def option_text(
    output: str | None,
    reference: str,
    *,
    options: Mapping[str, str],
    unparsed: Unparsed = "abstain",
) -> Verdict:
    """Compare the chosen option, by label or by its text, with the gold label.

    Parameters
    ----------
    output : str or None
        Free text; ``None`` is a missing output.
    reference : str
        The gold label.
    options : mapping of str to str
        Label to text of every option.
    unparsed : {"abstain", "fail"}
        What becomes of a reply that chooses no option, or several.

    Returns
    -------
    Verdict

    Raises
    ------
    ArgumentError
        If the reference is not the label of an option, or the output is not text.

    Notes
    -----
    A label is read by :func:`parse_option`. A text is matched too: the reply, what follows its
    leading label, or what follows its last "answer" must equal the text of one option after
    Unicode NFKC, case folding, collapsed whitespace and without outer marks. Punctuation inside
    counts, because in formulas it is meaning. A text that two options share chooses neither,
    and a label beside the text of another option is ambiguous.

    Examples
    --------
    >>> options = {"A": "x + 1", "B": "x - 1", "C": "none"}
    >>> option_text("Answer: x - 1.", "B", options=options).passed
    True
    >>> option_text("C) x + 1", "A", options=options).reason
    'label C beside the text of A'
    """
    known = {str(label).strip().upper(): str(text) for label, text in options.items()}
    labels = _check_labels(list(options))
    gold = _gold(reference, labels)
    _check_unparsed(unparsed)
    if check_output(output) is None:
        return abstain("no output")
    text = answer_text(str(output))
    if text is None:
        return _unread("the reasoning never ends", unparsed)
    label, how = parse_option(text, labels=labels)
    named = {match for part in _texts(text) for match in _by_text(part, known)}
    if label is not None and named and label not in named:
        return _unread(f"label {label} beside the text of {', '.join(sorted(named))}", unparsed)
    if label is None and len(named) == 1:
        label, how = next(iter(named)), "text of option"
    elif label is None and named:
        return _unread(f"the text of options {', '.join(sorted(named))}", unparsed)
    if label is None:
        return _unread(how, unparsed)
    return decided(label == gold, f"{how} {label}", {"label": label})
