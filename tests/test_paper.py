"""The PDFs of docs/paper belong to the sources beside them; the tables are those that ship. No LaTeX is needed."""

import hashlib
import re
from pathlib import Path

import pytest

PAPER = Path(__file__).parents[1] / "docs" / "paper"
TABLES = PAPER.parents[1] / "tictactoe" / "formulas" / "tables"


@pytest.mark.parametrize(("name", "tables"), [("paper", "generated"), ("restarts", "restarts")])
def test_a_pdf_names_the_hash_of_its_sources(name: str, tables: str) -> None:
    sources = [PAPER / f"{name}.tex", *sorted((PAPER / tables).glob("*.tex"))]
    expected = hashlib.sha256(b"".join(path.read_bytes().replace(b"\r\n", b"\n") for path in sources)).hexdigest()
    found = re.search(rb"/Subject\(source sha256 (\w+)\)", (PAPER / f"{name}.pdf").read_bytes())
    assert found is not None
    assert found[1].decode() == expected, "docs/paper/build makes the PDF again"


def test_the_tables_are_those_that_ship() -> None:
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
