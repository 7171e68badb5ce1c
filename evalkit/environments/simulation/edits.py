"""Structured edits of a component: one instruction a line."""

from __future__ import annotations

from evalkit.environments.base import Component

__all__ = ["add_line", "instructions", "remove_line", "revise_line"]

_MARK = "- "
_AGAIN = " Do so on every task."


def instructions(component: Component, *, skills: bool = True) -> list[str]:
    """Return the bulleted lines of the prompt, and of the skills."""
    texts = (component.prompt, *(component.skills.values() if skills else ()))
    lines = (line.strip() for text in texts for line in text.splitlines())
    return [line.removeprefix(_MARK) for line in lines if line.startswith(_MARK)]


def add_line(component: Component, text: str, *, skill: str | None) -> Component:
    """Append an instruction to the prompt, or to a skill, which is made where there is none."""
    if skill is None:
        return Component(prompt=_append(component.prompt, text), skills=component.skills)
    held = component.skills.get(skill, f"When the task is one of {skill}:")
    return _with_skill(component, skill, _append(held, text))


def _append(text: str, line: str) -> str:
    return f"{text.rstrip()}\n{_MARK}{line}".lstrip("\n")


def _with_skill(component: Component, name: str, text: str) -> Component:
    return Component(prompt=component.prompt, skills={**component.skills, name: text})


def remove_line(component: Component, line: str) -> Component:
    """Take an instruction of the prompt out."""
    return _edited(component, line, None)


def revise_line(component: Component, line: str) -> Component:
    """Word an instruction differently without changing what it says."""
    longer = line.removesuffix(_AGAIN) if line.endswith(_AGAIN) else line + _AGAIN
    return _edited(component, line, longer)


def _edited(component: Component, line: str, new: str | None) -> Component:
    def edit(text: str) -> str:
        kept = []
        for held in text.splitlines():
            if held.strip() != _MARK + line:
                kept.append(held)
            elif new is not None:
                kept.append(_MARK + new)
        return "\n".join(kept)

    return Component(prompt=edit(component.prompt), skills=component.skills)
