"""The page's game is the library's, by all rules: boards, trees, moves, endings, words."""

import random
from typing import Any

import pytest
from support.page_library import RULES_ON_PAGE, PageLibrary
from support.slowness import by_default

from tictactoe import Board, Cursor, Goal, Outcome, Rules, Seat
from tictactoe.games.board import LINES, SQUARES, SYMMETRIES, lines_of

by_all_rules = pytest.mark.parametrize("rules", RULES_ON_PAGE)


def one_way_to_each_board(rules: Rules, seed: int) -> list[tuple[int, ...]]:
    """The moves of a round that leads there, one of them at random, on to where the board is full or the round over."""
    generator = random.Random(seed)
    ways: dict[Board, tuple[int, ...]] = {Board(): ()}
    waiting = [Board()]
    for board in waiting:
        squares = list(board.free_squares) if rules.outcome(board) is None else []
        for square in generator.sample(squares, len(squares)):
            if (after := board.play(square)) not in ways:
                ways[after] = (*ways[board], square)
                waiting.append(after)
    return list(ways.values())


def test_squares_lines_and_symmetries(library: PageLibrary) -> None:
    squares, symmetries, lines = library.call(
        "() => [ours.SQUARES, ours.SYMMETRIES, Array.from({ length: 512 }, (_, marks) => ours.linesOf(marks))]"
    )
    assert (squares, symmetries) == (list(SQUARES), [list(symmetry) for symmetry in SYMMETRIES])
    assert lines == [[list(line) for line in lines_of(marks)] for marks in range(512)]
    assert lines[-1] == [list(line) for line in LINES]


@by_all_rules
def test_goals_odds_and_words(library: PageLibrary, rules: str) -> None:
    theirs = library.call(
        """async (name) => {
          const { rules } = await ours.solutionBy(name).loadTree();
          return {
            happened: rules.data.outcomes.map((outcome) => [outcome.happened, outcome.briefly]),
            scores: rules.data.outcomes.map((_, outcome) =>
              [0, 1].map((seat) => ours.GOALS.map((goal) => rules.isTrue(outcome, seat, goal)))),
            goals: ours.GOALS.map((goal) => [ours.goalName(goal), rules.toDo(goal, "the bot")]),
            probabilities: rules.goalProbabilities,
            text: rules.data.text,
          };
        }""",
        rules,
    )
    known = Rules.parse(rules)
    of_round = known.of_round
    outcomes = [outcome for outcome in Outcome if outcome in of_round.goals_true]
    assert theirs == {
        "happened": [[of_round.happened[outcome], of_round.briefly[outcome]] for outcome in outcomes],
        "scores": [
            [[goal in known.goals_true(outcome)[seat] for goal in Goal] for seat in Seat] for outcome in outcomes
        ],
        "goals": [[goal.name.lower(), of_round.to_do[goal].format("the bot")] for goal in Goal],
        "probabilities": list(known.goal_probabilities),
        "text": of_round.text,
    }


@pytest.mark.parametrize("rules", by_default(RULES_ON_PAGE, "three-in-a-row", "filled"))
def test_moves_from_every_board(library: PageLibrary, rules: str) -> None:
    tree = library.solutions[rules].tree
    rounds = one_way_to_each_board(tree.rules, 1)
    assert len(rounds) > 5000
    theirs = library.call(
        """async ([rules, rounds]) => {
          const tree = await ours.solutionBy(rules).loadTree();
          const refused = (cursor, square) => {
            try {
              cursor.play(square);
            } catch (error) {
              if (error instanceof ours.IllegalMoveError) return true;
              throw error;
            }
            cursor.undo();
            return false;
          };
          return rounds.map((moves) => {
            const cursor = new ours.Cursor(tree, moves);
            return {
              board: [cursor.board.first, cursor.board.second],
              moves: cursor.moves,
              nodes: cursor.nodes,
              mover: cursor.mover,
              outcome: cursor.outcome,
              forced: cursor.forcedOutcome,
              squares: [...cursor.squaresByChild()],
              refused: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1.5].filter((square) => refused(cursor, square)),
            };
          });
        }""",
        [rules, rounds],
    )
    assert theirs == [position(Cursor(tree, moves)) for moves in rounds]


def position(cursor: Cursor) -> dict[str, Any]:
    free = cursor.board.free_squares if cursor.outcome is None else ()
    return {
        "board": list(cursor.board),
        "moves": list(cursor.moves),
        "nodes": list(cursor.nodes),
        "mover": cursor.mover,
        "outcome": cursor.outcome,
        "forced": cursor.forced_outcome,
        "squares": [[child, list(squares)] for child, squares in cursor.squares_by_child().items()],
        "refused": [square for square in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1.5) if square not in free],
    }
