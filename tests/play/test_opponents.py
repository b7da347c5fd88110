"""The opponents play their strategies, and are as strong as their page says. Shipped learners can be learnt again."""

import itertools
import random
import re
import runpy
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from support.playing import random_moves
from support.slowness import by_default
from support.storage_files import small_tree

from tictactoe import SINGLE_ROUND, Cursor, GameTree, Goal, MatchBot, RoundBot, head_to_head, load_solution, open_saved
from tictactoe.algorithms.arrays import FloatArray
from tictactoe.algorithms.strategy import strategy_problem, uniform_strategy
from tictactoe.games.rules import DEFAULT_RULES, RULES, Rules
from tictactoe.match.best_response_over_match import best_response_over_match
from tictactoe.match.scores import Score, all_scores, part_for_shorter_match
from tictactoe.play.bot import opponent_of
from tictactoe.play.opponents import DEFAULT_OPPONENT, MEASURED_RULES, OPPONENTS
from tictactoe.storage.population import CARELESS_PROBABILITY, constant_strategy
from tictactoe.storage.shipped import SHIPPED, shipped_for, shipped_solution

START = Score(0, 0)
TEXT = (Path(__file__).parents[2] / "docs" / "opponents.md").read_text(encoding="utf-8")
LEARNERS = [name for name in OPPONENTS if name.startswith("learner")]
_TABLES = TEXT.split("| opponent |")[2:]
WINS, OPENINGS = (dict(zip(MEASURED_RULES, tables, strict=True)) for tables in (_TABLES[:2], _TABLES[2:]))
"""By rules, the tables of the page, each with the text below it."""


