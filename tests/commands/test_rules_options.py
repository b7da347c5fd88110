"""--rules and --goal-odds: what is not given is that of the files."""

from __future__ import annotations

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
    """And of the default rules, where nothing is known."""
    assert str(wanted.over(Rules.parse(known))) == expected
    assert WantedRules().over() == Rules()


def test_odds_alone_leave_the_rules_to_the_file() -> None:
    """Even odds are those of the solution that is named."""
    seen = json_of("explore", "-s", "filled", "--goal-odds", "1:1:1", "--position", "4-4", "--json")
    assert seen["rules"] == "filled"
    other = call("explore", "-s", "filled", "--goal-odds", "1:2:1", "--position", "4-4", "--json")
    assert other.code == 2
    assert "--goal-odds: filled is played by filled, not by filled 1:2:1" in other.err


def test_a_match_that_is_watched_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody gets ahead, or takes long to."""
    monkeypatch.setattr(play_multiround, "MOST_WATCHED", 2)
    watched = call("play-multiround", "--auto", "--seed", "1")
    assert (watched.code, len(watched.out.splitlines())) == (1, 2)
    assert watched.err == ("play-multiround: stopped after 2 rounds: such players may never get ahead of each other\n")
