"""Around a round the page is as the library: scores, notation, opponents, reviews word by word, transcripts."""

import base64
import itertools
import json
import math
import random
import re
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.page_library import NOT_REFINED, REFINED, RULES_ON_PAGE, PageLibrary
from support.page_matches import careless_match, match_record, random_matches
from support.slowness import by_default, slow

from tictactoe import (
    OPPONENTS,
    Cursor,
    GameTree,
    Goal,
    MatchBot,
    Position,
    Rules,
    Score,
    load_solution,
    open_saved,
    opponent_of,
)
from tictactoe.errors import FormatError
from tictactoe.games.rules import RESULTS
from tictactoe.match.percentages import percentage_points, win_percentage
from tictactoe.match.scores import all_scores, continuation, score_in_longer_match
from tictactoe.play.judge import Judge
from tictactoe.play.luck_and_mistakes import Analyst, Judged, JudgedRound
from tictactoe.play.match_review import mark_of, match_review
from tictactoe.play.move_costs import Mistake, mistakes
from tictactoe.play.opponents import DEFAULT_OPPONENT
from tictactoe.play.referee import Match, Round, commitment_text
from tictactoe.play.review_text import in_words, kinds, luck_and_skill, mistakes_told, of_a_round, thresholds
from tictactoe.play.round_text import Speaker
from tictactoe.play.transcript import Setup, match_lines, practice_lines, read_transcript

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
          addresses.push(ours.addressOf({ ...read[0], to: 3 }));
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
    shorter = {"position": plain | {"to": 3}, "solution": ""}
    assert theirs["read"] == [*({"position": plain, "solution": name} for name in ("", "filled")), shorter]
    assert all(Position.parse(f"#{address}") == position for address in theirs["addresses"])
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


@pytest.mark.parametrize("rules", ["three-in-a-row", *slow("filled")])
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
@pytest.mark.parametrize("name", by_default(OPPONENTS, "learner-10", "careless", "sore-loser"))
def test_moves_of_opponents(library: PageLibrary, rules: str, name: str) -> None:
    solution, score = library.solutions[rules], Score(3, 1)
    bot = opponent_of(name, MatchBot(solution).round_bot(score))
    cases = [((), Goal.WIN), ((5, 2), Goal.LOSE), ((1, 5, 3), Goal.TIE), ((2,), Goal.WIN)]
    theirs = library.call(
        """async ([rules, name, score, cases, draws]) => {
          const solution = ours.solutionBy(rules);
          const perfect = await solution.loadRound(score);
          const choose = await ours.loadOpponent(solution, name, perfect);
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


MATCHES = {"few": 4, "many": 60}
"""By each of the five rules."""
WHO = [("Bot", "the bot", False), ("Ann", "Ann", True)]
"""The other player in the terminal and on the page, and whether digits lie as on a numpad."""

SAID = """async ([rules, matches, who, costs, met]) => {
  const solution = ours.solutionBy(rules);
  const tree = await solution.loadTree();
  const said = [], transcripts = [];
  for (const match of matches) {
    transcripts.push(await ours.transcriptOf(match, tree, solution.winningScore, "1.0"));
    for (const player of [0, 1]) {
      const [, opponent, numpad] = who[player];
      const speech = { opponent, digit: (square) => String(numpad ? ours.NUMPAD[square - 1] : square) };
      const lucks = [], rounds = [], told = {};
      for (const round of match.rounds) {
        const perfect = await solution.loadRoundOfShorter(round.score, match.winningScore);
        const seat = ours.seatOf(round, 0);
        const bot = player === 0 ? await ours.loadAdviser(solution, met, perfect, seat) : perfect;
        const luck = ours.roundLuck(bot, round, player);
        const found = ours.mistakes([[round, bot]], player, () => bot.score);
        for (const mistake of found) {
          const where = `Round ${round.number}`;
          const { number, cost, best, missedRow, betrays, offEquilibrium } = mistake.move;
          const words = [false, true].map((short) => [
            `${ours.markOf(cost)} ${ours.inWords(mistake, speech, { short })}`,
            `${ours.markOf(cost)} ${ours.inWords(mistake, speech, { where, short })}`,
          ]);
          told[`${round.number}.${number}`] = { words, best, missedRow, betrays, offEquilibrium };
        }
        lucks.push(luck);
        rounds.push({
          heading: found.length === 0 ? ours.NO_MISTAKES : `${ours.mistakesHeading(found.length)}:`,
          luck: ours.luckAndSkill(luck.parts, luck.before, luck.after, opponent),
          rest: ours.restInWords(found),
          kinds: ours.kinds(found),
          accuracy: ours.meanAccuracy(ours.accuracies(luck, player)),
          moves: luck.moves.map(({ number, square, cost, dice, value, accuracy }) => {
            return [number, square, cost, dice, value, accuracy ?? -1];
          }),
        });
      }
      const added = ours.addedParts(lucks.map(({ parts }) => parts));
      const luck = ours.luckAndSkill(added, lucks[0].before, lucks.at(-1).after, opponent);
      const accuracy = ours.meanAccuracy(lucks.flatMap((one) => ours.accuracies(one, player)));
      said.push({ told, rounds, luck, accuracy });
    }
  }
  return { said, transcripts, thresholds: ours.thresholds(), marks: costs.map(ours.markOf) };
}"""


def in_type(told: Any) -> Any:
    """The page's texts with the letters that the terminal has for signs: minus and apostrophe."""
    text = json.dumps(told, ensure_ascii=False)
    return json.loads(text.replace("\N{MINUS SIGN}", "-").replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))


