"""--rules and --goal-odds: files say what the options leave out."""

import json
from pathlib import Path

import pytest
from support.programs import call, json_of
from tictactoe.tools.commands import play_multiround
from tictactoe.tools.options.rules_options import WantedRules

from tictactoe.games.rules import Rules


@pytest.mark.parametrize(
    ("wanted", "known", "expected"),
    [
        (WantedRules(), "filled 2:1:1", "filled 2:1:1"),
        (WantedRules("filled-tie"), "filled 2:1:1", "filled-tie 2:1:1"),
        (WantedRules(None, (3, 3, 3)), "filled 2:1:1", "filled"),
        (WantedRules("filled", (1, 2, 1)), "three-in-a-row", "filled 1:2:1"),
    ],
)
def test_what_is_given_stands_in_the_place_of_what_is_known(wanted: WantedRules, known: str, expected: str) -> None:
    assert str(wanted.over(Rules.parse(known))) == expected
    assert WantedRules().over() == Rules()


def test_a_match_that_is_watched_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_multiround, "MOST_WATCHED", 2)
    watched = call("play-multiround", "--auto", "--seed", "1")
    assert (watched.code, len(watched.out.splitlines())) == (1, 2)
    assert watched.err == ("play-multiround: stopped after 2 rounds: such players may never get ahead of each other\n")


def test_a_match_of_many_rounds_says_how_exploitable_it_is(tmp_path: Path) -> None:
    rare = ("--goal-odds", "1:0:500")
    result = call("solve-multiround", "-o", tmp_path, "--winning-score", 1, *rare, "--json", "--quiet")
    assert result.code == 0
    solved, judged = json.loads(result.out), json_of("best-response-multiround", "-s", tmp_path)
    total = judged["total_exploitability"]
    assert solved["total_exploitability"] == total > 100 * solved["subgames"][0]["exploitability"]
    assert result.err.startswith("solve-multiround: with these odds of the goals 25")
    shown = call("solve-multiround", "-o", tmp_path, "--winning-score", 1, *rare)
    assert (
        f"Total exploitability of the bot in a match to 1 by the rules three-in-a-row 1:0:500: {total:.2e} in"
        in shown.out
    )
