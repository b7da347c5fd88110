"""The bot that plays a named game from a solution, from a learnt table, or from what it solves during the first
screen."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from pathlib import Path
from random import SystemRandom

from ..algorithms.game_builder import check_members
from ..algorithms.learning import StateGraph
from ..algorithms.strategy import greedy_strategy
from ..errors import FormatError
from ..games.named_games import NamedGame
from ..match.options import GameOptions
from ..play.game_advice import Advice, GameRules, StateAdvice, advice_under
from ..play.game_session import Ask, GameSession, Say
from ..solving.game_run import last_solved, solve_game, solve_one_player
from ..solving.learning_run import game_to_learn
from ..storage.learnt_table import LearntTable

BOT_ITERATIONS, BOT_TARGET = 1000, 1e-7
"""The number of iterations, or the NashConv, at which the bot stops solving a game."""
_SOON = 0.3  # seconds that a person does not notice


def advice_of(named: NamedGame, source: Path | None) -> Advice:
    """The bot's knowledge of a game. Raises FormatError and StoreError for an unusable source.

    source: the directory of a solved game, or the file of a learner; None to solve the game here.
    """
    game = game_to_learn(named)
    if isinstance(game, StateGraph):
        played = game.best_moves
        if source is not None:
            played = game.greedy_moves(LearntTable.load(source, game).values[:, 0])
        return StateAdvice(solve_one_player(named).best, played)
    if source is None:
        options = GameOptions(iterations=BOT_ITERATIONS, target=BOT_TARGET)
        return advice_under(game, solve_game(None, game, options).average_strategy(game))
    if source.is_dir():
        return advice_under(game, last_solved(source, game).average_strategy(game))
    return advice_under(game, greedy_strategy(game.tree, LearntTable.load(source, game).values))


def play_named_game(
    named: NamedGame,
    source: Path | None,
    rounds: int | None,
    seed: int | None,
    ask: Ask,
    say: Say,
    waiting: Callable[[], AbstractContextManager[None]],
) -> None:
    """Let a person play a named game. Raises the errors of `advice_of`.

    source: see `advice_of`. rounds: None to play until the person quits. seed: the seed of the cards and of the bot;
    None for any.
    waiting: entered while the person waits for the bot.
    """
    with named.faults():
        if not named.has_one_player:
            check_members(named.description)
        rules = GameRules(named.description)  # before the other thread asks for it
        if source is not None and not source.exists():
            raise FormatError(source, "cannot be read: No such file or directory")
        making: Future[Advice] = Future()
        # a daemon, because the end of the program must not wait for it
        threading.Thread(target=_make, args=(making, named, source), daemon=True).start()

        def advice() -> Advice:
            if making.done():
                return making.result()
            with waiting():
                return making.result()

        if source is not None:
            advice()  # raises its errors before a game begins
        with contextlib.suppress(TimeoutError):
            making.result(_SOON)  # raises the errors of most descriptions
        GameSession(
            title=named.title,
            how_to_play=named.rules,
            rules=rules,
            advice=advice,
            one_player=named.has_one_player,
            bot_sits_in=source is not None,
            seed=SystemRandom().randrange(2**32) if seed is None else seed,
            rounds=rounds,
            ask=ask,
            say=say,
        ).run()


def _make(making: Future[Advice], named: NamedGame, source: Path | None) -> None:
    try:
        making.set_result(advice_of(named, source))
    except BaseException as error:  # raised when the advice is requested
        making.set_exception(error)
