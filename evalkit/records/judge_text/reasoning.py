"""The answer inside a reply: everything after, and outside of, the reasoning."""

from __future__ import annotations

import re

__all__ = ["answer_text"]

_NAMES = (
    r"think(?:ing)?|thoughts?|reason(?:ing)?|reflection|scratch_?pad|analysis|deliberation|"
    r"inner_monologue|chain_of_thought|cot|\w+:think(?:ing)?|(?:begin|end)_of_thought"
)
_TAG = re.compile(
    rf"<\s*(?P<close>/)?\s*\|?(?P<name>{_NAMES})(?:\s[^<>]*)?\|?\s*>"
    r"|\[(?P<close2>/)?(?P<name2>THINK)\]"
    r"|\u25c1(?P<close3>/)?(?P<name3>think)\u25b7",
    re.IGNORECASE,
)
_CHANNEL = re.compile(r"<\|channel\|>\s*(?P<name>\w+)[^<]*<\|message\|>", re.IGNORECASE)
_CHANNEL_END = re.compile(r"<\|(?:end|return|start|call)\|>.*", re.DOTALL | re.IGNORECASE)
_SOLUTION = re.compile(r"<\|(?:begin|end)_of_solution\|>", re.IGNORECASE)


def _last_channel(reply: str) -> str | None:
    """Return the last message of the final channel; the reply itself where it has no channels."""
    channels = list(_CHANNEL.finditer(reply))
    if not channels:
        return None if "<|channel|>" in reply.casefold() else reply
    last = channels[-1]
    if last["name"].casefold() != "final":
        return None
    return _CHANNEL_END.sub("", reply[last.end() :])


def answer_text(reply: str) -> str | None:
    """Return the reply without its reasoning; ``None`` where the reasoning never ends.

    Parameters
    ----------
    reply : str
        What the model wrote.

    Returns
    -------
    str or None
        The answer, without blanks around it.

    Notes
    -----
    Reasoning stands in a pair of tags (``think``, ``thinking``, ``thought``, ``reasoning``,
    ``reflection``, ``scratchpad``, ``analysis`` and the like, in any case, with attributes, nested,
    ``[THINK]``, ``<|begin_of_thought|>``), or in a channel other than ``final``
    (``<|channel|>analysis<|message|>``). Closed blocks are removed. A close without an open ends a
    block that the prompt template opened, so all before it is removed. An open without a close is
    a reply that was cut off while reasoning: there is no answer. Reasoning in plain prose cannot
    be told from an answer.

    Examples
    --------
    >>> answer_text("<think>B? No.</think> C"), answer_text("hm</think>C")
    ('C', 'C')
    >>> answer_text("<think>I lean to C") is None
    True
    """
    text = _last_channel(reply)
    if text is None:
        return None
    kept: list[str] = []
    place = 0
    stack: list[str] = []
    for tag in _TAG.finditer(text):
        name = (tag["name"] or tag["name2"] or tag["name3"]).casefold()
        closes = bool(tag["close"] or tag["close2"] or tag["close3"])
        if "_of_thought" in name:
            name, closes = "of_thought", name.startswith("end")
        if not stack:
            kept = [] if closes else [*kept, text[place : tag.start()]]
            place = tag.end()
        if not closes:
            stack.append(name)
        elif name in stack:
            while stack.pop() != name:
                pass
            place = tag.end()
    if stack:
        return None
    return _SOLUTION.sub("", "".join([*kept, text[place:]])).strip()
