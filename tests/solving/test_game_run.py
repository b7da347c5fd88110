"""Runs that solve a named game: targets, stops, linear programs, one player, and what their directory may hold."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.programs import call

from tictactoe import CHANCE, Existing, GameOptions, GameTree, RunControl, best_play, exploitability, uniform_strategy
from tictactoe.errors import FormatError, GameError, OtherOptionsError, StoreError
from tictactoe.games.named_games import NamedGame, named_game
from tictactoe.solving import game_run, solved_game
from tictactoe.solving.game_run import solve_exactly, solve_game, solve_one_player
from tictactoe.solving.solved_game import SolvedGame
from tictactoe.storage.snapshot import Snapshot, strategy_rows

KUHN = named_game("kuhn")
GAME = KUHN.build()
SHORT = GameOptions(iterations=35, check_exploitability_every=10, outcome_values=None, snapshot_at=())


def files(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir() if not path.name.startswith(".")}


def test_a_solved_game_and_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_run, "CHECKPOINT_SECONDS", 0.0)  # no checkpoint is left in the end
    options = replace(SHORT, iterations=400, snapshot_at=(10,))
    solved = solve_game(tmp_path, GAME, options)
    assert abs(solved.value + 1 / 18) < 1e-4
    assert (solved.iteration, GAME.num_information_sets) == (400, 12)
    assert solved.exploitability == pytest.approx(exploitability(GAME, solved.average_strategy(GAME)).total, abs=1e-15)
    assert sorted(files(tmp_path)) == ["snapshot_000010.msgpack", "snapshot_000400.msgpack", "strategy.csv"]
    rows = list(csv.DictReader((tmp_path / "strategy.csv").open()))
    assert len(rows) == 24
    sets = {(row["history"], row["player"], row["type"]): 0.0 for row in rows}
    for row in rows:
        sets[row["history"], row["player"], row["type"]] += float(row["probability"])
    assert len(sets) == 12
    assert list(sets.values()) == pytest.approx([1.0] * 12)
    assert solve_game(tmp_path, GAME, replace(options, iterations=20)).iteration == 400


def test_a_target_ends_a_run_and_a_stricter_one_goes_on(tmp_path: Path) -> None:
    loose, strict = (replace(SHORT, iterations=None, target=target) for target in (1e-2, 1e-4))
    first = solve_game(tmp_path, GAME, loose)
    assert first.exploitability <= 1e-2
    assert solve_game(tmp_path, GAME, loose).iteration == first.iteration
    second = solve_game(tmp_path, GAME, strict)
    assert second.exploitability <= 1e-4
    np.testing.assert_array_equal(second.strategy_sums, solve_game(None, GAME, strict).strategy_sums)


def test_linear_programs(tmp_path: Path) -> None:
    solved = solve_exactly(tmp_path, GAME)
    assert solved.value == pytest.approx(-1 / 18, abs=1e-12)
    before = files(tmp_path)
    assert solve_exactly(tmp_path, GAME).exploitability == solved.exploitability < 1e-11
    assert files(tmp_path) == before
    with pytest.raises(OtherOptionsError):
        solve_game(tmp_path, GAME, SHORT)


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
    game = named.build()
    for solved in (solve_exactly(None, game), solve_game(None, game, SHORT)):
        assert (solved.value, solved.exploitability) == pytest.approx((1.0, 0.0), abs=1e-8)
        assert SolvedGame(game, solved, 0.0).is_solved
        worse = SolvedGame(game, replace(solved, exploitability=1e-8), 0.0)
        assert not worse.is_solved, "payoffs are up to 8 apart, whatever chance does"


def test_who_still_gains_something_is_not_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solved_game, "LARGEST_PART_GAINED", -1.0)
    result = call("game solve", "kuhn", "--algorithm", "exact")
    assert result.code == 1
    assert "exploitability: 1.67e-16" in result.out
    problem = "not solved exactly: by a best response somebody still gains 1.7e-16, more than rounding"
    assert result.err == f"tictactoe game solve: kuhn: {problem}\n"
    assert call("game solve", "kuhn", "--max-iterations", "5", "--quiet").code == 0


def test_values_in_words() -> None:
    """Nine digits of whatever size the payoffs are; 0 has no sign."""
    solved = solve_game(None, GAME, SHORT)
    small = replace(GAME, payoffs=GAME.payoffs * 1e-12)
    for of, value, text in (
        (GAME, -1 / 18, "-0.055555556"),
        (GAME, -5.6e-11, "0.000000000"),
        (small, -1e-12 / 18, "-5.555555556e-14"),
        (small, -5.6e-29, "0.000000000"),
        (small, 1.0, "+1.000000000"),
    ):
        assert SolvedGame(of, replace(solved, value=value), 0.0).lines()[1] == f"value to player 0: {text}"


def test_the_file_has_no_noise(tmp_path: Path) -> None:
    strategy = uniform_strategy(GAME.tree)
    strategy[1:3] = [[1e-29, 0.0, 3e-12]] * 2
    strategy[2] = 1.0 - strategy[1]
    rows = [row for row in strategy_rows(GAME, strategy) if row[0] == ""]
    found = {(row[2], row[3]): row[4] for row in rows}
    assert [found[name, "check"] for name in GAME.types[0]] == [0.0, 0.0, 3e-12]
    assert all(found[name, "check"] + found[name, "bet"] == 1.0 for name in GAME.types[0])


def test_linear_programs_refuse_many_types() -> None:
    many = named_game("kuhn(65)")
    game = many.build()
    with pytest.raises(GameError, match=r"^kuhn\(65\): 65 private types; linear programs are for at most 64"):
        solve_exactly(None, game)


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
    solve_game(tmp_path, GAME, SHORT)
    other, again = replace(SHORT, check_exploitability_every=5), RunControl(existing=Existing.RESTART)
    with pytest.raises(OtherOptionsError, match="check_exploitability_every is 10 there, 5 here"):
        solve_game(tmp_path, GAME, other)
    four = named_game("kuhn(4)")
    with pytest.raises(FormatError, match="of another game, 'kuhn'"):
        solve_game(tmp_path, four.build(), SHORT)
    solve_game(tmp_path, GAME, other, control=again)
    assert Snapshot.load(tmp_path / "snapshot_000035.msgpack", GAME).options == other.as_dict()
    with pytest.raises(OtherOptionsError, match="its rules are unknown here, 'kuhn'"):
        solve_game(tmp_path, GameTree.build(), GameOptions(iterations=1))
