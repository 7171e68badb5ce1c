"""The ``evalkit`` command: one file for each verb, thin over the library."""

from __future__ import annotations

import sys

__all__ = ["main"]

_INTERRUPTED = 130


def main() -> None:
    """Run the command line."""
    try:
        from evalkit.cli.app import app
        from evalkit.cli.gates import with_bare_gate
    except KeyboardInterrupt:
        sys.stderr.write("evalkit: interrupted\n")
        sys.exit(_INTERRUPTED)
    app(args=with_bare_gate(sys.argv[1:]))
