"""Runs that solve a named game: targets, stops, linear programs, one player, and what their directory may hold."""

import csv
from pathlib import Path

import numpy as np
import pytest

from tictactoe import Existing, RunControl, best_play, exploitability
from tictactoe.errors import FormatError, GameError, OtherOptionsError, StoreError
from tictactoe.games.named_games import named_game
from tictactoe.solving import checkpoint_clock
from tictactoe.solving.game_run import GameOptions, build, solve_exactly, solve_game, solve_one_player
from tictactoe.storage.game_snapshot import GameSnapshot

KUHN = named_game("kuhn")
GAME = build(KUHN)
SHORT = GameOptions(iterations=35, check_exploitability_every=10)


def files(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir() if not path.name.startswith(".")}


def test_a_solved_game_and_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint_clock, "CHECKPOINT_SECONDS", 0.0)  # no checkpoint is left in the end
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
    assert len((tmp_path / "strategy.csv").read_text().splitlines()) == 281


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