def plain(text: str, mistake: Mistake | None = None) -> str:
    """The terminal's text in one line of a page, which has goals in small letters."""
    text = text.replace("Luck  ", "Luck ")
    return text if mistake is None else text.replace(mistake.goal.name, mistake.goal.name.lower())


def moves_of(judged: JudgedRound, player: int) -> list[tuple[float, ...]]:
    """By move its number and square, what it cost, its luck, the match value after it, and its accuracy, or -1."""
    played, seat = judged.played, judged.played.seat(player)
    values = judged.bot.expected[(list(played.cursor.nodes[1:]), *played.goals_by_seat)]
    return [
        (
            move.number,
            move.square,
            move.cost,
            move.hidden * (1 if move.seat is seat else -1),
            value,
            -1.0 if move.accuracy is None else move.accuracy,
        )
        for move, value in zip(judged.terms.moves, values * (1 if played.first == player else -1), strict=True)
    ]


def sentences(judged: Judged, found: list[list[Mistake]], player: int) -> dict[str, Any]:
    """What SAID asks the page for, for one player of a match."""
    speaker = Speaker(WHO[player][0], numpad=WHO[player][2])
    told = {}
    for mistake in found[player]:
        wheres, move = ("", f"Round {mistake.played.number}"), mistake.move
        told[f"{mistake.played.number}.{move.number}"] = {
            "words": [
                [plain(in_words(speaker, mistake, where, short=short), mistake) for where in wheres]
                for short in (False, True)
            ],
            "best": list(move.best),
            "missedRow": move.missed_row,
            "betrays": move.betrays,
            "offEquilibrium": move.off_equilibrium,
        }
    rounds = []
    for one in judged.rounds:
        own = [mistake for mistake in found[player] if mistake.played is one.played]
        costs = {move.number: move.cost for move in one.moves_of(player) if move.cost}
        assert {mistake.move.number: mistake.move.cost for mistake in own} == costs
        review = match_review([judged._replace(rounds=(one,), terms=one.to_first_player())], found, player)
        rest = mistakes_told(speaker, own, 0)[-1].strip() if own else ""
        luck = list(map(plain, luck_and_skill(speaker, review)))
        heading, moves = of_a_round(speaker, own)[0], moves_of(one, player)
        about = {"kinds": kinds(own, in_points=False), "accuracy": review.accuracy}
        rounds.append({"heading": heading, "luck": luck, "rest": rest, "moves": moves} | about)
    review = match_review([judged], found, player)
    return {
        "told": told,
        "rounds": rounds,
        "luck": list(map(plain, luck_and_skill(speaker, review))),
        "accuracy": review.accuracy,
    }


