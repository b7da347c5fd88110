"""docs/paper/paper.pdf belongs to the sources beside it, and its tables are those that ship. No LaTeX is needed."""

import hashlib
import re
from pathlib import Path

PAPER = Path(__file__).parents[1] / "docs" / "paper"
TABLES = PAPER.parents[1] / "tictactoe" / "formulas" / "tables"


def test_the_pdf_names_the_hash_of_its_sources() -> None:
    sources = [PAPER / "paper.tex", *sorted((PAPER / "generated").glob("*.tex"))]
    expected = hashlib.sha256(b"".join(path.read_bytes().replace(b"\r\n", b"\n") for path in sources)).hexdigest()
    found = re.search(rb"/Subject\(source sha256 (\w+)\)", (PAPER / "paper.pdf").read_bytes())
    assert found is not None
    assert found[1].decode() == expected, "docs/paper/build makes the PDF again"
    for name in ("three-in-a-row", "three-in-a-row-three-plans", "filled"):
        first, second = ((PAPER / "generated" / f"{name}-{seat}.tex").read_text() for seat in ("first", "second"))
        printed = "\n".join(["first mover", *first.splitlines()[1:-1], "second mover", *second.splitlines()[1:-1]])
        assert re.sub(r"\n {15}", " ", printed) == (TABLES / f"{name}.txt").read_text().split("\n", 1)[1].strip()


def test_the_ancillary_file_has_the_tables_that_ship() -> None:
    text = (PAPER / "ancillary.txt").read_text("ascii")
    assert len(text) < 60_000
    names = sorted(path.stem for path in TABLES.glob("*.txt"))
    assert sorted(re.findall(r"^\d+\. Table (\S+)\.", text, re.MULTILINE)) == names
    for name in names:
        printed = re.split(r"\n\n\d+\. ", text.split(f"Table {name}. ")[1].split("\n\n", 1)[1])[0]
        assert printed.strip() == (TABLES / f"{name}.txt").read_text().split("\n", 1)[1].strip()
