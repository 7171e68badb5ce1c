"""How many edits lie between two components."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Literal

__all__ = ["Tokenizer", "changed_blocks", "prompt_edits", "skill_edits", "tokens"]

Tokenizer = Literal["words", "characters", "whitespace"]
_WORDS = re.compile(r"\w+|[^\w\s]")


def tokens(text: str, *, tokenizer: Tokenizer = "words") -> list[str]:
    r"""Split a text: words and single punctuation marks, characters, or runs between spaces.

    Examples
    --------
    >>> tokens("Check it, twice.")
    ['Check', 'it', ',', 'twice', '.']
    """
    if tokenizer == "characters":
        return list(text)
    return text.split() if tokenizer == "whitespace" else _WORDS.findall(text)


def changed_blocks(before: Sequence[str], after: Sequence[str]) -> int:
    """Count the contiguous blocks that were inserted, deleted or replaced.

    Examples
    --------
    >>> changed_blocks("a b c d".split(), "a x c d e".split())
    2
    """
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return sum(tag != "equal" for tag, *_ in matcher.get_opcodes())


def prompt_edits(before: str, after: str, *, tokenizer: Tokenizer = "words") -> int:
    """Count the edits between two prompts.

    Notes
    -----
    Prompts that differ in white space only, which no token carries, are one edit apart.

    Examples
    --------
    >>> prompt_edits("Read the task.", "Read the whole task. Then check.")
    2
    """
    if before == after:
        return 0
    found = changed_blocks(tokens(before, tokenizer=tokenizer), tokens(after, tokenizer=tokenizer))
    return max(found, 1)


def skill_edits(before: Mapping[str, str], after: Mapping[str, str]) -> int:
    r"""Count structured edits between two sets of skills.

    Notes
    -----
    A skill that is added or removed is one edit; in a skill that stays, each contiguous block of
    changed lines is one.

    Examples
    --------
    >>> skill_edits({"a": "one\ntwo"}, {"a": "one\n2", "b": "new"})
    2
    """
    shared = before.keys() & after.keys()
    moved = len(before.keys() ^ after.keys())
    changed = [name for name in shared if before[name] != after[name]]
    return moved + sum(
        max(changed_blocks(before[name].splitlines(), after[name].splitlines()), 1)
        for name in changed
    )
