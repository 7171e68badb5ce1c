"""The ``evalkit`` command: one file for each verb, thin over the library."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    from evalkit.cli.app import app

    app()
