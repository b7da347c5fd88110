"""The help of explore."""

from __future__ import annotations

from tictactoe.games.rules import Rules
from tictactoe.play.explored_position import rules_text, untold_text

from .explore_text import wrapped

_COMMANDS = (
    ("5, m 5, 513", "play moves: squares {digits}"),
    ("u, r", "take a move back; back to the start"),
    ("g w l, g w ?", "goals of X, O: win, lose, tie, ? unknown"),
    ("4-3 w? 513", "go to a position: score, goals, moves"),
    ("s 4 3", "go to a score (of a whole solution)"),
    ("d", "details on or off: what the solver knows"),
    ("i, i 500", "list iterations; go to one (first, last, +, -)"),
    ("v a, v c", "show the average strategy, or the current"),
    ("p 6, t", "more digits (usual: p 4); tables on or off"),
    ("?, q", "this help; quit"),
)
_PARAGRAPHS = (
    "X moves first, O second. {rules} Each has a secret goal: to win ({win}), to lose ({lose}) or to tie ({tie}). "
    "Whoever's goal comes true scores.",
    "The grid has a row for each goal that the player who moves next may have, and a column for each move; squares "
    "that are the same by symmetry share a column. > marks the goal that is given.",
    "wins: how many percent of the matches that player wins from here, if both go on by the strategy shown. It does "
    "not see the other's goal, so all are weighed by what the moves have told. plays: how often it makes the move. "
    "costs: how many points of winning chance (of 100 matches) its best move gets more, as the review charges it. "
    "In a round on its own, wins and costs are points of the round.",
    "How likely each goal is: to one who knows the strategies and saw the moves. Where no goal of a player leads to "
    "the position, {untold}. An unknown goal (?) is weighed like that everywhere.",
    "Details. Value: 1 if X is sure to win the match, -1 if O is. Counterfactual probability, for a player: the "
    "chance of both goals (1/9 if all are equally likely) times the other player's probabilities of the moves so far; "
    "the solver weighs regrets with it. Regret: that times what the mover gains by always playing the move: of these "
    "goals, over all goals of the opponent (info set), or as accumulated and discounted by the solver (total; compact "
    "files have not kept it). These moves: in any of their symmetric variants. Average strategy: near an equilibrium; "
    "current: what the solver plays at that iteration.",
    "Best response (saved by best-response-multiround --save): what the best responder in that seat gets, to itself, "
    "when the goals are these. It does not see the other's goal and plays for all of them at once, so with these it "
    "may lose what it gains with others: -1 where it surely wins on average.",
)


def help_lines(columns: int, rules: Rules, numpad: bool = False) -> list[str]:
    """The help, in lines of at most `columns`."""
    digits = "7 8 9 / 4 5 6 / 1 2 3" if numpad else "1 2 3 / 4 5 6 / 7 8 9"
    width = max(len(keys) for keys, _ in _COMMANDS) + 2
    commands = [
        line
        for keys, what in _COMMANDS
        for line in wrapped(f"{keys:<{width}}{what.format(digits=digits)}", columns, width)
    ]
    to_do = {goal.name.lower(): text.format("the other") for goal, text in rules.of_round.to_do.items()}
    named = f"{rules_text(rules)}. {rules.of_round.text}"
    paragraphs = [text.format(rules=named, untold=untold_text(rules), **to_do) for text in _PARAGRAPHS]
    return [*commands, *(line for text in paragraphs for line in ["", *wrapped(text, columns)])]
