"""A model from a table of a configuration file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from evalkit.errors import ArgumentError
from evalkit.models.base import Model
from evalkit.models.inspect_models import InspectModel
from evalkit.models.mock import MockModel
from evalkit.models.prices import Prices
from evalkit.models.replay import RecordingModel, ReplayModel
from evalkit.models.tables import FORBID_EXTRA, check_table

__all__ = ["ModelSettings", "load_model"]

_SECRET = re.compile(r"key|token|secret|password|passwd|auth|credential|header", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """Settings of one model, such as ``[models.solver]``.

    Attributes
    ----------
    backend : {"inspect", "mock"}
        What answers.
    model : str or None
        Name of the model; see `InspectModel`.
    base_url, api_key_env, max_connections, timeout, time_limit, max_retries, backoff, prices
        See `InspectModel`.
    replies : mapping of str to str
        Answers of the mock, by the content of the last message.
    reply : str or None
        Answer of the mock to everything else.
    record : str or None
        File that keeps each call, relative to the configuration; calls in it are not made again.
    replay : str or None
        File that answers in place of the backend.
    """

    __pydantic_config__: ClassVar[Mapping[str, Any]] = FORBID_EXTRA

    backend: Literal["inspect", "mock"] = "inspect"
    model: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    max_connections: int = 8
    timeout: float = 120.0
    time_limit: float = 600.0
    max_retries: int = 5
    backoff: float = 1.0
    prices: Prices | None = None
    replies: Mapping[str, str] = field(default_factory=dict)
    reply: str | None = None
    record: str | None = None
    replay: str | None = None

    def __post_init__(self) -> None:
        if self.record is not None and self.replay is not None:
            raise ArgumentError("`record` and `replay` exclude each other; keep one of them")
        if self.model is None and self.backend == "inspect" and self.replay is None:
            raise ArgumentError(
                "`model` is missing; name the model, such as 'openai/MODEL', or give `replay`"
            )


def load_model(table: Mapping[str, Any], /, *, base: Path, place: str = "models") -> Model:
    """Make the model that a table describes.

    Parameters
    ----------
    table : mapping
        Keys and values of `ModelSettings`.
    base : path
        Folder that `record` and `replay` are relative to.
    place : str
        Name of the table, for messages.

    Returns
    -------
    Model

    Raises
    ------
    ArgumentError
        If a setting is unknown or not allowed, or looks like a key: keys come from the environment.
    ModelError, MissingPackageError, FileMissingError
        If the model cannot be used.

    Examples
    --------
    >>> load_model({"backend": "mock", "reply": "4"}, base=Path()).name
    'mock'
    """
    settings = _checked(table, place)
    if settings.replay is not None:
        return ReplayModel(base / settings.replay, model=settings.model)
    model = _backend(settings)
    return model if settings.record is None else RecordingModel(model, base / settings.record)


def _checked(table: Mapping[str, Any], place: str) -> ModelSettings:
    known = ModelSettings.__dataclass_fields__
    for key in table:
        if key not in known and _SECRET.search(key):
            raise ArgumentError(
                f"`{place}.{key}` is not a setting: keys are never read from a file; export the "
                "key in an environment variable and give its name as `api_key_env`"
            )
    return check_table(ModelSettings, table, place=place)


def _backend(settings: ModelSettings) -> Model:
    if settings.backend == "mock":
        replies, reply = settings.replies, settings.reply
        name = settings.model or "mock"
        if reply is None:
            return MockModel(replies, name=name)
        return MockModel(lambda r: replies.get(r.messages[-1].content, reply), name=name)
    return InspectModel(
        settings.model or "",
        base_url=settings.base_url,
        api_key_env=settings.api_key_env,
        max_connections=settings.max_connections,
        timeout=settings.timeout,
        time_limit=settings.time_limit,
        max_retries=settings.max_retries,
        backoff=settings.backoff,
        prices=settings.prices,
    )
