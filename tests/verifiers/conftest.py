"""Workbooks written on the spot."""

import importlib
import os

import pytest


@pytest.fixture(scope="session")
def openpyxl():
    """Return the optional package; its absence is an error where all must be installed."""
    if os.environ.get("EVALKIT_ALL_DEPS") == "1":
        return importlib.import_module("openpyxl")
    return pytest.importorskip("openpyxl")


@pytest.fixture
def workbook(openpyxl, tmp_path):
    """Write a workbook from sheet -> cell -> value and return its path."""

    def write(name, cells, *, sheet="Sheet1"):
        book = openpyxl.Workbook()
        book.active.title = sheet
        for place, value in cells.items():
            book.active[place] = value
        path = tmp_path / name
        book.save(path)
        return path

    return write