@pytest.mark.parametrize("number", ["few", pytest.param("many", marks=pytest.mark.slow)])
@pytest.mark.parametrize("rules", by_default(RULES_ON_PAGE, REFINED, NOT_REFINED))
def test_reviews_of_random_matches(library: PageLibrary, rules: str, number: str, tmp_path: Path) -> None:
    compare(library, rules, MATCHES[number], tmp_path, DEFAULT_OPPONENT)


@pytest.mark.parametrize("name", by_default([name for name in OPPONENTS if name != DEFAULT_OPPONENT], "learner-10"))
def test_reviews_against_known_opponents(library: PageLibrary, name: str, tmp_path: Path) -> None:
    compare(library, REFINED, 2, tmp_path, name)


def compare(library: PageLibrary, rules: str, number: int, folder: Path, met: str) -> None:
    """met: the opponent of the first player."""
    solution, path = library.solutions[rules], folder / "match.jsonl"
    judge = Judge(open_saved(solution.directory))
    analyst = Analyst(judge)
    matches = [match_record(match, rules) for match in random_matches(solution, number)]
    costs = [percent / 50.0 for percent in (0.01, 1.99, 2.0, 4.99, 5.0, 50.0)]
    theirs = library.call(SAID, [rules, matches, WHO, costs, met])
    assert thresholds(Speaker()).endswith(theirs["thresholds"])
    assert theirs["marks"] == [mark_of(cost, in_points=False) for cost in costs]
    num_mistakes, said = 0, iter(theirs["said"])
    for transcript in theirs["transcripts"]:
        path.write_text(transcript)
        replayed = read_transcript(path).replay(solution.tree)
        for player in (0, 1):
            known = judge.known_opponent(met, replayed.setup.winning_score) if player == 0 else None
            (judged,) = analyst.judged(replayed, known)
            bots = [(one.played, one.bot) for one in judged.rounds]
            solved = {one.played.score: one.solved_score for one in judged.rounds}
            found = [mistakes(bots, each, solved.__getitem__) for each in (0, 1)]
            check(next(said), sentences(judged, found, player))
            num_mistakes += len(found[player])
    assert num_mistakes > number


def check(their: dict[str, Any], ours: dict[str, Any]) -> None:
    """The page's sentence `rest` counts only if the library has it."""
    for one, other in zip([*their["rounds"], their], [*ours["rounds"], ours], strict=True):
        assert one.pop("accuracy") == pytest.approx(other.pop("accuracy"), abs=1e-6)
    for one, other in zip(their["rounds"], ours["rounds"], strict=True):
        theirs, mine = np.array(one.pop("moves")), np.array(other.pop("moves"))
        np.testing.assert_allclose(theirs[:, :-1], mine[:, :-1], rtol=0.0, atol=1e-9)
        np.testing.assert_allclose(theirs[:, -1], mine[:, -1], rtol=0.0, atol=1e-6)
        if not other["rest"]:
            one["rest"] = ""
    assert in_type(their) == in_type(ours)


Lines = list[dict[str, Any]]
OPEN = """async (files) => {
  const results = [];
  for (const file of files) {
    try {
      const bytes = Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0));
      const lines = ours.linesOfFile(bytes);
      const tree = await ours.solutionBy(ours.headerOf(lines).rules).loadTree();
      const { rounds, winner } = await ours.replayed(lines, tree);
      results.push([rounds.map(({ moves, goals }) => [moves, goals]), winner]);
    } catch (error) {
      results.push(String(error.message).split("\\n").length === 1 ? null : "several lines");
    }
  }
  return results;
}"""
VALUES: list[Any] = [
    None, True, 0, 1, 1.0, -1, 10**400, "", "win", "Bot", "\ud800", "a\u200db", [], [1, 2], [1.0, 2], ["tie", "win"],
    {}, {"text": "", "sha256": ""}, {"hints": 1, "looked": True}, {"hints": 1.0, "looked": True},
]  # fmt: skip
TEXTS = [
    b"", b"\n", b"{}", b"[]", b"\xff", b"\xef\xbb\xbf", b'{"format": "smbc-tictactoe transcript 3"}', b"[" * 50, b"NaN",
]  # fmt: skip


