"""Results as tables in LaTeX, for a paper: a tabular that needs no package."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ESCAPED = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_ESCAPED |= {character: f"\\{character}" for character in "&%$#_{}"}


def latex_table(headings: Sequence[str], rows: Sequence[Sequence[object]], caption: str = "") -> str:
    """A table: text to the left, columns of numbers to the right. Floats have five digits, small ones three; None is a
    dash.

    caption: a comment above the table.

    >>> print(latex_table(("rule", "runs", "median"), [("cfr_2", 20, 2.5e-7), ("own", 1, None)]), end="")
    \\begin{tabular}{lrr}
    \\hline
    rule & runs & median \\\\
    \\hline
    cfr\\_2 & 20 & $2.50 \\cdot 10^{-7}$ \\\\
    own & 1 & \\textendash \\\\
    \\hline
    \\end{tabular}
    """
    columns = zip(*rows, strict=True)
    kinds = "".join("l" if any(isinstance(cell, str) for cell in column) else "r" for column in columns)
    lines = [" & ".join(map(latex_text, headings)), *(" & ".join(map(_cell, row)) for row in rows)]
    head, *body = (f"{line} \\\\" for line in lines)
    table = [f"\\begin{{tabular}}{{{kinds}}}", "\\hline", head, "\\hline", *body, "\\hline", "\\end{tabular}"]
    comment = [f"% {' '.join(caption.split())}"] if caption else []
    return "\n".join([*comment, *table]) + "\n"


def latex_text(text: str) -> str:
    """Escape what means something in LaTeX, and write numbers such as 1e-06 as powers of ten.

    >>> latex_text("50 % of {a_b}, to 1e-06")
    '50 \\\\% of \\\\{a\\\\_b\\\\}, to $10^{-6}$'
    """
    parts = re.split(r"\b1e([+-]\d+)\b", text.replace("\N{MINUS SIGN}", "-"))
    words = ["".join(_ESCAPED.get(character, character) for character in part) for part in parts[::2]]
    powers = [f"$10^{{{int(exponent)}}}$" for exponent in parts[1::2]]
    return "".join(word + power for word, power in zip(words, [*powers, ""], strict=True))


def _cell(value: object) -> str:
    if value is None or value == "":
        return "\\textendash"
    if not isinstance(value, float):
        return latex_text(str(value))
    mantissa, _, exponent = f"{value:.2e}".partition("e")
    if value == 0.0 or -3 < int(exponent) < 5:
        return f"${value:.5g}$"
    return f"${mantissa} \\cdot 10^{{{int(exponent)}}}$"
