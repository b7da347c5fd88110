"""What the tests of certificates share: bots that are quickly judged, and changes of their files."""

import json
import shutil
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from oracle.lifting import game_tree
from oracle.naive import uniform_strategy

from tictactoe import Score, certify, certify_round, verify, verify_round
from tictactoe.match.scores import all_scores, following_scores, pair_of
from tictactoe.proof.certificate_format import certificate_bytes, fraction_text
from tictactoe.storage.directory_layout import SOLUTION_FILE, snapshot_name, subgame_name
from tictactoe.storage.file_format import read_file, write_file
from tictactoe.storage.shipped import shipped_solution
from tictactoe.storage.snapshot import SNAPSHOT_KIND
from tictactoe.storage.solution import SOLUTION_KIND

UNIT = Fraction(1, 2**120)
"""Bounds are multiples of it."""
Json = dict[str, Any]
CLOSED_FORMS = shipped_solution().parent / "closed_forms"


class Bot:
    """The bot of a match or of a round (a directory to be copied, not changed), and how it is certified. last: within
    the directory, that of the snapshot of the score 0-0, or of the round."""

    def __init__(self, path: Path, *, unreduced: bool = False) -> None:
        is_match = (path / SOLUTION_FILE).exists()
        self.path, self.last, self._unreduced = path, "subgame_0_0" if is_match else ".", unreduced
        self.certify: Callable[..., Json] = certify if is_match else certify_round
        self.verify: Callable[..., None] = verify if is_match else verify_round

    @cached_property
    def certificate(self) -> Json:
        return self.certify(self.path, unreduced=self._unreduced)


def nearly_pure(output: Path, winning_score: int) -> Path:
    """A match that is quickly judged: few plays are possible against the closed form of a match to 1. From the seventh
    mark on it errs, which makes every probability a multiple of 2^-6 or, where there are more points, of 2^-7 and so
    on."""
    record = read_file(CLOSED_FORMS / "match_to_1" / SOLUTION_FILE, SOLUTION_KIND)
    pure = read_file(CLOSED_FORMS / "match_to_1" / "subgame_0_0" / snapshot_name(0), SNAPSHOT_KIND)
    tree, sums = game_tree(), pure["strategy_sums"]
    starts = tree.first_child[tree.decision_nodes]
    error = -sums
    error[starts] += np.add.reduceat(sums, starts, axis=0)  # makes the first move instead
    error[tree.depth < 7] = 0.0
    entries = []
    for score in all_scores(winning_score):
        weights = sums * 2.0 ** (6 + sum(score)) + error
        content = pure | {
            "score": list(score),
            "winning_score": winning_score,
            "strategy_sums": np.r_[np.zeros((1, 3)), weights[1:]],
        }
        subgame = output / subgame_name(score)
        subgame.mkdir(parents=True)
        write_file(subgame / snapshot_name(0), SNAPSHOT_KIND, content)
        following = [[*later, 0.0] for later in following_scores(pair_of(score), winning_score)]
        entries.append(record["subgames"][0] | {"score": list(score), "following": following})
    write_file(output / SOLUTION_FILE, SOLUTION_KIND, record | {"winning_score": winning_score, "subgames": entries})
    return output


def of_other_rules(output: Path, rules: str, weights: np.ndarray[Any, Any]) -> Path:
    """A match to 1 by other rules, with these weights of moves, float64 (num_nodes, 3)."""
    tree = game_tree(rules=rules)
    content = read_file(CLOSED_FORMS / "match_to_1" / "subgame_0_0" / snapshot_name(0), SNAPSHOT_KIND)
    arrays = {"regrets": np.zeros(weights.shape), "settled": np.zeros((2, tree.num_decision_nodes), np.int8)}
    named = {"end_rule": rules, "tree_fingerprint": tree.fingerprint}
    strategies = {"current_strategy": uniform_strategy(tree), "strategy_sums": np.r_[np.zeros((1, 3)), weights[1:]]}
    (output / subgame_name(Score(0, 0))).mkdir()
    write_file(
        output / subgame_name(Score(0, 0)) / snapshot_name(0), SNAPSHOT_KIND, content | arrays | named | strategies
    )
    record = read_file(CLOSED_FORMS / "match_to_1" / SOLUTION_FILE, SOLUTION_KIND)
    write_file(output / SOLUTION_FILE, SOLUTION_KIND, record | named)
    return output


def copy_of(bot: Bot, parent: Path) -> Path:
    """A copy of its directory that may be changed."""
    return Path(shutil.copytree(bot.path, parent / "copy"))


def change_snapshot(directory: Path, **changes: Any) -> Path:
    """Save a snapshot with other values, those or what functions make of the ones there, and the right checksum."""
    return _change(directory / snapshot_name(0), SNAPSHOT_KIND, changes)


def change_record(directory: Path, **changes: Any) -> Path:
    """The same of solution.msgpack."""
    return _change(directory / SOLUTION_FILE, SOLUTION_KIND, changes)


def _change(path: Path, kind: str, changes: Json) -> Path:
    content = read_file(path, kind)
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
    """A fraction moved by units in the last place."""
    return lambda text: fraction_text(Fraction(text) + units * UNIT)