def in_file(lines: Lines) -> bytes:
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


def transcripts() -> list[Lines]:
    """A match that is over, one with rounds that were left or go on, and practice."""
    bot = MatchBot(load_solution("shipped"), 2)
    setup = Setup(names=("You", "Bot"), seed=None, winning_score=2, solved_winning_score=5)
    over, begun = careless_match(bot, 4), careless_match(bot, 5, most_rounds=1)
    current = begun.deal()
    current.play(5)
    left = match_lines(setup, begun)
    left.insert(1, match_lines(setup, begun)[1] | {"moves": [], "outcome": None, "scored": [], "abandoned": True})
    practice = Setup(names=("You", "Bot"), seed=-3, position="1-1 w? 51", opponent="who knows")
    text = commitment_text(1, Goal.TIE, "00")
    played = Round(1, Score(1, 1), 0, (Goal.WIN, Goal.TIE), text, bot.tree, (5, 1, 2, 8, 4, 6))
    return [match_lines(setup, over), match_lines(setup, begun, current), left, practice_lines(practice, [played])]


def damaged(lines: Lines, values: list[Any]) -> Iterator[bytes]:
    """Every field with other values or without any, lines that are missing, twice, or broken off, other texts."""
    whole = in_file(lines)
    yield whole
    yield from (b"\xef\xbb\xbf" + whole, b"\xef\xbb\xbf" + b"\xef\xbb\xbf" + whole)
    yield from (whole.replace(b"\n", end) for end in (b"\r\n", b"\x0b", b"\xe2\x80\xa8", b"\n\n", b" \n"))
    yield from (whole + text for text in TEXTS)
    yield from (whole[: len(whole) * part // 7] for part in range(7))
    yield whole.replace(b'"version": "', b'"version": NaN, "x": "')
    yield whole.replace(b'"moves": [', b'"moves": [5.0, ')
    for index, line in enumerate(lines):
        yield in_file(lines[:index] + lines[index + 1 :])
        yield in_file([*lines[: index + 1], *lines[index:]])
        for name, value in product((*line, "review", "help", "keypad", "x"), values if index < 2 else values[:1]):
            yield in_file([*lines[:index], line | {name: value}, *lines[index + 1 :]])
        for name in line:
            yield in_file([*lines[:index], {key: line[key] for key in line if key != name}, *lines[index + 1 :]])


def opened(data: bytes, path: Path, tree: GameTree) -> Any:
    """The moves and goals of all finished rounds, and the winner; None if the library refuses the transcript."""
    path.write_bytes(data)
    try:
        found = read_transcript(path).replay(tree)
    except (FormatError, ValueError):
        return None
    rounds = [[list(played.cursor.moves), [int(goal) for goal in played.goals]] for played in found.rounds]
    return [rounds, found.match and found.match.winner]


def test_the_same_are_opened_and_the_same_refused(library: PageLibrary, tmp_path: Path) -> None:
    over, begun, left, practice = transcripts()
    files = [*damaged(over, VALUES), *damaged(begun, VALUES[:2]), *damaged(left, VALUES[:2])]
    files += damaged(practice, VALUES[2:14])
    theirs = library.call(OPEN, [base64.b64encode(data).decode() for data in files])
    tree = GameTree.build()
    ours = [opened(data, tmp_path / "one.jsonl", tree) for data in files]
    different = [(data, one, other) for data, one, other in zip(files, ours, theirs, strict=True) if one != other]
    assert different == []
    assert ours[1] == ours[0], "a byte order mark says nothing"
    assert sum(found is not None for found in ours) > 20
    assert sum(found is None for found in ours) > 400
