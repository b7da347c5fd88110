"""What the tests of playing and exploring share: random games, a match and its transcript."""

import itertools
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.programs import MATCH, call

from tictactoe import Cursor, GameTree, Goal, MatchBot, RoundBot
from tictactoe.play.bot import generator_for
from tictactoe.play.referee import Match, Round
from tictactoe.play.transcript import Setup, match_lines

NAMES = ("Ann", "Bot")
PAIRS = list(itertools.product(Goal, Goal))


def solved_match(directory: Path) -> Path:
    """A match to 2 that is solved roughly, with best responses."""
    output = directory / "two"
    options = ("--winning-score", 2, "--algorithm", "pdcfr+", "--maximum-subgame-exploitability", "1e-2", "--quiet")
    in_full = ("--snapshot-at", "0,1,10", "--check-exploitability-every", 10)  # to be compared to the last digit
    assert call(MATCH, "-o", output, *options, *in_full).code == 0
    assert call("best-response-multiround", "-s", output, "--save").code == 0
    return output


def random_moves(rng: random.Random, tree: GameTree, length: int) -> tuple[int, ...]:
    cursor = Cursor(tree)
    while len(cursor.moves) < length and cursor.outcome is None:
        cursor.play(rng.choice(cursor.board.free_squares))
    return cursor.moves


Plays = Callable[[RoundBot], RoundBot]
"""Makes the player of a round of the bot at its score."""


def played_match(bot: MatchBot, seed: int, *players: Plays) -> Match:
    """players: the bot itself twice, if none are named."""
    match, generator = Match(bot.tree, bot.winning_score, NAMES, seed % 2, seed), generator_for(seed, "moves")
    while match.winner is None:
        played = match.deal()
        while played.mover is not None:
            player = bot.round_bot(played.score)
            if players:
                player = players[played.mover](player)
            played.play(player.choose(played.cursor, played.goals[played.mover], generator))
        match.finish(played)
    return match


def transcript(match: Match, current: Round | None = None, **more: Any) -> list[str]:
    setup = Setup(names=match.names, seed=match.seed, winning_score=match.winning_score, **more)
    return [json.dumps(line) for line in match_lines(setup, match, current)]
