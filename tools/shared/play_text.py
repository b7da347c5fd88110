"""What is said of a round to the person, who is player 0: goals, hints, beliefs, results."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tictactoe.games.end_rules import Outcome
from tictactoe.games.goals import Goal
from tictactoe.play.advice import Advice, advise
from tictactoe.play.bot import RoundBot
from tictactoe.play.notation import NUMPAD, Position
from tictactoe.play.referee import Round

PERSON, BOT = 0, 1
"""The players of a round."""

_GOALS = {
    Goal.WIN: "complete three in a row",
    Goal.LOSE: "make {} complete three in a row",
    Goal.TIE: "fill the board without three in a row",
}
_WINNERS = {Outcome.WIN: "X", Outcome.LOSE: "O", Outcome.TIE: "nobody"}
_NEVER = 5e-4  # what is played less often is not played
_SURE = 0.995  # what is believed more than that is sure


def score_line(names: tuple[str, str], points: tuple[int, int]) -> str:
    """Of players 0 and 1, such as "You 3 : 1 Bot"."""
    return f"{names[0]} {points[0]} : {points[1]} {names[1]}"


class Speaker:
    """Words and digits for one person.

    numpad: whether digits lie on the board as on a numpad. in_points: whether a move costs points, as in a round on
    its own, and not matches.
    """

    def __init__(self, bot_name: str = "Bot", *, numpad: bool = False, in_points: bool = False) -> None:
        self.bot_name = bot_name
        self.numpad = numpad
        self.in_points = in_points
        self.digits = "".join(str(NUMPAD[square] if numpad else square) for square in range(1, 10))
        self.opponent = "the bot" if bot_name == "Bot" else bot_name

    def digit(self, square: int) -> str:
        return self.digits[square - 1]

    def digits_of(self, squares: Sequence[int]) -> str:
        return " ".join(sorted(map(self.digit, squares)))

    def either(self, squares: Sequence[int]) -> str:
        """The squares as alternatives: 2, 4 or 6."""
        words = sorted(map(self.digit, squares))
        return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))

    def position(self, position: Position) -> str:
        """As every command takes it, in the digits of the board."""
        return position.text(numpad=self.numpad)

    def cost(self, cost: float) -> str:
        """A cost in its unit: points, or percentage points of matches won (a win is worth 2 more than a loss)."""
        return f"{cost:.4f} points" if self.in_points else f"{50.0 * cost:.2f} % of matches"

    def goal(self, played: Round) -> str:
        """What the person has to do."""
        goal = played.goals[PERSON]
        return f"You want to {goal.name}: {_GOALS[goal].format(self.opponent)}"

    def seats(self, played: Round) -> str:
        if played.first == PERSON:
            return f"You move first and are X; {self.bot_name} is O."
        return f"{self.bot_name} moves first and is X; you move second and are O."

    def cells(self, played: Round) -> list[str]:
        """Per square: the mark with the number of its move, or the digit."""
        cells = [self.digit(square) for square in range(1, 10)]
        for index, square in enumerate(played.cursor.moves):
            cells[square - 1] = mark(index + 1)
        return cells

    def board(self, played: Round) -> str:
        """On one line."""
        cells = self.cells(played)
        return " / ".join(" ".join(cells[row : row + 3]) for row in (0, 3, 6))

    def hint(self, played: Round, bot: RoundBot) -> list[str]:
        """How a perfect player with the person's goal moves here, and what the other moves cost."""
        goal = played.goals[PERSON]
        advice = sorted(advise(bot, played.cursor, goal), key=lambda move: -move.probability)
        lines = [f"Hint: to {goal.name}, a perfect player marks"]
        for move in advice:
            if move.probability >= _NEVER:
                line = f"{self.digits_of(move.squares):<9} {_percent(move.probability):>7}"
                if len(move.squares) > 1:
                    line += f"  ({_percent(move.probability / len(move.squares))} each)"
                lines.append(line + (f"; costs {self.cost(move.cost)}" if self._matters(move.cost) else ""))
        never = [(self.reason(move, goal), move) for move in advice if move.probability < _NEVER]
        never.sort(key=lambda item: (not item[1].completes_row, not item[0], item[0], item[1].squares))
        for reason, group in groupby(never, key=lambda item: item[0]):
            moves = [move for _, move in group]
            squares = self.digits_of([square for move in moves for square in move.squares])
            costs = self._range([move.cost for move in moves], squares)
            lines.append("; ".join(filter(None, (f"{squares}: never", reason, costs))))
        return lines

    def _matters(self, cost: float) -> bool:
        return cost >= (5e-5 if self.in_points else 1e-4)

    def _range(self, costs: Sequence[float], squares: str) -> str:
        """What moves cost, from the least to the most."""
        verb = "costs" if len(squares) == 1 else "cost"
        least, most = (self.cost(cost) for cost in (min(costs), max(costs)))
        if not self._matters(max(costs)):
            return f"{verb} nothing"
        return f"{verb} {most}" if least == most else f"{verb} {least.split()[0]} to {most}"

    def reason(self, move: Advice, goal: Goal) -> str:
        """Why a move is a bad one, where that is a short story; as what follows "this move ..."."""
        if move.outcome is not None:
            what = "completes your row" if move.completes_row else "decides the round"
            if not move.possible:
                return f"{what}, no point for you"
            chance = move.opponent_scores or 0.0
            if chance >= _SURE:
                return f"{what}, but {self.opponent} then surely scores too"
            return f"{what}, but {self.opponent} then scores too, {_percent(chance)} likely" if chance > 0.2 else what
        if not move.possible:
            return f"you could no longer {goal.name}"
        if move.answers and goal is not Goal.LOSE:
            return f"lets {self.opponent} complete a row on {self.either(move.answers)}"
        return ""

    def beliefs(self, played: Round, bot: RoundBot) -> list[str]:
        """What the moves have told about the bot's goal, and about the person's."""
        lines = ["What the moves so far tell a perfect player:"]
        for title, player in ((f"{self.bot_name}'s goal", BOT), (f"Your goal, as {self.opponent} sees it", PERSON)):
            belief = bot.belief(played.cursor.node, played.seat(player))
            if belief is None:
                lines.append(f"{title}: anything; no perfect player moves so")
            else:
                win, lose, tie = map(_percent, belief)
                lines.append(f"{title}: win {win}, lose {lose}, tie {tie}")
        return lines

    def result(self, played: Round, score: str) -> list[str]:
        """Outcome, goals, who scored, and the score after the round, one sentence each."""
        assert played.outcome is not None
        winner = _WINNERS[played.outcome].capitalize()
        facts = [f"{winner} completed three in a row."]
        if played.cursor.outcome is None:  # decided before the board shows it
            will = "will complete three in a row whatever is played now, so the round is decided."
            facts = [f"{winner} {will}"]
        for name, goal, scores in zip(("You", self.bot_name), played.goals, played.scored, strict=True):
            facts.append(f"{name} wanted to {goal.name}: {'a point' if scores else 'no point'}.")
        return [*facts, score]


def mark(number: int) -> str:
    """The mark of a move, by its number in the round from 1: X1, O2, X3."""
    return f"{'OX'[number % 2]}{number}"


def _percent(probability: float) -> str:
    return f"{100.0 * probability:.1f} %"
