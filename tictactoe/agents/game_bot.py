"""The bot that plays a named game: solved while the person looks at the screen, or from what was solved or learnt."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from ..games.named_games import NamedGame
from ..play.game_advice import Advice, StateAdvice, TreeAdvice
from ..solving.game_learning import GameToLearn
from ..solving.game_run import GameOptions, last_solved, solve_game, solve_one_player

BOT_ITERATIONS, BOT_TARGET = 1000, 1e-7
"""How long the bot solves a game that nobody has solved: the same bits on every machine."""


def advice_of(named: NamedGame, source: Path | None) -> Advice:
    """What the bot knows of a game. Raises FormatError and StoreError for a source of another game, or of none.

    source: a directory of a solved game, or the file of a learner; None to solve it here.
    """
    to_learn = GameToLearn(named)
    if to_learn.graph is not None:
        played = to_learn.graph.best_moves
        if source is not None:
            played = to_learn.graph.greedy_moves(to_learn.loaded(source).values[:, 0])
        return StateAdvice(solve_one_player(named).best, played)
    game = to_learn.built
    if source is None:
        options = GameOptions(iterations=BOT_ITERATIONS, target=BOT_TARGET)
        return TreeAdvice(game, solve_game(named, game, options).strategy)
    if source.is_dir():
        return TreeAdvice(game, last_solved(source, game).average_strategy(game))
    return TreeAdvice(game, to_learn.strategy_of(to_learn.loaded(source)))


class AdviceInTheMaking:
    """Advice that another thread makes, which the end of the program does not wait for."""

    def __init__(self, make: Callable[[], Advice]) -> None:
        self._make = make
        self._found: Advice | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._found = self._make()
        except BaseException as error:  # raised where the advice is asked for
            self._error = error

    @property
    def is_made(self) -> bool:
        """Whether nobody has to wait for it."""
        return not self._thread.is_alive()

    def get(self) -> Advice:
        """The advice, as soon as it is made. Raises what the other thread raised."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        assert self._found is not None
        return self._found
