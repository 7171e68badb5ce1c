"""Text for pdflatex: specials escaped, non-ASCII characters spelled as commands."""

from __future__ import annotations

import re
import unicodedata

from evalkit.tables.plain import one_line

__all__ = ["escape_latex"]

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "\ufffd": "?",
    "\u00a0": "~",
    "\u2009": r"\,",
    "\u2010": "-",
    "\u2011": "-",
    "\u2012": "--",
    "\u2013": "--",
    "\u2014": "---",
    "\u2018": "`",
    "\u2019": "'",
    "\u201c": "``",
    "\u201d": "''",
    "\u2026": r"\ldots{}",
    "\u2020": r"\dag{}",
    "\u2021": r"\ddag{}",
    "§": r"\S{}",
    "¶": r"\P{}",
    "£": r"\pounds{}",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "\u0131": r"\i{}",
}

_MATH = {
    "\u2212": "-",
    "±": r"\pm",
    "\u00d7": r"\times",
    "÷": r"\div",
    "·": r"\cdot",
    "•": r"\bullet",
    "°": r"^{\circ}",
    "≤": r"\leq",
    "≥": r"\geq",
    "≠": r"\neq",
    "≈": r"\approx",
    "≡": r"\equiv",
    "∞": r"\infty",
    "∈": r"\in",
    "∑": r"\sum",
    "√": r"\surd",
    "∅": r"\emptyset",
    "∩": r"\cap",
    "\u222a": r"\cup",
    "∂": r"\partial",
    "→": r"\rightarrow",
    "←": r"\leftarrow",
    "↔": r"\leftrightarrow",
    "⇒": r"\Rightarrow",
    "↑": r"\uparrow",
    "↓": r"\downarrow",
    "★": r"\star",
    "µ": r"\mu",
    "¬": r"\neg",
    "✓": r"\surd",
}

_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0323": "d",
    "\u0327": "c",
}

# Capitals that look like Latin ones, and omicron, have no command of their own.
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)

_RAISED = {"<super>": "^", "<sub>": "_"}


def escape_latex(value: str) -> str:
    r"""Escape text so that pdflatex compiles it with its default encodings.

    Parameters
    ----------
    value : str
        Any text. Line breaks become spaces.

    Returns
    -------
    str
        ASCII. A character without a LaTeX spelling prints as its code, ``[U+4E2D]``,
        so that different names stay different; a lone surrogate prints ``?``.

    Examples
    --------
    >>> print(escape_latex("m_1 & m_2"), escape_latex("Δ ≤ 5%"), escape_latex("café"))
    m\_1 \& m\_2 $\Delta$ $\leq$ 5\% caf\'{e}
    """
    text = one_line(unicodedata.normalize("NFC", value))
    # Adjacent hyphens of the text are hyphens, not a dash; neither are quotes and ?` ligatures.
    text = re.sub("(-(?=-)|`(?=`)|'(?=')|[?!](?=`))", r"\1" "\0", text)
    return "".join("{}" if char == "\0" else _character(char) for char in text)


def _character(char: str) -> str:
    if char in _SPECIAL:
        return _SPECIAL[char]
    if char in _MATH:
        return f"${_MATH[char]}$"
    if char.isascii():
        return char
    return _greek(char) or _decomposed(char)


def _greek(char: str) -> str | None:
    match = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", unicodedata.name(char, ""))
    if match is None:
        return None
    name = match[2].lower().replace("lamda", "lambda")
    command = name if match[1] == "SMALL" else name.capitalize()
    return f"$\\{command}$" if command in _GREEK.split() else None


def _decomposed(char: str) -> str:
    tag, _, codes = unicodedata.decomposition(char).rpartition("> ")
    parts = "".join(chr(int(code, 16)) for code in codes.split())
    raised = _RAISED.get(f"{tag}>")
    if raised and parts.isascii():
        return f"${raised}{{{parts}}}$"
    if len(parts) == 2 and parts[1] in _ACCENTS and parts[0].isascii():
        base = {"i": r"\i", "j": r"\j"}.get(parts[0], parts[0])
        return f"\\{_ACCENTS[parts[1]]}{{{base}}}"
    plain = unicodedata.normalize("NFKC", char)
    if plain != char and plain.isascii():
        return escape_latex(plain)
    return f"[U+{ord(char):04X}]"
