"""The page's game is the library's, by all rules: boards, trees, moves; values, beliefs, costs, hints."""

import random
from dataclasses import asdict
from typing import Any, NamedTuple

import pytest
from support.page_library import NOT_REFINED, REFINED, RULES_ON_PAGE, PageLibrary
from support.page_matches import likely_moves
from support.playing import random_moves
from support.slowness import by_default

from tictactoe import (
    OPPONENTS,
    Board,
    Cursor,
    Goal,
    MatchBot,
    Outcome,
    RoundBot,
    Rules,
    Score,
    Seat,
    Solution,
    open_saved,
)
from tictactoe.games.board import LINES, SQUARES, SYMMETRIES, lines_of
from tictactoe.play.explored_position import goal_rows
from tictactoe.play.judge import Judge
from tictactoe.play.move_costs import advise, off_equilibrium
from tictactoe.play.opponents import MEASURED_RULES
from tictactoe.play.referee import Round, new_commitment
from tictactoe.play.round_text import BOT, PERSON, Speaker

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


@pytest.mark.parametrize("rules", by_default(RULES_ON_PAGE, "three-in-a-row"))
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


POSITIONS = {"few": (100, 60), "many": (2_000, 500)}
"""By the rules of each whole match; by those of a match to 1."""
EXACT = 1e-9
"""Both compute with the same numbers in double precision, in another order."""


def scores_of(solution: Solution, number: str = "few") -> list[Score]:
    """Every eleventh one of a whole match, or all: the page's data of a score takes a quarter of a second."""
    scores = sorted(solution.results)
    return scores if number == "many" else scores[::11]


class Asked(NamedTuple):
    """A position at a score, and a goal of the player whose turn it is. None of them is decided."""

    score: Score
    moves: tuple[int, ...]
    goal: Goal


def positions(bot: MatchBot, scores: list[Score], seed: int, number: str) -> list[Asked]:
    """As the bot plays with random goals, by random moves, and by one mistake after the other, in turn."""
    generator = random.Random(seed)
    asked: list[Asked] = []
    while len(asked) < POSITIONS[number][len(scores) == 1]:
        score, length = scores[len(asked) % len(scores)], generator.randrange(9)
        if len(asked) % 3 == 0:
            moves = likely_moves(generator, bot.round_bot(score), length)
        elif len(asked) % 3 == 1:
            moves = random_moves(generator, bot.tree, length)
        else:
            moves = mistaken_moves(generator, bot.round_bot(score), length)
        if Cursor(bot.tree, moves).forced_outcome is None:
            asked.append(Asked(score, moves, generator.choice(list(Goal))))
    return asked


def mistaken_moves(generator: random.Random, bot: RoundBot, length: int) -> tuple[int, ...]:
    """So many moves that the bot makes with no goal, wherever there is one, unless the end is certain before."""
    cursor = Cursor(bot.tree)
    while len(cursor.moves) < length and cursor.forced_outcome is None:
        groups = cursor.squares_by_child()
        never = [child for child in groups if not bot.strategy[child].any()]
        cursor.play(generator.choice(groups[generator.choice(never or list(groups))]))
    return cursor.moves


ANSWERS = """async ([rules, positions, opponent]) => {
  const solution = ours.solutionBy(rules);
  const answers = [];
  for (const [score, moves, goal] of positions) {
    const perfect = await solution.loadRound(score);
    const cursor = new ours.Cursor(perfect.tree, moves);
    const bot = await ours.loadAdviser(solution, opponent, perfect, cursor.mover);
    const advice = ours.advise(bot, cursor, goal);
    answers.push({
      values: ours.GOALS.map((first) => ours.GOALS.map((second) => bot.value(cursor.node, first, second))),
      beliefs: [bot.belief(cursor.node, 0), bot.belief(cursor.node, 1)],
      endings: bot.possibleOutcomes(cursor.node),
      choices: bot.choices(cursor, goal),
      lost: [bot.isLost(cursor.node, 0), bot.isLost(cursor.node, 1)],
      worth: ours.GOALS.map((mine) => [0, 1].map((seat) => bot.worth(cursor.node, seat, mine))),
      offEquilibrium: ours.offEquilibrium(bot, cursor, cursor.mover, goal),
      rows: ours.goalRows(bot, cursor),
      warning: ours.hint(bot, cursor, goal, (square) => square).warning,
      advice,
      reasons: advice.map((move) =>
        [null, ...move.squares].map((square) => ours.reason(move, goal, "the bot", String, square))),
    });
  }
  return answers;
}"""


