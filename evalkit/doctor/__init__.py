"""What a file is, what can be computed from it, and what is wrong with it."""

from __future__ import annotations

from evalkit.doctor.diagnosis import Diagnosis, Finding, Severity, Support
from evalkit.doctor.examine import diagnose, examine

__all__ = ["Diagnosis", "Finding", "Severity", "Support", "diagnose", "examine"]
