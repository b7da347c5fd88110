"""Three in a row and the end of a round, in words for the person, who is player 0.

If three in a row ends the round, one sentence is enough. By other rules the words also tell that the round goes on,
which end is certain before the board is full, and what the end counts as.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..games.board import final_lines, lines_of
from ..games.goals import Goal
from ..games.rules import Outcome, Rules
from ..number_text import unbroken
from .referee import Round

Digits = Callable[[Sequence[int]], str]
"""From squares to the digits of the person's board."""

_PAST_TENSE = {Goal.WIN: "won", Goal.LOSE: "lost", Goal.TIE: "tied"}


def rules_told(rules: Rules) -> list[str]:
    """Paragraphs about the rules, for the start of the first round; none about the default rules."""
    if rules == Rules():
        return []
    told = [f"Rules ({rules.name}): {rules.of_round.text}"]
    if not rules.has_even_odds:
        odds = zip(Goal, rules.goal_probabilities, strict=True)
        shares = ", ".join(f"{goal.name} {100.0 * share:.0f}\N{NO-BREAK SPACE}%" for goal, share in odds)
        told.append(f"Goals are not drawn equally often: {shares}.")
    return told


def lines_by_player(played: Round) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    """All three in a row of the person, then of the other player; each is three squares."""
    board = played.cursor.board
    first, second = lines_of(board.first), lines_of(board.second)
    return (first, second) if played.first == 0 else (second, first)


def standing(played: Round, name: str, digits: Digits) -> str:
    """A sentence about three in a row while the round goes on; empty while nobody has three in a row."""
    rows = _rows(*_squares(played, digits), name)
    return f"{rows}; the round goes on." if rows and played.outcome is None else ""


def ending(played: Round, name: str, digits: Digits) -> list[str]:
    """Sentences about how a round ended and what that counts as. Raises ValueError while the round goes on."""
    if played.outcome is None:
        raise ValueError("the round goes on")
    over = played.cursor.outcome is not None
    if played.rules.of_round.ends_with_line:
        return [_with_line(played, name, over)]
    mine, theirs = _squares(played, digits)
    rows = _rows(mine, theirs, name) or "Nobody has three in a row"
    decided = "" if over else f"The round is decided: {_decided(played, mine, theirs, name)}"
    return [f"{decided or rows}.", _counts_as(played, name)]


def _with_line(played: Round, name: str, over: bool) -> str:
    """By rules that end a round at three in a row: who completes it, and what that is for each player."""
    if played.outcome is Outcome.TIE:
        text = "nobody completes three in a row: a tie."
    elif (played.outcome is Outcome.WIN) is (played.first == 0):
        text = f"you complete three in a row: a win for you, a loss for {name}."
    else:
        text = f"{name} completes three in a row: a win for {name}, a loss for you."
    return f"{text[:1].upper()}{text[1:]}" if over else f"Whatever is played now, {text}"


def _rows(mine: str, theirs: str, name: str) -> str:
    """Who has three in a row, and where; empty if nobody has."""
    if mine and theirs:
        return f"Both have three in a row, you {mine}, {name} {theirs}"
    one = f"You have three in a row: {mine}" if mine else f"{name} has three in a row: {theirs}"
    return one if mine or theirs else ""


def _decided(played: Round, mine: str, theirs: str, name: str) -> str:
    """The certain end of a round whose board is not full. mine, theirs: each player's present three in a row."""
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
    """What the outcome counts as. If the board alone does not show that, the sentence begins with "By these rules"."""
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


def _squares(played: Round, digits: Digits) -> tuple[str, str]:
    """The squares of three in a row, of the person and of the other player."""
    mine, theirs = (" and ".join(unbroken(digits(line)) for line in lines) for lines in lines_by_player(played))
    return mine, theirs
