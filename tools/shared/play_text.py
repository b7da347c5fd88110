"""What is said of a round and of a match to the person, who is player 0: goals, hints, beliefs, results, review."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tictactoe.games.end_rules import Outcome
from tictactoe.games.goals import Goal
from tictactoe.match.scores import Score
from tictactoe.play.bot import RoundBot
from tictactoe.play.notation import Position
from tictactoe.play.referee import Round
from tictactoe.play.review import MoveCost, review

PERSON, BOT = 0, 1
"""The players of a round."""

Reviewed = Sequence[tuple[Round, RoundBot]]
SolvedScore = Callable[[Score], Score]
_GOALS = {
    Goal.WIN: "you want to WIN this round: complete three in a row",
    Goal.LOSE: "you want to LOSE this round: make {} complete three in a row",
    Goal.TIE: "you want to TIE this round: fill the board without three in a row",
}
_WINNERS = {Outcome.WIN: "X", Outcome.LOSE: "O", Outcome.TIE: "nobody"}


class Speaker:
    """Words and digits for one person: digits are those that the keypad has on the squares."""

    def __init__(self, bot_name: str, digits: str) -> None:
        self.bot_name = bot_name
        self.digits = digits
        self.opponent = "the bot" if bot_name == "Bot" else bot_name

    def digit(self, square: int) -> str:
        return self.digits[square - 1]

    def digits_of(self, squares: Sequence[int]) -> str:
        return " ".join(sorted(map(self.digit, squares)))

    def goal(self, played: Round) -> str:
        """What the person has to do."""
        return _GOALS[played.goals[PERSON]].format(self.opponent)

    def seats(self, played: Round) -> str:
        if played.first == PERSON:
            return f"You move first and are X; {self.bot_name} is O."
        return f"{self.bot_name} moves first and is X; you move second and are O."

    def cells(self, played: Round) -> list[str]:
        """Per square: the mark with the number of its move, or the digit."""
        cells = [self.digit(square) for square in range(1, 10)]
        for index, square in enumerate(played.cursor.moves):
            cells[square - 1] = f"{'XO'[index % 2]}{index + 1}"
        return cells

    def board(self, played: Round) -> str:
        """On one line."""
        cells = self.cells(played)
        return " / ".join(" ".join(cells[row : row + 3]) for row in (0, 3, 6))

    def hint(self, played: Round, bot: RoundBot) -> list[str]:
        """The equilibrium's probabilities for the person's goal."""
        goal = played.goals[PERSON]
        lines = [f"Hint: to {goal.name}, an equilibrium player marks"]
        for choice in sorted(bot.choices(played.cursor, goal), key=lambda choice: -choice.probability):
            line = f"{self.digits_of(choice.squares):<15}  {_percent(choice.probability):>7}"
            if len(choice.squares) > 1:
                line += f"  ({_percent(choice.probability / len(choice.squares))} each)"
            lines.append(line)
        return lines

    def beliefs(self, played: Round, bot: RoundBot) -> list[str]:
        """What the moves have told about the bot's goal, and about the person's."""
        lines = ["Beliefs of an equilibrium player, by the moves:"]
        for title, player in ((f"{self.bot_name}'s goal", BOT), ("Your goal, to an observer", PERSON)):
            belief = bot.belief(played.cursor.node, played.seat(player))
            if belief is None:
                lines.append(f"{title}: no goal fits, such a player never moves so")
            else:
                win, lose, tie = map(_percent, belief)
                lines.append(f"{title}: win {win}, lose {lose}, tie {tie}")
        return lines

    def result(self, played: Round, score: str) -> list[str]:
        """Outcome, goals, who scored, and the score after the round, one sentence each."""
        assert played.outcome is not None
        facts = [f"{_WINNERS[played.outcome].capitalize()} completed three in a row."]
        if played.cursor.outcome is None:  # decided before the board shows it
            what = "will complete three in a row whatever is played now, so the round is decided."
            facts = [f"{_WINNERS[played.outcome].capitalize()} {what}"]
        for name, goal, scores in zip(("You", self.bot_name), played.goals, played.scored, strict=True):
            facts.append(f"{name} wanted to {goal.name}: {'a point' if scores else 'no point'}.")
        return [*facts, score]

    def review(self, rounds: Reviewed, solved_score: SolvedScore, in_points: bool, given: int = 0) -> list[str]:
        """What the person's moves cost, round by round, then the worst three.

        solved_score: where the solution has a round. given: moves at the start that are not the person's.
        """
        unit = "points" if in_points else "chance of winning the match"
        lines = [
            f"What your moves cost, in {unit}, against the equilibrium's best move there "
            "(round, your mark and goal, each square with its cost):"
        ]
        everything: list[tuple[MoveCost, Round]] = []
        for played, bot in rounds:
            costs = review(bot, played.cursor.moves, played.seat(PERSON), played.goals[PERSON], given=given)
            everything += [(move, played) for move in costs]
            moves = "  ".join(f"{self.digit(move.square)}: {_cost(move.cost, in_points)}" for move in costs)
            mark = "X" if played.first == PERSON else "O"
            lines.append(f"{played.number:>4}. {mark} {played.goals[PERSON].name:<4}  {moves}")
        lines.append(f"Sum of the costs: {_cost(sum(move.cost for move, _ in everything), in_points)}")
        worst = sorted(everything, key=lambda item: -item[0].cost)[:3]
        worst = [item for item in worst if item[0].cost >= 1e-4]
        if not worst:
            lines.append("No move cost anything worth mentioning.")
        for number, (move, played) in enumerate(worst, 1):
            before = played.cursor.moves[: move.number - 1]
            position = Position(solved_score(played.score), played.goals_by_seat, before)
            lines.append(
                f"Worst {number}: round {played.number}, move {move.number}, {self.digit(move.square)} instead of "
                f"{self.digits_of(move.best)}: {_cost(move.cost, in_points)} (position {position})"
            )
        return lines


def _percent(probability: float) -> str:
    return f"{100.0 * probability:.1f} %"


def _cost(cost: float, in_points: bool) -> str:
    """A cost in its unit: points, or percentage points of matches won (a win is worth 2 more than a loss)."""
    return f"{cost:.4f}" if in_points else f"{50.0 * cost:.2f} %"
