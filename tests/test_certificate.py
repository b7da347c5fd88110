"""Certificates: bounds that are tight, files that are believed only when they hold, and the command `certify`."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from certifying import UNIT, Json, edited, moved, prepared_once, probabilities_once, round_once
from commands import call, complaint, contents, environment
from lifting import game_tree
from matches import endless_bot, uniform_strategy

from tictactoe import bounds as bounds_module
from tictactoe import certificate as certificate_module
from tictactoe.adversary import best_response_over_match
from tictactoe.bounds import (
    Claims,
    Observer,
    Proved,
    Recorded,
    find_bounds,
    hashes,
    judged_groups,
    prove,
    read_solution,
    read_weights,
)
from tictactoe.certificate import (
    certificate_bytes,
    certify,
    decimal_text,
    fraction,
    read_certificate,
    verify,
    write_certificate,
)
from tictactoe.checker import BotRound, Group, Refused, State, check_group, group_of
from tictactoe.files import CERTIFICATE_FILE, FormatError, read_file, write_file
from tictactoe.match import Score, all_scores, following_scores, pair_of
from tictactoe.snapshot import SNAPSHOT_KIND, subgame_name
from tictactoe.solution import SOLUTION_FILE, SOLUTION_KIND, load_solution, shipped_solution

CERTIFY = "certify"


PROVED: dict[str, Proved] = {}


def prove_once(recorded: Recorded, claims: Claims | None, *, unreduced: bool, jobs: int,
               observer: Observer | None) -> Proved:  # fmt: skip
    """Like `prove`, but what was found or checked before in the same files is not worked out again."""
    key = repr((sorted(hashes(recorded).items()), claims, unreduced))
    if key not in PROVED:
        PROVED[key] = prove(recorded, claims, unreduced=unreduced, jobs=jobs, observer=observer)
    return PROVED[key]


@pytest.fixture(autouse=True, scope="module")
def bots_prepared_once() -> Iterator[None]:
    with prepared_once(bounds_module):
        yield


@pytest.fixture
def proved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificate_module, "prove", prove_once)


CLOSED_FORM = shipped_solution().parent / "closed_forms" / "match_to_1"


def nearly_pure(output: Path, winning_score: int) -> Path:
    """A match that is quickly judged: few plays are possible against the closed form of a match to 1.

    From the seventh mark on it errs, which makes every probability a multiple of 2^-6 or, where there are more points,
    of 2^-7 and so on.
    """
    record = read_file(CLOSED_FORM / SOLUTION_FILE, SOLUTION_KIND)
    (name,) = (CLOSED_FORM / "subgame_0_0").glob("snapshot_*.msgpack")
    pure, tree = read_file(name, SNAPSHOT_KIND), game_tree()
    starts = tree.first_child[tree.decision_nodes]
    error = -pure["strategy_sums"]
    error[starts] += np.add.reduceat(pure["strategy_sums"], starts, axis=0)  # makes the first move instead
    error[tree.depth < 7] = 0.0
    entries = []
    for score in all_scores(winning_score):
        weights = pure["strategy_sums"] * 2.0 ** (6 + sum(score)) + error
        path = output / subgame_name(score) / name.name
        path.parent.mkdir(parents=True)
        content = pure | {"score": list(score), "winning_score": winning_score, "strategy_sums": weights}
        write_file(path, SNAPSHOT_KIND, content)
        following = [[*later, 0.0] for later in following_scores(pair_of(score), winning_score)]
        entries.append(record["subgames"][0] | {"score": list(score), "following": following})
    write_file(output / SOLUTION_FILE, SOLUTION_KIND, record | {"winning_score": winning_score, "subgames": entries})
    return output


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match to 1. To be copied, not changed, like the others."""
    return nearly_pure(tmp_path_factory.mktemp("certify") / "one", 1)


@pytest.fixture(scope="module")
def certified_one(one: Path) -> Json:
    with mock.patch.object(certificate_module, "prove", prove_once):
        return certify(one, unreduced=True)


