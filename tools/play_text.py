"""What is said of a round and of a match: goals, hints, beliefs, results, and the review of the person's moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tictactoe.board import Outcome
    from tictactoe.match import Goal, Score
    from tictactoe.playing import MoveCost, Round, RoundBook

    from .play import Screen


def goal_in_words(goal: Goal, opponent: str) -> str:
    """What the person has to do."""
    return {
        "WIN": "you want to WIN this round: complete three in a row",
        "LOSE": f"you want to LOSE this round: make {opponent} complete three in a row",
        "TIE": "you want to TIE this round: fill the board without three in a row",
    }[goal.name]


def outcome_in_words(outcome: Outcome, cut: bool) -> str:
    """How the round ended; `cut`: it was decided before the board shows it."""
    who = {"WIN": "X", "LOSE": "O", "TIE": "nobody"}[outcome.name]
    if cut:
        return f"{who} will complete three in a row whatever is played now, so the round is decided"
    return f"{who} completed three in a row"


def percent(probability: float) -> str:
    return f"{100.0 * probability:.1f} %"


def hint(screen: Screen, played: Round, book: RoundBook) -> list[str]:
    """The equilibrium's probabilities for the person's goal."""
    goal = played.goals[0]
    lines = [f"Hint: to {goal.name}, an equilibrium player marks"]
    for choice in sorted(book.choices(played.cursor, goal), key=lambda choice: -choice.probability):
        line = f"{screen.digits_of(choice.squares):<15}  {percent(choice.probability):>7}"
        if len(choice.squares) > 1:
            line += f"  ({percent(choice.probability / len(choice.squares))} each)"
        lines.append(line)
    return lines


def belief_lines(screen: Screen, played: Round, book: RoundBook) -> list[str]:
    """What the moves have told about the bot's goal, and about the person's."""
    from tictactoe.playing import Player

    lines = ["Beliefs of an equilibrium player, by the moves:"]
    for title, player in ((f"{screen.names[1]}'s goal", Player.BOT), ("Your goal, to an observer", Player.PERSON)):
        belief = book.belief(played.cursor.node, played.seat(player))
        if belief is None:
            lines.append(f"{title}: no goal fits, such a player never moves so")
        else:
            win, lose, tie = map(percent, belief)
            lines.append(f"{title}: win {win}, lose {lose}, tie {tie}")
    return lines


def round_facts(screen: Screen, played: Round, score: str) -> list[str]:
    """Outcome, goals, who scored, and the score after the round, one sentence each."""
    outcome = played.outcome
    assert outcome is not None
    text = outcome_in_words(outcome, played.is_cut)
    facts = [text[0].upper() + text[1:] + "."]
    for index, name in enumerate(("You", screen.names[1])):
        goal = played.goals[index].name
        facts.append(f"{name} wanted to {goal}: {'a point' if played.scored[index] else 'no point'}.")
    return [*facts, score]


def cost_text(cost: float, in_points: bool) -> str:
    """A cost in its unit: points, or percentage points of matches won (a win is worth 2 more than a loss)."""
    return f"{cost:.4f}" if in_points else f"{50.0 * cost:.2f} %"


def review_lines(screen: Screen, rounds: Sequence[tuple[Round, list[MoveCost], Score | None]],
                 in_points: bool) -> list[str]:  # fmt: skip
    """What the person's moves cost, round by round, then the worst three. A Score: where the solution has the round."""
    unit = "points" if in_points else "chance of winning the match"
    lines = [
        f"What your moves cost, in {unit}, against the equilibrium's best move there "
        "(round, your mark and goal, each square with its cost):"
    ]
    for played, costs, _ in rounds:
        moves = "  ".join(f"{screen.digit(move.square)}: {cost_text(move.cost, in_points)}" for move in costs)
        mark = "X" if played.first == 0 else "O"
        lines.append(f"{played.number:>4}. {mark} {played.goals[0].name:<4}  {moves}")
    everything = [(move, played, score) for played, costs, score in rounds for move in costs]
    lines.append(f"Sum of the costs: {cost_text(sum(move.cost for move, _, _ in everything), in_points)}")
    worst = sorted(everything, key=lambda item: -item[0].cost)[:3]
    worst = [item for item in worst if item[0].cost >= 1e-4]
    if not worst:
        lines.append("No move cost anything worth mentioning.")
    for number, (move, played, score) in enumerate(worst, 1):
        position = _position_before(played, move, score)
        lines.append(
            f"Worst {number}: round {played.number}, move {move.number}, {screen.digit(move.square)} instead of "
            f"{screen.digits_of(move.best)}: {cost_text(move.cost, in_points)} (position {position})"
        )
    return lines


def _position_before(played: Round, move: MoveCost, score: Score | None) -> str:
    text = played.position(hide_bot=False, score=score)
    start, _, moves = text.rpartition(" ")
    return f"{start} {moves[: move.number - 1] or '-'}"
