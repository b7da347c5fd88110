"""For tests of what --dry-run says, of which few are about how long a pair takes."""

from contextlib import AbstractContextManager
from typing import Any
from unittest import mock

from tictactoe.match.options import MatchOptions
from tictactoe.match.scores import Score, pair_of
from tictactoe.solving import dry_run
from tictactoe.solving.dry_run import MeasuredPair


def _measured(tree: object, options: MatchOptions, *_: object, **__: Any) -> MeasuredPair:
    points = options.winning_score
    return MeasuredPair(pair_of(Score(points - 1, max(points - 2, 0))), 2.0, whole=True)


def two_seconds_a_pair() -> AbstractContextManager[object]:
    return mock.patch.object(dry_run, "measure_pair", _measured)
