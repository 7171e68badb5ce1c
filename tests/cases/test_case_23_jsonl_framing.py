"""Byte-order marks, Windows line ends, blank lines, no final line end."""

import pytest
from commands import command, document

from evalkit import read

ROWS = [b'{"id": "r1", "score": 1}', b'{"id": "r2", "score": 0}', b'{"id": "r3", "score": 1}']
BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    "data",
    [
        BOM + b"\r\n".join([ROWS[0], b"", b"   ", ROWS[1], ROWS[2]]),
        BOM + b"\n".join(ROWS),
        b"\n\n" + b"\n".join(ROWS) + b"\n\n",
        b"\r".join(ROWS),
        b"\n".join([ROWS[0], BOM + ROWS[1], ROWS[2]]),
        "\ufeff".encode("utf-16-le") + b"\n".join(ROWS).decode().encode("utf-16-le"),
    ],
    ids=["crlf", "bom", "blank", "cr", "joined", "utf16"],
)
def test_three_rows(tmp_path, data):
    """Rows r1, r2, r3 with mean 2/3, however they are framed."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(data)
    assert read(path).frame["item"].tolist() == ["r1", "r2", "r3"]
    assert document("estimate", path)["results"][0]["estimate"] == pytest.approx(2 / 3)


def test_messages_count_physical_lines(tmp_path):
    """The fault is on line 4 of the file, blank lines counted."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(ROWS[0] + b"\r\n\r\n   \r\n{bad}\r\n" + ROWS[1])
    assert "line 4" in command("estimate", path, code=2)


def test_unicode_line_separators_are_text(tmp_path):
    """U+2028 and U+0085 inside a text do not end a line."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "a\u2028b\u0085c", "score": 1}\n', encoding="utf-8")
    assert read(path).frame["item"].tolist() == ["a\u2028b\u0085c"]
