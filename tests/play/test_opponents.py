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
from tictactoe.games.naive_players import NAIVE_PLAYERS, naive_strategy
from tictactoe.games.rules import DEFAULT_RULES, RULES, Rules
from tictactoe.match.best_response_over_match import best_response_over_match
from tictactoe.match.scores import Score, all_scores, part_for_shorter_match
from tictactoe.play.bot import fixed_strategy, opponent_of
from tictactoe.play.opponents import (
    DEFAULT_OPPONENT,
    LADDER,
    MEASURED_RULES,
    OPPONENTS,
    TYPED_NAMES,
    offered_next,
    opponent_named,
)
from tictactoe.storage.population import careless_strategy
from tictactoe.storage.shipped import SHIPPED, shipped_for, shipped_solution

START = Score(0, 0)
TEXT = (Path(__file__).parents[2] / "docs" / "opponents.md").read_text(encoding="utf-8")
LEARNERS = [name for name in OPPONENTS if name.startswith("learner")]
_TABLES = TEXT.split("| opponent |")[2:]
WINS, (OPENINGS,) = dict(zip(MEASURED_RULES, _TABLES[:2], strict=True)), _TABLES[2:]
"""The tables of the page, each with the text below it: how often they win, by rules, and how they open by default."""


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
    wins = [opponent.wins[DEFAULT_RULES].simple[2] for opponent in OPPONENTS.values()]
    assert wins == sorted(wins), "the hardest for beginners first"
    assert len({opponent.title for opponent in OPPONENTS.values()}) == len(OPPONENTS)
    for opponent in OPPONENTS.values():
        for rules in MEASURED_RULES:
            assert opponent.text(rules).isascii()
            assert opponent.description in opponent.text(rules)
            simple, perfect, _ = opponent.wins[rules]
            for points in range(1, 6):
                strength = f"win {simple[points - 1]} of 100 matches to {points}, a perfect one {perfect[points - 1]}."
                assert opponent.text(rules, points).endswith(strength)
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


def test_they_mix_the_players_that_they_are_said_to_play_like(bot: RoundBot) -> None:
    """Brute force, in random games on the real board: each free square, with its share of each player."""
    free_of: dict[str, RoundBot] = {name: opponent_of(name, bot) for name in (*OPPONENTS, *NAIVE_PLAYERS)}
    generator, several = random.Random(2), 0
    for _ in range(40):
        cursor = Cursor(bot.tree, random_moves(generator, bot.tree, generator.randrange(8)))
        for goal in Goal if cursor.forced_outcome is None else ():
            choices = {name: one.choices(cursor, goal) for name, one in free_of.items()}
            for name, opponent in OPPONENTS.items():
                for at, choice in enumerate(choices[name]):
                    shares = [share * choices[by][at].probability for by, share in opponent.plays[goal].items()]
                    assert choice.probability == pytest.approx(sum(shares), abs=1e-15)
                    several += len(shares) > 1
            free = cursor.board.free_squares
            for choice in choices["uniform"]:
                assert choice.probability == pytest.approx(len(choice.squares) / len(free), abs=1e-15)
    assert several > 500
    shares = [sum(mix.values()) for opponent in OPPONENTS.values() for mix in opponent.plays]
    assert shares == pytest.approx([1.0] * len(shares), abs=1e-15)


def test_careless_is_whom_the_shipped_matches_were_chosen_against(bot: RoundBot) -> None:
    np.testing.assert_array_equal(opponent_of("careless", bot).strategy, careless_strategy(bot.tree, bot.strategy))


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
    tree, told = perfect.tree, OPPONENTS[name].wins[rules]
    naive = [dict.fromkeys(all_scores(5), naive_strategy(tree, one)) for one in NAIVE_PLAYERS]
    wins = []
    for ours in (*naive, strategies["perfect"]):
        parts = [[part_for_shorter_match(one, 5, to) for one in (ours, strategies[name])] for to in range(1, 6)]
        wins.append([100.0 * head_to_head(tree, *pair, to).wins for to, pair in enumerate(parts, 1)])
    simple, by_perfect = [sum(pair) / 2.0 for pair in zip(*wins[:2], strict=True)], wins[2]
    best = best_response_over_match(tree, strategies[name], 5).scores[START]
    expert_wins = 50.0 + 25.0 * best.exploitability
    assert told == (tuple(map(round, simple)), tuple(map(round, by_perfect)), round(expert_wins))
    cells = [
        " ".join(f"{one:.2f}" if to == 3 else f"{one:.0f}" for to, one in enumerate(row, 1))
        for row in (simple, by_perfect)
    ]
    assert f"| {name} | {cells[0]} | {cells[1]} | {expert_wins:.2f} % |" in WINS[rules]


