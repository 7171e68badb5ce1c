"""Report: tables, figures and findings on one self-contained HTML page."""

from __future__ import annotations

from evalkit.report.page import Finding, ReportFigure, render_page, write_page
from evalkit.report.settings import ReportSettings
from evalkit.report.sources import write_file_report

__all__ = [
    "Finding",
    "ReportFigure",
    "ReportSettings",
    "render_page",
    "write_file_report",
    "write_page",
]
