"""An updater's reply as a revised component."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from evalkit.environments.base import Component
from evalkit.evolve.protocols import Evidence
from evalkit.records.judge_text import parse_json

__all__ = ["Revision", "read_revision"]

_PROMPT = "prompt"
_SKILL = "skills/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """What a reply asks for.

    Attributes
    ----------
    component : Component or None
        The revised component; ``None`` exactly where there is a fault.
    rationale : str
        Why, in the updater's words.
    edits : int or None
        Structured edits; ``None`` where the whole text was given.
    fault : str or None
        Why the reply cannot be used.
    """

    component: Component | None = None
    rationale: str = ""
    edits: int | None = None
    fault: str | None = None


def read_revision(text: str, current: Component, evidence: Evidence) -> Revision:
    """Read a reply.

    Parameters
    ----------
    text : str
        The reply.
    current : Component
        What the edits apply to.
    evidence : Evidence
        Whose limits hold.

    Returns
    -------
    Revision
        Nothing is repaired or guessed: a reply that is not strict JSON, an edit whose text stands
        nowhere or several times, and more edits than allowed are faults.
    """
    parsed = parse_json(text)
    if not isinstance(parsed.value, dict):
        fault = "the JSON is no object" if parsed.value is not None else parsed.reason
        return Revision(fault=fault)
    held = parsed.value
    rationale = held.get("rationale")
    why = rationale if isinstance(rationale, str) else ""
    if "edits" in held and _PROMPT not in held:
        return replace(_edited(held["edits"], current, evidence), rationale=why)
    if _PROMPT not in held:
        return Revision(fault="it has neither `edits` nor `prompt`", rationale=why)
    return replace(_whole(held, current, evidence), rationale=why)


def _whole(held: dict[str, Any], current: Component, evidence: Evidence) -> Revision:
    if "edits" in held:
        return Revision(fault="it has both `edits` and `prompt`")
    if evidence.max_edits is not None:
        return Revision(fault="the number of edits is limited, so give `edits`, not the whole text")
    if not isinstance(held[_PROMPT], str):
        return Revision(fault="`prompt` is not text")
    return Revision(component=replace(current, prompt=held[_PROMPT]))


def _edited(edits: Any, current: Component, evidence: Evidence) -> Revision:
    fault = _shape_fault(edits, evidence) or _count_fault(edits, evidence)
    if fault is not None:
        return Revision(fault=fault)
    texts = {_PROMPT: current.prompt}
    texts |= {f"{_SKILL}{name}": body for name, body in current.skills.items()}
    for number, edit in enumerate(edits, 1):
        target, find, new = edit["target"], edit["find"], edit["replace"]
        body = texts.get(target, "")
        if not find:
            texts[target] = f"{body}\n\n{new}" if body.strip() else new
            continue
        times = body.count(find)
        if times != 1:
            return Revision(
                fault=f"the `find` of edit {number} stands {times} times in {target!r}, not once"
            )
        texts[target] = body.replace(find, new)
    skills = {k.removeprefix(_SKILL): v for k, v in texts.items() if k != _PROMPT and v.strip()}
    return Revision(component=Component(prompt=texts[_PROMPT], skills=skills), edits=len(edits))


def _shape_fault(edits: Any, evidence: Evidence) -> str | None:
    if not isinstance(edits, list):
        return "`edits` is not a list"
    for number, edit in enumerate(edits, 1):
        if not isinstance(edit, dict) or not all(
            isinstance(edit.get(key), str) for key in ("target", "find", "replace")
        ):
            return f"edit {number} lacks `target`, `find` or `replace` as text"
        if not edit["find"] and not edit["replace"]:
            return f"edit {number} neither finds nor adds anything"
        target = edit["target"]
        named = target.startswith(_SKILL) and target.removeprefix(_SKILL).strip()
        if target != _PROMPT and not (named and evidence.skills):
            allowed = "'prompt' or 'skills/NAME'" if evidence.skills else "'prompt'"
            return f"the target of edit {number} is {target!r}; it must be {allowed}"
    return None


def _count_fault(edits: Sequence[dict[str, str]], evidence: Evidence) -> str | None:
    kinds = Counter("prompt" if edit["target"] == _PROMPT else "skills" for edit in edits)
    limits = {"prompt": evidence.max_edits, "skills": evidence.max_skill_edits}
    for kind, limit in limits.items():
        if limit is not None and kinds[kind] > limit:
            return f"it makes {kinds[kind]} edits of the {kind}; {limit} are allowed"
    return None
