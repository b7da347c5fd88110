"""The progress of rules-atlas: the present rules, solved pairs of scores, exploitability."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..progress import StatusLine, brief
from ..words import counted

if TYPE_CHECKING:
    from rich.console import Console, Group

    from tictactoe.games.rules import Rules
    from tictactoe.match.pair_exact import PairEquilibrium
    from tictactoe.match.scores import Pair
    from tictactoe.solving.cluster import Cluster
    from tictactoe.solving.pair_work import PairProgress
    from tictactoe.solving.rules_atlas import RulesFacts


class AtlasProgress(StatusLine):
    """An AtlasReporter. On a terminal it redraws two lines. Elsewhere it prints a line now and then, and a line when
    rules are finished."""

    def __init__(
        self, num_rules: int, cluster: Cluster | None = None, *, quiet: bool = False, console: Console | None = None
    ) -> None:
        super().__init__("starting{cluster}", cluster, seconds=10.0, quiet=quiet, console=console)
        self.matches, self.polishing = _Solving(self), _Polishing(self)
        self._num_rules = num_rules
        self._rules = ""
        self._number = 0

    def rules_begin(self, rules: Rules) -> None:
        self._number += 1
        self.matches = _Solving(self)
        self._rules = f"{rules} ({self._number} of {self._num_rules})"

    def rules_end(self, found: RulesFacts) -> None:
        verb = "solved" if found.shipped is None else "looked up"
        self.print(f"{verb} {self._rules}: exploitability {brief(found.match.exploitability)}, {{elapsed}} elapsed")

    def single_round_begins(self) -> None:
        self.tell("solving a round on its own")
        if self._cluster is None:
            self.starting()

    def polishing_begins(self) -> None:
        self.tell("making the match exact")

    def judging_begins(self) -> None:
        self.tell("computing how perfect players fare")

    def tell(self, text: str, done: str = "") -> None:
        """Show a text about the present rules. done: how much of the work is finished, in words."""
        self.set(f"{self._rules}, {{elapsed}} elapsed{{cluster}}{done and ', '}{done}\n{text}")

    def print(self, text: str) -> None:
        super().print(text.replace("\n", ": "))

    def drawn(self) -> Group:
        from rich.console import Group
        from rich.text import Text

        return Group(*(Text(line, overflow="ellipsis", no_wrap=True) for line in self.filled(self._text).split("\n")))


def _of_pairs(number: int, all_of_them: int) -> str:
    return f"{number} of {counted(all_of_them, 'pair of scores', 'pairs of scores')}"


class _Solving:
    """A MatchReporter."""

    def __init__(self, progress: AtlasProgress) -> None:
        self._progress = progress
        self._done = "no pairs of scores"

    def pair_started(self, progress: PairProgress) -> None:
        pass

    def pair_checked(self, progress: PairProgress) -> None:
        exploitability = brief(max(progress.exploitabilities))
        self._progress.tell(f"exploitability {exploitability}", f"{self._done} solved")

    def pair_finished(self, pair: Pair, num_done: int, num_pairs: int) -> None:
        self._done = _of_pairs(num_done, num_pairs)


class _Polishing:
    """A PolishReporter."""

    def __init__(self, progress: AtlasProgress) -> None:
        self._progress = progress

    def pair_started(self, pair: Pair) -> None:
        pass

    def pair_finished(self, result: PairEquilibrium, num_done: int, num_pairs: int) -> None:
        exploitability = brief(max(result.exploitabilities.values()))
        self._progress.tell(f"exploitability {exploitability}", f"{_of_pairs(num_done, num_pairs)} exact")
