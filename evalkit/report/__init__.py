"""Report: tables, figures and findings on one self-contained HTML page."""

from __future__ import annotations

from evalkit.report.page import Finding, ReportFigure, render_page, write_page

__all__ = ["Finding", "ReportFigure", "render_page", "write_page"]
