"""Studies are run by path: `analysis/` is no package."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from evalkit.errors import EvalkitError, FileMissingError

__all__ = ["find_root", "load_module", "study_slugs"]


def find_root(start: Path | None = None) -> Path:
    """Return the nearest folder, from `start` upwards, that has `analysis/` and `fixtures/`.

    Raises
    ------
    FileMissingError
        If there is none.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / "analysis").is_dir() and (folder / "fixtures").is_dir():
            return folder
    raise FileMissingError(
        f"no folder with analysis/ and fixtures/ at or above {here}; "
        "run this inside a checkout of the repository, which holds the studies"
    )


def study_slugs(root: Path) -> tuple[str, ...]:
    """Return the names of the studies below `root`, sorted."""
    return tuple(sorted(path.parent.name for path in (root / "analysis").glob("*/study.py")))


def load_module(path: Path) -> ModuleType:
    """Load a Python file as a module of its own, once per path.

    Parameters
    ----------
    path : Path
        The file. Its neighbours load each other through this function as well.

    Returns
    -------
    module

    Raises
    ------
    FileMissingError
        If the file does not exist.
    EvalkitError
        If it is no Python file.

    Examples
    --------
    A study made of several files::

        tables = load_module(Path(__file__).with_name("tables.py"))
    """
    path = path.resolve()
    if not path.is_file():
        raise FileMissingError(f"{path} does not exist; a study needs this file")
    digest = hashlib.sha256(str(path).encode()).hexdigest()[:12]
    name = f"_evalkit_study_{path.stem}_{digest}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise EvalkitError(f"{path} is not a Python file; name it study.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
