"""The engine: run a study, write or check its report."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evalkit.errors import ArgumentError, EvalkitError, FileMissingError
from evalkit.studies.cells import CheckedCell, Status, sum_line
from evalkit.studies.files import differences, index_readme, report_files
from evalkit.studies.loading import find_root, load_module, study_slugs
from evalkit.studies.output import StudyOutput

__all__ = ["Outcome", "StudyOutcome", "build_study", "reproduce"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyOutcome:
    """One reproduced study.

    Attributes
    ----------
    slug : str
        Name of the study.
    cells : tuple of CheckedCell
        One a printed number.
    differences : tuple of str
        Files of the committed report that are not what the study makes: changed, missing or
        stale. With ``check=False`` these were written or removed.
    """

    slug: str
    cells: tuple[CheckedCell, ...]
    differences: tuple[str, ...]

    @property
    def contradictions(self) -> tuple[str, ...]:
        """One line for each contradiction in the paper."""
        return tuple(
            f"Table {cell.table}, {cell.row}, {cell.column}: {cell.note}"
            for cell in self.cells
            if cell.status == "mismatch"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """All reproduced studies.

    Attributes
    ----------
    studies : tuple of StudyOutcome
        In the order they were run.
    checked : bool
        Whether the committed reports were only compared.
    index_differences : tuple of str
        The same for ``reports/README.md``.
    """

    studies: tuple[StudyOutcome, ...]
    checked: bool
    index_differences: tuple[str, ...] = ()

    @property
    def differences(self) -> tuple[str, ...]:
        """What differs from the committed reports."""
        lines = (line for study in self.studies for line in study.differences)
        return (*lines, *self.index_differences)

    @property
    def ok(self) -> bool:
        """Whether nothing differs from the committed reports, or nothing was to be compared."""
        return not (self.checked and self.differences)

    @property
    def text(self) -> str:
        """The sum in one line and a line for each contradiction, study by study if several."""
        lines = []
        for study in self.studies:
            if len(self.studies) > 1:
                lines.append(f"{study.slug}: {sum_line(study.cells)}")
            lines += study.contradictions
        total = sum_line([cell for study in self.studies for cell in study.cells])
        return "\n".join([*lines, total] if len(self.studies) > 1 else [total, *lines])

    def count(self, status: Status) -> int:
        """Return how many cells have a status."""
        return sum(cell.status == status for study in self.studies for cell in study.cells)


def build_study(slug: str, *, root: Path, fixtures: Path | None = None) -> StudyOutput:
    """Run ``analysis/<slug>/study.py`` without writing anything.

    Parameters
    ----------
    slug : str
        Name of the study.
    root : Path
        Root of the repository.
    fixtures : Path, optional
        Folder to read instead of ``fixtures/<slug>``.

    Returns
    -------
    StudyOutput

    Raises
    ------
    EvalkitError
        If the file has no function ``build``, or it returns something else.
    """
    path = root / "analysis" / slug / "study.py"
    build = getattr(load_module(path), "build", None)
    if build is None:
        raise EvalkitError(f"{path} has no function `build(fixtures)`; add it")
    output = build(fixtures or root / "fixtures" / slug)
    if not isinstance(output, StudyOutput):
        raise EvalkitError(f"`build` of {path} returned {type(output).__name__}, not StudyOutput")
    return output


def reproduce(
    slugs: Sequence[str] = (), *, root: Path | None = None, check: bool = False
) -> Outcome:
    """Run studies and write their reports, or compare them with the committed ones.

    Parameters
    ----------
    slugs : sequence of str
        Names of the studies; by default every folder of ``analysis/`` with a ``study.py``.
    root : Path, optional
        Root of the repository; by default the nearest folder, from the working directory
        upwards, that has ``analysis/`` and ``fixtures/``.
    check : bool
        Compare only; no file is changed.

    Returns
    -------
    Outcome

    Raises
    ------
    ArgumentError
        If a study does not exist.
    FileMissingError
        If there is no such root, or a study lacks an input.
    EvalkitError
        If a study is not what the engine expects.

    Notes
    -----
    Files are replaced one by one and only where their bytes change; files that the study no
    longer makes are removed. A drawing counts as equal if its pixels are, and a report that is
    equal keeps the versions in its manifest, so that other library versions change no byte.
    """
    root = find_root() if root is None else root.resolve()
    known = study_slugs(root)
    if not known:
        raise FileMissingError(f"{root}: there is no analysis/ with studies; check `root`")
    unknown = [slug for slug in slugs if slug not in known]
    if unknown:
        raise ArgumentError(
            f"`slugs` names {unknown[0]!r}; the studies are {', '.join(known) or 'none'}"
        )
    studies = []
    for slug in slugs or known:
        output = build_study(slug, root=root)
        folder = root / "reports" / slug
        committed = _read_folder(folder)
        made = report_files(slug, output, root=root, committed=committed)
        changed = differences(made, committed)
        if not check:
            _write_folder(folder, made, committed)
        studies.append(
            StudyOutcome(
                slug=slug,
                cells=output.cells,
                differences=tuple(f"reports/{slug}/{line}" for line in changed),
            )
        )
    index = root / "reports" / "README.md"
    made = {index.name: index_readme(known)}
    standing = {index.name: index.read_bytes()} if index.is_file() else {}
    if not check:
        _write_folder(index.parent, made, standing)
    return Outcome(
        studies=tuple(studies),
        checked=check,
        index_differences=tuple(f"reports/{line}" for line in differences(made, standing)),
    )


def _read_folder(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _write_folder(folder: Path, made: Mapping[str, bytes], committed: Mapping[str, bytes]) -> None:
    for name, data in made.items():
        path = folder / name
        if path.is_file() and path.read_bytes() == data:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(path.name + ".partial")
        partial.write_bytes(data)
        os.replace(partial, path)  # noqa: PTH105 - atomic on every platform
    for name in committed.keys() - made.keys():
        (folder / name).unlink()
