"""LaTeX tables and PDF pictures: every command that writes them, and that the same command without goes back."""

import re
from pathlib import Path

import pytest
from support.programs import call, contents

COMPARE = "compare-algorithms --game kuhn --algorithm cfr,dcfr(alpha=2) --budget 3 --perturbations 2 --against nodes"
ATLAS = "rules-atlas --rules filled --winning-score 1 --maximum-subgame-exploitability 0.1 --jobs 1"
USES = {
    "compare": (f"{COMPARE} --restart -o out", "--for-paper", "comparison"),
    "plot": ("plot-solution -s match_to_1 -o out", "--format pdf", "values"),
    "atlas": (f"{ATLAS} -o out", "--for-paper", "atlas"),
    "tournament": ("tournament match_to_1 uniform careless", "--csv out/table.tex --plot out/table.pdf", "table"),
}


def rows_of(text: str) -> list[list[list[str]]]:
    """The cells of all tables of a text, each with its headings; as many in every row as the table has columns."""
    found = []
    for columns, body in re.findall(r"\\begin\{tabular\}\{([lr]+)\}\n(.*?)\\end\{tabular\}", text, re.DOTALL):
        rows = [line.removesuffix(" \\\\").split(" & ") for line in body.splitlines() if line != "\\hline"]
        assert {len(row) for row in rows} == {len(columns)}
        found.append(rows)
    return found


@pytest.mark.parametrize("use", USES)
def test_for_paper(use: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command, option, name = USES[use]
    words = [word.replace("out", str(tmp_path)) if word.startswith("out") else word for word in command.split()]
    options = [word.replace("out", str(tmp_path)) for word in option.split()]
    result = call(*words, *options, "--quiet")
    assert result.code == 0, result
    tables = rows_of((tmp_path / f"{name}.tex").read_text())
    first = {
        "compare": ["algorithm", "runs", "iterations", "nodes", "median", "25 \\%", "75 \\%", "worst", "current"],
        "plot": ["score", "value", "mover wins, \\%", "exploitability", "iterations"],
        "atlas": ["rules", "first wins, \\%", "rounds", "one round", "sequences of moves"],
        "tournament": ["agent", "rating", "wins, \\%"],
    }
    assert tables[0][0] == first[use]
    assert tables[0][1][0] in ("cfr", "0-0", "filled", "match\\_to\\_1")
    assert len(tables) == (2 if use in ("atlas", "tournament") else 1)
    picture = (tmp_path / f"{name}.pdf").read_bytes()
    assert picture.startswith(b"%PDF")
    assert b"CreationDate" not in picture
    if use != "tournament":
        assert call(*words, "--quiet").code == 0
        assert not [file for file in contents(tmp_path) if file.endswith((".tex", ".pdf"))]
