"""A review on the page says what `review` says in a terminal, word by word: mistakes, their costs, luck and skill."""

import json
from typing import Any

import pytest
from support.page_library import RULES_ON_PAGE, PageLibrary
from support.page_matches import match_record, random_matches
from support.slowness import by_default

from tictactoe import open_saved
from tictactoe.play.analysis import Analyst, Judged
from tictactoe.play.bots_by_score import Judge
from tictactoe.play.match_review import mark_of, match_review
from tictactoe.play.referee import Match
from tictactoe.play.review import Mistake, mistakes
from tictactoe.play.review_text import in_words, luck_and_skill, mistakes_told, of_a_round, thresholds
from tictactoe.play.round_text import Speaker
from tictactoe.play.transcript import Replayed, Setup

MATCHES = 5
WHO = [("Bot", "the bot", False), ("Ann", "Ann", True)]
"""The other player in the terminal and on the page, and whether digits lie as on a numpad."""

SAID = """async ([rules, matches, who, costs]) => {
  const solution = ours.solutionBy(rules);
  const said = [];
  for (const match of matches) {
    for (const player of [0, 1]) {
      const [, opponent, numpad] = who[player];
      const speech = { opponent, digit: (square) => String(numpad ? ours.NUMPAD[square - 1] : square) };
      const lucks = [], rounds = [], told = {};
      for (const round of match.rounds) {
        const bot = await solution.loadRoundOfShorter(round.score, match.winningScore);
        const luck = ours.roundLuck(bot, round, player, solution.value(bot.score));
        const found = ours.mistakes([[round, bot]], player, () => bot.score);
        for (const mistake of found) {
          const where = `Round ${round.number}`;
          told[`${round.number}.${mistake.move.number}`] = [false, true].map((short) => [
            `${ours.markOf(mistake.move.cost)} ${ours.inWords(mistake, speech, { short })}`,
            `${ours.markOf(mistake.move.cost)} ${ours.inWords(mistake, speech, { where, short })}`,
          ]);
        }
        lucks.push(luck);
        rounds.push({
          heading: found.length === 0 ? ours.NO_MISTAKES : `${ours.mistakesHeading(found.length)}:`,
          luck: ours.luckAndSkill(luck.parts, luck.before, luck.after, opponent),
          rest: ours.restInWords(found),
        });
      }
      const added = ours.addedParts(lucks.map(({ parts }) => parts));
      const luck = ours.luckAndSkill(added, lucks[0].before, lucks.at(-1).after, opponent);
      said.push({ told, rounds, luck, note: noteOf(solution, match) });
    }
  }
  return { said, thresholds: ours.thresholds(), marks: costs.map(ours.markOf) };

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


def replayed(match: Match, rules: str) -> Replayed:
    setup = Setup(names=("You", "Bot"), seed=None, winning_score=match.winning_score, rules=rules)
    return Replayed(setup, match, match.rounds, None)


def of_one_round(judged: Judged, index: int) -> Judged:
    one = judged.rounds[index]
    return judged._replace(rounds=(one,), terms=one.to_first_player())


def sentences(judged: Judged, found: list[list[Mistake]], player: int) -> dict[str, Any]:
    """What SAID asks the page for, for one player of a match."""
    speaker = Speaker(WHO[player][0], numpad=WHO[player][2])
    told = {}
    for mistake in found[player]:
        wheres = ("", f"Round {mistake.played.number}")
        told[f"{mistake.played.number}.{mistake.move.number}"] = [
            [plain(in_words(speaker, mistake, where, short=short), mistake) for where in wheres]
            for short in (False, True)
        ]
    rounds = []
    for index, one in enumerate(judged.rounds):
        own = [mistake for mistake in found[player] if mistake.played is one.played]
        review = match_review([of_one_round(judged, index)], found, player)
        rest = mistakes_told(speaker, own, 0)[-1].strip() if own else ""
        luck = list(map(plain, luck_and_skill(speaker, review)))
        rounds.append({"heading": of_a_round(speaker, own)[0], "luck": luck, "rest": rest})
    luck = list(map(plain, luck_and_skill(speaker, match_review([judged], found, player))))
    lines = mistakes_told(speaker, found[player])
    note = lines[-1] if lines[-1].startswith("(") else ""
    return {"told": told, "rounds": rounds, "luck": luck, "note": note}


@pytest.mark.parametrize("rules", by_default(RULES_ON_PAGE, "three-in-a-row"))
def test_reviews_of_random_matches(library: PageLibrary, rules: str) -> None:
    solution = library.solutions[rules]
    judge = Judge(open_saved(solution.directory))
    analyst = Analyst(judge)
    matches = random_matches(solution, MATCHES)
    costs = [percent / 50.0 for percent in (0.01, 1.99, 2.0, 4.99, 5.0, 50.0)]
    theirs = library.call(SAID, [rules, [match_record(match, rules) for match in matches], WHO, costs])
    assert thresholds(Speaker()).endswith(theirs["thresholds"])
    assert theirs["marks"] == [mark_of(cost, in_points=False) for cost in costs]
    marks, said = set(), iter(theirs["said"])
    for match in matches:
        (judged,) = analyst.judged(replayed(match, rules))
        bots = [(one.played, one.account.bot) for one in judged.rounds]
        solved = {one.played.score: one.solved_score for one in judged.rounds}
        found = [mistakes(bots, player, solved.__getitem__) for player in (0, 1)]
        for player in (0, 1):
            check(next(said), sentences(judged, found, player), bool(found[player]))
            marks |= {mark_of(mistake.move.cost, in_points=False) for mistake in found[player]}
    assert marks


def check(their: dict[str, Any], ours: dict[str, Any], any_mistakes: bool) -> None:
    """The page's sentences `rest` and `note` count only if the library has them: `note` if the player made mistakes."""
    for one, other in zip(their["rounds"], ours["rounds"], strict=True):
        if not other["rest"]:
            one["rest"] = ""
    if not any_mistakes:
        their["note"] = ""
    assert in_type(their) == in_type(ours)