def test_no_step_of_the_ladder_is_high(
    rules: str, perfect: MatchBot, strategies: dict[str, Mapping[Score, FloatArray]]
) -> None:
    """In what the two simple players win in a match to 3. A filled board has two of 15.4 and 16.3."""
    naive = [dict.fromkeys(all_scores(3), naive_strategy(perfect.tree, one)) for one in NAIVE_PLAYERS]
    of_three = {name: part_for_shorter_match(strategies[name], 5, 3) for name in LADDER[:-1]}
    won = [sum(50.0 * head_to_head(perfect.tree, one, of_three[name], 3).wins for one in naive) for name in LADDER[:-1]]
    assert all(
        0.0 < easier - harder <= (15.0 if rules == str(Rules()) else 16.5) for easier, harder in itertools.pairwise(won)
    )
    assert 55.0 <= won[LADDER.index("rookie")] <= 65.0


def test_names_that_people_type() -> None:
    assert [opponent_named(name) for name in TYPED_NAMES] == list(OPPONENTS)
    for name, opponent in OPPONENTS.items():
        assert opponent_named(name) == opponent_named(opponent.title) == opponent_named(opponent.title.upper()) == name
    assert {opponent_named(text) for text in ("", "learner-2", "sore")} == {None}


def test_whom_to_offer_next() -> None:
    def after(*results: bool) -> list[str | None]:
        """Of a person who goes where the offers lead, from the middle of the ladder."""
        met, played, offers = "dabbler", [], []
        for won in results:
            played.insert(0, (met, won))
            offers.append(offered_next(played))
            met = offers[-1] or met
        return offers

    assert after(True, False, True, True, True, True) == [None, None, None, "sore-loser", None, "learner-10"]
    assert after(*[False] * 6) == [None, "rookie", None, "dreamer", None, "uniform"]
    assert after(*[False] * 9)[6:] == [None, None, None], "nobody is easier than the first"
    assert after(*[True] * 9)[5:] == ["perfect", None, "adaptive", None], "and nobody is harder than the last"
    assert offered_next([("careless", True), ("careless", True)]) is None
    assert offered_next([("rookie", True)]) is None


def test_how_they_open_a_match() -> None:
    perfect = MatchBot(load_solution("shipped")).round_bot(START)
    for name in OPPONENTS:
        bot, cells = opponent_of(name, perfect), []
        for goal in Goal:
            corner, side, centre = (100.0 * choice.probability for choice in bot.choices(Cursor(bot.tree), goal))
            cells.append(f"{corner:.0f} {side:.0f} {centre:.0f}")
            assert name != "learner-1" or (centre == 100.0) == (centre > 0.0) == (goal == Goal.WIN)
        assert f"| {name} | {' | '.join(cells)} |" in OPENINGS


def test_the_python_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out == f"{OPPONENTS['learner-10'].text()}\n"


def test_opponents_that_are_refused(bot: RoundBot) -> None:
    with pytest.raises(ValueError, match=r"^opponent: 'learner-2' is not one of learner-100, learner-10, "):
        opponent_of("learner-2", bot)
    with pytest.raises(ValueError, match="'careless' is not one of"):
        fixed_strategy("careless", bot.tree)
    tree = small_tree()
    with pytest.raises(ValueError, match="learner-10 has learnt another game"):
        opponent_of("learner-10", RoundBot(tree, uniform_strategy(tree), SINGLE_ROUND))
    for rules in (Rules("filled-tie"), Rules("filled", (2, 1, 1)), Rules(goal_odds=(0, 1, 1))):
        tree = GameTree.build(rules)
        other = RoundBot(tree, uniform_strategy(tree), SINGLE_ROUND)
        assert strategy_problem(tree, opponent_of("careless", other).strategy, tolerance=1e-12) is None
        expected = f"opponent: learner-1 learnt under three-in-a-row and under filled, not under {rules}"
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
