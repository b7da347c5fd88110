"""What is around a round is on the page as in the library: scores, matches, notation, opponents."""

import itertools
import json
import math
import random
import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.page_library import PageLibrary
from support.page_matches import match_record
from support.slowness import slow

from tictactoe import OPPONENTS, Cursor, Goal, MatchBot, Position, Rules, Score, opponent_of
from tictactoe.games.rules import RESULTS
from tictactoe.match.percentages import percentage_points, win_percentage
from tictactoe.match.scores import all_scores, continuation, score_in_longer_match
from tictactoe.play.referee import Match

DRAWS = 10_000

POSITIONS = st.builds(
    Position,
    st.builds(Score, st.integers(0, 999), st.integers(0, 99)),
    st.tuples(*[st.sampled_from([None, *Goal])] * 2),
    st.permutations(range(1, 10)).flatmap(lambda squares: st.integers(0, 9).map(lambda n: tuple(squares[:n]))),
)


def test_scores_and_percentages(library: PageLibrary) -> None:
    cases = [(score, *scored, points) for points in range(1, 7) for score in all_scores(points) for scored in RESULTS]
    shorter = [(score, points) for points in range(1, 6) for score in all_scores(points)]
    values = [-1.0, -0.25, 0.0, 1 / 3, 1.0]
    following, longer, percentages = library.call(
        """([cases, shorter, values]) => [
          cases.map((one) => ours.continuation(...one)).map(({ sign, score }) => [sign, score]),
          shorter.map((one) => ours.scoreInLongerMatch(...one, 5)),
          values.map((one) => [ours.winPercentage(one), ours.percentagePoints(one)]),
        ]""",
        [cases, shorter, values],
    )
    assert following == [
        [after.sign, None if after.score is None else list(after.score)]
        for after in itertools.starmap(continuation, cases)
    ]
    assert longer == [list(score_in_longer_match(score, points, 5)) for score, points in shorter]
    assert percentages == [[win_percentage(value), percentage_points(value)] for value in values]


@given(POSITIONS)
@settings(max_examples=50, deadline=None)
def test_positions_as_text(library: PageLibrary, position: Position) -> None:
    theirs = library.call(
        """(forms) => {
          const read = forms.map((text) => ours.parsePosition(text).position);
          const addresses = ["", "filled"].map((name) => ours.addressOf(read[0], name));
          return {
            written: read.map(ours.positionText),
            addresses,
            read: addresses.map((address) => ours.parsePosition(`#${address}`)),
          };
        }""",
        [str(position), position.text(numpad=True), f"Position: {position} (score as in the solution)"],
    )
    assert theirs["written"] == [str(position)] * 3
    assert Position.parse(theirs["written"][0]) == position
    plain = {"score": list(position.score), "goals": list(position.goals), "moves": list(position.moves)}
    assert theirs["read"] == [{"position": plain, "solution": name} for name in ("", "filled")]
    assert all(re.fullmatch("[-/a-z0-9]+", address) for address in theirs["addresses"])


def test_what_is_no_position(library: PageLibrary) -> None:
    generator = random.Random(3)
    texts = ["", " ", "4-3 w? 513 8", "4-3 w? n", "4-3 w? N513", "4-3 W? -", "(4-3)", "-", "()"]
    while len(texts) < 3_000:
        text = list(generator.choice(["4-3 w? 513", "0-0 lt n5", "12-3 ?? -", "Position: 4-4 ?w 1 (so)", "(1-2 tt 9)"]))
        for _ in range(generator.choice((1, 1, 2))):
            at = generator.randrange(len(text))
            text[at : at + 1] = generator.choice([[], [text[at]] * 2, [generator.choice("0159 -wn?W(~é)")]])
        texts.append("".join(text))
    theirs = library.call(
        """(texts) => texts.map((text) => {
          try {
            const { position, solution } = ours.parsePosition(text);
            return solution === "" ? ours.positionText(position) : null;
          } catch (error) {
            if (error instanceof RangeError) return null;
            throw error;
          }
        })""",
        texts,
    )
    differing = [(text, their, read(text)) for text, their in zip(texts, theirs, strict=True) if their != read(text)]
    assert differing == []
    assert 500 < sum(their is None for their in theirs) < 2_500


def read(text: str) -> str | None:
    try:
        return str(Position.parse(text))
    except ValueError:
        return None


