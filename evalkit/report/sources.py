"""One page about whatever a file holds: verdicts, evolution histories or judgments."""

from __future__ import annotations

from pathlib import Path

from evalkit.errors import InputError
from evalkit.report.settings import ReportSettings

__all__ = ["write_file_report"]


def write_file_report(
    source: Path | str, path: Path | str, *, settings: ReportSettings | None = None
) -> Path:
    """Write the page of a file, or of the folder of a log.

    Parameters
    ----------
    source : Path or str
        Results in any form that `evalkit doctor` knows.
    path : Path or str
        Page to write; missing folders are made.
    settings : ReportSettings, optional
        Settings; the defaults are those of the verbs.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    EvalkitError
        If there is no such file, it cannot be read, or holds nothing to report on.

    Notes
    -----
    Verdicts come before histories, and histories before judgments, where a source holds
    several; the page names what it leaves aside. The same source and settings write the same
    bytes.
    """
    from evalkit.doctor import examine
    from evalkit.report.histories import write_history_report
    from evalkit.report.judgments import write_judgments_report
    from evalkit.report.verdicts import write_verdicts_report

    source, path = Path(source), Path(path)
    settings = settings or ReportSettings()
    found = examine(source, columns=settings.columns)
    writers = {
        "verdicts": write_verdicts_report,
        "history": write_history_report,
        "judgments": write_judgments_report,
    }
    for kind, write in writers.items():
        if found.tables.get(kind):
            return write(source, path, found=found, settings=settings)
    held = ", ".join(kind for kind, count in found.tables.items() if count) or "no rows"
    raise InputError(
        f"it holds {held}; a report needs verdicts, evolution histories or judgments",
        path=str(source),
    )
