"""Required cells of workbooks, loosely and strictly."""

import builtins
from datetime import date, datetime, time

import pytest

from evalkit.errors import ArgumentError, FileMissingError, InputError, MissingPackageError
from evalkit.verifiers import workbook_cells
from evalkit.verifiers.cell_values import cell_kind, loose_value

GOLD = {"A1": 5, "B1": 3.14159, "A2": "total", "B2": datetime(2024, 1, 2)}  # noqa: DTZ001


def test_same_cells_pass_in_both_modes(workbook):
    """The gold file equals itself, and cells outside the area do not matter."""
    gold, copy = workbook("gold.xlsx", GOLD), workbook("copy.xlsx", GOLD | {"Z9": "note"})
    for mode in ("loose", "strict"):
        found = workbook_cells(copy, gold, cells="Sheet1!A1:B2", mode=mode)
        assert found.passed
        assert found.detail["cells"] == found.detail["equal"] == 4


@pytest.mark.parametrize(
    ("cell", "value", "loose", "strict"),
    [
        ("A1", "5", True, False),
        ("A1", 5.0, True, True),
        ("A1", 5.001, True, False),
        ("A1", 5.006, False, False),
        ("B1", 3.14, True, False),
        ("A2", "Total", False, False),
        ("A2", None, False, False),
        ("B2", 45293, True, False),
        ("B2", datetime(2024, 1, 3), False, False),  # noqa: DTZ001
        ("C1", "", True, True),
        ("A1", True, False, False),
    ],
)
def test_modes_by_hand(workbook, cell, value, loose, strict):
    """Loose rounds to two decimals and coerces; strict wants the type and the value."""
    gold = workbook("gold.xlsx", GOLD)
    other = workbook("other.xlsx", GOLD | {cell: value})
    for mode, passed in (("loose", loose), ("strict", strict)):
        found = workbook_cells(other, gold, cells="A1:C2", mode=mode)
        assert found.passed is passed
        if not passed:
            assert f"Sheet1!{cell}: " in found.reason


def test_formula_without_value_abstains_and_names_it(workbook):
    """A formula that no program computed has no value: no verdict, unless another cell differs."""
    gold = workbook("gold.xlsx", GOLD)
    formula = workbook("formula.xlsx", GOLD | {"A1": "=2+3"})
    found = workbook_cells(formula, gold, cells="A1:B2", mode="strict")
    assert found.abstained
    assert found.reason == "Sheet1!A1 holds the formula =2+3 without a cached value"
    worse = workbook("worse.xlsx", GOLD | {"A1": "=2+3", "A2": "sum"})
    assert workbook_cells(worse, gold, cells="A1:B2").passed is False
    swapped = workbook_cells(gold, formula, cells="A1")
    assert swapped.reason.startswith("reference Sheet1!A1 holds the formula")


def test_areas_name_sheets(workbook):
    """Quoted sheet names, absolute references and several areas are read."""
    gold = workbook("gold.xlsx", GOLD, sheet="It's, mine")
    found = workbook_cells(gold, gold, cells="'It''s, mine'!$A$1:B1,'It''s, mine'!B2")
    assert found.detail["cells"] == 3
    other = workbook("other.xlsx", GOLD, sheet="Else")
    missing = workbook_cells(other, gold, cells="'It''s, mine'!A1")
    assert missing.passed is False
    assert missing.reason.endswith("the sheet is missing")
    with pytest.raises(InputError, match="no sheet 'Nope'"):
        workbook_cells(gold, gold, cells="Nope!A1")


@pytest.mark.parametrize("cells", ["", "A:A", "A0", "Sheet1!", [], "A1:XFD1048576"])
def test_wrong_areas_are_refused(cells):
    """Open, empty and enormous areas are errors that say how to write one."""
    with pytest.raises(ArgumentError, match="cells"):
        workbook_cells("x.xlsx", "y.xlsx", cells=cells)


def test_files_that_are_not_workbooks(workbook, tmp_path):
    """A missing file is an error, a broken output fails, a broken reference is an error."""
    gold = workbook("gold.xlsx", GOLD)
    broken = tmp_path / "broken.xlsx"
    broken.write_bytes(b"not a zip")
    with pytest.raises(FileMissingError, match="nothing"):
        workbook_cells(tmp_path / "nothing.xlsx", gold, cells="A1")
    assert workbook_cells(broken, gold, cells="A1").reason == "the output is no readable workbook"
    with pytest.raises(InputError, match="reference"):
        workbook_cells(gold, broken, cells="A1")
    assert workbook_cells(None, gold, cells="A1").abstained


def test_wrong_modes_are_refused():
    """The message names the setting."""
    with pytest.raises(ArgumentError, match="mode"):
        workbook_cells(None, "x.xlsx", cells="A1", mode="exact")
    with pytest.raises(ArgumentError, match="digits"):
        workbook_cells(None, "x.xlsx", cells="A1", digits=-1)


def test_missing_package_prints_the_install_command(tmp_path, monkeypatch):
    """Without openpyxl the message says how to get it."""
    path = tmp_path / "x.xlsx"
    path.write_bytes(b"")
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name == "openpyxl":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingPackageError, match="pip install openpyxl"):
        workbook_cells(path, path, cells="A1")


def test_coercion_by_hand():
    """Texts of numbers become numbers, times lose seconds, errors stay what they are."""
    assert str(loose_value(" 1.005 ")) == "1.01"
    assert str(loose_value(True)) == "1.00"
    assert loose_value(time(10, 30, 15)) == "10:30"
    assert str(loose_value(date(1900, 3, 1))) == "61.00"
    assert loose_value("1e999") == "1e999"
    assert loose_value("inf") == "inf"
    assert loose_value(10**400) == str(10**400)
    kinds = [cell_kind(x) for x in ("#DIV/0!", "#N/A", "#1", time(1), date(2024, 1, 1))]
    assert kinds == ["error", "error", "text", "time", "date"]


def test_cut_workbooks_fail_and_never_crash(workbook, tmp_path):
    """A workbook cut short at any place is an output that cannot be read."""
    gold = workbook("gold.xlsx", GOLD)
    content = gold.read_bytes()
    cut = tmp_path / "cut.xlsx"
    for size in (0, 10, len(content) // 2, len(content) - 30):
        cut.write_bytes(content[:size])
        assert workbook_cells(cut, gold, cells="A1").passed is False
