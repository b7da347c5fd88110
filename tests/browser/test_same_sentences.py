"""A review on the page says what `review` says in a terminal, word by word: mistakes, their costs, luck and skill. It
judges every move as `review` and `analyse` do, by all rules, refined or not."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.page_library import NOT_REFINED, REFINED, RULES_ON_PAGE, PageLibrary
from support.page_matches import match_record, random_matches
from support.slowness import by_default

from tictactoe import OPPONENTS, open_saved
from tictactoe.play.analysis import Analyst, Judged, JudgedRound
from tictactoe.play.bots_by_score import Judge
from tictactoe.play.opponents import DEFAULT_OPPONENT
from tictactoe.play.review import Mistake, mistakes
from tictactoe.play.review_text import in_words, luck_and_skill, mistakes_told, of_a_round, thresholds
from tictactoe.play.round_text import Speaker
from tictactoe.play.transcript import read_transcript, replay
from tictactoe.play.transcript_review import mark_of, match_review

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
        const { mistakes } = ours.catalogue.manifest;
        const bot = player === 0 ? await ours.loadAdviser(solution, met, perfect, mistakes, seat) : perfect;
        const luck = ours.roundLuck(bot, round, player);
        const found = ours.mistakes([[round, bot]], player, () => bot.score);
        for (const mistake of found) {
          const where = `Round ${round.number}`;
          const { number, cost, best, missedRow, offEquilibrium } = mistake.move;
          const words = [false, true].map((short) => [
            `${ours.markOf(cost)} ${ours.inWords(mistake, speech, { short })}`,
            `${ours.markOf(cost)} ${ours.inWords(mistake, speech, { where, short })}`,
          ]);
          told[`${round.number}.${number}`] = { words, best, missedRow, offEquilibrium };
        }
        lucks.push(luck);
        rounds.push({
          heading: found.length === 0 ? ours.NO_MISTAKES : `${ours.mistakesHeading(found.length)}:`,
          luck: ours.luckAndSkill(luck.parts, luck.before, luck.after, opponent),
          rest: ours.restInWords(found),
          moves: luck.moves.map(({ number, square, cost, dice, value }) => [number, square, cost, dice, value]),
        });
      }
      const added = ours.addedParts(lucks.map(({ parts }) => parts));
      const luck = ours.luckAndSkill(added, lucks[0].before, lucks.at(-1).after, opponent);
      said.push({ told, rounds, luck, note: noteOf(solution, match) });
    }
  }
  return { said, transcripts, thresholds: ours.thresholds(), marks: costs.map(ours.markOf) };

  function noteOf(solution, { rounds: [{ score }], winningScore }) {
    return ours.longerMatch(score, ours.scoreInLongerMatch(score, winningScore, solution.winningScore));
  }
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
    """By move its number and square, what it cost, its luck, and the match value after it."""
    played, seat = judged.played, judged.played.seat(player)
    values = judged.account.bot.expected[(list(played.cursor.nodes[1:]), *played.goals_by_seat)]
    return [
        (move.number, move.square, move.cost, move.hidden * (1 if move.seat is seat else -1), value)
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
        rounds.append({"heading": heading, "luck": luck, "rest": rest, "moves": moves})
    luck = list(map(plain, luck_and_skill(speaker, match_review([judged], found, player))))
    lines = mistakes_told(speaker, found[player])
    note = lines[-1] if lines[-1].startswith("(") else ""
    return {"told": told, "rounds": rounds, "luck": luck, "note": note}


@pytest.mark.parametrize("number", ["few", pytest.param("many", marks=pytest.mark.slow)])
@pytest.mark.parametrize("rules", by_default(RULES_ON_PAGE, REFINED, NOT_REFINED, "three-in-a-row 2:1:1"))
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
        _, lines = read_transcript(path)
        replayed = replay(lines, solution.tree)
        for player in (0, 1):
            known = judge.known_opponent(met, replayed.setup.winning_score) if player == 0 else None
            (judged,) = analyst.judged(replayed, known)
            bots = [(one.played, one.account.bot) for one in judged.rounds]
            solved = {one.played.score: one.solved_score for one in judged.rounds}
            found = [mistakes(bots, each, solved.__getitem__) for each in (0, 1)]
            check(next(said), sentences(judged, found, player), bool(found[player]))
            num_mistakes += len(found[player])
    assert num_mistakes > number


def check(their: dict[str, Any], ours: dict[str, Any], any_mistakes: bool) -> None:
    """The page's sentences `rest` and `note` count only if the library has them: `note` if the player made mistakes."""
    for one, other in zip(their["rounds"], ours["rounds"], strict=True):
        np.testing.assert_allclose(one.pop("moves"), other.pop("moves"), rtol=0.0, atol=1e-9)
        if not other["rest"]:
            one["rest"] = ""
    if not any_mistakes:
        their["note"] = ""
    assert in_type(their) == in_type(ours)
