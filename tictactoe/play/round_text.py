"""Words about a round for the person, who is player 0: goals, hints, beliefs, results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from ..games.goals import Goal
from ..match.percentages import percentage_points
from ..number_text import decimal_text, unbroken
from .best_play import Belief
from .bot import RoundBot
from .ending_text import ending, lines_by_player, standing
from .known_opponent import BestResponder, KnownOpponent
from .move_costs import LEAST_PLAYED_PROBABILITY, Advice, advise, off_equilibrium
from .notation import NUMPAD, Position
from .referee import Round

PERSON, BOT = 0, 1
"""The numbers of the players."""

POINTS = "Points of winning chance: 1 is one match in a hundred."
"""What costs are in."""

_SURE_PROBABILITY = 0.995  # from here on, hints call it sure that the opponent scores


def score_line(names: tuple[str, str], points: tuple[int, int]) -> str:
    """The points of players 0 and 1, such as "You 3 : 1 Bot"."""
    return f"{names[0]} {points[0]} : {points[1]} {names[1]}"


class Speaker:
    """Words and digits for one person.

    numpad: whether digits lie on the board as on a numpad. in_points: whether costs are points of a round on its own;
    otherwise they are points of winning chance, matches of a hundred. who: the player whose moves the words are about:
    "you", or a name.
    """

    def __init__(
        self, bot_name: str = "Bot", *, numpad: bool = False, in_points: bool = False, who: str = "you"
    ) -> None:
        self.bot_name = bot_name
        self.who = who
        self.whose = "your" if who == "you" else f"{who}'s"
        self.numpad = numpad
        self.in_points = in_points
        self.digits = "".join(str(NUMPAD[square] if numpad else square) for square in range(1, 10))
        self.opponent = {"Bot": "the bot", "You": "you"}.get(bot_name, bot_name)

    def digit(self, square: int) -> str:
        return self.digits[square - 1]

    def digits_of(self, squares: Sequence[int]) -> str:
        return " ".join(sorted(map(self.digit, squares)))

    def either(self, squares: Sequence[int]) -> str:
        """The squares as alternatives: 2, 4 or 6."""
        words = sorted(map(self.digit, squares))
        return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))

    def position(self, position: Position) -> str:
        """The position in the digits of the board. Every command accepts this text."""
        return position.text(numpad=self.numpad)

    def cost(self, cost: float) -> str:
        """A cost in points, to be wrapped. cost: in points or in match value."""
        return unbroken(
            f"{decimal_text(cost, 4) if self.in_points else decimal_text(percentage_points(cost), 2)} points"
        )

    def goal(self, played: Round) -> str:
        """The person's goal, and how to reach it."""
        goal = played.goals[PERSON]
        return f"You want to {goal.name}: {played.rules.of_round.to_do[goal].format(self.opponent)}"

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

    def in_lines(self, played: Round) -> frozenset[int]:
        """The squares, from 0, that belong to three in a row."""
        return frozenset(square - 1 for lines in lines_by_player(played) for line in lines for square in line)

    def standing(self, played: Round) -> str:
        """A sentence about three in a row while the round goes on; empty while nobody has three in a row."""
        return standing(played, self.bot_name, self.digits_of)

    def board(self, played: Round) -> str:
        """The board on one line."""
        cells = self.cells(played)
        return " / ".join(" ".join(cells[row : row + 3]) for row in (0, 3, 6))

    def hint(self, played: Round, bot: RoundBot) -> list[str]:
        """The hint, as lines to be wrapped: the best moves for the person's goal, and the costs of other moves.

        bot: the perfect player, or the best responder to an opponent whose play is known (`BestResponder`).
        """
        goal, advice = played.goals[PERSON], advise(bot, played.cursor, played.goals[PERSON])
        advice.sort(key=lambda move: -move.probability)
        marked = [move for move in advice if move.probability >= LEAST_PLAYED_PROBABILITY]
        aim = f"to {goal.name}," if any(move.possible for move in advice) else f"{self.who} can no longer {goal.name};"
        if isinstance(bot, BestResponder):
            best = [square for move in marked for square in move.squares]
            lines = [f"Hint: {aim} best against {bot.opponent}:", self.digits_of(best)]
            usual, marked = marked, [replace(move, squares=tuple(best)) for move in marked[:1]]
            advice = [*marked, *(move for move in advice if move not in usual)]
        else:
            lines = [f"Hint: {aim} a perfect player marks"]
            lines += [self._marked(move) for move in marked]
        others = [
            (move, self.reason(move, goal) if move.cost or move.completes_row else "")
            for move in advice
            if move not in marked
        ]
        others.sort(
            key=lambda told: (bool(told[0].cost), not told[0].completes_row, not told[1], told[1], told[0].squares)
        )
        for (costs, reason), group in groupby(others, key=lambda told: (bool(told[0].cost), told[1])):
            moves = [move for move, _ in group]
            lines.append(self._never(reason, moves) if costs else self._free(reason, moves, marked))
        if not self.in_points and any(move.cost for move in advice):
            lines.append(POINTS)
        if off_equilibrium(bot, played.cursor, played.seat(PERSON), goal) and any(move.cost for move in marked):
            lines.append("This solution is not refined: after such moves it may play badly.")
        return lines

    def _marked(self, move: Advice) -> str:
        """A line about a move that the perfect player makes."""
        line = f"{self.digits_of(move.squares):<9} {_percent(move.probability):>7}"
        if len(move.squares) > 1:
            line += f"  ({_percent(move.probability / len(move.squares))} each)"
        return line + (f"; costs {self.cost(move.cost)}" if move.cost else "")

    def _free(self, reason: str, moves: Sequence[Advice], marked: Sequence[Advice]) -> str:
        """A line about moves that cost nothing and that the perfect player never makes. marked: the others."""
        digits = self.digits_of([square for move in moves for square in move.squares])
        what = "costs nothing" if any(move.cost for move in marked) else "just as good"
        return "; ".join(filter(None, (f"{digits}: {what}", reason)))

    def _never(self, reason: str, moves: Sequence[Advice]) -> str:
        """A line about moves that are never played, all for the same reason, with their costs; the cheapest first."""
        squares: dict[str, list[int]] = {}
        for move in sorted(moves, key=lambda move: move.cost):
            squares.setdefault(self.cost(move.cost), []).extend(move.squares)
        costs = [(self.digits_of(own), "costs" if len(own) == 1 else "cost", cost) for cost, own in squares.items()]
        if len(costs) > 1:
            short = (unbroken(f"{digits} {verb} {cost.split()[0]}") for digits, verb, cost in costs)
            never = f"Never, {reason}" if reason else "Never"
            return f"{never}: {', '.join(short)} {costs[-1][2].split(maxsplit=1)[1]}"
        ((digits, verb, cost),) = costs
        return "; ".join(filter(None, (f"{digits}: never", reason, f"{verb} {cost}")))

    def reason(self, move: Advice, goal: Goal, square: int | None = None) -> str:
        """The reason why a move is bad, as it continues "this move ..."; empty without a short reason. square: the one
        of the move's squares that was marked; None for any."""
        answers = [answer for answer in move.avoidable if answer != square]
        if move.outcome is not None:
            what = f"completes {self.whose} row" if move.completes_row else "decides the round"
            if move.forfeits:
                return f"{what}, no point for {self.who}"
            chance = move.opponent_scores or 0.0
            if chance <= 0.2:
                return what
            joint, too = ("but", " too") if move.possible else ("and", "")
            score = "score" if self.opponent == "you" else "scores"
            if chance >= _SURE_PROBABILITY:
                return f"{what}, {joint} {self.opponent} then surely {score}{too}"
            return f"{what}, {joint} {self.opponent} then {score}{too}, {_percent(chance)} likely"
        lost = f"{self.who} could no longer {goal.name}"
        if move.forfeits:
            return f"completes {self.whose} row: {lost}" if move.completes_row else lost
        if answers:
            spoilt = f", after which {lost}" if set(answers) <= set(move.spoiling) else ""
            return f"lets {self.opponent} complete a row on {self.either(answers)}{spoilt}"
        return ""

    def beliefs(self, played: Round, bot: RoundBot, known: KnownOpponent | None = None) -> list[str]:
        """Lines about both players' goals: how likely each goal is after the moves so far. known: whose strategy tells
        what the opponent's moves tell; None for the bot's."""
        node, seat, own = played.cursor.node, played.seat(BOT), played.seat(PERSON)
        if known is None:
            lines, belief = ["What the moves so far tell a perfect player:"], bot.belief(node, seat)
            how, onlooker = "", self.opponent
        else:
            lines, belief = ["What the moves so far tell:"], known.belief(played.cursor, seat, played.score)
            how, onlooker = f", as {known.name} plays", "a perfect player"
        lines.append(f"{self.bot_name}'s goal{how}: {_chances(belief)}")
        lines.append(f"Your goal, as {onlooker} sees it: {_chances(bot.belief(node, own))}")
        if known is not None and known.never_moves_so(played.cursor, seat, played.score):
            lines.append(f"{known.name} never moves like this: its goals are as likely as drawn.")
        if bot.is_lost(node, own) or (known is None and bot.is_lost(node, seat)):
            lines.append("This solution is not refined: after moves that it never makes, goals are as likely as drawn.")
        return lines

    def result(self, played: Round, score: str) -> list[str]:
        """Lines about the end of the round: the ending, each goal and whether it scored, and the score."""
        facts = ending(played, self.bot_name, self.digits_of)
        for name, goal, scores in zip(("You", self.bot_name), played.goals, played.scored, strict=True):
            facts.append(f"{name} wanted to {goal.name}: {'a point' if scores else 'no point'}.")
        return [*facts, score]


def mark(number: int) -> str:
    """The mark of a move, by its number in the round from 1: X1, O2, X3."""
    return f"{'OX'[number % 2]}{number}"


def _chances(belief: Belief) -> str:
    win, lose, tie = map(_percent, belief)
    return f"win {win}, lose {lose}, tie {tie}"


def _percent(probability: float) -> str:
    return unbroken(f"{100.0 * probability:.1f} %")
