"""A transcript's moves cost the same in `review`, in `analyse` and on the page, by all rules, refined or not."""

from pathlib import Path
from typing import Any

import pytest
from support.page_library import NOT_REFINED, REFINED, RULES_ON_PAGE, PageLibrary
from support.page_matches import match_record, random_matches
from support.slowness import by_default

from tictactoe import open_saved
from tictactoe.play.analysis import Analyst, Judged, JudgedRound
from tictactoe.play.bots_by_score import Judge
from tictactoe.play.review import review
from tictactoe.play.transcript import read_transcript, replay

TRANSCRIPTS = {"few": 2, "many": 60}
"""By each of the five rules."""
EXACT = 1e-9

JUDGED = """async ([rules, matches]) => {
  const solution = ours.solutionBy(rules);
  const tree = await solution.loadTree();
  const judged = [];
  for (const match of matches) {
    const rounds = [];
    for (const round of match.rounds) {
      const bot = await solution.loadRoundOfShorter(round.score, match.winningScore);
      const value = solution.value(bot.score);
      for (const player of [0, 1]) {
        const mistakes = ours.mistakes([[round, bot]], player, () => bot.score).map(({ move }) => move);
        rounds.push({ mistakes, luck: ours.roundLuck(bot, round, player, value) });
      }
    }
    judged.push({ rounds, transcript: await ours.transcriptOf(match, tree, solution.winningScore, "1.0") });
  }
  return judged;
}"""


@pytest.mark.parametrize("number", ["few", pytest.param("many", marks=pytest.mark.slow)])
@pytest.mark.parametrize("rules", by_default(RULES_ON_PAGE, REFINED, NOT_REFINED))
def test_costs_of_random_transcripts(library: PageLibrary, rules: str, number: str, tmp_path: Path) -> None:
    solution, path = library.solutions[rules], tmp_path / "match.jsonl"
    analyst = Analyst(Judge(open_saved(solution.directory)))
    matches = [match_record(match, rules) for match in random_matches(solution, TRANSCRIPTS[number])]
    num_mistakes = 0
    for theirs in library.call(JUDGED, [rules, matches]):
        path.write_text(theirs["transcript"])
        _, lines = read_transcript(path)
        (judged,) = analyst.judged(replay(lines, solution.tree))
        for index, one in enumerate(judged.rounds):
            for player in (0, 1):
                num_mistakes += check_round(one, player, theirs["rounds"][2 * index + player])
        check_match(judged, theirs["rounds"][::2])
    assert num_mistakes > TRANSCRIPTS[number]


def check_round(judged: JudgedRound, player: int, theirs: dict[str, Any]) -> int:
    """How many mistakes the player has made. All costs are equal, and so is the luck of every move."""
    played, bot = judged.played, judged.account.bot
    reviewed = review(bot, played.cursor.moves, played.seat(player), played.goals[player])
    costs = {move.number: move.cost for move in reviewed}
    assert costs == {move.number: move.cost for move in judged.moves_of(player)}
    wrong = {move.number: move for move in reviewed if move.cost}
    assert {move["number"] for move in theirs["mistakes"]} == set(wrong)
    for their in theirs["mistakes"]:
        assert their["cost"] == pytest.approx(wrong[their["number"]].cost, abs=EXACT)
        assert their["best"] == list(wrong[their["number"]].best)
    for move, their in zip(judged.terms.moves, theirs["luck"]["moves"], strict=True):
        sign = 1.0 if move.seat is played.seat(player) else -1.0
        assert (their["number"], their["square"]) == (move.number, move.square)
        assert [their["cost"], their["dice"]] == pytest.approx([move.cost, sign * move.hidden], abs=EXACT)
    luck, parts = theirs["luck"], theirs["luck"]["parts"]
    sign = 1.0 if played.first == player else -1.0
    values = [sign * float(bot.expected[(node, *played.goals_by_seat)]) for node in played.cursor.nodes[1:]]
    assert [move["value"] for move in luck["moves"]] == pytest.approx(values, abs=EXACT)
    assert sum(parts.values()) == pytest.approx(luck["after"] - luck["before"], abs=EXACT)
    assert sum(costs.values()) == pytest.approx(-parts["mistakes"], abs=EXACT)
    return len(wrong)


def check_match(judged: Judged, theirs: list[dict[str, Any]]) -> None:
    """The parts of all rounds, to the first player, are those of `analyse`."""
    terms, parts = judged.terms, [one["luck"]["parts"] for one in theirs]
    ours = {
        "goals": terms.goals,
        "dice": terms.own_hidden + terms.other_hidden,
        "mistakes": terms.own_mistakes,
        "gifts": terms.other_mistakes,
    }
    assert {name: sum(one[name] for one in parts) for name in ours} == pytest.approx(ours, abs=1e-6)
