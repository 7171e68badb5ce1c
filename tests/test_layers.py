"""Layers: each module imports only leftwards, heavy libraries load on use."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "evalkit"
LAYERS = (
    ("errors", "rounding", "results", "_checks"),
    ("records", "tally", "_clean_frame", "_design", "_pairing"),
    (
        "bootstrap",
        "intervals",
        "comparisons",
        "trajectories",
        "testtime",
        "estimation",
        "comparison",
        "planning",
        "verifiers",
        "locked",
        "grading",
        "contrasts",
        "pairs",
        "consistency",
    ),
    ("tables", "figures", "report", "exports", "doctor"),
    ("models",),
    ("environments",),
    ("evolve",),
    ("studies", "cli", "__main__"),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
STATISTICS = {"tally", "_clean_frame", "_design", "_pairing", *LAYERS[2]}
HEAVY = {
    "datasets",
    "duckdb",
    "jinja2",
    "jsonlines",
    "matplotlib",
    "narwhals",
    "pandas",
    "polars",
    "pyarrow",
    "pydantic",
    "rich",
    "scipy",
    "statsmodels",
    "numba",
    "openpyxl",
    "zstandard",
    "inspect_ai",
    "openai",
    "gepa",
}
MODULES = sorted(PACKAGE.rglob("*.py"))


def unit(path: Path) -> str:
    """Top-level module or subpackage that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> list[tuple[str, bool]]:
    """Modules that a file imports, and whether at its top level outside TYPE_CHECKING."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    eager = {id(node) for node in tree.body}
    out = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            out += [(alias.name, id(node) in eager) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            out.append((node.module, id(node) in eager))
            if node.module == "evalkit":
                out += [(f"evalkit.{alias.name}", id(node) in eager) for alias in node.names]
    return out


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_leftwards(path):
    """No module imports from a layer to its right."""
    mine = LEVEL.get(unit(path))
    if path == PACKAGE / "__init__.py":
        return
    assert mine is not None, f"{unit(path)} has no layer; add it to LAYERS"
    for name, _ in imports(path):
        parts = name.split(".")
        if parts[0] == "evalkit" and len(parts) > 1 and parts[1] in LEVEL:
            assert LEVEL[parts[1]] <= mine, f"{path.name} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_heavy_libraries_load_on_use(path):
    """Importing a module loads numpy at most; the statistics never load pandas."""
    for name, eager in imports(path):
        top = name.split(".")[0]
        assert not (eager and top in HEAVY), f"{path.name} imports {name} at import time"
        if unit(path) in STATISTICS and top in {"pandas", "matplotlib"}:
            pytest.fail(f"{path.name} is statistics and imports {name}")


def test_import_is_light():
    """`import evalkit` loads none of the heavy libraries, and not numpy."""
    code = (
        "import sys, evalkit; "
        f"print(sorted(({sorted(HEAVY)!r} + ['numpy']) and "
        f"[m for m in {sorted(HEAVY | {'numpy'})!r} if m in sys.modules]))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout
    assert out.strip() == "[]"


def test_public_names_are_sorted_and_exist():
    """`evalkit.__all__` is sorted, complete and importable."""
    import evalkit

    assert evalkit.__all__ == sorted(evalkit.__all__)
    for name in evalkit.__all__:
        assert getattr(evalkit, name).__doc__, name
