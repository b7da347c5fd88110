"""docs/rules.md: its figures, computed again where that takes no more than seconds."""

import re
from fractions import Fraction
from pathlib import Path

import pytest
from support.pages import rows_after
from support.slowness import by_default, slow

from tictactoe import RULES, GameTree, MatchOptions, Outcome, Rules, Score, load_solution, open_saved, solve_match
from tictactoe.games.cursor import count_histories
from tictactoe.games.rules import parse_odds
from tictactoe.match.fairness import match_facts, single_round
from tictactoe.match.percentages import percentage_points, win_percentage
from tictactoe.match.scores import all_scores
from tictactoe.solving.rules_atlas import solve_single_round
from tictactoe.storage.shipped import shipped_for

TEXT = (Path(__file__).parents[1] / "docs" / "rules.md").read_text(encoding="utf-8")
SHIPPED = [name for name in RULES if shipped_for(Rules(name))]


def table(heading: str) -> dict[str, list[str]]:
    """The rows of the table whose headings begin so, by their first cell."""
    return {name.strip("`"): cells for name, *cells in rows_after(TEXT, f"| {heading} |")}


OVERVIEW, WHO_SCORES = table("rules | first mover wins"), table("rules | both")


def values(rules: str) -> dict[Score, float]:
    column = list(RULES).index(rules)
    return {Score(*map(int, score.split("-"))): float(row[column]) for score, row in table("score").items()}


def test_every_rule_is_there_with_the_size_of_its_tree() -> None:
    assert list(OVERVIEW) == list(WHO_SCORES) == list(RULES)
    assert [name.partition("`")[0] for name in table("`--rules`")] == list(RULES)
    assert sorted(values("filled")) == sorted(all_scores(5))
    for name, row in OVERVIEW.items():
        sizes = [int(cell.replace(",", "")) for cell in row[4:]]
        assert sizes == [count_histories(Rules(name)), GameTree.build(name).num_nodes]


@pytest.mark.parametrize("rules", SHIPPED)
def test_the_matches_that_come_with_the_program(rules: str) -> None:
    solution = load_solution(str(shipped_for(Rules(rules))))
    facts = match_facts(solution.tree, solution.average_strategy, 5)
    for score, value in values(rules).items():
        assert facts.values[score].least - 6e-7 < value < facts.values[score].most + 6e-7
    wins, favoured, _, rounds, *_ = OVERVIEW[rules]
    assert wins == f"{win_percentage(facts.start.value):.3f} %"
    assert favoured == f"{facts.start.favoured}, by {percentage_points(abs(facts.start.value)):.3f}"
    assert rounds == f"{facts.play.rounds:.2f}"
    shares = [cell.split(", ")[1] for cell in WHO_SCORES[rules]]
    assert shares == [f"{100.0 * share:.1f}" for share in facts.play.overall.results]
    if rules == "filled":
        start = TEXT.index("In a match by `filled`, X alone")
        said = TEXT[start : TEXT.index("By `filled-tie`", start)]
        shares = [float(share) for share in re.findall(r"([0-9.]+) %", said)]
        endings = facts.play.overall.endings
        expected = [endings[end] for end in (Outcome.WIN, Outcome.BOTH_LINES, Outcome.TIE, Outcome.LOSE)]
        assert shares == [round(100.0 * share, 1) for share in expected]


@pytest.mark.parametrize("rules", RULES)
def test_the_rounds_that_come_with_the_program(rules: str) -> None:
    saved = open_saved(str(shipped_for(Rules(rules), "single_round"))).load()
    facts = single_round(saved.tree, saved.average_strategy)
    assert facts.value.value == pytest.approx(float(Fraction(OVERVIEW[rules][2])), abs=1e-15)
    shares = [cell.split(", ")[0] for cell in WHO_SCORES[rules]]
    assert shares == [f"{100.0 * share:.1f}" for share in facts.play.results]


@pytest.mark.parametrize("rules", by_default([name for name in RULES if name not in SHIPPED], "filled-tie"))
def test_the_last_scores_of_other_matches(rules: str, tmp_path: Path) -> None:
    """Those of a match to 2 to which as many points are missing, between the bounds of a rough solution."""
    options = MatchOptions(winning_score=2, maximum_subgame_exploitability=1e-3, snapshot_at=())
    solution = solve_match(tmp_path, GameTree.build(rules), options)
    for score, bounds in match_facts(solution.tree, solution.average_strategy, 2).values.items():
        value = values(rules)[Score(score.first + 3, score.second + 3)]
        assert bounds.most - bounds.least < 0.01
        assert bounds.least - 6e-7 < value < bounds.most + 6e-7


@pytest.mark.parametrize(
    ("odds", "rules"), [("2:1:1", "three-in-a-row"), *slow(("1:2:1", "filled"), ("1:1:2", "filled-none"))]
)
def test_other_odds(odds: str, rules: str) -> None:
    # tests/solving/test_rules_atlas.py computes the row of even odds, which the first table has, too
    by_even_odds = table("odds win:lose:tie")["1:1:1"]
    assert [row[2] for row in OVERVIEW.values()] == by_even_odds == ["-1/9", "-2/9", "-1/9", "0"]
    value = Fraction(table("odds win:lose:tie")[odds][list(RULES).index(rules)])
    tree = GameTree.build(Rules(rules, parse_odds(odds)))
    facts = single_round(tree, solve_single_round(tree, 1e-3)).value
    assert facts.least <= value <= facts.most <= facts.least + 1e-3
