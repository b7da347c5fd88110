"""Runs that solve a named game: targets, stops, linear programs, one player, and what their directory may hold."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.programs import call

from tictactoe import CHANCE, Existing, RunControl, best_play, exploitability, uniform_strategy
from tictactoe.errors import FormatError, GameError, OtherOptionsError, StoreError
from tictactoe.games.named_games import NamedGame, named_game
from tictactoe.solving import game_run, round_run
from tictactoe.solving.game_run import GameOptions, build, solve_exactly, solve_game, solve_one_player
from tictactoe.storage.snapshot import GameSnapshot, strategy_rows

KUHN = named_game("kuhn")
GAME = build(KUHN)
SHORT = GameOptions(iterations=35, check_exploitability_every=10)


def files(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir() if not path.name.startswith(".")}


def test_a_solved_game_and_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(round_run, "CHECKPOINT_SECONDS", 0.0)  # no checkpoint is left in the end
    solved = solve_game(KUHN, GAME, GameOptions(iterations=400, snapshot_at=(10,)), tmp_path)
    assert abs(solved.value + 1 / 18) < 1e-4
    assert (solved.iterations, solved.num_information_sets) == (400, 12)
    assert solved.exploitability == pytest.approx(exploitability(GAME, solved.strategy).total, abs=1e-15)
    assert sorted(files(tmp_path)) == ["snapshot_000010.msgpack", "snapshot_000400.msgpack", "strategy.csv"]
    rows = list(csv.DictReader((tmp_path / "strategy.csv").open()))
    assert len(rows) == 24
    sets = {(row["history"], row["player"], row["type"]): 0.0 for row in rows}
    for row in rows:
        sets[row["history"], row["player"], row["type"]] += float(row["probability"])
    assert len(sets) == 12
    assert list(sets.values()) == pytest.approx([1.0] * 12)
    assert solve_game(KUHN, GAME, GameOptions(iterations=20), tmp_path).iterations == 400


def test_a_target_ends_a_run_and_a_stricter_one_goes_on(tmp_path: Path) -> None:
    loose, strict = (GameOptions(target=target, check_exploitability_every=10) for target in (1e-2, 1e-4))
    first = solve_game(KUHN, GAME, loose, tmp_path)
    assert first.exploitability <= 1e-2
    assert solve_game(KUHN, GAME, loose, tmp_path).iterations == first.iterations
    second = solve_game(KUHN, GAME, strict, tmp_path)
    assert second.exploitability <= 1e-4
    np.testing.assert_array_equal(second.strategy, solve_game(KUHN, GAME, strict).strategy)


def test_linear_programs(tmp_path: Path) -> None:
    solved = solve_exactly(KUHN, GAME, tmp_path)
    assert solved.value == pytest.approx(-1 / 18, abs=1e-12)
    before = files(tmp_path)
    assert solve_exactly(KUHN, GAME, tmp_path).exploitability == solved.exploitability < 1e-11
    assert files(tmp_path) == before
    with pytest.raises(OtherOptionsError):
        solve_game(KUHN, GAME, SHORT, tmp_path)


class Chance:
    """Nobody decides anything."""

    types = ("a", "b"), ("",)

    def prior(self, first: str, second: str) -> float:
        return 0.5

    def root(self) -> str:
        return ""

    def owner(self, state: str) -> int | None:
        return None if state else CHANCE

    def moves(self, state: str) -> list[tuple[str, str]]:
        return [("head", "head"), ("tail", "tail")]

    def chance(self, state: str, name: str, first: str, second: str) -> float:
        return 0.25 if name == "head" else 0.75

    def payoff(self, state: str, first: str, second: str) -> float:
        return {"head": 8.0, "tail": -4e-9}[state] if first == "a" else 0.0


def test_a_game_without_decisions() -> None:
    named = NamedGame("chance", "Chance", Chance(), "chance.py")
    game = build(named)
    for solved in (solve_exactly(named, game), solve_game(named, game, SHORT)):
        assert (solved.value, solved.exploitability) == pytest.approx((1.0, 0.0), abs=1e-8)
        assert solved.is_solved
        assert not replace(solved, exploitability=1e-8).is_solved, "payoffs are up to 8 apart, whatever chance does"


def test_who_still_gains_something_is_not_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_run, "LARGEST_PART_GAINED", -1.0)
    result = call("game solve", "kuhn", "--exact")
    assert result.code == 1
    assert "exploitability: 1.67e-16" in result.out
    line = "game solve: kuhn: not solved exactly: by a best response somebody still gains 1.7e-16, more than rounding"
    assert result.err == f"{line}\n"
    assert call("game solve", "kuhn", "--max-iterations", "5", "--quiet").code == 0


def test_values_in_words() -> None:
    """Nine digits of whatever size the payoffs are; 0 has no sign."""
    solved = solve_game(KUHN, GAME, SHORT)
    small = replace(solved, game=replace(GAME, payoffs=GAME.payoffs * 1e-12))
    for of, value, text in (
        (solved, -1 / 18, "-0.055555556"),
        (solved, -5.6e-11, "0.000000000"),
        (small, -1e-12 / 18, "-5.555555556e-14"),
        (small, -5.6e-29, "0.000000000"),
        (small, 1.0, "+1.000000000"),
    ):
        assert replace(of, value=value).lines()[1] == f"value to player 0: {text}"


def test_the_file_has_no_noise(tmp_path: Path) -> None:
    strategy = uniform_strategy(GAME.tree)
    strategy[1:3] = [[1e-29, 0.0, 3e-12]] * 2
    strategy[2] = 1.0 - strategy[1]
    rows = [row for row in strategy_rows(GAME, strategy) if row[0] == ""]
    found = {(row[2], row[3]): row[4] for row in rows}
    assert [found[name, "check"] for name in GAME.types[0]] == [0.0, 0.0, 3e-12]
    assert all(found[name, "check"] + found[name, "bet"] == 1.0 for name in GAME.types[0])


def test_linear_programs_and_sampling_refuse_many_types() -> None:
    many = named_game("kuhn(65)")
    game = build(many)
    with pytest.raises(GameError, match=r"^kuhn\(65\): 65 private types; linear programs are for at most 64"):
        solve_exactly(many, game)
    with pytest.raises(GameError, match=r"^kuhn\(65\): es-mccfr is for at most 64 private types"):
        solve_game(many, game, GameOptions.of_contender("es-mccfr"))


def test_one_player(tmp_path: Path) -> None:
    game = named_game("twenty-one")
    assert solve_one_player(game, tmp_path).best.value == best_play(game.description).value
    with pytest.raises(StoreError, match="holds a strategy"):
        solve_one_player(game, tmp_path)
    solve_one_player(game, tmp_path, restart=True)
    rows = list(csv.DictReader((tmp_path / "strategy.csv").open()))
    assert len(rows) == len({row["state"] for row in rows}) == 280
    assert rows[0]["state"] == "You have hard 20, the dealer hard 10."


def test_directories_that_cannot_be_used(tmp_path: Path) -> None:
    solve_game(KUHN, GAME, SHORT, tmp_path)
    other, again = GameOptions(iterations=35, check_exploitability_every=5), RunControl(existing=Existing.RESTART)
    with pytest.raises(OtherOptionsError, match="check_exploitability_every is 10 there, 5 here"):
        solve_game(KUHN, GAME, other, tmp_path)
    four = named_game("kuhn(4)")
    with pytest.raises(FormatError, match="of another game, 'kuhn'"):
        solve_game(four, build(four), SHORT, tmp_path)
    solve_game(KUHN, GAME, other, tmp_path, control=again)
    assert GameSnapshot.load(tmp_path / "snapshot_000035.msgpack", GAME).options == other.as_dict()
    (tmp_path / "snapshot_000035.msgpack").write_bytes(b"mine")
    with pytest.raises(StoreError, match="not of a game"):
        solve_game(KUHN, GAME, other, tmp_path, control=again)
    assert (tmp_path / "snapshot_000035.msgpack").read_bytes() == b"mine"
