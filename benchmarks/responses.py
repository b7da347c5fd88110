"""Write `tictactoe/play/response_table.json`: what the best responders to the opponents that ship win.

python benchmarks/responses.py
"""

from functools import partial

from tictactoe import MatchBot, RoundBot, Rules, Score, load_solution, opponent_of
from tictactoe.algorithms.arrays import FloatArray
from tictactoe.match.best_response_over_match import ResponseValues
from tictactoe.play.known_opponent import FILE, WINNING_SCORE, states
from tictactoe.play.opponents import DEFAULT_OPPONENT, MEASURED_RULES, OPPONENTS
from tictactoe.storage.shipped import shipped_for, shipped_solution
from tictactoe.storage.texts import json_text


def computed(rules: str, name: str) -> list[float]:
    """In the order of `states`."""
    bot = MatchBot(load_solution(shipped_solution(shipped_for(Rules.parse(rules)) or "")))
    values = ResponseValues(bot.tree, partial(_strategy, name, bot), WINNING_SCORE)
    return [values.value(state) for state in states(WINNING_SCORE)]


def _strategy(name: str, bot: MatchBot, score: Score) -> FloatArray:
    round_bot: RoundBot = bot.round_bot(score)
    return opponent_of(name, round_bot).strategy


if __name__ == "__main__":
    known = [name for name in OPPONENTS if name != DEFAULT_OPPONENT]
    table = {rules: {name: computed(rules, name) for name in known} for rules in MEASURED_RULES}
    FILE.write_text(json_text(table) + "\n")
