"""Model backends: scripted, recorded, and everything that Inspect reaches.

A call that fails is a `Reply` with the status ``infra`` or ``timeout``, never an answer that is
wrong; what makes every call fail is a `evalkit.errors.ModelError`. Keys come from environment
variables and are written nowhere.
"""

from __future__ import annotations

from evalkit.models.base import CallStatus, Message, Model, Reply, Request, Usage
from evalkit.models.batch import generate_all
from evalkit.models.inspect_models import InspectModel
from evalkit.models.load import ModelSettings, load_model
from evalkit.models.mock import MockModel
from evalkit.models.prices import Prices
from evalkit.models.replay import RecordingModel, ReplayModel

__all__ = [
    "CallStatus",
    "InspectModel",
    "Message",
    "MockModel",
    "Model",
    "ModelSettings",
    "Prices",
    "RecordingModel",
    "ReplayModel",
    "Reply",
    "Request",
    "Usage",
    "generate_all",
    "load_model",
]
