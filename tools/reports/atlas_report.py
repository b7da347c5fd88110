"""The atlas of rules as tables and sentences, and its progress."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tictactoe.games.rules import Outcome, Rules
from tictactoe.match.fairness import fairest_text, favoured_text, who_gains, who_wins
from tictactoe.match.pair_exact import PairEquilibrium
from tictactoe.match.percentages import POINTS, brief, percentage_points, win_percentage
from tictactoe.match.scores import Pair, Score
from tictactoe.number_text import counted, rounded_up
from tictactoe.solving.cluster import Cluster
from tictactoe.solving.pair_work import PairProgress
from tictactoe.solving.rules_atlas import RulesFacts

from ..program import say
from ..progress import PAIRS, StatusLine
from .report import Table, print_tables

_ADVICE = "solve more exactly, with --polish or a smaller --maximum-subgame-exploitability"


def print_atlas(atlas: Sequence[RulesFacts]) -> None:
    points = atlas[0].match.winning_score
    for facts in atlas:
        say(f"{facts.rules.name}: {facts.rules.of_round.text}", indent="  ")
    if not atlas[0].rules.has_even_odds:
        say(f"Goals are drawn win:lose:tie as {atlas[0].rules.odds_text}.")
    print()
    print_tables(_favourites(atlas, points), *_rounds(atlas, points), _all_scores(atlas, points), _sizes(atlas))
    print()
    for line in _conclusions(atlas, points):
        say(line)


def _favourites(atlas: Sequence[RulesFacts], points: int) -> Table:
    rows = [
        (
            facts.rules.name,
            f"{win_percentage(facts.match.start.value):.3f} %",
            favoured_text(facts.match.start),
            f"{percentage_points(abs(facts.match.start.value)):.3f}",
            f"{facts.single_round.value.value:+z.6f}",
            f"{facts.match.play.rounds:.2f}",
            _tiny(percentage_points(facts.match.exploitability)),
        )
        for facts in atlas
    ]
    headings = ("rules", "first wins", "favoured", "by", "one round", "rounds", "off by")
    explanation = (
        f"Between perfect players. first wins: matches to {points} won by the player who moves first in the first "
        "round. favoured: unknown if off by is too large to tell. by: the advantage of being the favoured player, in "
        f"{POINTS}. one round: the average gain, in payoff, from moving first in a round on its own. rounds: the "
        "average number in a match. off by: the largest possible error of first wins, in points."
    )
    return Table(headings, rows, explanation, ("off by", "rounds"))


def _rounds(atlas: Sequence[RulesFacts], points: int) -> tuple[Table, Table]:
    alone = {"on its own": [facts.single_round.play for facts in atlas]}
    at_scores = {
        f"at {score}": [facts.match.play.scores[score] for facts in atlas]
        for score in (Score(0, 0), Score(points - 1, points - 1))
    }
    overall = {"in a match": [facts.match.play.overall for facts in atlas]}
    rows = [
        (where, facts.rules.name, *map(_percent, play.results))
        for where, plays in (alone | at_scores | overall).items()
        for facts, play in zip(atlas, plays, strict=True)
    ]
    explanation = (
        "Rounds between perfect players, in %, by who scores: both, the first mover alone, the second mover alone, "
        "neither. in a match: over all its rounds. Different equilibria may score differently often, to the same "
        "values; this shows those that were found here."
    )
    scorers = Table(("round", "rules", "both", "first", "second", "neither"), rows, explanation)
    rows = [
        (where, facts.rules.name, *(_percent(play.endings.get(end)) for end in Outcome))
        for where, plays in (alone | overall).items()
        for facts, play in zip(atlas, plays, strict=True)
    ]
    explanation = (
        "How rounds between perfect players end: only X, who moves first, has a row; only O has one; a tie; both have "
        "one (-: the rules have no such end, or call it a tie)."
    )
    return scorers, Table(("round", "rules", "X row", "O row", "tie", "both"), rows, explanation)


def _all_scores(atlas: Sequence[RulesFacts], points: int) -> Table:
    rows = [
        (str(score), *(f"{win_percentage(facts.match.values[score].value):.3f}" for facts in atlas))
        for score in sorted(atlas[0].match.values, reverse=True)
    ]
    explanation = (
        "score: points of the player who moves first, then of the other. Below each rule: the percentage of "
        f"matches to {points} that the player who moves first wins from there."
    )
    return Table(("score", *(facts.rules.name for facts in atlas)), rows, explanation)


def _sizes(atlas: Sequence[RulesFacts]) -> Table:
    rows = [
        (facts.rules.name, f"{facts.num_histories:,}", f"{facts.num_nodes:,}", f"{facts.num_decision_nodes:,}")
        for facts in atlas
    ]
    explanation = (
        "Sequences of moves with which a round can begin. all: of any kind; solved: without those that mirror or turn "
        "the board of another, and only until it is certain how the round ends; to move: those of solved after which "
        "somebody has to choose a move."
    )
    return Table(("rules", "all", "solved", "to move"), rows, explanation)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100.0 * share:.1f} %"


def _tiny(number: float) -> str:
    return rounded_up(number, 1) if number > 0.0 else "0"


def _conclusions(atlas: Sequence[RulesFacts], points: int) -> Iterable[str]:
    off = max(value.most - value.least for facts in atlas for value in facts.match.values.values())
    off_alone = max(facts.single_round.value.most - facts.single_round.value.least for facts in atlas)
    yield (
        f"The values of all scores are accurate to within {_tiny(off)} in match value (-1 to 1), or "
        f"{_tiny(percentage_points(off))} points; those of a round on its own to within {_tiny(off_alone)} in payoff."
    )
    if len(atlas) > 1:
        yield fairest_text(f"match to {points}", {facts.rules: facts.match.start for facts in atlas}, who_wins, _ADVICE)
        rounds = {facts.rules: facts.single_round.value for facts in atlas}
        yield fairest_text("round on its own", rounds, who_gains, _ADVICE)


class AtlasProgress(StatusLine):
    """An AtlasReporter: two lines on a terminal; elsewhere, a line at intervals and one for all finished rules."""

    def __init__(self, num_rules: int, cluster: Cluster | None = None, *, quiet: bool = False) -> None:
        super().__init__("starting{cluster}", cluster, seconds=10.0, quiet=quiet)
        self.matches, self.polishing = _Pairs(self, "solved"), _Pairs(self, "exact")
        self._num_rules = num_rules
        self._rules = ""
        self._number = 0

    def rules_begin(self, rules: Rules) -> None:
        self._number += 1
        self.matches = _Pairs(self, "solved")
        self._rules = f"{rules} ({self._number} of {self._num_rules})"

    def rules_end(self, facts: RulesFacts) -> None:
        verb = "solved" if facts.shipped is None else "looked up"
        self.print(f"{verb} {self._rules}: exploitability {brief(facts.match.exploitability)}, {{elapsed}} elapsed")

    def single_round_begins(self) -> None:
        self.tell("solving a round on its own")
        if self._cluster is None:
            self.starting()

    def polishing_begins(self) -> None:
        self.tell("making the match exact")

    def judging_begins(self) -> None:
        self.tell("computing how perfect players fare")

    def tell(self, text: str, done: str = "") -> None:
        """Show a text about the present rules. done: words about the finished part."""
        self.set(f"{self._rules}, {{elapsed}} elapsed{{cluster}}{done and ', '}{done}\n{text}")

    def print(self, text: str) -> None:
        super().print(text.replace("\n", ": "))


class _Pairs:
    def __init__(self, progress: AtlasProgress, done: str) -> None:
        self._progress, self._done, self._so_far = progress, done, f"no {PAIRS[1]} {done}"

    def pair_started(self, started: object) -> None:
        pass

    def pair_checked(self, progress: PairProgress) -> None:
        self._progress.tell(f"exploitability {brief(max(progress.exploitabilities))}", self._so_far)

    def pair_finished(self, ended: Pair | PairEquilibrium, num_done: int, num_pairs: int) -> None:
        self._so_far = f"{num_done} of {counted(num_pairs, *PAIRS)} {self._done}"
        if isinstance(ended, PairEquilibrium):
            self._progress.tell(f"exploitability {brief(max(ended.exploitabilities.values()))}", self._so_far)
