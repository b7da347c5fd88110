"""What the page says of positions is what the library says, by all rules: probabilities, values, beliefs, hints."""

import random
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
import pytest
from support.page_library import RULES_ON_PAGE, PageLibrary
from support.page_matches import likely_moves
from support.playing import random_moves

from tictactoe import Cursor, Goal, MatchBot, RoundBot, Score, Seat, Solution
from tictactoe.play.move_costs import advise, off_equilibrium
from tictactoe.play.review import review
from tictactoe.play.round_text import Speaker

POSITIONS = {"few": (160, 100), "many": (2_000, 500)}
"""By the rules of each whole match; by those of a match to 1."""
EXACT = 1e-9
"""Both compute with the same numbers in double precision, in another order."""


def scores_of(solution: Solution, number: str = "few") -> list[Score]:
    """Every fourth one of a whole match, or all: the page's data of a score takes a quarter of a second."""
    scores = sorted(solution.results)
    return scores if number == "many" else scores[::4]


class Asked(NamedTuple):
    """A position at a score, and a goal of the player whose turn it is. None of them is decided."""

    score: Score
    moves: tuple[int, ...]
    goal: Goal


def positions(bot: MatchBot, scores: list[Score], seed: int, number: str) -> list[Asked]:
    """Half of them as the bot plays with random goals, half by random moves, most of which no perfect player makes."""
    generator = random.Random(seed)
    asked: list[Asked] = []
    while len(asked) < POSITIONS[number][len(scores) == 1]:
        score, length = scores[len(asked) % len(scores)], generator.randrange(9)
        if len(asked) % 2:
            moves = random_moves(generator, bot.tree, length)
        else:
            moves = likely_moves(generator, bot.round_bot(score), length)
        if Cursor(bot.tree, moves).forced_outcome is None:
            asked.append(Asked(score, moves, generator.choice(list(Goal))))
    return asked


ANSWERS = """async ([rules, positions]) => {
  const solution = ours.solutionBy(rules);
  const answers = [];
  for (const [score, moves, goal] of positions) {
    const bot = await solution.loadRound(score);
    const cursor = new ours.Cursor(bot.tree, moves);
    const advice = ours.advise(bot, cursor, goal);
    answers.push({
      values: ours.GOALS.map((first) => ours.GOALS.map((second) => bot.value(cursor.node, first, second))),
      beliefs: [bot.belief(cursor.node, 0), bot.belief(cursor.node, 1)],
      endings: bot.possibleOutcomes(cursor.node),
      choices: bot.choices(cursor, goal),
      astray: ours.offEquilibrium(bot, cursor, cursor.mover, goal),
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
        "beliefs": [None if (belief := bot.belief(cursor.node, seat)) is None else list(belief) for seat in Seat],
        "endings": bot.possible_outcomes(cursor.node),
        "choices": [{"squares": list(squares), "probability": often} for squares, often in bot.choices(cursor, goal)],
        "astray": off_equilibrium(bot, cursor, seat, goal),
        "advice": [in_camel_case(asdict(move)) for move in advice],
        "reasons": [
            [speaker.reason(move, goal, square).replace(*wanted) for square in (None, *move.squares)] for move in advice
        ],
    }


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


def test_differences_are_found() -> None:
    assert differences({"a": [1, {"b": 0.5}]}, {"a": [1.0, {"b": 0.5 + 1e-12}]}) == []
    assert len(differences({"a": [1, "x", None]}, {"a": [1.1, "y", 0.0]})) == 3
    assert differences([1], [1, 2]) != []


@pytest.mark.parametrize("number", ["few", pytest.param("many", marks=pytest.mark.slow)])
@pytest.mark.parametrize("rules", RULES_ON_PAGE)
def test_answers_at_random_positions(library: PageLibrary, rules: str, number: str) -> None:
    solution = library.solutions[rules]
    bot = MatchBot(solution)
    scores = scores_of(solution, number)
    asked = positions(bot, scores, 14, number)
    theirs = library.call(ANSWERS, [rules, asked])
    different = [
        f"{rules} {position}: {difference}"
        for position, their in zip(asked, theirs, strict=True)
        for difference in differences(their, answers(bot.round_bot(position.score), position))
    ]
    assert different[:20] == []
    assert {position.score for position in asked} == set(scores)
    reasons = {reason.split(":")[0] for answer in theirs for of_move in answer["reasons"] for reason in of_move}
    assert len(reasons) > 10
    assert {answer["astray"] for answer in theirs} == {False, True}


@pytest.mark.parametrize("rules", RULES_ON_PAGE)
def test_values_of_the_whole_tree(library: PageLibrary, rules: str) -> None:
    solution = library.solutions[rules]
    scores = scores_of(solution)
    theirs = library.call(
        """async ([rules, scores, all]) => {
          const solution = ours.solutionBy(rules);
          const bots = await Promise.all(scores.map((score) => solution.loadRound(score)));
          const sums = bots.map((bot) => {
            const sum = new Array(9).fill(0);
            bot.expected.forEach((value, index) => (sum[index % 9] += value * (Math.floor(index / 9) % 1009)));
            return sum;
          });
          return { sums, values: all.map((score) => solution.value(score)) };
        }""",
        [rules, scores, sorted(solution.results)],
    )
    bot = MatchBot(solution)
    weights = np.arange(bot.tree.num_nodes) % 1009
    for score, sums in zip(scores, theirs["sums"], strict=True):
        expected = np.einsum("n,nij->ij", weights, bot.round_bot(score).expected)
        assert sums == pytest.approx(expected.ravel().tolist(), rel=0.0, abs=1e-5)
    assert theirs["values"] == [solution.value[score] for score in sorted(solution.results)]


@pytest.mark.parametrize("rules", RULES_ON_PAGE)
def test_reviews_of_random_rounds(library: PageLibrary, rules: str) -> None:
    solution, generator = library.solutions[rules], random.Random(15)
    bot, scores = MatchBot(solution), scores_of(solution)
    asked = [
        (score, random_moves(generator, bot.tree, 9), generator.choice(list(Seat)), generator.choice(list(Goal)))
        for score in generator.choices(scores, k=60)
    ]
    theirs = library.call(
        """async ([rules, rounds]) => {
          const solution = ours.solutionBy(rules);
          const reviews = [];
          for (const [score, moves, seat, goal] of rounds) {
            reviews.push(ours.review(await solution.loadRound(score), moves, seat, goal));
          }
          return reviews;
        }""",
        [rules, asked],
    )
    wanted = [
        [
            in_camel_case(move._asdict() | {"advice": in_camel_case(asdict(move.advice))})
            for move in review(bot.round_bot(score), moves, seat, goal)
        ]
        for score, moves, seat, goal in asked
    ]
    assert differences(theirs, wanted)[:20] == []
    assert {move["missedRow"] for moves in theirs for move in moves} == {False, True}
