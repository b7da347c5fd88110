"""tournament: results, programs that play, docs/agents.md. consoles/tournament.txt shows tables and refusals."""

import csv
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.contract import at_the_file, full_disk
from support.pictures import check_png, check_svg
from support.programs import call, called, complaint, contents, environment, json_of, program
from support.waiting import HANGS, wait_until

NAME = "tournament"
ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "agents"
LOWEST = f"cmd:{sys.executable} -S {EXAMPLES / 'lowest_square.py'}"
SLOW = 'import json, time\nprint(\'{"type":"join","name":"x"}\', flush=True)\nwhile True:\n    time.sleep(60)\n'


def test_with_a_program(tmp_path: Path) -> None:
    table, picture = tmp_path / "table.csv", tmp_path / "picture.png"
    words = ("match_to_1", LOWEST, "uniform", "--matches", 6, "-o", tmp_path / "out", "-o", table, "-o", picture)
    report = json_of(NAME, *words)
    assert json_of(NAME, *words) == report, "read from the results"
    assert json_of(NAME, *words[:5]) == report, "played again"
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [(row["a"], row["b"], float(row["a_wins"])) for row in rows] == [
        (pair["a"], pair["b"], pair["a_wins"]) for pair in report["pairs"]
    ]
    assert {(pair["a"], pair["b"]): pair["matches"] for pair in report["pairs"]} == {
        ("match_to_1", "uniform"): 0,
        ("lowest_square", "match_to_1"): 6,
        ("lowest_square", "uniform"): 6,
    }
    check_png(picture)
    assert call(NAME, "match_to_1", "uniform", "-o", tmp_path / "x.svg", "--quiet").code == 0
    check_svg(tmp_path / "x.svg", "1 match_to_1", "2 uniform")


def test_a_tournament_that_never_began_leaves_nothing_and_an_earlier_one_is_replaced(tmp_path: Path) -> None:
    words, out = ("match_to_1", "--sample", "--matches", 2, "--quiet", "-o", tmp_path / "out"), tmp_path / "out"
    assert "false" in complaint(call(NAME, "cmd:false", *words), 1, NAME)
    assert not out.exists()
    assert call(NAME, "uniform", *words).code == 0
    before = contents(out)
    for more in ((), ("--restart",)):
        assert complaint(call(NAME, "cmd:false", *words, *more), 1, NAME)
        assert contents(out) == before
    with at_the_file(5, full_disk):  # after a match
        assert call(NAME, "uniform", *words, "--seed", 2, "--restart").code == 1
    assert before.items() <= contents(out).items()
    assert call(NAME, "uniform", *words, "--seed", 2).code == 0
    assert contents(out).keys() == before.keys()
    assert contents(out) != before
    assert call(NAME, "uniform", *words, "--seed", 3, "--restart").code == 0
    assert '"seed":3' in (out / "tournament.ndjson").read_text()


def test_forfeits_are_told(tmp_path: Path) -> None:
    bot = tmp_path / "bad.py"
    bot.write_text(SLOW)
    result = call(NAME, f"cmd:{sys.executable} -S {bot}", "uniform", "--matches", 7, "--timeout", 0.02)
    assert result.code == 0
    lines = [line for line in result.err.splitlines() if "forfeited" in line]
    assert len(lines) == 5
    assert lines[0] == "match 1, bad against uniform, is forfeited: bad has not answered within 0.02 seconds"
    assert lines[4].endswith("; further ones are counted, but not shown")
    assert re.search(r"2 +bad +-\d+ .* 0\.00 % +7\n", result.out)


def test_interrupted_while_a_program_plays(tmp_path: Path) -> None:
    numbers = tmp_path / "numbers"
    bot = tmp_path / "slow.py"
    lowest = (EXAMPLES / "lowest_square.py").read_text()
    bot.write_text(f"import os\nopen({str(numbers)!r}, 'a').write(f'{{os.getpid()}} ')\n" + lowest)
    words = ["match_to_1", f"cmd:{sys.executable} -S {bot}", "--matches", "100000", "-o", str(tmp_path / "out")]
    process = subprocess.Popen([*program(NAME), *words], stderr=subprocess.PIPE, text=True, env=environment())
    saved = tmp_path / "out" / "tournament.ndjson"
    wait_until(lambda: saved.exists() and saved.read_bytes().count(b"\n") >= 5)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=HANGS)
    assert process.returncode == 130
    assert said.splitlines()[-1].startswith(
        f"{called(NAME)}: interrupted; everything is saved; continue with: {called(NAME)} "
    )
    (number,) = numbers.read_text().split()
    with pytest.raises(ProcessLookupError):
        os.kill(int(number), 0)


def test_the_page_shows_the_agent_that_is_tested() -> None:
    page, example = (ROOT / "docs" / "agents.md").read_text(), (EXAMPLES / "careful.py").read_text()
    pattern = r"def choose\(self.*?\n(?: {8}\"\"\".*?\n)?(.*?)\n\n"
    (shown,), (tested,) = (re.findall(pattern, text, re.DOTALL) for text in (page, example))
    assert shown == tested
    assert shown.count("\n") == 4


def test_the_programs_of_the_page_run(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "agents.md").read_text(), re.DOTALL)
    (client,) = (block for block in blocks if "input()" in block)
    (tmp_path / "lowest_square.py").write_text(client)
    mine = f"cmd:{sys.executable} -S {tmp_path / 'lowest_square.py'}"
    assert (
        json_of(NAME, mine, "uniform", "--matches", 3, "--winning-score", 2)["pairs"]
        == (json_of(NAME, LOWEST, "uniform", "--matches", 3, "--winning-score", 2)["pairs"])
    )
    played = subprocess.run([sys.executable, EXAMPLES / "careful.py"], capture_output=True, text=True, check=True)
    assert re.fullmatch("learner-1 wins after [0-9]+ rounds: 1-3\n", played.stdout)  # as its shorter form on the page


def test_the_agent_in_python_as_a_program() -> None:
    words = (f"cmd:{sys.executable} {EXAMPLES / 'careful.py'} --play", "uniform", "--matches", 2, "--restart-programs")
    report = json_of(NAME, *words, "--winning-score", 1)
    assert {agent["name"] for agent in report["agents"]} == {"careful", "uniform"}
    assert report["pairs"][0]["a_forfeited"] == report["pairs"][0]["b_forfeited"] == 0