@pytest.mark.parametrize("rules", ["three-in-a-row", "filled"])
def test_matches(library: PageLibrary, rules: str) -> None:
    tree, generator, played = library.solutions[rules].tree, random.Random(5), []
    for number in range(60):
        match = Match(tree, number % 5 + 1, ("Ann", "Bot"), number % 2, seed=number)
        while match.winner is None:
            one = match.deal()
            while one.mover is not None:
                one.play(generator.choice(one.cursor.board.free_squares))
            match.finish(one)
        played.append(match)
    kept = [match_record(match, rules) for match in played]
    theirs = library.call(
        """async ([rules, matches]) => {
          const tree = await ours.solutionBy(rules).loadTree();
          return matches.map(({ winningScore, rounds }) => {
            const fresh = { score: [0, 0], rounds: [], round: null, winner: null };
            let match = { ...fresh, winningScore, first: rounds[0].first };
            for (const { goals, commitment, moves } of rounds) {
              match = ours.withNewRound(match, goals, commitment);
              match = ours.withRoundFinished({ ...match, round: { ...match.round, moves } }, tree);
            }
            return [match.rounds, match.winner, ours.pointsOf(match)];
          });
        }""",
        [rules, kept],
    )
    points = (list(match.points) for match in played)
    wanted = [[one["rounds"], one["winner"], total] for one, total in zip(kept, points, strict=True)]
    assert theirs == json.loads(json.dumps(wanted))


def surprise(counts: Sequence[int], likely: Sequence[float], tests: int) -> float:
    """Chi-square of draws, as a part of what it exceeds less than once in 1e9 runs of so many tests (Laurent and
    Massart, 2000, lemma 1). What is expected less than 50 times is counted together."""
    drawn = sum(counts)
    cells = sorted((p * drawn, n) for n, p in zip(counts, likely, strict=True))
    while len(cells) > 1 and cells[0][0] < 50.0:
        (few, n), (more, m), *rest = cells
        cells = sorted([(few + more, n + m), *rest])
    freedom, surely = len(cells) - 1, math.log(1e9 * tests)
    bound = freedom + 2.0 * math.sqrt(freedom * surely) + 2.0 * surely
    return sum((n - expected) ** 2 / expected for expected, n in cells) / bound


@pytest.mark.parametrize("rules", ["three-in-a-row", *slow("filled")])
@pytest.mark.parametrize("name", list(OPPONENTS))
def test_moves_of_opponents(library: PageLibrary, rules: str, name: str) -> None:
    solution, score = library.solutions[rules], Score(3, 1)
    bot = opponent_of(name, MatchBot(solution).round_bot(score))
    cases = [((), Goal.WIN), ((5, 2), Goal.LOSE), ((1, 5, 3), Goal.TIE), ((2,), Goal.WIN)]
    theirs = library.call(
        """async ([rules, name, score, cases, draws]) => {
          const solution = ours.solutionBy(rules);
          const perfect = await solution.loadRound(score);
          const choose = await ours.loadOpponent(solution, name, perfect, ours.catalogue.manifest.mistakes);
          return cases.map(([moves, goal]) => {
            const cursor = new ours.Cursor(perfect.tree, moves);
            const counts = new Array(10).fill(0);
            for (let draw = 0; draw < draws; draw += 1) counts[choose(cursor, goal)] += 1;
            return counts;
          });
        }""",
        [rules, name, score, cases, DRAWS],
    )
    for (moves, goal), counts in zip(cases, theirs, strict=True):
        choices = bot.choices(Cursor(bot.tree, moves), goal)
        likely = {square: often / len(squares) for squares, often in choices for square in squares if often > 0.0}
        assert {square for square, count in enumerate(counts) if count} <= set(likely)
        wanted = surprise([counts[square] for square in likely], list(likely.values()), 4 * 2 * len(OPPONENTS))
        assert wanted <= 1.0, (moves, goal, counts, likely)


def test_goals_are_dealt_by_the_odds(library: PageLibrary) -> None:
    rules = "three-in-a-row 2:1:1"
    drawn = library.call(
        """async ([rules, draws]) => {
          const { data } = (await ours.solutionBy(rules).loadTree()).rules;
          const counts = new Array(9).fill(0);
          for (let draw = 0; draw < draws; draw += 1) {
            const [one, other] = ours.dealGoals(data);
            counts[3 * one + other] += 1;
          }
          return counts;
        }""",
        [rules, DRAWS],
    )
    odds = Rules.parse(rules).goal_probabilities
    assert surprise(drawn, [one * other for one in odds for other in odds], 1) <= 1.0
