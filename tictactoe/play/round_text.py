"""Words about a round for the person, who is player 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from ..games.board import final_lines, lines_of
from ..games.rules import Goal, Outcome, Rules
from ..match.percentages import percentage_points
from ..number_text import decimal_text, unbroken
from .bot import Belief, RoundBot
from .known_opponent import BestResponder, KnownOpponent
from .move_costs import LEAST_PLAYED_PROBABILITY, Advice, advise, off_equilibrium
from .notation import NUMPAD, Position
from .referee import Round

POINTS = "1 point of winning chance is one match in a hundred."
"""The unit of costs."""

_AS_DRAWN = "every goal is taken to be as likely as when it was drawn"
_SURE_PROBABILITY = 0.995  # from this probability on, hints say that the opponent surely scores


def score_line(names: tuple[str, str], points: tuple[int, int]) -> str:
    """The points of players 0 and 1, such as "You 3 : 1 Bot"."""
    return f"{names[0]} {points[0]} : {points[1]} {names[1]}"


class Speaker:
    """Words and digits for one person.

    numpad: whether the digits of the board are ordered as on a numpad.
    in_points: whether costs are points of a round on its own; otherwise they are points of winning chance.
    who: the player whose moves the words are about: "you", or a name.
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
        """The position's text in the digits of the board."""
        return position.text(numpad=self.numpad)

    def cost(self, cost: float) -> str:
        """A cost in points, as text. cost: in points or in match value."""
        return unbroken(
            f"{decimal_text(cost, 4) if self.in_points else decimal_text(percentage_points(cost), 2)} points"
        )

    def goal(self, played: Round) -> str:
        goal = played.goals[PERSON]
        return f"You want to {goal.name}: {played.rules.of_round.to_do[goal].format(self.opponent)}"

    def seats(self, played: Round) -> str:
        if played.first == PERSON:
            return f"You move first and are X; {self.bot_name} is O."
        return f"{self.bot_name} moves first and is X; you move second and are O."

    def cells(self, played: Round) -> list[str]:
        """For each square, the mark with the number of its move, or the digit."""
        cells = [self.digit(square) for square in range(1, 10)]
        for index, square in enumerate(played.cursor.moves):
            cells[square - 1] = mark(index + 1)
        return cells

    def in_lines(self, played: Round) -> frozenset[int]:
        """The squares, from 0, that belong to three in a row."""
        return frozenset(square - 1 for lines in lines_by_player(played) for line in lines for square in line)

    def standing(self, played: Round) -> str:
        """A sentence about three in a row while the round continues; empty if there are none."""
        rows = _rows(*self._lines(played), self.bot_name)
        return f"{rows}; the round goes on." if rows and played.outcome is None else ""

    def ending(self, played: Round) -> list[str]:
        """Sentences about how a round ended. Raises ValueError while the round continues."""
        if played.outcome is None:
            raise ValueError("the round goes on")
        name, over = self.bot_name, played.cursor.outcome is not None
        if played.rules.of_round.ends_with_line:
            return [_with_line(played, name, over)]
        mine, theirs = self._lines(played)
        rows = _rows(mine, theirs, name) or "Nobody has three in a row"
        said = rows if over else f"The round is decided: {_decided(played, mine, theirs, name)}"
        return [f"{said}.", _counts_as(played, name)]

    def _lines(self, played: Round) -> tuple[str, str]:
        by_player = lines_by_player(played)
        mine, theirs = (" and ".join(unbroken(self.digits_of(line)) for line in lines) for lines in by_player)
        return mine, theirs

    def board(self, played: Round) -> str:
        """The board on one line."""
        cells = self.cells(played)
        return " / ".join(" ".join(cells[row : row + 3]) for row in (0, 3, 6))

    def hint(self, played: Round, bot: RoundBot) -> list[str]:
        """Lines about the best moves for the person's goal and the costs of the others.

        bot: the perfect player, or a `BestResponder`.
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
        line = f"{self.digits_of(move.squares):<9} {_percent(move.probability):>7}"
        if len(move.squares) > 1:
            line += f"  ({_percent(move.probability / len(move.squares))} each)"
        return line + (f"; costs {self.cost(move.cost)}" if move.cost else "")

    def _free(self, reason: str, moves: Sequence[Advice], marked: Sequence[Advice]) -> str:
        digits = self.digits_of([square for move in moves for square in move.squares])
        what = "costs nothing" if any(move.cost for move in marked) else "just as good"
        return "; ".join(filter(None, (f"{digits}: {what}", reason)))

    def _never(self, reason: str, moves: Sequence[Advice]) -> str:
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
        """The reason why a move is bad, as it continues "this move ..."; empty if there is no short one.

        square: the square that was marked; None for any.
        """
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
        """Lines about the beliefs after the moves so far. known: the opponent, if its strategy is known."""
        node, seat, own = played.cursor.node, played.seat(BOT), played.seat(PERSON)
        if known is None:
            lines, belief = ["What the moves so far tell a perfect player:"], bot.belief(node, seat)
            how, onlooker = "", self.opponent
        else:
            lines, belief = ["What the moves so far tell:"], known.belief(played.cursor, seat, played.score)
            how, onlooker = f", as {known.title} plays", "a perfect player"
        lines.append(f"{self.bot_name}'s goal{how}: {_chances(belief)}")
        lines.append(f"Your goal, as {onlooker} sees it: {_chances(bot.belief(node, own))}")
        if known is not None and known.never_moves_so(played.cursor, seat, played.score):
            lines.append(f"{known.title} never moves like this, so {_AS_DRAWN}.")
        if bot.is_lost(node, own) or (known is None and bot.is_lost(node, seat)):
            lines.append(f"This solution is not refined: after moves that it never makes, {_AS_DRAWN}.")
        return lines

    def result(self, played: Round, score: str) -> list[str]:
        """Lines about the end of the round: the outcome, each goal and whether it scored, and the score."""
        facts = self.ending(played)
        for name, goal, scores in zip(("You", self.bot_name), played.goals, played.scored, strict=True):
            facts.append(f"{name} wanted to {goal.name}: {'a point' if scores else 'no point'}.")
        return [*facts, score]


def mark(number: int) -> str:
    """The mark of a move, by its number in the round: X1, O2, X3."""
    return f"{'OX'[number % 2]}{number}"


def _chances(belief: Belief) -> str:
    win, lose, tie = map(_percent, belief)
    return f"win {win}, lose {lose}, tie {tie}"


def _percent(probability: float) -> str:
    return unbroken(f"{100.0 * probability:.1f} %")


_PAST_TENSE = {Goal.WIN: "won", Goal.LOSE: "lost", Goal.TIE: "tied"}


def rules_told(rules: Rules) -> list[str]:
    """Paragraphs about the rules; none about the default rules."""
    if rules == Rules():
        return []
    told = [f"Rules ({rules.name}): {rules.of_round.text}"]
    if not rules.has_even_odds:
        odds = zip(Goal, rules.goal_probabilities, strict=True)
        shares = ", ".join(f"{goal.name} {100.0 * share:.0f}\N{NO-BREAK SPACE}%" for goal, share in odds)
        told.append(f"Goals are not drawn equally often: {shares}.")
    return told


def lines_by_player(played: Round) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    """All three in a row of the person, then those of the other player."""
    board = played.cursor.board
    first, second = lines_of(board.first), lines_of(board.second)
    return (first, second) if played.first == 0 else (second, first)


def _with_line(played: Round, name: str, over: bool) -> str:
    if played.outcome is Outcome.TIE:
        text = "nobody completes three in a row: a tie."
    elif (played.outcome is Outcome.WIN) is (played.first == 0):
        text = f"you complete three in a row: a win for you, a loss for {name}."
    else:
        text = f"{name} completes three in a row: a win for {name}, a loss for you."
    return f"{text[:1].upper()}{text[1:]}" if over else f"Whatever is played now, {text}"


def _rows(mine: str, theirs: str, name: str) -> str:
    if mine and theirs:
        return f"Both have three in a row, you {mine}, {name} {theirs}"
    one = f"You have three in a row: {mine}" if mine else f"{name} has three in a row: {theirs}"
    return one if mine or theirs else ""


def _decided(played: Round, mine: str, theirs: str, name: str) -> str:
    ends = {pair if played.first == 0 else pair[::-1] for pair in final_lines(played.cursor.board)}
    has = {f"you have three in a row ({mine})": mine, f"{name} has three in a row ({theirs})": theirs}
    there = ", and ".join(text for text, squares in has.items() if squares)
    if ends == {(True, True)} and not (mine and theirs):
        late = f"{name} will have it" if mine else "you will have it"
        return f"{there}, and {late}, too" if there else "whatever is played now, both will have three in a row"
    for end, has_it, one, other in (((True, False), mine, "you", name), ((False, True), theirs, name, "you")):
        if ends == {end}:
            will = f"whatever is played now, {one} will have three in a row, and {other} will not"
            return f"{there}, and {other} can get none" if has_it else will
    if ends == {(False, False)}:
        return "nobody can get three in a row any more"
    assert played.outcome is not None
    return there or f"whatever is played now, {played.rules.of_round.happened[played.outcome]}"


def _counts_as(played: Round, name: str) -> str:
    assert played.outcome is not None
    true = played.rules.goals_true(played.outcome)
    mine, theirs = (true[played.seat(player)] for player in (0, 1))
    if mine != theirs:
        return f"You have {_done(mine)}, {name} has {_done(theirs)}."
    if mine == {Goal.TIE}:
        rows = any(map(any, final_lines(played.cursor.board)))
        return "By these rules that is a tie." if rows else "It is a tie."
    return f"By these rules both have {_done(mine)}." if mine else "By these rules nobody's goal comes true then."


def _done(goals: frozenset[Goal]) -> str:
    return " and ".join(_PAST_TENSE[goal] for goal in sorted(goals)) or "reached no goal"


PERSON, BOT = 0, 1
"""The numbers of the players."""
