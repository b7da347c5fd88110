"""Matches as the page keeps them, played by the program."""

import random
from typing import Any

from tictactoe import Cursor, Goal, MatchBot, RoundBot, Score, Solution
from tictactoe.play.move_costs import Mistake, mistakes
from tictactoe.play.referee import Match, Round

from .playing_page import record, round_record


def likely_moves(generator: random.Random, bot: RoundBot, length: int) -> tuple[int, ...]:
    """Moves of two perfect players with random goals, so many unless the end is certain before."""
    cursor, goals = Cursor(bot.tree), generator.choices(tuple(Goal), k=2)
    while len(cursor.moves) < length and cursor.forced_outcome is None:
        cursor.play(bot.choose(cursor, goals[len(cursor.moves) % 2], generator))
    return cursor.moves


def careless_match(
    bot: MatchBot, seed: int, *, mistakes: float = 0.4, start: tuple[int, int] = (0, 0), most_rounds: int | None = None
) -> Match:
    """A match from a score on, between two perfect players who mark any free square so often."""
    generator = random.Random(seed)
    match = Match(bot.tree, bot.winning_score, ("You", "Bot"), seed % 2, seed)
    match.score = Score(*start)
    while match.winner is None and len(match.rounds) != most_rounds:
        played = match.deal()
        while played.mover is not None:
            free = played.cursor.board.free_squares
            perfect = bot.round_bot(played.score).choose(played.cursor, played.goals[played.mover], generator)
            played.play(generator.choice(free) if generator.random() < mistakes else perfect)
        match.finish(played)
    return match


def random_matches(solution: Solution, number: int) -> list[Match]:
    """To random numbers of points, by players who mark any square more or less often."""
    generator, matches = random.Random(f"costs {solution.rules}"), []
    for seed in range(number):
        bot = MatchBot(solution, generator.randint(1, solution.winning_score))
        matches.append(careless_match(bot, seed, mistakes=generator.choice((0.1, 0.4, 1.0))))
    return matches


def mistakes_of(bot: MatchBot, match: Match, player: int) -> list[Mistake]:
    rounds = [(played, bot.round_bot(played.score)) for played in match.rounds]
    return mistakes(rounds, player, bot.solved_score)


def _record_of(played: Round) -> dict[str, Any]:
    facts = {"number": played.number, "score": played.score, "first": played.first, "commitment": played.commitment}
    return round_record(**facts, goals=[int(goal) for goal in played.goals], moves=played.cursor.moves)


def match_record(match: Match, solution: str, **other: Any) -> dict[str, Any]:
    """A MatchRecord of referee.js, against the perfect bot. solution: its name on the page."""
    facts = {"score": match.score, "first": match.first, "winner": match.winner, "names": match.names}
    facts |= {"rounds": [_record_of(played) for played in match.rounds], "winningScore": match.winning_score}
    return record(solution=solution, round=None, **facts | other)
