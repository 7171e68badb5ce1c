"""The ``evalkit`` command: one file for each verb, thin over the library."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    from evalkit.cli.app import app
    from evalkit.cli.gates import with_bare_gate

    app(args=with_bare_gate(sys.argv[1:]))
