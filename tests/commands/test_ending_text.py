"""Three in a row and endings in words, by all rules: every claim against the boards that may come."""

import random
import re
from collections.abc import Iterator

import pytest

from tictactoe import RULES, Board, GameTree, Goal, Outcome, Rules, Score
from tictactoe.games.board import LINES
from tictactoe.play.referee import Round, new_commitment
from tictactoe.play.round_text import Speaker, rules_told

LINE = r"\d \d \d(?: and \d \d \d)?"


def played_rounds(rules: Rules, number: int) -> Iterator[Round]:
    generator, tree = random.Random(3), GameTree.build(rules)
    for index in range(number):
        goals = generator.choice(list(Goal)), generator.choice(list(Goal))
        played = Round(1, Score(0, 0), index % 2, goals, new_commitment(1, 1, goals[1]), tree)
        while played.mover is not None:
            played.play(generator.choice(played.cursor.board.free_squares))
            yield played


def plain(text: str) -> str:
    """As it is printed. No line can be broken inside a row."""
    assert not re.search(r"\d \d", text)
    return text.replace("\N{NO-BREAK SPACE}", " ")


def digits(squares: tuple[int, ...]) -> str:
    return " ".join(map(str, squares))


def rows(played: Round, player: int) -> str:
    marks = {square for number, square in enumerate(played.cursor.moves) if (played.first + number) % 2 == player}
    return " and ".join(digits(line) for line in LINES if set(line) <= marks)


def filled(board: Board) -> set[Board]:
    free = board.free_squares
    return set().union(*(filled(board.play(square)) for square in free)) if free else {board}


def has_row(marks: int) -> bool:
    return any(all(marks >> (square - 1) & 1 for square in line) for line in LINES)


@pytest.mark.parametrize("name", list(RULES))
def test_who_has_three_in_a_row_while_the_round_goes_on(name: str) -> None:
    said = set()
    for played in played_rounds(Rules(name), 100):
        text, mine, theirs = plain(Speaker().standing(played)), rows(played, 0), rows(played, 1)
        if played.outcome is not None or not (mine or theirs):
            assert text == ""
        else:
            assert not (mine and theirs)
            whose = f"You have three in a row: {mine}" if mine else f"Bot has three in a row: {theirs}"
            assert text == f"{whose}; the round goes on."
            said.add(bool(mine))
    assert said == (set() if RULES[name].ends_with_line else {True, False})


@pytest.mark.parametrize("name", [name for name in RULES if not RULES[name].ends_with_line])
def test_what_is_said_of_an_ending_is_true(name: str) -> None:
    rules, kinds = Rules(name), set()
    for played in played_rounds(rules, 250):
        if played.outcome is None:
            continue
        ended, counts = map(plain, Speaker().ending(played))
        mine, theirs = rows(played, 0), rows(played, 1)
        assert set(re.findall(LINE, ended)) == {row for row in (mine, theirs) if row}
        ends = {tuple(has_row(marks) for marks in board) for board in filled(played.cursor.board)}
        you, bot = ({end[(player + played.first) % 2] for end in ends} for player in (0, 1))
        assert ended.startswith("The round is decided: ") is (len(played.cursor.moves) < 9)
        claims = {
            r"\bboth\b|Both": you == bot == {True},
            r"[Nn]obody": you == bot == {False},
            r"[Yy]ou have|[Yy]ou will have": you == {True},
            r"Bot has|Bot will have": bot == {True},
            r"you can get none|you will not": you == {False},
            r"Bot can get none|Bot will not": bot == {False},
        }
        assert (counts == "It is a tie.") is (ends == {(False, False)})
        if ended.endswith("nobody has three in a row, or both have."):
            assert counts == "By these rules that is a tie."
            assert ends == {(False, False), (True, True)}
            continue
        for pattern, right in claims.items():
            assert right or not re.search(pattern, ended), ended
        assert any(re.search(pattern, ended) for pattern in claims)
        for player, who in ((0, "You have"), (1, "Bot has")):
            goals = {goal for goal in Goal if rules.scores(played.outcome, goal, goal)[played.seat(player)]}
            done = re.search(rf"(?:both have|{who}) ([a-z ]+)", re.sub("(It|that) is a tie", "both have tied", counts))
            words = {"won": Goal.WIN, "lost": Goal.LOSE, "tied": Goal.TIE}
            by_text = {goal for word, goal in words.items() if done and word in done[1].split()}
            assert by_text == goals, (ended, counts)
            assert ("nobody's goal" in counts) is (not goals)
        kinds.add((re.sub(r"\d", "", ended), counts))
    assert len(kinds) >= 8


def test_endings_by_the_default_rules() -> None:
    over_rounds = [played for played in played_rounds(Rules(), 100) if played.outcome is not None]
    seen = {line for played in over_rounds for line in Speaker().ending(played)}
    mine = "ou complete three in a row: a win for you, a loss for Bot."
    theirs = "Bot completes three in a row: a win for Bot, a loss for you."
    over = {f"Y{mine}", theirs}
    now = "Whatever is played now, "
    decided = {f"{now}y{mine}", now + theirs, f"{now}nobody completes three in a row: a tie."}
    assert seen == over | decided
    with pytest.raises(ValueError, match="the round goes on"):
        Speaker().ending(next(played_rounds(Rules("filled"), 1)))


@pytest.mark.parametrize("name", list(RULES))
def test_the_rules_in_words(name: str) -> None:
    rules = Rules(name)
    expected = [f"Rules ({name}): {RULES[name].text}"]
    assert rules_told(rules) == ([] if rules == Rules() else expected)
    odds = "Goals are not drawn equally often: WIN 50 %, LOSE 25 %, TIE 25 %."
    assert rules_told(Rules(name, (2, 1, 1))) == [*expected, odds.replace(" %", "\N{NO-BREAK SPACE}%")]
    assert rules.of_round.ends_with_line is (rules.outcome(Board(0b111, 0b11_000)) is Outcome.WIN)
    for goal, text in rules.of_round.to_do.items():
        assert len(f"You want to {goal.name}: {text.format('the bot')}.") < 60
