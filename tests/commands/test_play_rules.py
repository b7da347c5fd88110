"""Rules while playing: which solution is played from, what is refused, and the rules of a transcript."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from support.programs import MATCH, ONE_POINT, call, complaint, json_of, text_of
from support.terminal import Terminal, panel

PLAY, PRACTISE = "play-multiround", "play-subgame"
BOTH = (PLAY, PRACTISE)
ANYTHING = "\n".join("123456789" * 40)
Solve = Callable[[str, str], Path]


@pytest.fixture(scope="module")
def solved_by(tmp_path_factory: pytest.TempPathFactory) -> Solve:
    """A match to 1 by the rules and odds, solved for a moment."""
    directory = tmp_path_factory.mktemp("by_rules")

    @cache
    def solve(rules: str, odds: str) -> Path:
        output = directory / f"{rules} {odds}"
        options = ("--rules", rules, "--goal-odds", odds, "--quiet", *ONE_POINT)
        assert call(MATCH, "-o", output, *options).code == 0
        return output

    return solve


@pytest.fixture(scope="module")
def transcript(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a match that was left in the middle of a round by filled."""
    path = tmp_path_factory.mktemp("left") / "match.jsonl"
    options = ("--rules", "filled", "--seed", 1, "--seat", "first", "--transcript", path)
    assert call(PLAY, *options, typed="5\n1\n").code == 0
    return path


def rules_in(file: Path) -> str:
    rules: str = json.loads(file.read_text().splitlines()[0])["rules"]
    return rules


def test_what_ships_is_played_at_once(tmp_path: Path) -> None:
    """A whole match, which its transcript says, and the review takes from it."""
    file = tmp_path / "match.jsonl"
    out = call(PLAY, "--rules", "filled", "--seed", 3, "--winning-score", 2, "--transcript", file, typed=ANYTHING).out
    assert re.search(r"wins? the match", out)
    header, *rounds, _ = map(json.loads, file.read_text().splitlines())
    assert (header["rules"], header["solution"]) == ("filled", None)
    assert max(len(played["moves"]) for played in rounds) >= 7
    mistakes = re.search(r"Your mistakes, worst first, and(.|\n)*", out)
    assert mistakes
    assert text_of("review", file).partition("\n")[2] == mistakes[0]
    assert all("review" in line for line in json_of("review", file, "--json")["transcript"][1:-1])


