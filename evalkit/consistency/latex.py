"""LaTeX tabulars: rows, rules, spanning cells and marks, without a TeX engine."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evalkit.consistency.grid import Grid, GridCell, make_grid

__all__ = ["latex_cell", "latex_tables"]

_ENVIRONMENT = r"(tabular\*?|tabularx|tabulary|longtable|array)"
_BEGIN = re.compile(rf"\\begin\{{{_ENVIRONMENT}\}}")
_RULE = re.compile(
    r"\\(?:(?P<wide>toprule|midrule|bottomrule|hline|specialrule)|cmidrule|cline|addlinespace"
    r"|noalign|endhead|endfirsthead|endfoot|endlastfoot)"
    r"\*?(?:\([^)]*\))?(?:\[[^\]]*\])?(?:\{[^{}]*\})*"
)
_BOLD = re.compile(r"\\(?:textbf|mathbf|bm|boldsymbol|bfseries|bf|best|bold)(?![a-zA-Z])")
_UNDER = re.compile(r"\\(?:underline|uline|ul|second)(?![a-zA-Z])")
_DROPPED = re.compile(
    r"\\(?:cite[a-z]*|footnote(?:mark|text)?|tablefootnote|ref|label|cellcolor|rowcolor|color"
    r"|tnote|hspace|vspace|rule|hphantom|phantom)\*?(?:\[[^\]]*\])*(?:\{[^{}]*\})?"
)
_SYMBOLS = {
    r"\pm": "±", r"\%": "%", r"\&": "&", r"\_": "_", r"\#": "#", r"\$": "", r"\Delta": "Δ",
    r"\uparrow": "↑", r"\downarrow": "↓", r"\times": "\u00d7", r"\textendash": "\u2013",
    r"\ldots": "...", r"\dagger": "†", r"\ddagger": "‡", r"\ast": "*", r"\star": "*",
    r"\textminus": "-", r"\textpm": "±", r"\cdot": "·", r"\sigma": "\u03c3",
}  # fmt: skip


def _group(text: str, start: int) -> tuple[str, int]:
    """Content of the brace group that opens at or after `start`, and where it ends."""
    while start < len(text) and text[start].isspace():
        start += 1
    if start >= len(text) or text[start] != "{":
        return "", start
    depth, place = 0, start
    while place < len(text):
        if text[place] == "\\":
            place += 2
            continue
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        place += 1
        if depth == 0:
            return text[start + 1 : place - 1], place
    return text[start + 1 :], len(text)


def _pieces(text: str, mark: str) -> list[str]:
    """Split on `mark` (``&`` or a double backslash) outside braces and inner environments."""
    out, depth, start, place = [], 0, 0, 0
    while place < len(text):
        if depth == 0 and text.startswith(mark, place):
            out.append(text[start:place])
            place += len(mark)
            if mark == r"\\":
                place += len((re.match(r"\*?(?:[ \t]*\[[^\]]*\])?", text[place:]) or [""])[0])
            start = place
            continue
        if text[place] == "\\":
            place += 2
            continue
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        place += 1
    return [*out, text[start:]]


def _scripts(text: str) -> str:
    """Sub- and superscripts: an error stays, a mark goes, another number is put in brackets."""

    def kept(match: re.Match[str]) -> str:
        inner = match.group(1) if match.group(1) is not None else match.group(2)
        if r"\pm" in inner or "±" in inner or "+/-" in inner:
            return f" {inner} "
        number = re.fullmatch(r"\s*\(?([+-]\s*\d[\d.]*|\d+\.\d+)\s*(?:\\?%)?\)?\s*", inner)
        return f" ({number.group(1)})" if number else ""

    return re.sub(r"(?<!\\)[_^](?:\{((?:[^{}]|\{[^{}]*\})*)\}|([^\s{}\\]|\\[a-zA-Z]+))", kept, text)


def latex_cell(source: str) -> GridCell:
    r"""Read one cell.

    Examples
    --------
    >>> latex_cell(r"$\mathbf{80.3}_{\pm 1.2}^{\dagger}$").text
    '80.3 ± 1.2'
    >>> latex_cell(r"\textbf{1{,}024}\%")
    GridCell(text='1,024%', bold=True, underline=False, ...)
    """
    bold, underline = bool(_BOLD.search(source)), bool(_UNDER.search(source))
    text = _DROPPED.sub("", source).replace("{,}", ",")
    if "$" in text or r"\textsubscript" in text or r"\textsuperscript" in text:
        text = text.replace(r"\textsubscript", "_").replace(r"\textsuperscript", "^")
        text = _scripts(text)
    text = re.sub(r"\\(?:textcolor|colorbox)\s*\{[^{}]*\}", "", text)
    for name, symbol in _SYMBOLS.items():
        tail = r"(?![a-zA-Z])" if name[1].isalpha() else ""
        text = re.sub(re.escape(name) + tail, symbol, text)
    text = re.sub(r"\\[,;:!> ]|\\q?quad|~", " ", text).replace(r"\\", " ")
    text = re.sub(r"\\[a-zA-Z]+\*?(?:\[[^\]]*\])?", " ", text)
    text = re.sub(r"[{}$]", "", text).replace("---", "—").replace("--", "\u2013")
    return GridCell(text=" ".join(text.split()), bold=bold, underline=underline)


def _cells(row: str, *, repeat: bool) -> list[GridCell]:
    """Cells of a row; a spanning cell is repeated in a header, and stands once in the body."""
    out: list[GridCell] = []
    for part in _pieces(row, "&"):
        spanning = re.search(r"\\multicolumn", part)
        if spanning is None:
            multirow = re.search(r"\\multirow", part)
            out.append(latex_cell(_last_group(part, multirow.end()) if multirow else part))
            continue
        count, place = _group(part, spanning.end())
        _, place = _group(part, place)
        body, _ = _group(part, place)
        width = int(count) if count.strip().isdigit() else 1
        cell = latex_cell(body)
        out += [cell, *([cell if repeat else GridCell(text="")] * (width - 1))]
    return out


def _last_group(text: str, place: int) -> str:
    """Return the content argument of a ``multirow``, after its count and width."""
    _, place = _group(text, place)
    place += len((re.match(r"\s*(?:\[[^\]]*\])?", text[place:]) or [""])[0])
    if place < len(text) and text[place] == "*":
        place += 1
    else:
        _, place = _group(text, place)
    return _group(text, place)[0]


def _headings(rows: list[list[GridCell]]) -> list[str]:
    """Join the header rows: spanner and heading."""
    width = max((len(row) for row in rows), default=0)
    out = []
    for place in range(width):
        parts = [row[place].text for row in rows if place < len(row) and row[place].text]
        out.append(" / ".join(dict.fromkeys(parts)))
    return out


def _grid(body: str, name: str) -> Grid | None:
    head: list[list[GridCell]] = []
    rows: list[list[GridCell]] = []
    breaks: list[int] = []
    in_head = True
    has_rule = len([m for m in _RULE.finditer(body) if m["wide"]]) > 1
    for piece in _pieces(body, r"\\"):
        wide = [m["wide"] for m in _RULE.finditer(piece) if m["wide"]]
        source = _RULE.sub("", piece).strip()
        if wide and head and in_head:
            in_head = False
        elif wide and rows:
            breaks.append(len(rows))
        if not source:
            continue
        if in_head:
            head.append(_cells(source, repeat=True))
            in_head = has_rule
        else:
            rows.append(_cells(source, repeat=False))
    if not head:
        return None
    _carry_down(rows)
    return make_grid(name, _headings(head), rows, breaks=breaks)


def _carry_down(rows: list[list[GridCell]]) -> None:
    """Fill the empty first cells below a label that stands for several rows."""
    last: GridCell | None = None
    for row in rows:
        if not row:
            continue
        if row[0].text:
            last = row[0]
        elif last is not None and len(row) > 1 and row[1].text and row[1].number is None:
            row[0] = last


def latex_tables(text: str) -> Iterator[Grid]:
    """Yield the tabulars of a text, named by their captions."""
    text = re.sub(r"(?<!\\)%[^\n]*\n?", "\n", text)
    for number, begin in enumerate(_BEGIN.finditer(text), start=1):
        end = text.find(rf"\end{{{begin.group(1)}}}", begin.end())
        body = text[begin.end() : end if end >= 0 else len(text)]
        if begin.group(1) in {"tabular*", "tabularx", "tabulary"}:
            body = body[_group(body, 0)[1] :]
        body = re.sub(r"^\s*\[[^\]]*\]", "", body)
        body = body[_group(body, 0)[1] :]
        grid = _grid(body, _caption(text, begin.start(), end) or f"table {number}")
        if grid is not None:
            yield grid


def _caption(text: str, start: int, end: int) -> str | None:
    """Caption of the float around a tabular."""
    opening = text.rfind(r"\begin{table", 0, start)
    closing = text.find(r"\end{table", end) if end >= 0 else -1
    if opening < 0 or closing < 0:
        return None
    found = re.search(r"\\caption\*?(?:\[[^\]]*\])?", text[opening:closing])
    if found is None:
        return None
    return latex_cell(_group(text[opening:closing], found.end())[0]).text[:80] or None
