"""``evalkit reproduce``: run the studies, write their reports, print the sum."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evalkit.cli.guard import CHECK_FAILED, guarded, say

__all__ = ["reproduce"]


@guarded
def reproduce(
    slugs: Annotated[
        list[str] | None, typer.Argument(metavar="[SLUG]...", help="Studies; all by default.")
    ] = None,
    *,
    check: Annotated[
        bool, typer.Option("--check", help="Only compare with the committed reports.")
    ] = False,
    root: Annotated[
        Path | None, typer.Option(help="Folder that holds analysis/ and fixtures/.")
    ] = None,
) -> None:
    """Recompute the tables and figures of the studies, and say what matches."""
    from evalkit.studies import reproduce as run

    outcome = run(slugs or (), root=root, check=check)
    typer.echo(outcome.text)
    for line in outcome.differences if check else ():
        say(f"differs: {line}")
    if not outcome.ok:
        say("evalkit: committed reports differ from what the code makes; run `evalkit reproduce`")
        raise typer.Exit(CHECK_FAILED)