def test_rules_are_those_of_the_solution(solved_by: Solve, tmp_path: Path) -> None:
    """None need be named; the same may be."""
    for number, given in enumerate([(), ("--rules", "filled-tie", "--goal-odds", "4:2:2")]):
        file = tmp_path / f"{number}.jsonl"
        options = ("-s", solved_by("filled-tie", "2:1:1"), "--seed", 1, "--transcript", file)
        assert call(PLAY, *options, *given, typed=ANYTHING).code == 0
        assert rules_in(file) == "filled-tie 2:1:1"
        assert call("review", file).code == 0
    assert call(PRACTISE, "-s", solved_by("filled-tie", "2:1:1"), typed="q\n").code == 0


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            ("--rules", "filled-tie"),
            "--rules: no match to 5 by the rules filled-tie comes with the program; there is a match to 1, "
            "-s filled-tie_match_to_1; for more points: "
            "solve-by-formula --rules filled-tie -o DIR, then -s DIR",
        ),
        (
            ("--goal-odds", "2:1:1", "--opponent", "uniform"),
            "--goal-odds: no match to 5 by the rules three-in-a-row 2:1:1 comes with the program; make one: "
            "solve-multiround --rules three-in-a-row --goal-odds 2:1:1 -o DIR, then -s DIR",
        ),
        (("--rules", "filled", "-s", "shipped"), "--rules: shipped is played by three-in-a-row, not by filled"),
        (("--rules", "three-in-a-row", "-s", "filled"), "--rules: filled is played by filled, not by three-in-a-row"),
        (("-s", "filled", "--goal-odds", "2:1:1"), "--goal-odds: filled is played by filled, not by filled 2:1:1"),
        (("--goal-odds", "0:0:0"), "Invalid value for '--goal-odds': all are 0, so that no goal can be drawn"),
    ],
    ids=["nothing ships", "odds", "other rules", "default rules", "odds alone", "no odds"],
)
def test_rules_that_are_refused(name: str, options: tuple[str, ...], expected: str, tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    line = complaint(call(name, *options, "--transcript", file, typed="q\n"), 2, name)
    assert line == f"{name}: {expected} (see {name} --help)"
    assert not file.exists()


@pytest.mark.parametrize("name", BOTH)
def test_a_learner_that_has_not_learnt_these_rules(name: str, solved_by: Solve, tmp_path: Path) -> None:
    """Nothing is begun; the other opponents play."""
    solution, file = solved_by("filled-tie", "1:1:1"), tmp_path / "match.jsonl"
    line = complaint(call(name, "-s", solution, "--opponent", "learner-10", "--transcript", file), 2, name)
    expected = "--opponent: learner-10 has learnt by three-in-a-row and by filled, not by filled-tie"
    assert line == f"{name}: {expected} (see {name} --help)"
    assert not file.exists()
    for opponent in ("careless", "uniform"):
        assert call(name, "-s", solution, "--opponent", opponent, typed="q\n").code == 0


def test_the_learners_by_filled_play() -> None:
    out = text_of(PLAY, "--rules", "filled", "--auto", "--seed", 1, "--opponent", "learner-1", "--winning-score", 2)
    assert "learner-1" in out
    assert re.search(r"wins the match\.\n$", out)
    assert "learner-10" in call(PRACTISE, "--rules", "filled", "--opponent", "learner-10", typed="q\n").out


def test_going_on_by_the_rules_of_the_transcript(transcript: Path, tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    file.write_text(transcript.read_text())
    out = call(PLAY, "--continue", "--transcript", file, typed=ANYTHING).out
    assert re.search(r"wins? the match", out)
    assert rules_in(file) == "filled"
    assert call("review", file).code == 0


def test_other_rules_than_those_of_the_transcript(transcript: Path, solved_by: Solve, tmp_path: Path) -> None:
    """Refused in one line, and the file is as it was; but an option that a new match has is refused before."""
    file = tmp_path / "match.jsonl"
    text = transcript.read_text()
    file.write_text(text)
    expected = (
        f"{file}: was played by the rules filled, but shipped is solved for three-in-a-row; name another solution"
    )
    for name, options in ((PLAY, ("--continue", "--transcript", file)), ("review", (file,))):
        line = complaint(call(name, *options, "-s", "shipped"), 1, name)
        assert line == f"{name}: {expected} with -s"
        assert solved_by("filled", "1:1:1").is_dir()
    line = complaint(call(PLAY, "--continue", "--rules", "filled"), 2, PLAY)
    assert "leave out --rules" in line
    line = complaint(call(PLAY, "--continue", "--goal-odds", "1:1:1"), 2, PLAY)
    assert "leave out --goal-odds" in line
    file.write_text(text.replace('"rules": "filled"', '"rules": "filled-tie"'))
    line = complaint(call("review", file), 1, "review")
    what = "and no match to 5 by these comes with the program; name a solution with -s"
    assert line == f"review: {file}: was played by the rules filled-tie, {what}"
    file.write_text(text.replace('"rules": "filled"', '"rules": "blindfold"'))
    assert "unknown rules 'blindfold'" in complaint(call("review", file), 1, "review")
    assert "unknown rules 'blindfold'" in complaint(call(PRACTISE, "--position", file), 1, PRACTISE)


def test_an_old_transcript_is_three_in_a_row(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    assert call(PLAY, "--seed", 5, "--winning-score", 1, "--transcript", file, typed=ANYTHING).code == 0
    review, text = text_of("review", file), file.read_text()
    assert ', "rules": "three-in-a-row"' in text
    file.write_text(text.replace("transcript 3", "transcript 2").replace(', "rules": "three-in-a-row"', ""))
    assert text_of("review", file) == review
    assert "solved for filled" in complaint(call("review", file, "-s", "filled"), 1, "review")


def test_practice_from_a_transcript_has_its_rules(transcript: Path) -> None:
    """As long as nothing else is named."""
    position = re.findall(r"^Position: (.*)$", call(PRACTISE, "--position", transcript, typed="q\n").out, re.M)
    moves = json.loads(transcript.read_text().splitlines()[-1])["moves"]
    assert position[0].split()[-1] == "".join(map(str, moves))
    line = complaint(call(PRACTISE, "--position", transcript, "--rules", "filled-tie"), 2, PRACTISE)
    assert "--position: is by the rules filled, not by filled-tie" in line
    line = complaint(call(PRACTISE, "--position", transcript, "-s", "shipped"), 2, PRACTISE)
    assert "--position: is by the rules filled, but shipped is solved for three-in-a-row" in line
    # three in a row ends nothing
    text = call(PRACTISE, "--position", "0-0 w? 14253", "--rules", "filled", typed="q\n")
    assert text.code == 0


@pytest.mark.parametrize(("rows", "columns"), [(20, 60), (24, 80), (40, 100)])
def test_odds_are_told(solved_by: Solve, rows: int, columns: int) -> None:
    """With the rules, on the first screen and in the help; and a goal that is never drawn is no goal for practice."""
    solution = solved_by("filled", "2:1:0")
    terminal = Terminal(PRACTISE, "-s", solution, "--seed", 1, "--seat", "first", rows=rows, columns=columns)
    prompt = r"\? help[^\n]*\): *(\n|$)"
    for shown in (terminal.until(prompt), terminal.enter("?", "mark that square")):
        assert "larger window" not in shown
        assert "Goals are not drawn equally often: WIN 67 %, LOSE 33 %, TIE 0 %." in panel(shown)
    terminal.interrupt()
    for options in (("--goal", "tie"), ("--bot-goal", "tie"), ("--position", "0-0 t? 5")):
        line = complaint(call(PRACTISE, "-s", solution, *options), 2, PRACTISE)
        assert "by the rules filled 2:1:0 nobody draws the goal tie" in line