@pytest.fixture(scope="module")
def two(one: Path) -> Path:
    """A match to 2."""
    return nearly_pure(one.parent / "two", 2)


@pytest.fixture(scope="module")
def certified_two(two: Path) -> Json:
    return certify(two)


@pytest.fixture(scope="module")
def noisy(one: Path) -> Path:
    """The last score of the solution that ships, with weights like those that the solver leaves: without a small
    common denominator."""
    solution = copy_of(one, one.parent / "noisy")
    path = max((shipped_solution() / "subgame_4_4").glob("snapshot_*.msgpack"))
    weights = read_file(path, SNAPSHOT_KIND)["strategy_sums"]
    weights *= 1.0 + 1e-3 * np.random.default_rng(1).random(weights.shape)
    change_snapshot(solution, "0_0", play(weights))
    return solution


@pytest.fixture(scope="module")
def certified_noisy(noisy: Path) -> Json:
    return certify(noisy)


def copy_of(solution: Path, tmp_path: Path) -> Path:
    target = tmp_path / "copy"
    shutil.copytree(solution, target)
    return target


def change_snapshot(solution: Path, score: str, change: Callable[[Json], object]) -> Path:
    """Save a snapshot with other content, and a checksum that is right for it."""
    (path,) = (solution / f"subgame_{score}").glob("snapshot_*.msgpack")
    content = read_file(path, SNAPSHOT_KIND)
    change(content)
    write_file(path, SNAPSHOT_KIND, content)
    return path


def play(strategy: np.ndarray[Any, Any]) -> Callable[[Json], object]:
    """A change of a snapshot: other strategy sums."""

    def change(content: Json) -> None:
        content["strategy_sums"][:] = strategy
        content["strategy_sums"][0] = 0.0

    return change


def claims_of(certificate: Json) -> Claims:
    claims = Claims({}, {})
    for entry in certificate["scores"]:
        for seat, sign, bound, name in ((0, 1, "upper", "first"), (1, -1, "lower", "second")):
            claims.bounds[State(seat, *entry["score"])] = sign * fraction(entry[bound])
            claims.progress[State(seat, *entry["score"])] = fraction(entry["progress"][f"adversary_{name}"])
    return claims


# --- what is claimed ---------------------------------------------------------------------------------------------


@pytest.fixture(params=["noisy", "one", "two"])
def certified(request: pytest.FixtureRequest) -> tuple[Path, Json]:
    """Each of the solutions with its certificate."""
    return request.getfixturevalue(request.param), request.getfixturevalue(f"certified_{request.param}")


def test_bounds_agree_with_the_floating_point_best_response(certified: tuple[Path, Json]) -> None:
    assert_bounds_are_tight(*certified)


def assert_bounds_are_tight(path: Path, certificate: Json) -> None:
    solution = load_solution(path)
    found = best_response_over_match(solution.tree, solution.average_strategy, solution.winning_score)
    assert len(certificate["scores"]) == len(found.scores) == solution.winning_score**2
    for entry in certificate["scores"]:
        result = found.scores[Score(*entry["score"])]
        assert float(fraction(entry["upper"])) == pytest.approx(result.maximum, abs=1e-12)
        assert float(fraction(entry["lower"])) == pytest.approx(result.minimum, abs=1e-12)
        assert fraction(entry["exploitability"]) == fraction(entry["upper"]) - fraction(entry["lower"])


def test_what_a_certificate_says(certified: tuple[Path, Json]) -> None:
    path, certificate = certified
    assert len(certificate["files"]) == 1 + len(certificate["scores"])
    for name, digest in certificate["files"].items():
        assert hashlib.sha256((path / name).read_bytes()).hexdigest() == digest
    total = fraction(certificate["total"]["exploitability"])
    assert 0 < total < Fraction(1, 10)
    (start,) = (entry for entry in certificate["scores"] if entry["score"] == [0, 0])
    assert certificate["total"].items() <= start.items()
    for item in certificate["scores"]:
        assert Fraction(item["lower_decimal"]) <= fraction(item["lower"])
        assert fraction(item["upper"]) <= Fraction(item["upper_decimal"]) < fraction(item["upper"]) + Fraction(10)**-29


