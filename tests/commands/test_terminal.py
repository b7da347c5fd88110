"""What a person at a terminal of 80 columns and 24 lines sees: the live table, the result, and a sane screen after."""

import re
from pathlib import Path

import pytest
from support.programs import MATCH, ONE_POINT, ROUND, SHORT, TWO_POINTS, call, command_to_continue
from support.terminal import Terminal, lines_of, too_wide

pytestmark = pytest.mark.usefixtures("solved")  # its modules are loaded before this process is copied
SHOW_CURSOR, HIDE_CURSOR = "\x1b[?25h", "\x1b[?25l"
ENDLESS = ("--winning-score", "2", "--maximum-subgame-exploitability", "1e-9")
ITERATED = r"1-1 +[1-9][0-9,]* +[1-9][0-9,]* +\d.\d\de[-+]\d\d +1e-09"
"""What the screen shows when iterations have run and been measured, however long they take."""


def test_the_live_table_and_an_interruption(tmp_path: Path) -> None:
    terminal = Terminal(MATCH, "-o", tmp_path / "my out", *ENDLESS, started=True)
    terminal.until(rf"\b0 of 3 pairs.*\d:\d\d elapsed.* to go(.|\n)*{ITERATED}")
    shown = terminal.raw
    code, output = terminal.interrupt()
    plain = lines_of(shown)
    heading = next(line for line in plain if "per second" in line)
    assert all(word in heading for word in ("solving", "iteration", "exploitability", "target"))
    rows = [line.split() for line in plain if line.startswith("1-1")]
    iterations = [int(row[1].replace(",", "")) for row in rows]
    assert iterations == sorted(iterations)
    assert iterations[-1] > 0
    assert int(rows[-1][2].replace(",", "")) > 0
    assert 0.0 < float(rows[-1][3]) < 1.0
    assert float(rows[-1][4]) == 1e-9
    assert too_wide(shown) == []
    assert code == 130
    assert "Traceback" not in output
    assert output.rindex(SHOW_CURSOR) > output.rindex(HIDE_CURSOR)
    line = next(line for line in lines_of(output) if "continue with" in line)
    assert line.startswith(f"{MATCH}: interrupted; everything is saved")
    assert command_to_continue(line, MATCH)[:2] == ["-o", str(tmp_path / "my out")]
    assert list((tmp_path / "my out").glob("checkpoint*"))


def test_the_result_of_a_match_without_colours_or_sane_columns(tmp_path: Path) -> None:
    """The console solve.txt shows it."""
    odd = {"NO_COLOR": "1", "COLUMNS": "-5", "LINES": "-5"}
    code, output = Terminal(MATCH, "-o", tmp_path / "out", *TWO_POINTS, **odd).finish()
    assert code == 0
    styles = re.findall(r"\x1b\[([0-9;]*)m", output)
    assert [style for style in styles if re.search(r"\b([349]\d|10\d)\b", style)] == []
    assert too_wide(output) == []
    assert "In a match to 2 between perfect players" in " ".join(output.split())
    assert output.count(SHOW_CURSOR) >= output.count(HIDE_CURSOR)


def test_a_dumb_terminal_gets_no_escape_sequences_and_quiet_is_silent(tmp_path: Path) -> None:
    for name, arguments in ((MATCH, ONE_POINT), (ROUND, SHORT)):
        code, output = Terminal(name, "-o", tmp_path / name, *arguments, TERM="dumb").finish()
        assert code == 0
        assert "\x1b" not in output, name
        assert Terminal(name, "-o", tmp_path / f"{name} quiet", *arguments, "--quiet").finish() == (0, "")


def test_without_a_terminal_a_line_for_every_pair(tmp_path: Path) -> None:
    lines = call(MATCH, "-o", tmp_path / "out", *TWO_POINTS).err.splitlines()
    assert len(lines) == 3
    for line, pair, done in zip(lines, ("1-1", "1-0/0-1", "0-0"), (1, 2, 3), strict=True):
        number = r"\d\.\de[-+]\d\d"
        assert re.fullmatch(
            rf"solved {pair} \({done} of 3\): \d+ iterations, exploitability {number} match value "
            rf"\({number} points\), \d:\d\d elapsed",
            line,
        )