def answers(bot: RoundBot, asked: Asked) -> dict[str, Any]:
    """What ANSWERS asks the page for. Numbers are lists of floats; whatever else is there must be the same exactly."""
    cursor, goal, speaker = Cursor(bot.tree, asked.moves), asked.goal, Speaker()
    wanted = goal.name, goal.name.lower()  # the terminal has capitals where the page has none
    seat = cursor.mover
    assert seat is not None
    advice = advise(bot, cursor, goal)
    return {
        "values": bot.expected[cursor.node].tolist(),
        "beliefs": [list(bot.belief(cursor.node, seat)) for seat in Seat],
        "endings": bot.possible_outcomes(cursor.node),
        "choices": [{"squares": list(squares), "probability": often} for squares, often in bot.choices(cursor, goal)],
        "lost": [bot.is_lost(cursor.node, seat) for seat in Seat],
        "worth": [[bot.worth(cursor.node, seat, mine) for seat in Seat] for mine in Goal],
        "offEquilibrium": off_equilibrium(bot, cursor, seat, goal),
        "rows": rows(bot, cursor),
        "warning": warning(bot, asked),
        "advice": [in_camel_case(asdict(move)) for move in advice],
        "reasons": [
            [speaker.reason(move, goal, square).replace(*wanted) for square in (None, *move.squares)] for move in advice
        ],
    }


def rows(bot: RoundBot, cursor: Cursor) -> list[dict[str, Any]]:
    """Explore's rows, without percentages."""
    result = []
    for row in goal_rows(bot, cursor, in_match=True):
        cells = [asdict(cell) | {"squares": list(cell.squares)} for cell in row.moves]
        moves = [{name: cell[name] for name in cell if name != "cost_percent"} for cell in cells]
        result.append({"goal": int(row.goal), "value": row.value, "moves": moves})
    return result


def warning(bot: RoundBot, asked: Asked) -> str:
    """What the terminal's hint says at its end of a solution that is not refined."""
    first = PERSON if len(asked.moves) % 2 == 0 else BOT
    goals, commitment = (asked.goal, Goal.WIN), new_commitment(1, 1, Goal.WIN)
    *_, last = Speaker().hint(Round(1, asked.score, first, goals, commitment, bot.tree, asked.moves), bot)
    return last if "refined" in last else ""


def in_camel_case(fields: dict[str, Any]) -> dict[str, Any]:
    words = {name: name.split("_") for name in fields}
    named = {name: first + "".join(map(str.capitalize, others)) for name, (first, *others) in words.items()}
    return {named[name]: list(value) if type(value) is tuple else value for name, value in fields.items()}


def differences(theirs: Any, ours: Any, where: str = "") -> list[str]:
    if isinstance(ours, dict) and isinstance(theirs, dict) and ours.keys() == theirs.keys():
        return [each for key in ours for each in differences(theirs[key], ours[key], f"{where}.{key}")]
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = enumerate(zip(theirs, ours, strict=True))
        return [each for index, (their, our) in pairs for each in differences(their, our, f"{where}[{index}]")]
    if isinstance(ours, float) and isinstance(theirs, float | int):
        return [] if abs(ours - theirs) <= EXACT else [f"{where}: the page has {theirs}, the library {ours}"]
    return [] if ours == theirs else [f"{where}: the page has {theirs!r}, the library {ours!r}"]


@pytest.mark.parametrize("number", ["few", pytest.param("many", marks=pytest.mark.slow)])
@pytest.mark.parametrize("rules", by_default(RULES_ON_PAGE, REFINED, NOT_REFINED))
def test_answers_at_random_positions(library: PageLibrary, rules: str, number: str) -> None:
    solution = library.solutions[rules]
    bot = MatchBot(solution)
    scores = scores_of(solution, number)
    asked = positions(bot, scores, 14, number)
    theirs = library.call(ANSWERS, [rules, asked, None])
    different = [
        f"{rules} {position}: {difference}"
        for position, their in zip(asked, theirs, strict=True)
        for difference in differences(their, answers(bot.round_bot(position.score), position))
    ]
    assert different[:20] == []
    assert {position.score for position in asked} == set(scores)
    reasons = {reason.split(":")[0] for answer in theirs for of_move in answer["reasons"] for reason in of_move}
    assert len(reasons) > 10
    refined = "refined" in solution.options
    for fact in (lambda answer: answer["offEquilibrium"], lambda answer: any(answer["lost"])):
        seen = {fact(answer) for answer in theirs}
        assert seen == {False} if refined else rules != NOT_REFINED or seen == {False, True}


@pytest.mark.parametrize("name", by_default([name for name in OPPONENTS if name != "perfect"], "careless"))
@pytest.mark.parametrize("rules", by_default(MEASURED_RULES, REFINED))
def test_answers_against_known_opponents(library: PageLibrary, rules: str, name: str) -> None:
    solution = library.solutions[rules]
    bot = MatchBot(solution)
    scores = [Score(0, 0), Score(3, 4), Score(4, 4)]
    asked = positions(bot, scores, 15, "few")[:30]
    theirs = library.call(ANSWERS, [rules, asked, name])
    known = Judge(open_saved(solution.directory)).known_opponent(name, solution.winning_score)
    assert known is not None
    different = [
        f"{name} {position}: {difference}"
        for position, their in zip(asked, theirs, strict=True)
        for difference in differences(
            their, answers(known.responder(position.score, Seat(len(position.moves) % 2)), position)
        )
    ]
    assert different[:20] == []