def test_what_was_checked_and_how(certified_noisy: Json, certified_one: Json, certified_two: Json) -> None:
    assert certified_one["nodes"] == {"reduced": 37_538, "unreduced": 549_946}
    assert certified_two["nodes"] == {"reduced": 37_538, "unreduced": None}
    for seat in ("bot_first", "bot_second"):
        exact, enclosed = (item["scores"][0]["arithmetic"][seat] for item in (certified_two, certified_noisy))
        assert exact == {"exact": True, "denominator": str(2**8), "bits": 9}
        assert enclosed == {"exact": False, "denominator": str(2**96), "bits": 97}


def test_decimals_are_rounded_outward() -> None:
    third = Fraction(1, 3)
    assert decimal_text(third, up=True, places=4) == "0.3334"
    assert decimal_text(third, up=False, places=4) == "0.3333"
    assert decimal_text(-third, up=True, places=4) == "-0.3333"
    assert decimal_text(-third, up=False, places=4) == "-0.3334"
    assert decimal_text(Fraction(-1, 100000), up=True, places=4) == "0.0000"
    assert decimal_text(Fraction(5, 4), up=True, places=4) == "1.2500"


def test_the_result_depends_on_nothing_but_the_solution(two: Path, certified_two: Json, tmp_path: Path) -> None:
    assert certificate_bytes(certify(two, jobs=2)) == certificate_bytes(certified_two)
    write_certificate(tmp_path / "c.json", certified_two)
    assert read_certificate(tmp_path / "c.json") == certified_two


class Affine:
    """A round that is worth the same mixture of its results whatever the adversary does."""

    def __init__(self, *shares: Fraction, constant: Fraction = Fraction(0)) -> None:
        self._shares, self._constant = shares, constant

    def best_response(self, worth: list[Fraction]) -> Fraction:
        return self._constant + sum(share * value for share, value in zip(self._shares, worth, strict=True))


def test_simple_fractions_are_claimed_exactly() -> None:
    """At the last score V = -1/9 - 4/9 V, so that V = -1/13: the very numbers, and no exploitability at all."""
    group = group_of((0, 0))
    ninth = Fraction(1, 9)
    rounds: Any = {
        group[0]: Affine(ninth, 2 * ninth, 3 * ninth, 3 * ninth),
        group[1]: Affine(ninth, 2 * ninth, 3 * ninth, 3 * ninth),
    }
    found = find_bounds(group, rounds, {}, Fraction(1, 3), 1)
    assert found == {group[0]: Fraction(-1, 13), group[1]: Fraction(1, 13)}
    assert found[group[0]] + found[group[1]] == 0


@pytest.mark.parametrize("leaving", [Fraction(1, 2), Fraction(1, 3**50), Fraction(2, 10**9 + 7)])
def test_other_bounds_are_fixed_points_on_the_grid(leaving: Fraction) -> None:
    """However slowly the match goes on, lowering one bound by a unit breaks the claim."""
    group = group_of((0, 0))
    won = leaving * Fraction(2**70 + 3, 3**45)
    share = Affine(Fraction(0), won, leaving - won, 1 - leaving)
    rounds: Any = {group[0]: share, group[1]: Affine(Fraction(0), leaving / 3, leaving * 2 / 3, 1 - leaving)}
    found = find_bounds(group, rounds, {}, Fraction(0), 1)
    leaves = dict.fromkeys(group, leaving)
    check_group(group, rounds, found, leaves, 1)
    for state in group:
        assert (found[state] / UNIT).denominator == 1
        with pytest.raises(Refused, match="bound"):
            check_group(group, rounds, found | {state: found[state] - UNIT}, leaves, 1)


