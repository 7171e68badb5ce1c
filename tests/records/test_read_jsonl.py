"""Framing, ids and faults of JSON sources."""

from __future__ import annotations

import gzip
import json

import pytest
import zstandard

from evalkit.errors import (
    DuplicateRowError,
    FileMissingError,
    InputError,
    MissingColumnError,
    TruncatedFileError,
)
from evalkit.records import read


def rows(*pairs, **extra):
    """Return JSON Lines of (id, score) pairs."""
    return "".join(json.dumps({"id": i, "score": s, **extra}) + "\n" for i, s in pairs)


def notes(records):
    """Return the notes as one text."""
    return "\n".join(records.notes)


def test_framing(save):
    """A byte-order mark, CRLF, blank lines and a missing last line feed change nothing."""
    path = save(
        b'\xef\xbb\xbf{"id": "r1", "score": 1}\r\n\r\n   \r\n'
        b'{"id": "r2", "score": 0}\r\n{"id": "r3", "score": 1}'
    )
    records = read(path)
    assert records.frame["item"].tolist() == ["r1", "r2", "r3"]
    assert records.frame["score"].tolist() == [1, 0, 1]
    assert not records.partial


def test_framing_keeps_physical_lines(save):
    """A fault after blank lines is named by its physical line."""
    with pytest.raises(InputError, match="line 4, item 'b'") as caught:
        read(save('\r\n{"id": "a", "score": 1}\r\n\r\n{"id": "b", "score": "x"}\r\n'))
    assert caught.value.line == 4


def test_joined_files_with_marks(save):
    """A byte-order mark in the middle, from files joined end to end, is taken off."""
    one = b'\xef\xbb\xbf{"id": "a", "score": 1}\n'
    two = b'\xef\xbb\xbf{"id": "b", "score": 1}\n'
    assert read(save(one + two)).frame["item"].tolist() == ["a", "b"]


def test_carriage_returns(save):
    """Lines that end in a carriage return alone are lines."""
    path = save(rows(("a", 1), ("b", 0)).replace("\n", "\r"))
    assert read(path).frame["item"].tolist() == ["a", "b"]
    assert read(save("id,score\ra,1\rb,0\r", "run.csv")).frame["score"].tolist() == [1, 0]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_utf16(save, encoding):
    """UTF-16 and UTF-32 are read when they carry a mark."""
    mark = "" if encoding in {"utf-16", "utf-32"} else "\ufeff"
    records = read(save((mark + rows(("é", 1), ("b", 0))).encode(encoding)))
    assert records.frame["item"].tolist() == ["é", "b"]


def test_ids_as_written(save):
    """Ids stay text exactly as written, numbers by their digits, an empty one included."""
    written = ['"007"', '"7"', '"0x07"', "72057594038135103", '"1e5"', '""', "1.0", "1.10", "-0"]
    path = save("".join(f'{{"id": {each}, "score": 1}}\n' for each in written))
    assert read(path).frame["item"].tolist() == [each.strip('"') for each in written]


def test_long_number_id(save):
    """An id of five thousand digits is text like any other."""
    digits = "1" * 5000
    assert read(save(f'{{"id": {digits}, "score": 1}}')).frame["item"].tolist() == [digits]


@pytest.mark.parametrize("bad", ["true", "null", "[1]", '{"a": 1}', "NaN"])
def test_ids_that_are_no_text(save, bad):
    """An id that is neither text nor a number is refused by its line."""
    with pytest.raises(InputError, match=r"line 2.*item"):
        read(save(f'{{"id": "a", "score": 1}}\n{{"id": {bad}, "score": 1}}\n'))


def test_missing_id(save):
    """A row without an id is refused."""
    with pytest.raises(InputError, match=r"line 2: the item id is missing"):
        read(save('{"id": "a", "score": 1}\n{"score": 1}\n'))


