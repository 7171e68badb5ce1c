"""One writer a folder: an advisory lock that ends with its process."""

from __future__ import annotations

import os
from pathlib import Path

from evalkit.errors import ArgumentError

__all__ = ["FolderLock"]


class FolderLock:
    """Hold a folder until closed; a killed process lets go at once.

    Parameters
    ----------
    folder : Path
        An existing folder.

    Raises
    ------
    ArgumentError
        If another process holds it.

    Notes
    -----
    ``flock`` on the folder itself, so no lock file is left behind. Systems without ``flock``
    (Windows) are not protected.
    """

    def __init__(self, folder: Path) -> None:
        self._handle: int | None = None
        try:
            import fcntl
        except ImportError:  # pragma: no cover - not on this system
            return
        handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            raise ArgumentError(
                f"{folder}: another process is writing this folder; wait for it, or write to "
                "another folder"
            ) from None
        except OSError:
            # The file system has no locks; going on unlocked beats not running.
            os.close(handle)
            return
        self._handle = handle

    def close(self) -> None:
        """Let go."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