def rounds_of(solution: Path, groups: list[Group]) -> dict[State, BotRound]:
    recorded, tree = read_solution(solution), bounds_module.strategy_tree()
    weights = {points: read_weights(recorded, points) for points in recorded.files}
    return {
        state: round_once(tree, probabilities_once(tree, weights[state.first, state.second], 1 - state.seat))
        for group in groups for state in group
    }  # fmt: skip


def test_every_claim_is_refused_when_it_is_tightened_by_a_unit(certified: tuple[Path, Json]) -> None:
    """All bounds and all progress, each in the last place."""
    path, certificate = certified
    claims, winning_score = claims_of(certificate), certificate["winning_score"]
    groups = judged_groups(read_solution(path))
    rounds = rounds_of(path, groups)
    for group in groups:
        check_group(group, rounds, claims.bounds, claims.progress, winning_score)
        for state in group:
            with pytest.raises(Refused, match=f"bound at {state} does not hold"):
                check_group(group, rounds, claims.bounds | {state: claims.bounds[state] - UNIT}, claims.progress,
                            winning_score)  # fmt: skip
            raised = claims.progress | {state: claims.progress[state] + UNIT}
            with pytest.raises(Refused, match=f"progress at {state} does not hold"):
                check_group(group, rounds, claims.bounds, raised, winning_score)
    assert len(rounds) == len(claims.bounds) == 2 * winning_score**2


def test_bad_strategies_are_judged_too(one: Path, tmp_path: Path) -> None:
    """A value in the file that is far from what an adversary gets: the bot plays uniformly. Here all is simple."""
    solution = copy_of(one, tmp_path)
    change_snapshot(solution, "0_0", play(0.0 * uniform_strategy()))
    certificate = certify(solution)
    assert_bounds_are_tight(solution, certificate)
    (entry,) = certificate["scores"]
    assert (entry["upper"], entry["lower"]) == ("101768739/125444273", "-108844179/125444273")


def test_a_bot_with_which_the_match_may_never_end_is_refused(one: Path, tmp_path: Path) -> None:
    solution = copy_of(one, tmp_path)
    change_snapshot(solution, "0_0", play(endless_bot()[Score(0, 0)]))
    with pytest.raises(Refused, match="nothing can be proved at 0-0"):
        certify(solution)


def test_what_is_not_solved_is_not_judged(two: Path, tmp_path: Path) -> None:
    solution = copy_of(two, tmp_path)
    record = read_file(solution / SOLUTION_FILE, SOLUTION_KIND)

    def keep(*scores: list[int]) -> None:
        kept = [entry for entry in record["subgames"] if entry["score"] in scores]
        write_file(solution / SOLUTION_FILE, SOLUTION_KIND, record | {"subgames": kept})

    keep([1, 1], [0, 0], [1, 0])
    certificate = certify(solution)
    assert [entry["score"] for entry in certificate["scores"]] == [[1, 1]]
    assert certificate["not_judged"] == [[0, 1], [1, 0], [0, 0]]
    assert certificate["total"] is None
    assert len(certificate["files"]) == 2
    verify(certificate, solution)
    keep([0, 0], [1, 0], [0, 1])
    with pytest.raises(Refused, match="no score can be judged"):
        certify(solution)
    with pytest.raises(Refused, match=r"files\.subgame_1_1/.*: unknown"):
        verify(certificate, solution)


# --- what is refused ---------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("proved_once")
def test_a_certificate_that_holds_is_accepted(one: Path, certified_one: Json) -> None:
    verify(certified_one, one)
    verify(certified_one, one, unreduced=True)


def with_hash(certificate: Json, path: Path) -> Json:
    """The certificate with the right hash for a file that was changed."""
    name = f"{path.parent.name}/{path.name}"
    return certificate | {"files": certificate["files"] | {name: hashlib.sha256(path.read_bytes()).hexdigest()}}


