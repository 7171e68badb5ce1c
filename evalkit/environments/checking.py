"""Verdicts of a dataset's verifiers: those of evalkit, and functions of the user."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol

from evalkit.environments.base import Execution, Item, Verdict
from evalkit.environments.dataset_rows import HeldItem, reference_text
from evalkit.environments.isolation import IsolatedFunction
from evalkit.errors import ArgumentError, InputError
from evalkit.models.base import Message, Model, Reply, Request, Usage
from evalkit.models.tables import FORBID_EXTRA
from evalkit.verifiers import VERIFIERS
from evalkit.verifiers import Verdict as Finding

__all__ = ["Check", "CheckSettings", "make_check"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSettings:
    """A verifier and its settings.

    Attributes
    ----------
    name : str
        One of `evalkit.verifiers.VERIFIERS`, or ``module:function`` of one's own.
    options : mapping
        Settings that the verifier takes by keyword.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = FORBID_EXTRA

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)


class Check(Protocol):
    """Compare an answer with its reference."""

    def __call__(self, item: Item, execution: Execution, reference: Any, /) -> Verdict:
        """Return the verdict; what cannot be judged has a status."""
        ...

    def close(self) -> None:
        """End the processes that it holds."""
        ...


def make_check(
    settings: CheckSettings,
    held: Sequence[HeldItem],
    *,
    judge: Model | None,
    seconds: float,
    base: Path,
    path: Path,
) -> Check:
    """Make a check, and try it on every reference before anything is run.

    Parameters
    ----------
    settings : CheckSettings
        Which verifier.
    held : sequence of HeldItem
        The items, whose references are tried.
    judge : Model or None
        What ``model_judge`` asks.
    seconds : float
        Time for one call of a function of one's own, which runs in a process of its own.
    base : path
        Folder in which its module is looked for.
    path : path
        The items file, for messages.

    Raises
    ------
    ArgumentError
        If the verifier or one of its options is unknown.
    InputError
        If a reference does not suit the verifier.
    """
    name, options = settings.name, settings.options
    if ":" in name:
        return _Own(IsolatedFunction(name, timeout=seconds, base=base), options)
    if name not in VERIFIERS:
        raise ArgumentError(
            f"the verifier is {name!r}; it must be one of {', '.join(sorted(VERIFIERS))}, or "
            "'module:function'"
        )
    allowed = [
        parameter.name
        for parameter in inspect.signature(VERIFIERS[name]).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY
        and parameter.name not in ("generate", "question")
    ]
    for option in options:
        if option not in allowed:
            raise ArgumentError(
                f"the verifier {name!r} has no option {option!r}; its options are "
                f"{', '.join(allowed) or 'none'}"
            )
    if name == "model_judge" and judge is None:
        raise ArgumentError("the verifier 'model_judge' needs a model; give `[models.verifier]`")
    check = _Judged(judge, options) if name == "model_judge" and judge else _Known(name, options)
    for entry in held:
        try:
            check.find(entry.item, None, entry.reference)
        except (ArgumentError, InputError) as cause:
            raise InputError(str(cause), path=str(path), item=entry.item.id) from None
    return check


def _unanswered(execution: Execution) -> Verdict | None:
    if execution.status == "ok":
        return None
    return Verdict(score=None, status=execution.status, critique=execution.error or "")


def _verdict(finding: Finding, usage: Usage) -> Verdict:
    if finding.abstained or finding.score is None:
        return Verdict(score=None, status="judge_error", critique=finding.reason, usage=usage)
    return Verdict(score=finding.score, critique=finding.reason, usage=usage)


@dataclass(frozen=True, slots=True)
class _Known:
    """A verifier of evalkit."""

    name: str
    options: Mapping[str, Any]

    def find(self, item: Item, output: str | None, reference: Any) -> Finding:  # noqa: ARG002
        """Call the verifier."""
        return VERIFIERS[self.name](output, reference_text(reference), **self.options)

    def __call__(self, item: Item, execution: Execution, reference: Any, /) -> Verdict:
        """Return the verdict."""
        return _unanswered(execution) or _verdict(
            self.find(item, execution.output, reference), Usage()
        )

    def close(self) -> None:
        """Hold nothing."""


class _UnansweredError(Exception):
    """The judge did not answer."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.error)
        self.reply = reply


@dataclass(frozen=True, slots=True)
class _Judged:
    """A model as the verifier."""

    model: Model
    options: Mapping[str, Any]

    def find(self, item: Item, output: str | None, reference: Any) -> Finding:
        """Check the reference; nothing is asked about a missing output."""
        return self._judge(item, output, reference, [])

    def _judge(
        self, item: Item, output: str | None, reference: Any, usages: list[Usage]
    ) -> Finding:
        def generate(prompt: str) -> str:
            message = Message(role="user", content=prompt)
            reply = self.model(Request(messages=(message,), purpose="verify", sample=len(usages)))
            usages.append(reply.usage)
            if reply.text is None:
                raise _UnansweredError(reply)
            return reply.text

        return VERIFIERS["model_judge"](
            output,
            reference_text(reference),
            generate=generate,
            question=item.input,
            **self.options,
        )

    def __call__(self, item: Item, execution: Execution, reference: Any, /) -> Verdict:
        """Return what most judgments say; a lost call loses the verdict, and is no failure."""
        lost = _unanswered(execution)
        if lost is not None:
            return lost
        usages: list[Usage] = []
        try:
            finding = self._judge(item, execution.output, reference, usages)
        except _UnansweredError as unanswered:
            reply = unanswered.reply
            return Verdict(
                score=None,
                status=reply.status,
                critique=reply.error or "",
                usage=sum(usages, Usage()),
            )
        return _verdict(finding, sum(usages, Usage()))

    def close(self) -> None:
        """Hold nothing."""


@dataclass(frozen=True, slots=True)
class _Own:
    """A function of the user: ``function(output=..., reference=..., **options)``.

    Numbers of a JSONL or CSV file arrive as the text that stands there.
    """

    function: IsolatedFunction
    options: Mapping[str, Any]

    def __call__(self, item: Item, execution: Execution, reference: Any, /) -> Verdict:  # noqa: ARG002
        """Return the verdict; time-outs and crashes are no failures of the answer."""
        lost = _unanswered(execution)
        if lost is not None:
            return lost
        arguments = {"output": execution.output, "reference": reference, **self.options}
        outcome = self.function(arguments)
        if outcome.status != "ok":
            status = {"error": "judge_error", "timeout": "timeout", "died": "infra"}[outcome.status]
            return Verdict(score=None, status=status, critique=f"the verifier: {outcome.error}")
        return _own_verdict(outcome.value)

    def close(self) -> None:
        """End the processes."""
        self.function.close()


def _own_verdict(value: Any) -> Verdict:
    """Read what a function of the user returned: a truth value, a credit, or an object."""
    reason = ""
    if isinstance(value, dict):
        reason = str(value.get("reason", ""))
        if value.get("abstained"):
            return Verdict(score=None, status="judge_error", critique=reason)
        score = value.get("score")
        value = value.get("passed") if score is None else score
    if isinstance(value, bool):
        return Verdict(score=float(value), critique=reason)
    if not isinstance(value, (int, float)):
        told = f"the verifier returned {type(value).__name__}, not a score"
        return Verdict(score=None, status="judge_error", critique=told)
    if not (math.isfinite(value) and 0 <= value <= 1):
        told = f"the verifier returned {value}, outside 0 to 1"
        return Verdict(score=None, status="invalid", critique=told)
    return Verdict(score=float(value), critique=reason)