def test_number_and_text_id_clash(save):
    """The number 7 and the text 7 are one id, and the message says why they clash."""
    with pytest.raises(DuplicateRowError, match="written as a number, the other as text"):
        read(save('{"id": 7, "score": 1}\n{"id": "7", "score": 0}\n{"id": "007", "score": 0}\n'))


def test_duplicates_name_items_and_lines(save):
    """Repeated rows are refused, naming items and lines."""
    with pytest.raises(DuplicateRowError, match=r"item 'a' \(lines 1, 3\); item 'b'") as caught:
        read(save(rows(("a", 1), ("b", 1), ("a", 0), ("b", 1))))
    assert (caught.value.line, caught.value.item) == (3, "a")


def test_filter_is_a_verifier(save):
    """One row per document and answer filter gives one verifier per filter."""
    text = "".join(
        json.dumps({"doc_id": i, "filter": f, "exact_match": s, "doc": {"q": i}}) + "\n"
        for f, scores in (("strict", (1, 0, 0, 1)), ("flexible", (1, 1, 0, 1)))
        for i, s in enumerate(scores)
    )
    records = read(save(text))
    means = records.frame.groupby("verifier")["score"].mean().to_dict()
    assert means == {"strict": 0.5, "flexible": 0.75}
    assert records.other_columns == ("doc",)
    with pytest.raises(DuplicateRowError, match="item '0'"):
        read(save(text.replace('"filter"', '"pipeline"')))


@pytest.mark.parametrize(
    "tail",
    [
        '{"id": "t4", "sco',
        '{"id": "t4",',
        "{",
        '{"id": "t4", "score"',
        '{"id": "t4", "score": 1',
        '{"id": "t4", "score": 0.',
        '{"id": "t4", "score": 1e-',
        '{"id": "t4", "score": -',
        '{"id": "t4", "score": tr',
        '{"id": "t4", "score": Na',
        '{"id": "t4", "score": 1, "r": "a\\',
        '{"id": "t4", "score": 1, "r": "a\\ud8',
        '{"id": "t4", "score": 1, "r": [1, {"a": ',
        b'{"id": "t4", "score": 1, "r": "\xc3',
        b"\0\0\0\0",
        b'{"id": "t4\0\0\0\0',
    ],
)
def test_last_line_cut_off(save, tail):
    """A last line that a crash cut off is left out, said, and marks the result partial."""
    tail = tail.encode() if isinstance(tail, str) else tail
    records = read(save(rows(("t1", 1), ("t2", 0)).encode() + tail + b"\n\n"))
    assert records.partial
    assert records.frame["item"].tolist() == ["t1", "t2"]
    assert "line 3 is cut off and was left out (byte 50" in notes(records)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "b", "sco', "line 2: column 13.*cut off and others follow"),
        ('{"id": "b", "score": 1,}', r"line 2: column 2[34] is not valid JSON"),
        ('{"id": "b", "score": 1} {"id": "c", "score": 1}', "line 2: two objects"),
        ('{"id": "b", "score": 1}, ', "line 2: column 24.*follows the object"),
        ("[1, 2]", "line 2: the line is a list"),
        ("17", "line 2: the line is a number"),
        ('"text"', "line 2: the line is text"),
        ("Traceback", "line 2: column 1"),
        ('{"id": "b", "score": 1, "score": 0}', "line 2: the key 'score' stands twice"),
        ('{"id": "b", "score": 1, "x": {"y": 1, "y": 2}}', "line 2: the key 'y' stands twice"),
        ("{'id': 'b', 'score': 1}", "line 2: column 2"),
        ('{"x": ' * 100_000, "line 2"),
        (b'{"id": "caf\xe9", "score": 1}', "line 2: byte 0xe9 at column 12 is not UTF-8"),
    ],
)
def test_faulty_line(save, line, message):
    """A line that is not one object is refused by line and column."""
    line = line.encode() if isinstance(line, str) else line
    with pytest.raises(InputError, match=message):
        read(save(rows(("a", 1)).encode() + line + b"\n" + rows(("z", 1)).encode()))


