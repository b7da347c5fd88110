"""Bots that are quickly judged, with their certificates."""

import pickle
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from oracle.lifting import game_tree
from support.certifying import CLOSED_FORMS, Bot, change_snapshot, copy_of, nearly_pure

from tictactoe import SINGLE_ROUND, CFRSolver, Score, save_solution, tic_tac_toe_round, update_rule
from tictactoe.algorithms.strategy import rounded_strategy
from tictactoe.proof import certificate, prove
from tictactoe.storage.directory_layout import snapshot_name
from tictactoe.storage.file_format import read_file
from tictactoe.storage.import_strategies import ImportedStrategy
from tictactoe.storage.shipped import shipped_solution
from tictactoe.storage.snapshot import SNAPSHOT_KIND


@pytest.fixture(scope="session", autouse=True)
def _bots_are_prepared_once() -> Iterator[None]:
    """What follows from a tree and a bot's weights alone, whatever is claimed of the bot."""
    known: dict[Any, Any] = {}

    def once(make: Callable[..., Any]) -> Callable[..., Any]:
        def found(tree: Any, *bot: Any) -> Any:
            key = make, id(tree), pickle.dumps(bot)
            if key not in known:
                known[key] = make(tree, *bot), tree
            return known[key][0]

        return found

    with pytest.MonkeyPatch.context() as patch:
        for module in (prove, certificate):
            patch.setattr(module, "probabilities", once(module.probabilities))
            patch.setattr(module, "BotRound", once(module.BotRound))
        yield


@pytest.fixture(scope="session")
def one(tmp_path_factory: pytest.TempPathFactory) -> Bot:
    return Bot(nearly_pure(tmp_path_factory.mktemp("one"), 1))


@pytest.fixture(scope="session")
def two(tmp_path_factory: pytest.TempPathFactory) -> Bot:
    return Bot(nearly_pure(tmp_path_factory.mktemp("two"), 2))


@pytest.fixture(scope="session")
def noisy(one: Bot, tmp_path_factory: pytest.TempPathFactory) -> Bot:
    """The last score of what ships after 100 iterations, with weights without a small common denominator."""
    solution, subgame = copy_of(one, tmp_path_factory.mktemp("noisy")), shipped_solution() / "subgame_4_4"
    weights = read_file(subgame / snapshot_name(100), SNAPSHOT_KIND)["strategy_sums"]
    weights *= 1.0 + 1e-3 * np.random.default_rng(1).random(weights.shape)
    change_snapshot(solution / one.last, strategy_sums=weights)
    return Bot(solution)


@pytest.fixture(scope="session")
def single() -> Bot:
    return Bot(CLOSED_FORMS / "single_round")


@pytest.fixture(scope="session")
def noisy_round(single: Bot, tmp_path_factory: pytest.TempPathFactory) -> Bot:
    """A bot that errs from the seventh mark on, with weights that have no small common denominator."""
    directory = copy_of(single, tmp_path_factory.mktemp("noisy_round"))
    errors = np.where(game_tree().depth[:, None] < 7, 0.0, np.random.default_rng(1).random((37_538, 3)))
    change_snapshot(directory, strategy_sums=lambda sums: sums + errors, outcome_values=[0.25, 3.0, -1.5, -0.1])
    return Bot(directory)


@pytest.fixture(scope="session")
def by_rules(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Bot]:
    @cache
    def made(rules: str) -> Bot:
        tree, output = game_tree(rules=rules), tmp_path_factory.mktemp("made")
        solver = CFRSolver(tic_tac_toe_round(tree, SINGLE_ROUND), update_rule("rdcfr"))
        solver.run(40)
        strategy = rounded_strategy(tree, solver.average_strategy(), smallest=0.0, bits=4)
        save_solution(output, tree, {Score(0, 0): ImportedStrategy(0, strategy)}, 1, "export")
        return Bot(output)

    return made


@pytest.fixture
def bot(request: pytest.FixtureRequest) -> Bot:
    """The bot that a test is parametrised with: the name of a fixture, or rules."""
    name: str = request.param
    if name.startswith(("filled", "three")):
        return request.getfixturevalue("by_rules")(name)
    return request.getfixturevalue(name)
