"""The curves of agents that learnt the same round by trial and error, and of a solver beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import NamedTuple

from ..algorithms.cfr.update_rules import UpdateRule
from ..algorithms.learning.tabular_learning import best_values_against
from ..errors import FormatError
from ..games.payoffs import tic_tac_toe_round
from ..solving.learning_comparison import solver_figures
from ..storage.file_format import start_of
from ..storage.learnt_game import LEARNT_GAME_KIND, LearntGame
from ..storage.learnt_table import LearntTable
from .learning_figure import LearningCurve


class LearningPicture(NamedTuple):
    """What a picture of learning shows."""

    title: str
    curves: list[LearningCurve]
    best: dict[str, float]
    """By opponent, the most that anybody gets against it."""
    in_match_value: bool = False


def learning_picture(
    paths: Sequence[Path], solver: tuple[str, UpdateRule] | None = None, stop: Event | None = None
) -> LearningPicture:
    """The picture of agents that learnt the same round, or the same other game; no solver is drawn beside the latter.

    solver: its label and its rule. Raises FormatError for a file that is not of this kind, and Interrupted when `stop`
    is set.
    """
    if all(_is_of_a_game(path) for path in paths):
        games = {path: LearntGame.load(path) for path in paths}
        (first, one), *_ = games.items()
        for path, learnt in games.items():
            if learnt.fingerprint != one.fingerprint:
                raise FormatError(path, f"learnt another game than {first}")
            _require_log(path, learnt)
        curves = [LearningCurve(path.stem, learnt.figures) for path, learnt in games.items()]
        return LearningPicture(f"Learning by trial and error: {one.game}", curves, {})
    tables = {path: LearntTable.load(path) for path in paths}
    require_one_round(tables)
    table = next(iter(tables.values()))
    score = "" if table.score is None else f", the round at {table.score} of a match to {table.winning_score}"
    title = f"Learning by trial and error: {table.rules}{score}"
    return LearningPicture(title, *learning_curves(tables, solver, stop), table.score is not None)


def _is_of_a_game(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(100).startswith(start_of(LEARNT_GAME_KIND))
    except OSError:  # the reader of tables says what is wrong
        return False


def _require_log(path: Path, table: LearntTable | LearntGame) -> None:
    if not len(table.log):
        raise FormatError(path, f"nothing to draw yet: it has played {table.rounds} rounds; go on with it")


def require_one_round(tables: Mapping[Path, LearntTable]) -> None:
    """Raises FormatError if the agents learnt different rounds, or an agent has no log yet."""
    (first, one), *others = tables.items()
    for path, table in others:
        if (table.rules, table.outcome_values) != (one.rules, one.outcome_values):
            raise FormatError(path, f"learnt another round than {first}: other rules or outcome values")
    for path, table in tables.items():
        _require_log(path, table)


def learning_curves(
    tables: Mapping[Path, LearntTable], solver: tuple[str, UpdateRule] | None = None, stop: Event | None = None
) -> tuple[list[LearningCurve], dict[str, float]]:
    """The curves of the agents, named as their files, and of the solver; and by opponent, the most that a player can
    get against it, the mean over both seats.

    solver: its label and its rule; it runs to as many nodes touched. Raises Interrupted when `stop` is set.
    """
    stems = Counter(path.stem for path in tables)
    table = next(iter(tables.values()))
    game = tic_tac_toe_round(table.tree, table.outcome_values)
    curves, opponents = [], {}
    for path, table in tables.items():
        against = ""
        if table.opponent_strategy is not None:
            against = Path(table.opponent).name
            opponents[against] = table.opponent_strategy
        label = path.stem if stems[path.stem] == 1 else str(path)
        curves.append(LearningCurve(label, table.figures, against))
    best = {name: sum(best_values_against(game, strategy)) / 2.0 for name, strategy in opponents.items()}
    if solver is not None:
        name, rule = solver
        nodes = max(table.nodes for table in tables.values())
        *against_others, alone = solver_figures(game, rule, nodes, list(opponents.values()), stop)
        curves += [
            LearningCurve(name, found, opponent, is_solver=True)
            for opponent, found in zip(opponents, against_others, strict=True)
        ] or [LearningCurve(name, alone, is_solver=True)]
    return curves, best
