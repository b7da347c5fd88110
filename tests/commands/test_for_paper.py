"""LaTeX tables and PDF pictures: every command that writes them, as many cells in a row as the table has columns."""

import re
from pathlib import Path

import pytest
from support.programs import call

COMPARE = "compare-algorithms --game kuhn --algorithm cfr --budget 3 --perturbations 2 --against nodes --for-paper -o ."
ATLAS = "rules-atlas --rules filled --winning-score 1 --maximum-subgame-exploitability 0.1 --for-paper -o ."
TOURNAMENT = "tournament match_to_1 uniform -o t.tex -o t.pdf"


@pytest.mark.parametrize(
    ("command", "name", "cell"),
    [(COMPARE, "comparison", "worst"), (ATLAS, "atlas", "filled"), (TOURNAMENT, "t", "match\\_to\\_1"),
     ("plot -s match_to_1 -o . --for-paper", "values", "$46.154$")],
)  # fmt: skip
def test_for_paper(command: str, name: str, cell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert call(*command.split(), "--quiet").code == 0
    tables = re.findall(r"\\begin\{tabular\}\{(\w+)\}\n(.*?)\\end", Path(f"{name}.tex").read_text(), re.DOTALL)
    rows = [[line.split(" & ") for line in body.splitlines() if line != "\\hline"] for _, body in tables]
    assert [{len(row) for row in each} for each in rows] == [{len(columns)} for columns, _ in tables]
    assert any(cell in row for row in rows[0])
    assert Path(f"{name}.pdf").read_bytes().startswith(b"%PDF")
