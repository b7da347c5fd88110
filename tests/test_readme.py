"""The README: its facts are computed again, and the two set-up commands are the ones that are tested. And
the PDFs of docs/paper belong to the sources beside them."""

import hashlib
import importlib.util
import re
import tomllib
from pathlib import Path

import pytest
from tictactoe.tools.command_list import RENAMED

from tictactoe import Cursor, Goal, RoundBot, Score, load_solution, open_saved, read_certificate
from tictactoe.browser.page_folder import page_address
from tictactoe.play.move_costs import advise
from tictactoe.storage.shipped import shipped_solution

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
FLOWING = " ".join(TEXT.split())


def test_the_three_facts() -> None:
    saved = open_saved().load(Score(2, 0))
    bot = RoundBot(saved.tree, saved.average_strategy, saved.snapshot.outcome_values)
    (row,) = (move for move in advise(bot, Cursor(saved.tree, (1, 5, 2, 7, 4)), Goal.WIN) if move.completes_row)
    assert (row.squares, row.probability, row.opponent_scores) == ((3,), 0.0, 1.0)
    assert f"would cost {50 * row.cost:.2f} points of winning chance" in FLOWING
    assert saved.tree.own_reach_at(Cursor(saved.tree, (1, 5, 2, 7, 4)).node, saved.average_strategy).max(1).min() > 0
    value, comics = (load_solution(name).value[Score(0, 0)] for name in ("shipped", "filled"))
    assert f"in the first round wins {50 * (1 - value):.2f} % of the matches" in FLOWING
    assert f"by the comic's own rules {50 * (1 - comics):.2f} %" in FLOWING
    certificate = read_certificate(shipped_solution() / "certificate.json")
    assert "less than two trillionths of a percent more matches" in FLOWING
    assert (
        50 * float(certificate["total"]["exploitability_decimal"]) < 2e-12
    )  # of both seats, in points of winning chance


def test_the_picture_is_what_a_terminal_shows() -> None:
    spec = importlib.util.spec_from_file_location("play_picture", ROOT / "benchmarks" / "play_picture.py")
    assert spec is not None
    assert spec.loader is not None
    picture = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(picture)
    assert picture.svg(picture.screen()) == picture.PICTURE.read_text(encoding="utf-8")


def places_in(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_lead_somewhere() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"), ROOT / "CONTRIBUTING.md"):
        for link, place in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), (page.name, link)
            assert not place or place in places_in(page.parent / link if link else page), (page.name, link, place)


def test_every_table_begins_with_its_head() -> None:
    """An empty line within a table cuts it in two, and Markdown shows the second part as text."""
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("**/*.md"), ROOT / "CONTRIBUTING.md"):
        for table in re.findall(r"(?:^\|.*\n)+", page.read_text(encoding="utf-8"), re.MULTILINE):
            assert re.match(r".*\n\|[-:| ]+\n", table), (page.name, table)


def test_the_first_lines_link_to_the_published_page() -> None:
    """As soon as somebody has written its address down, and not before."""
    top = TEXT[: TEXT.index("**Install and solve")]
    file = ROOT / ".github" / "page-address"
    addresses = [page_address(line) for line in file.read_text(encoding="utf-8").split()] if file.exists() else []
    assert re.findall(r"\]\((http[^)]*)\)", top) == [*addresses, "https://www.smbc-comics.com/comic/incomplete"]


def test_workflows_name_commands_of_today() -> None:
    words = "|".join(sorted(RENAMED))
    for file in (ROOT / ".github" / "workflows").glob("*.yml"):
        text = file.read_text(encoding="utf-8")
        assert re.findall(rf"(?:run: |[|] |^ +)({words})\b(?!=)", text, re.MULTILINE) == [], file


def test_every_command_that_the_readme_names_is_installed() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert [name for name in scripts if f"`{name}" not in TEXT and f"$ {name}" not in TEXT] == []
    for line in re.findall(r"^    \$ (?:echo [a-z0-9] [|] )?([a-z-]+)", TEXT, re.MULTILINE):
        assert line in (*scripts, "python")


def test_there_are_two_set_up_commands() -> None:
    commands = re.findall(r"^    (python3 -m venv .*)$", TEXT, re.MULTILINE)
    assert len(commands) == 2
    assert commands[0].endswith("solve-multiround -o my_solution/")
    assert commands[1].endswith("-m pytest")
    ends = re.findall(r"command_that_ends_with '(.*)'", (ROOT / ".ci" / "run").read_text())
    assert [command.endswith(end) for command, end in zip(commands, ends, strict=True)] == [True, True]


PAPER = Path(__file__).parents[1] / "docs" / "paper"
TABLES = PAPER.parents[1] / "tictactoe" / "formulas" / "tables"


@pytest.mark.parametrize(("name", "tables"), [("paper", "generated"), ("restarts", "restarts")])
def test_a_pdf_names_the_hash_of_its_sources(name: str, tables: str) -> None:
    sources = [PAPER / f"{name}.tex", *sorted((PAPER / tables).glob("*.tex"))]
    expected = hashlib.sha256(b"".join(path.read_bytes().replace(b"\r\n", b"\n") for path in sources)).hexdigest()
    found = re.search(rb"/Subject\(source sha256 (\w+)\)", (PAPER / f"{name}.pdf").read_bytes())
    assert found is not None
    assert found[1].decode() == expected, "docs/paper/build makes the PDF again"


def test_the_tables_of_the_paper_are_those_that_ship() -> None:
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
