"""What the tests of certificates share: bots that are quickly judged, and changes of their files."""

import json
import shutil
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tictactoe import Score, certify, certify_round, load_solution, save_solution, verify, verify_round
from tictactoe.match.scores import all_scores
from tictactoe.proof.certificate_format import certificate_bytes, fraction_text
from tictactoe.storage.directory_layout import SOLUTION_FILE, snapshot_name
from tictactoe.storage.file_format import read_file, write_file
from tictactoe.storage.import_strategies import ImportedStrategy
from tictactoe.storage.shipped import shipped_solution
from tictactoe.storage.snapshot import SNAPSHOT_KIND
from tictactoe.storage.solution import SOLUTION_KIND

UNIT = Fraction(1, 2**120)
"""Bounds are multiples of it."""
Json = dict[str, Any]
CLOSED_FORMS = shipped_solution().parent / "closed_forms"


class Bot:
    """The bot of a match or round, not to be changed. last: the directory in it of the last snapshot."""

    def __init__(self, path: Path) -> None:
        is_match = (path / SOLUTION_FILE).exists()
        self.path, self.last = path, "subgame_0_0" if is_match else "."
        self.certify: Callable[..., Json] = certify if is_match else certify_round
        self.verify: Callable[..., None] = verify if is_match else verify_round

    @cached_property
    def certificate(self) -> Json:
        return self.certify(self.path)


def nearly_pure(output: Path, winning_score: int) -> Path:
    """Judged quickly: few plays are possible. It errs from the seventh mark on, by 2^-6, 2^-7 and so on."""
    solution = load_solution(CLOSED_FORMS / "match_to_1")
    tree, strategies = solution.tree, {}
    pure = solution.average_strategy[Score(0, 0)]
    starts = tree.first_child[tree.decision_nodes]
    error = -pure
    error[starts] += np.add.reduceat(pure, starts, axis=0)  # makes the first move instead
    error[tree.depth < 7] = 0.0
    for score in all_scores(winning_score):
        strategies[score] = ImportedStrategy(0, pure + error * 2.0 ** -(6 + sum(score)))
    save_solution(output, tree, strategies, winning_score, "export")
    return output


def copy_of(bot: Bot, parent: Path) -> Path:
    return Path(shutil.copytree(bot.path, parent / "copy"))


def change_snapshot(directory: Path, **changes: Any) -> Path:
    """Save a snapshot with other values, or what functions make of those there; the current strategy stays."""
    path = directory / snapshot_name(0)
    content = read_file(path, SNAPSHOT_KIND)
    played = np.r_[np.ones((1, 3)), content["strategy_sums"][1:]]
    return _change(path, SNAPSHOT_KIND, {"current_strategy": played} | content, changes)


def change_record(directory: Path, **changes: Any) -> Path:
    path = directory / SOLUTION_FILE
    return _change(path, SOLUTION_KIND, read_file(path, SOLUTION_KIND), changes)


def _change(path: Path, kind: str, content: Json, changes: Json) -> Path:
    write_file(path, kind, content | {name: _new(value, content.get(name)) for name, value in changes.items()})
    return path


def edited(certificate: Json, place: str, value: Any) -> Json:
    """A copy with another value in one place (its keys with blanks between): that one, or a function of the old one."""
    result: Json = json.loads(certificate_bytes(certificate))
    *keys, last = (int(key) if key.isdigit() else key for key in place.split())
    inner: Any = result
    for key in keys:
        inner = inner[key]
    inner[last] = _new(value, inner[last] if isinstance(last, int) else inner.get(last))
    return result


def _new(value: Any, old: Any) -> Any:
    return value(old) if callable(value) else value


def moved(units: int) -> Callable[[str], str]:
    return lambda text: fraction_text(Fraction(text) + units * UNIT)
