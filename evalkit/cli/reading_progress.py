"""A progress bar for large files, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from evalkit.records.watching import watching

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["reading_progress"]

_LARGE = 20_000_000  # bytes; smaller files are read in a blink


@contextmanager
def reading_progress() -> Iterator[None]:
    """Show how far large files are read meanwhile; nothing where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield
        return
    with ExitStack() as stack:
        bar = _Bar(stack)
        stack.enter_context(watching(bar.see))
        yield


class _Bar:
    """A bar that appears with the first large file."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._tasks: dict[Path, TaskID] = {}
        self._progress: Progress | None = None

    def see(self, path: Path, done: int, size: int) -> None:
        """Move the bar of a file."""
        if size < _LARGE:
            return
        if self._progress is None:
            self._progress = self._stack.enter_context(_shown())
        if path not in self._tasks:
            self._tasks[path] = self._progress.add_task(path.name, total=size)
        self._progress.update(self._tasks[path], completed=done)


def _shown() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("reading {task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