def test_a_tampered_strategy_is_refused(one: Path, certified_one: Json, tmp_path: Path) -> None:
    """One probability, moved from one opening to another; with the old hash, and with the right one."""
    solution = copy_of(one, tmp_path)

    def change(content: Json) -> None:
        row = content["strategy_sums"][1:4, 0]
        best = int(row.argmax())
        row[best] -= 2.0**-10
        row[(best + 1) % 3] += 2.0**-10

    path = change_snapshot(solution, "0_0", change)
    with pytest.raises(Refused, match=r"^files\.subgame_0_0/snapshot_"):
        verify(certified_one, solution)
    with pytest.raises(Refused, match=r"does not hold"):
        verify(with_hash(certified_one, path), solution)


def test_a_tampered_strategy_is_refused_on_the_unreduced_tree(
    one: Path, certified_one: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The claims are checked there in their own right: a tree that ends otherwise is noticed."""
    whole = bounds_module.whole_tree()
    won = whole._replace(outcome=[outcome if outcome < 0 else 0 for outcome in whole.outcome])
    monkeypatch.setattr(bounds_module, "whole_tree", lambda: won)
    verify(certified_one, one)
    with pytest.raises(Refused, match=r"on the unreduced tree: the (bound|progress) at 0-0"):
        verify(certified_one, one, unreduced=True)


def test_swapped_files_are_refused(two: Path, certified_two: Json, tmp_path: Path) -> None:
    solution = copy_of(two, tmp_path)
    (first,) = (solution / "subgame_1_0").glob("snapshot_*")
    (second,) = (solution / "subgame_0_1").glob("snapshot_*")
    content = second.read_bytes()
    second.write_bytes(first.read_bytes())
    first.write_bytes(content)
    with pytest.raises(Refused, match=r"files\.subgame_0_1"):
        verify(certified_two, solution)
    with pytest.raises(FormatError, match="not a snapshot of 0-1 of a match to 2"):
        certify(solution)


EDITS: dict[str, tuple[tuple[str | int, ...], Any, str]] = {
    "upper lowered": (("scores", 0, "upper"), moved(-1), "bound at 0-0 with the adversary moving first"),
    "lower raised": (("scores", 0, "lower"), moved(1), "bound at 0-0 with the adversary moving second"),
    "progress raised": (("scores", 0, "progress", "adversary_first"), moved(1), "progress at 0-0"),
    "both raised, by different amounts": (("scores", 0), lambda entry: entry | {
        "upper": moved(3)(entry["upper"]), "lower": moved(-2)(entry["lower"])}, "scores.at 0-0..exploitability"),
    "decimal": (("scores", 0, "upper_decimal"), lambda t: t[:-1] + str((int(t[-1]) + 9) % 10), "upper_decimal"),
    "exploitability": (("scores", 0, "exploitability"), moved(-1), "exploitability"),
    "total": (("total", "exploitability_decimal"), "0." + 30 * "0", "total.exploitability_decimal"),
    "no total": (("total",), None, "total"),
    "arithmetic": (("scores", 0, "arithmetic", "bot_first", "bits"), 20, "arithmetic.bot_first.bits"),
    "true is not 1": (("scores", 0, "arithmetic", "bot_first", "exact"), 1, "arithmetic.bot_first.exact"),
    "winning score": (("winning_score",), 2, "winning_score: 2 where 1 is right"),
    "end rule": (("end_rule",), "board-full", "end_rule"),
    "nodes": (("nodes", "reduced"), 37_537, "nodes.reduced"),
    "a hash": (("files", SOLUTION_FILE), 64 * "0", "files.solution.msgpack"),
    "a file more": (("files", "../other"), 64 * "0", "files"),
    "a score less": (("scores",), [], "not the scores"),
    "a score twice": (("scores",), lambda scores: scores * 2, "not the scores"),
    "a score not judged": (("not_judged",), [[0, 0]], "not_judged"),
    "a field more": (("author",), "me", "author: unknown"),
}


@pytest.mark.usefixtures("proved_once")
@pytest.mark.parametrize("name", EDITS)
def test_edited_certificates_are_refused(one: Path, certified_one: Json, name: str, tmp_path: Path) -> None:
    path, value, message = EDITS[name]
    write_certificate(tmp_path / "wrong.json", edited(certified_one, *path, value=value))
    wrong = read_certificate(tmp_path / "wrong.json")
    assert wrong != certified_one or name == "true is not 1"
    with pytest.raises(Refused, match=message):
        verify(wrong, one)


@pytest.mark.usefixtures("proved_once")
def test_versions_are_information(one: Path, certified_one: Json) -> None:
    verify(certified_one | {"python_version": "4.0", "program_version": "9"}, one)


MALFORMED: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "not the JSON"),
    "no JSON": (b"{", "not the JSON"),
    "another value": (b"[]", "is it the right file"),
    "another file": (b"{}", "is it the right file"),
    "not ASCII": ("{\"é\": 1}".encode(), "not the JSON"),
    "deep": (b"[" * 100_000, "not the JSON"),
    "a float": (b'{"a": 1.5}', "not an integer"),
    "NaN": (b'{"a": NaN}', "not an integer"),
    "a large integer": (b'{"a": ' + b"1" * 5000 + b"}", "too large"),
    "a key twice": (b'{"a": 1, "a": 1}', "twice"),
    "NUL": (b"\0" * 100, "not the JSON"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_certificates_get_one_line(name: str, tmp_path: Path) -> None:
    data, message = MALFORMED[name]
    (tmp_path / "bad.json").write_bytes(data)
    with pytest.raises(FormatError, match=message):
        read_certificate(tmp_path / "bad.json")
    assert message in complaint(call(CERTIFY, "--verify", tmp_path / "bad.json"), 1, CERTIFY)


MISTYPED: dict[str, tuple[tuple[str | int, ...], Any]] = {
    "format": (("format",), "another"),
    "version": (("format_version",), 2),
    "version true": (("format_version",), True),
    "winning score": (("winning_score",), "1"),
    "files": (("files",), []),
    "nodes": (("nodes", "unreduced"), {"bot_first": 1}),
    "scores": (("scores",), {}),
    "an entry": (("scores", 0), 7),
    "a score": (("scores", 0, "score"), [0, 0, 0]),
    "a score of truths": (("scores", 0, "score"), [False, False]),
    "a number": (("scores", 0, "upper"), 1),
    "zero below": (("scores", 0, "upper"), "1/0"),
    "not in lowest terms": (("scores", 0, "lower"), "2/4"),
    "a sign below": (("scores", 0, "lower"), "1/-2"),
    "spaces": (("scores", 0, "lower"), " 1/2"),
    "too long": (("scores", 0, "lower"), "1" * 5000 + "/2"),
    "progress": (("scores", 0, "progress"), None),
    "a progress": (("scores", 0, "progress", "adversary_second"), "0.5"),
}


@pytest.mark.parametrize("name", MISTYPED)
def test_values_of_the_wrong_type_get_one_line(certified_one: Json, name: str, tmp_path: Path) -> None:
    path, value = MISTYPED[name]
    write_certificate(tmp_path / "bad.json", edited(certified_one, *path, value=value))
    with pytest.raises(FormatError):
        read_certificate(tmp_path / "bad.json")


@pytest.mark.usefixtures("proved_once")
@pytest.mark.parametrize("name", ["nodes", "files", "not_judged", "total"])
@pytest.mark.parametrize("value", [{}, {"a": {"b": []}}, {"unreduced": [1]}, {"unreduced": {"a": 1.5}}], ids=str)
def test_values_of_any_shape_are_refused(one: Path, certified_one: Json, name: str, value: Json) -> None:
    with pytest.raises(Refused):
        verify(certified_one | {name: value}, one)


def test_a_certificate_is_a_regular_file_of_a_sensible_size(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="not a regular file"):
        read_certificate(tmp_path)
    with open(tmp_path / "large.json", "wb") as file:
        file.truncate(2**27)
    with pytest.raises(FormatError, match="larger than the limit"):
        read_certificate(tmp_path / "large.json")
    with pytest.raises(FormatError, match="No such file"):
        read_certificate(tmp_path / "none.json")


DAMAGES: dict[str, tuple[Callable[[Json], object], str]] = {
    "negative": (lambda content: content["strategy_sums"].__setitem__((5, 0), -1.0), "strategy_sums: negative"),
    "of another shape": (lambda content: content.update(strategy_sums=np.ones((7, 3))), "not a float64 array"),
    "of other numbers": (lambda content: content.update(strategy_sums=np.ones((37538, 3), np.int8)), "not a float64"),
    "no array": (lambda content: content.update(strategy_sums=1.0), "not a float64 array"),
    "of another match": (lambda content: content.update(winning_score=7), "not a snapshot of 0-0 of a match to 1"),
    "of another rule": (lambda content: content.update(end_rule="none"), "another end rule"),
    "of another tree": (lambda content: content.update(tree_fingerprint="0"), "another game tree"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_snapshots_that_cannot_be_used_get_one_line(one: Path, name: str, tmp_path: Path) -> None:
    solution = copy_of(one, tmp_path)
    change, message = DAMAGES[name]
    path = change_snapshot(solution, "0_0", change)
    with pytest.raises(FormatError, match=message):
        certify(solution)
    path.unlink()
    with pytest.raises(FormatError, match="missing, or not a regular file"):
        certify(solution)


@pytest.mark.parametrize("change", [
    {"winning_score": 0}, {"winning_score": 1.0}, {"subgames": {}}, {"subgames": [1]}, {"end_rule": 5},
    {"tree_fingerprint": None},
    {"subgames": [{"score": [0, 0], "value": 0.0, "iteration": -1}]},
    {"subgames": [{"score": [0, 1], "value": 0.0, "iteration": 1}]},
    {"subgames": [{"score": [0, 0], "value": 0.0, "iteration": 1}] * 2},
], ids=str)  # fmt: skip
def test_records_that_cannot_be_used_get_one_line(one: Path, change: Json, tmp_path: Path) -> None:
    content = read_file(one / SOLUTION_FILE, SOLUTION_KIND)
    write_file(tmp_path / SOLUTION_FILE, SOLUTION_KIND, content | change)
    with pytest.raises(FormatError, match=SOLUTION_FILE):
        read_solution(tmp_path)


def test_files_that_change_meanwhile_are_noticed(one: Path, tmp_path: Path) -> None:
    solution = copy_of(one, tmp_path)

    def meddle(*_: object) -> None:
        change_snapshot(solution, "0_0", lambda content: content.update(value=0.25))

    with pytest.raises(FormatError, match="changed while they were read"):
        certify(solution, observer=meddle)


# --- the command -------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("proved_once")
def test_the_command_writes_prints_and_verifies(one: Path, certified_one: Json, tmp_path: Path) -> None:
    solution = copy_of(one, tmp_path)
    result = call(CERTIFY, "-s", solution, "--unreduced")
    assert (result.code, result.err) == (0, "")
    assert (solution / CERTIFICATE_FILE).read_bytes() == certificate_bytes(certified_one)
    row = re.search(r"^ *0-0 +(-0\.\d{9}) +(-0\.\d{9}) +(\S+) +(\S+) % +0\.[34]\d\d +exact", result.out, re.MULTILINE)
    assert row is not None
    total = fraction(certified_one["total"]["exploitability"])
    assert total <= Fraction(row[3]) <= total * Fraction(102, 100)
    assert 50 * total <= Fraction(row[4]) <= 51 * total
    assert Fraction(row[1]) <= fraction(certified_one["scores"][0]["lower"])
    assert "nodes and on the unreduced one of 549,946." in result.out.replace("\n", " ")
    last = (
        f"Proved: the total exploitability of the bot in a match to 1 is at most {row[3]} in match value (-1 to 1), "
        f"{row[4]} percentage points of matches won."
    )
    assert result.out.splitlines()[-1] == last
    verified = call(CERTIFY, "--verify", solution / CERTIFICATE_FILE)
    assert (verified.code, verified.err) == (0, "")
    (line,) = verified.out.splitlines()
    start = f"{solution / CERTIFICATE_FILE}: every claim holds, checked on the reduced tree (--unreduced would"
    assert line.startswith(start)
    assert line.endswith(last)
    both = call(CERTIFY, "--verify", solution / CERTIFICATE_FILE, "-s", one, "--unreduced", "--quiet")
    assert "checked on the reduced and the unreduced tree. Proved" in both.out


@pytest.mark.usefixtures("proved_once")
def test_json_is_the_certificate_alone(one: Path, certified_one: Json, tmp_path: Path) -> None:
    result = call(CERTIFY, "-s", one, "-o", tmp_path / "c.json", "--json", "--jobs", 2)
    assert (result.code, result.err) == (0, "")
    assert result.out.encode() == (tmp_path / "c.json").read_bytes()
    assert json.loads(result.out) == edited(certified_one, "nodes", "unreduced", value=None)
    quiet = call(CERTIFY, "-s", one, "-o", tmp_path / "c.json", "--quiet")
    assert quiet.out.startswith("Proved: ")
    assert len(quiet.out.splitlines()) == 1


@pytest.mark.usefixtures("proved_once")
def test_a_refused_certificate_ends_with_one_line(one: Path, certified_one: Json, tmp_path: Path) -> None:
    wrong = edited(certified_one, "scores", 0, "upper", value=moved(-1))
    write_certificate(tmp_path / "wrong.json", wrong)
    line = complaint(call(CERTIFY, "-s", one, "--verify", tmp_path / "wrong.json"), 1, CERTIFY)
    assert "refused: the bound at 0-0 with the adversary moving first does not hold" in line


@pytest.mark.parametrize(("arguments", "code"), [
    (["--verify", "c.json", "-o", "d.json"], 2),
    (["--verify", "c.json", "--json"], 2),
    (["--verify", "."], 2),
    (["-o", "."], 2),
    (["-o", ""], 2),
    (["-o", "one/snapshot.msgpack"], 2),
    (["--jobs", "0"], 2),
    (["--jobs", "many"], 2),
    (["--average-strategy", "false"], 2),
    (["extra"], 2),
    ([], 1),
    (["-s", "none"], 1),
    (["--verify", "none.json"], 1),
], ids=str)  # fmt: skip
def test_mistakes_get_one_line(
    arguments: list[str], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    complaint(call(CERTIFY, *arguments), code, CERTIFY)
    assert contents(tmp_path) == {}


def test_where_nothing_can_be_written_nothing_is_left(one: Path, tmp_path: Path) -> None:
    assert "no such directory" in complaint(call(CERTIFY, "-s", one, "-o", tmp_path / "no" / "c.json"), 1, CERTIFY)
    (tmp_path / "file").write_text("")
    complaint(call(CERTIFY, "-s", one, "-o", tmp_path / "file" / "c.json"), 1, CERTIFY)
    complaint(call(CERTIFY, "-s", one, "-o", tmp_path / ("c" * 300)), 1, CERTIFY)
    assert contents(tmp_path) == {"file": b""}


@pytest.mark.parametrize(("number", "jobs"), [(signal.SIGINT, 2), (signal.SIGTERM, 1)])
def test_an_interrupted_command_leaves_nothing(number: int, jobs: int, tmp_path: Path) -> None:
    source = "from tictactoe.tools import certify; certify.SECONDS_BETWEEN_LINES = 0.0; certify.main()"
    arguments = ["-s", str(shipped_solution()), "-o", str(tmp_path / "c.json"), "--jobs", str(jobs)]
    process = subprocess.Popen(
        [sys.executable, "-c", source, *arguments], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stderr is not None
    assert "1 of 25 scores" in process.stderr.readline()
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert all(line.startswith("certifying") for line in err.split("\n") if line)
    assert contents(tmp_path) == {}
    assert is_gone(process.pid)


def is_gone(group: int) -> bool:
    """Whether soon no process of the group, which the workers are of, is left."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False