@pytest.mark.parametrize("line", ['{"id": "b", "score": 1,}', "Killed", "[1", '{"id": "b"} x'])
def test_last_line_that_is_wrong_not_cut(save, line):
    """A last line that no continuation could repair is a fault, not a cut."""
    with pytest.raises(InputError, match="line 2"):
        read(save(rows(("a", 1)) + line))


def test_non_standard_tokens(save):
    """NaN is missing; infinities are invalid and named."""
    tokens = ("1", "NaN", "0", "Infinity", "-Infinity", "1e999", "9" * 400)
    text = "".join(f'{{"id": {i}, "score": {t}}}\n' for i, t in enumerate(tokens, 1))
    records = read(save(text))
    assert records.frame["status"].tolist() == [
        "scored", "missing", "scored", "invalid", "invalid", "invalid", "invalid",
    ]  # fmt: skip
    assert records.frame["score"].mean() == 0.5
    assert "item '4' (line 4), item '5' (line 5)" in notes(records)


def test_lone_surrogate(save):
    """Half a surrogate pair loads in every column."""
    text = '{"id": "s\\ud835", "score": 1, "model": "m\\ud835", "reply": "x\\ud835y"}\n'
    records = read(save(text))
    assert records.frame.iloc[0].tolist()[:2] == ["m\ud835", "s\ud835"]
    assert records.frame["reply"].tolist() == ["x\ud835y"]
    with pytest.raises(DuplicateRowError, match=r"\\ud835"):
        read(save(text + text))


def test_json_array_and_document(save):
    """A JSON array of rows, and a document with a list of rows, are read."""
    listed = [{"id": "a", "score": 1}, {"id": "b", "score": 0}]
    for content in (
        json.dumps(listed),
        json.dumps(listed, indent=1),
        json.dumps({"seed": 1, "samples": listed}),
        json.dumps({"seed": 1, "results": listed}, indent=2),
    ):
        assert read(save(content, "run.json")).frame["item"].tolist() == ["a", "b"]
    assert "not read: 'seed'" in notes(read(save(json.dumps({"seed": 1, "rows": listed}))))


def test_json_document_faults(save):
    """A document that is damaged, or holds no rows, is refused."""
    with pytest.raises(InputError, match="line 3: column"):
        read(save('[\n{"id": "a", "score": 1},\n{"id": "b" "score": 1}\n]', "run.json"))
    with pytest.raises(InputError, match=r"line 2: column 13.*document is cut off"):
        read(save('[{"id": "a", "score": 1},\n{"id": "b", "sco', "run.json"))
    with pytest.raises(InputError, match=r"row 2: this is a number"):
        read(save('[{"id": "a", "score": 1}, 3]', "run.json"))
    with pytest.raises(InputError, match="no list of rows"):
        read(save(json.dumps({"alpha": {"t": 1}}, indent=1), "run.json"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (bytes(range(256)), "not a text file"),
        (b"PK\x03\x04" + bytes(30), "a zip archive, not a text file"),
        (b"SQLite format 3\0rest", "SQLite"),
        (b"\x80\x81\x82", "not UTF-8"),
    ],
)
def test_binary(save, content, message):
    """A binary file is refused for what it is."""
    with pytest.raises(InputError, match=message):
        read(save(content))


@pytest.mark.parametrize("content", ["", "\n\n", "  \r\n", "\ufeff", "[]"])
def test_empty(save, content):
    """A file without rows gives no rows and says so."""
    records = read(save(content))
    assert len(records) == 0
    assert "holds no rows" in notes(records)
    assert list(records.frame.columns[-2:]) == ["score", "status"]


def test_missing_and_folder(tmp_path):
    """A file that is not there, and a folder, are told apart."""
    with pytest.raises(FileMissingError, match=r"absent\.jsonl"):
        read(tmp_path / "absent.jsonl")
    with pytest.raises(InputError, match="folder"):
        read(tmp_path)


