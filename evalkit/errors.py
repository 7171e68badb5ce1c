"""Exceptions and warnings of evalkit.

The tree::

    EvalkitError
    ├── ArgumentError          (ValueError)    a setting has a value that is not allowed
    ├── InputError             (ValueError)    a file or frame cannot be read as records
    │   ├── MissingColumnError (KeyError)      a column that was asked for is not there
    │   ├── DuplicateRowError                  the same verdict stands in two rows
    │   ├── ScaleMismatchError                 scores on two scales would be compared
    │   └── TruncatedFileError                 a compressed file ends before its end
    ├── FileMissingError       (FileNotFoundError)
    ├── MissingPackageError    (ImportError)   an optional package is needed
    ├── ModelError             (RuntimeError)  a model cannot be used at all
    │   └── UnseenPromptError                  a recording holds no answer to a request
    └── RunFolderError         (RuntimeError)  a run folder cannot be written or resumed
    EvalkitWarning             (UserWarning)
    └── DegenerateDataWarning                  the data hold no spread to estimate from

Every message names the argument or place, the value got, what is allowed, and the remedy.
"""

from __future__ import annotations

__all__ = [
    "ArgumentError",
    "DegenerateDataWarning",
    "DuplicateRowError",
    "EvalkitError",
    "EvalkitWarning",
    "FileMissingError",
    "InputError",
    "MissingColumnError",
    "MissingPackageError",
    "ModelError",
    "RunFolderError",
    "ScaleMismatchError",
    "TruncatedFileError",
    "UnseenPromptError",
]


class EvalkitError(Exception):
    """Root of every error that evalkit raises on purpose."""

    def __str__(self) -> str:
        """Return the message itself (`KeyError` would print its repr)."""
        return str(self.args[0]) if self.args else ""


class ArgumentError(EvalkitError, ValueError):
    """A setting has a value that is not allowed."""


class InputError(EvalkitError, ValueError):
    """A file or frame cannot be read as records.

    Parameters
    ----------
    message : str
        What is wrong and what to do about it.
    path : str, optional
        File that was read.
    line : int, optional
        Physical line (1-based) or data row of the fault.
    item : str, optional
        Item id of the row at fault.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        line: int | None = None,
        item: str | None = None,
    ) -> None:
        place = [] if path is None else [path]
        place += [] if line is None else [f"line {line}"]
        place += [] if item is None else [f"item {item!r}"]
        super().__init__(f"{', '.join(place)}: {message}" if place else message)
        self.path, self.line, self.item = path, line, item


class MissingColumnError(InputError, KeyError):
    """A column that was asked for is not in the data."""


class DuplicateRowError(InputError):
    """The same (system, item, attempt, verifier, order) stands in two rows."""


class ScaleMismatchError(InputError):
    """Scores that look like fractions would be compared with scores that do not."""


class TruncatedFileError(InputError):
    """A compressed file ends before its end-of-stream mark."""


class FileMissingError(EvalkitError, FileNotFoundError):
    """A file or folder that was named does not exist."""


class MissingPackageError(EvalkitError, ImportError):
    """An optional package is needed; the message prints the install command."""


class ModelError(EvalkitError, RuntimeError):
    """A model cannot be used at all: wrong key, unknown name; one call that fails is a status."""


class UnseenPromptError(ModelError):
    """A recording is replayed and holds no answer to a request."""


class RunFolderError(EvalkitError, RuntimeError):
    """A run folder is in use, or holds a run with other settings."""


class EvalkitWarning(UserWarning):
    """Root of the warnings of evalkit."""


class DegenerateDataWarning(EvalkitWarning):
    """The data hold no spread, so a spread cannot be estimated from them."""