@pytest.fixture(scope="module", params=by_default(MEASURED_RULES, "filled"))
def rules(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def perfect(rules: str) -> MatchBot:
    return MatchBot(load_solution(shipped_solution(shipped_for(Rules.parse(rules)) or "")))


@pytest.fixture(scope="module")
def strategies(perfect: MatchBot) -> dict[str, Mapping[Score, FloatArray]]:
    bots = {score: perfect.round_bot(score) for score in all_scores(5)}
    return {name: {score: opponent_of(name, bot).strategy for score, bot in bots.items()} for name in OPPONENTS}


def test_they_are_described_and_measured_without_loading_anything() -> None:
    code = "import sys; from tictactoe.play.opponents import OPPONENTS; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "tictactoe.play.opponents" in loaded
    assert not {"numpy", "msgpack", "click", "tictactoe.play.bot"} & set(loaded)
    assert next(iter(OPPONENTS)) == DEFAULT_OPPONENT
    wins = [opponent.wins[DEFAULT_RULES].perfect for opponent in OPPONENTS.values()]
    assert wins == sorted(set(wins)), "the strongest first"
    assert len({opponent.title for opponent in OPPONENTS.values()}) == len(OPPONENTS)
    for opponent in OPPONENTS.values():
        for rules in MEASURED_RULES:
            assert opponent.text(rules).isascii()
            assert opponent.description in opponent.text(rules)
            assert f"in {opponent.wins[rules].perfect} of 100 matches to 5." in opponent.text(rules)
            assert f"in {opponent.wins[rules].of_shorter[0]} of 100 matches to 1." in opponent.text(rules, 1)
        assert opponent.text() == opponent.text("three-in-a-row")
    shipping = [name for name in RULES if shipped_for(Rules(name)) is not None]
    assert list(MEASURED_RULES) == shipping
    assert all(list(opponent.wins) == shipping for opponent in OPPONENTS.values())
    for rules, name in itertools.product(shipping, LEARNERS):
        assert shipped_for(Rules(rules), name) in SHIPPED


def test_the_perfect_one_is_the_bot_itself(bot: RoundBot) -> None:
    assert opponent_of("perfect", bot) is bot
    for name in OPPONENTS:
        opponent = opponent_of(name, bot)
        assert opponent.tree is bot.tree
        assert opponent.values == bot.values
        assert strategy_problem(bot.tree, opponent.strategy, tolerance=1e-12) is None
        assert opponent.strategy[0].tolist() == [1.0, 1.0, 1.0]


def test_the_squares_that_the_random_ones_mark(bot: RoundBot) -> None:
    """Brute force, in random games on the real board: any free square, or that in one move of five."""
    uniform, careless, generator = opponent_of("uniform", bot), opponent_of("careless", bot), random.Random(2)
    several = 0
    for _ in range(100):
        cursor = Cursor(bot.tree, random_moves(generator, bot.tree, generator.randrange(8)))
        free = cursor.board.free_squares
        for goal in Goal if cursor.forced_outcome is None else ():
            choices = zip(*(one.choices(cursor, goal) for one in (bot, uniform, careless)), strict=True)
            seen: list[int] = []
            for by_bot, by_uniform, by_careless in choices:
                assert by_bot.squares == by_uniform.squares == by_careless.squares
                seen += by_bot.squares
                several += len(by_bot.squares) > 1
                at_random = len(by_bot.squares) / len(free)
                assert by_uniform.probability == pytest.approx(at_random, abs=1e-15)
                assert by_careless.probability == pytest.approx(0.8 * by_bot.probability + 0.2 * at_random, abs=1e-15)
            assert sorted(seen) == list(free)
    assert several > 30
    assert CARELESS_PROBABILITY == 1 / 5


def test_only_those_that_use_a_solution_depend_on_the_score(strategies: dict[str, Mapping[Score, FloatArray]]) -> None:
    for name, opponent in OPPONENTS.items():
        same = [strategies[name][score] is strategies[name][START] for score in all_scores(5)]
        assert all(same) == (not opponent.uses_solution)
        if not opponent.uses_solution:
            assert not strategies[name][START].flags.writeable


def test_learners_are_what_ships_by_their_names(rules: str, strategies: dict[str, Mapping[Score, FloatArray]]) -> None:
    names = {name: shipped_for(Rules.parse(rules), name) or "" for name in LEARNERS}
    for name, shipped in names.items():
        saved = open_saved(shipped).load()
        assert (str(saved.tree.rules), saved.iteration) == (rules, int(name.removeprefix("learner-")))
        assert saved.snapshot.outcome_values == SINGLE_ROUND
        np.testing.assert_array_equal(strategies[name][START], saved.average_strategy)
    files = [path for path in shipped_solution(names["learner-1"]).parent.rglob("*") if path.is_file()]
    assert len(files) == len(LEARNERS) == 3
    assert sum(path.stat().st_size for path in files) < 1_000_000


@pytest.mark.parametrize("name", by_default(OPPONENTS, "careless"))
def test_their_strength_is_that_of_the_table(
    rules: str, perfect: MatchBot, strategies: dict[str, Mapping[Score, FloatArray]], name: str
) -> None:
    wins = {}
    for points in range(1, 6):
        ours, theirs = (part_for_shorter_match(strategies[one], 5, points) for one in ("perfect", name))
        wins[points] = 100.0 * head_to_head(perfect.tree, ours, theirs, points).wins
    best = best_response_over_match(perfect.tree, strategies[name], 5).scores[START]
    expert_wins, told = 50.0 + 25.0 * best.exploitability, OPPONENTS[name].wins[rules]
    assert {points: round(share) for points, share in wins.items()} == told.by_length
    assert round(expert_wins) == told.expert
    shorter = " ".join(map(str, told.of_shorter))
    assert f"| {name} | {wins[5]:.2f} % | {expert_wins:.2f} % | {shorter} |" in WINS[rules]


def test_how_they_open_a_match(rules: str, perfect: MatchBot) -> None:
    for name in OPPONENTS:
        bot, cells = opponent_of(name, perfect.round_bot(START)), []
        for goal in Goal:
            corner, side, centre = (100.0 * choice.probability for choice in bot.choices(Cursor(bot.tree), goal))
            cells.append(f"{corner:.0f} {side:.0f} {centre:.0f}")
            assert name != "learner-1" or (centre == 100.0) == (centre > 0.0) == (goal == Goal.WIN)
        assert f"| {name} | {' | '.join(cells)} |" in OPENINGS[rules]


def test_the_python_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out == f"{OPPONENTS['learner-10'].text()}\n"


def test_opponents_that_are_refused(bot: RoundBot) -> None:
    with pytest.raises(ValueError, match=r"^opponent: 'learner-2' is not one of learner-100, learner-10, "):
        opponent_of("learner-2", bot)
    with pytest.raises(ValueError, match="'careless' is not one of"):
        constant_strategy("careless", bot.tree)
    tree = small_tree()
    with pytest.raises(ValueError, match="learner-10 has learnt another game"):
        opponent_of("learner-10", RoundBot(tree, uniform_strategy(tree), SINGLE_ROUND))
    for rules in (Rules("filled-tie"), Rules("filled", (2, 1, 1)), Rules(goal_odds=(0, 1, 1))):
        tree = GameTree.build(rules)
        other = RoundBot(tree, uniform_strategy(tree), SINGLE_ROUND)
        assert strategy_problem(tree, opponent_of("careless", other).strategy, tolerance=1e-12) is None
        expected = f"opponent: learner-1 has learnt by three-in-a-row and by filled, not by {rules}"
        with pytest.raises(ValueError, match=f"^{expected}$"):
            opponent_of("learner-1", other)


SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "train_learners.py"))


@pytest.mark.parametrize("rules", MEASURED_RULES)
@pytest.mark.parametrize(
    "iterations", [pytest.param(n, marks=pytest.mark.slow) if n > 50 else n for n in SCRIPT["ITERATIONS"]]
)
def test_learning_again_gives_the_shipped_learner(iterations: int, rules: str) -> None:
    """To the precision of the file. Rounding gives its remainder to one move."""
    shipped = open_saved(shipped_for(Rules.parse(rules), f"learner-{iterations}") or "").load()
    tree = GameTree.build(Rules.parse(rules))
    again = SCRIPT["learner"](tree, iterations)
    unit = 2.0 ** -SCRIPT["BITS"]
    assert np.abs(again.average_strategy(tree) - shipped.average_strategy).max() <= 10 * unit
    assert np.all(shipped.average_strategy == np.round(shipped.average_strategy / unit) * unit)
    assert again.exploitability == pytest.approx(shipped.snapshot.exploitability, abs=1e-4)
    assert again.options == shipped.snapshot.options