def test_run_header(save):
    """A header with the planned rows is no row and gives the coverage."""
    text = '{"run": "r", "planned": 5}\n' + rows(("a", 1), ("b", 0), ("c", 1)) + '{"id": "d", "s'
    records = read(save(text))
    assert "3 of 5 planned rows (coverage 0.6)" in notes(records)
    assert "line 5 is cut off" in notes(records)
    assert records.partial
    nested = '{"id": "run-1", "meta": {"planned": 2}}\n'
    assert "1 of 2 planned rows (coverage 0.5)" in notes(read(save(nested + rows(("a", 1)))))
    document = json.dumps({"planned": 3, "rows": [{"id": "a", "score": 1}]})
    assert "1 of 3 planned rows (coverage 0.3333)" in notes(read(save(document)))
    assert read(save('{"n_planned": 1}\n' + rows(("a", 1)))).partial is False


def test_gzip_and_zstd_by_content(save):
    """Compression is told by content, whatever the name, over several members or frames."""
    one, two = rows(("a", 1)).encode(), rows(("b", 0)).encode()
    frame = zstandard.ZstdCompressor().compress
    for name in ("run.jsonl", "run.jsonl.gz", "run.jsonl.zst"):
        for data in (
            one + two,
            gzip.compress(one) + gzip.compress(two),
            gzip.compress(one + two) + bytes(512),
            frame(one) + frame(two),
        ):
            assert read(save(data, name)).frame["item"].tolist() == ["a", "b"]
    assert read(save(gzip.compress(one), "A.jsonl.gz")).frame["system"].tolist() == ["A"]


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.ZstdCompressor().compress])
@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_truncated(save, compress, form):
    """A compressed file that is cut off is refused, or gives its whole rows when asked."""
    table = [(f"q{i * 7919 % 99991}", i * 31 % 97 / 97) for i in range(20_000)]
    text = rows(*table)
    if form == "csv":
        text = "id,score\n" + "".join(f"{i},{s}\n" for i, s in table)
    data = compress(text.encode())
    path = save(data[: len(data) * 6 // 10], f"run.{form}.gz")
    with pytest.raises(TruncatedFileError, match=r"run\.\w+\.gz"):
        read(path)
    records = read(path, partial=True)
    assert records.partial
    assert 5000 < len(records) < 19_000
    assert records.frame["item"].tolist() == [i for i, _ in table][: len(records)]
    assert records.frame["score"].tolist() == [s for _, s in table][: len(records)]
    assert "cut off before its end mark" in notes(records)


@pytest.mark.parametrize("size", [0, 1, 2, 5])
@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_truncated_to_nothing(save, size, suffix):
    """A compressed file that a crash left with next to nothing is truncated, not empty."""
    text = rows(("a", 1)).encode()
    whole = gzip.compress(text) if suffix == "gz" else zstandard.ZstdCompressor().compress(text)
    path = save(whole[:size], f"run.jsonl.{suffix}")
    with pytest.raises(TruncatedFileError):
        read(path)
    assert len(read(path, partial=True)) == 0


def test_damaged(save):
    """A wrong check sum is damage, not truncation."""
    data = bytearray(gzip.compress(rows(("a", 1), ("b", 1)).encode()))
    data[-6] ^= 255
    with pytest.raises(InputError, match="damaged"):
        read(save(bytes(data)))


def test_no_columns(save):
    """Rows without an item or score column are refused, listing what is there."""
    with pytest.raises(InputError, match=r"no column holds the scores.*'id', 'reply'.*--column"):
        read(save('{"id": "a", "reply": "x"}\n'))
    with pytest.raises(InputError, match=r"no column holds the items.*'name', 'score'"):
        read(save('{"name": "a", "score": 1}\n'))
    with pytest.raises(MissingColumnError, match=r"'points'.*'id', 'score'"):
        read(save(rows(("a", 1))), columns={"score": "points"})
