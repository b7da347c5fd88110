"""Runs that solve a named game: targets, stops, linear programs, one player, and what their directory may hold."""

import csv
import json
import re
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle import card_totals
from oracle.small_games import Table
from support.programs import call

from tictactoe import CHANCE, Existing, GameOptions, GameTree, RunControl, best_play, exploitability, uniform_strategy
from tictactoe.algorithms import one_program
from tictactoe.algorithms.cfr import CFRSolver
from tictactoe.errors import FormatError, GameError, Interrupted, OtherOptionsError, StoreError
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
    saved = ["snapshot_000010.msgpack", "snapshot_000400.msgpack"]
    assert sorted(files(tmp_path)) == ["convergence.csv", *saved, "strategy.csv"]
    rows = list(csv.DictReader((tmp_path / "strategy.csv").open()))
    assert len(rows) == 24
    sets = {(row["history"], row["player"], row["type"]): 0.0 for row in rows}
    for row in rows:
        sets[row["history"], row["player"], row["type"]] += float(row["probability"])
    assert len(sets) == 12
    assert list(sets.values()) == pytest.approx([1.0] * 12)
    assert solve_game(tmp_path, GAME, replace(options, iterations=20)).iteration == 400


def test_the_record_of_convergence(tmp_path: Path) -> None:
    solve_game(tmp_path / "run", GAME, replace(SHORT, iterations=20))
    solve_game(tmp_path / "run", GAME, SHORT)
    rows = list(csv.DictReader((tmp_path / "run" / "convergence.csv").open()))
    assert [int(row["iteration"]) for row in rows] == [10, 20, 30, 35]
    assert rows[-1]["current_exploitability"] == ""
    for row in rows:
        solver = CFRSolver(GAME, SHORT.algorithm)
        solver.run(int(row["iteration"]))
        found = solver.evaluate()
        told = float(row["average_exploitability"]), float(row["value"])
        assert told == pytest.approx((found.average_exploitability, found.value), abs=1e-15)
        assert row["current_exploitability"] in ("", str(found.current_exploitability))
    run = ("--max-iterations", 35, "--check-exploitability-every", 10, "--plot", tmp_path / "picture.svg", "--json")
    result = call("game solve", "kuhn", *run)
    assert json.loads(result.out)["convergence"] == [
        {name: float(text) if text else None for name, text in row.items()} for row in rows
    ]
    assert re.findall(r"^(\d+) of 35 iterations, ", result.err, re.MULTILINE) == ["10", "20", "30", "35"]
    assert "Convergence: Kuhn poker" in (tmp_path / "picture.svg").read_text()
    assert solve_exactly(None, GAME).convergence_rows[0][0] == 0


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


def test_a_stop_comes_before_the_certificate(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Interrupted, match="the strategy is saved; the same command continues with its certificate"):
        solve_exactly(tmp_path, GAME, KUHN, control=RunControl(stop=stop))
    assert sorted(files(tmp_path)) == ["convergence.csv", "snapshot_000000.msgpack", "strategy.csv"]
    told: list[str] = []
    solve_exactly(tmp_path, GAME, KUHN, control=RunControl(reporter=told.append))
    assert told == ["certificate.json proves the value: exactly -1/18"]
    assert "certificate.json" in files(tmp_path)


class Tossed(Table):
    def chance(self, state: str, name: str, first: str, second: str) -> float:
        return 0.25 if name == "head" else 0.75


def test_a_game_without_decisions() -> None:
    sides, worth = [("head", "head"), ("tail", "tail")], {"head": 8.0, "tail": -4e-9}
    paid = lambda state, first, second: worth[state] if first == "a" else 0.0  # noqa: E731
    game = NamedGame("coin", "A coin", Tossed({"start": (CHANCE, sides)}, worth=paid), "coin.py").build()
    for solved in (solve_exactly(None, game), solve_game(None, game, SHORT)):
        assert (solved.value, solved.exploitability) == pytest.approx((1.0, 0.0), abs=1e-8)
        assert SolvedGame(game, solved, 0.0).is_solved
        worse = SolvedGame(game, replace(solved, exploitability=1e-8), 0.0)
        assert not worse.is_solved, "payoffs are up to 8 apart, whatever chance does"


def test_who_still_gains_something_is_not_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solved_game, "LARGEST_PART_GAINED", -1.0)
    result = call("game solve", "kuhn", "--algorithm", "exact")
    assert result.code == 1
    assert "exploitability: 5.55e-17" in result.out
    problem = "it was not solved exactly: a best response still gains 5.6e-17, which is more than rounding"
    assert result.err == f"tictactoe game solve: kuhn: {problem}\n"
    assert call("game solve", "kuhn", "--max-iterations", "5", "--quiet").code == 0


def test_values_in_words() -> None:
    solved = solve_game(None, GAME, SHORT)
    small = replace(GAME, payoffs=GAME.payoffs * 1e-12)
    for of, value, text in (
        (GAME, -1 / 18, "-0.055555556"),
        (GAME, -5.6e-11, "0.000000000"),
        (small, -1e-12 / 18, "-5.555555556e-14"),
        (small, -5.6e-29, "0.000000000"),
        (small, 1.0, "+1.000000000"),
    ):
        told = SolvedGame(of, replace(solved, value=value), 0.0)
        assert told.lines()[1] == f"value to the first player: {text}"
        assert told.as_dict()["value"] == (0.0 if value == -5.6e-29 else value)


def test_the_file_has_no_noise(tmp_path: Path) -> None:
    strategy = uniform_strategy(GAME.tree)
    strategy[1:3] = [[1e-29, 0.0, 3e-12]] * 2
    strategy[2] = 1.0 - strategy[1]
    rows = [row for row in strategy_rows(GAME, strategy) if row[0] == ""]
    found = {(row[2], row[3]): row[4] for row in rows}
    assert [found[name, "check"] for name in GAME.types[0]] == [0.0, 0.0, 3e-12]
    assert all(found[name, "check"] + found[name, "bet"] == 1.0 for name in GAME.types[0])


def test_a_linear_program_with_many_types(monkeypatch: pytest.MonkeyPatch) -> None:
    game = named_game("kuhn(65)").build()
    solved = solve_exactly(None, game)
    assert solved.exploitability < 1e-12
    monkeypatch.setattr(one_program, "LARGEST_PROGRAM", 20_000)
    with pytest.raises(GameError, match=r"^kuhn\(65\): 5 leaves with 4,160 pairs of types; a linear program takes"):
        solve_exactly(None, game)


def test_one_player(tmp_path: Path) -> None:
    game = named_game("twenty-one")
    assert solve_one_player(game, tmp_path).best.value == best_play(game.description).value
    with pytest.raises(StoreError, match="already contains a strategy"):
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
    with pytest.raises(FormatError, match="belongs to another game, 'kuhn'"):
        solve_game(tmp_path, four.build(), SHORT)
    solve_game(tmp_path, GAME, other, control=again)
    assert Snapshot.load(tmp_path / "snapshot_000035.msgpack", GAME).options == other.as_dict()
    with pytest.raises(OtherOptionsError, match="its rules are unknown here, 'kuhn'"):
        solve_game(tmp_path, GameTree.build(), GameOptions(iterations=1))


class Urn:
    """One player draws from cards that a state of tuples holds, as long as it likes."""

    types = ("",), ("",)

    def prior(self, first: str, second: str) -> int:
        return 1

    def root(self) -> Any:
        return (0, (1, 2)), None

    def owner(self, state: Any) -> int | None:
        (_, left), said = state
        return None if said == "stop" else 0 if said is None and left else None if said is None else CHANCE

    def moves(self, state: Any) -> list[Any]:
        (sum_of, left), said = state
        if said is None:
            return [(("stop", "now"), ((sum_of, left), "stop")), ("draw", ((sum_of, left), "draw"))]
        return [(card, ((sum_of + card, tuple(other for other in left if other != card)), None)) for card in left]

    def chance(self, state: Any, name: int, first: str, second: str) -> float:
        return 1 / len(state[0][1])

    def payoff(self, state: Any, first: str, second: str) -> float:
        return 0.0 if state[0][0] > 2 else state[0][0] - 1.0 + 1e-15


def test_states_in_words(tmp_path: Path) -> None:
    """As `show` has them, told apart where it shows two alike; without it in words of ours, and without noise."""
    solve_one_player(NamedGame("urn", "Urn", Urn(), "urn.py"), tmp_path / "plain")
    rows = list(csv.reader((tmp_path / "plain" / "strategy.csv").open()))[1:]
    rows.sort()
    assert [row[:2] for row in rows] == [["0; 1 2; -", "draw"], ["1; 2; -", "stop now"], ["2; 1; -", "stop now"]]
    assert [float(row[2]) for row in rows] == pytest.approx([0.5, 0.0, 1.0])
    assert rows[1][2] == "0.0", "1e-15 is noise"

    class Shown(Urn):
        def show(self, state: Any) -> str:
            return f"{len(state[0][1])} cards\n left"

    solve_one_player(NamedGame("urn", "Urn", Shown(), "urn.py"), tmp_path / "shown")
    names = {row[0] for row in csv.reader((tmp_path / "shown" / "strategy.csv").open())} - {"state"}
    assert len(names) == 3
    assert "2 cards left" in names
    assert all(name.startswith(("1 cards left [", "2 cards left")) for name in names)


@pytest.mark.slow  # ten types, for which kernels are compiled
def test_what_others_get_stands_beside_the_value() -> None:
    """Both players and the dealer of Blackjack++, by dynamic programming; nothing beside Kuhn poker."""
    found = json.loads(call("game solve", "blackjack(10, 9, 10)", "--max-iterations", "300", "--json").out)
    first, second = (float(card_totals.blackjack(up, 10, 1)) for up in (10, 9))
    expected = {"player 0": first, "player 1": second, "the dealer": 3 - first - second}
    assert found["beside"] == pytest.approx(expected, abs=1e-9)
    assert found["value"] == pytest.approx(first - second, abs=1e-9)
    assert "\nthe dealer gets +" in call("game solve", "blackjack(10, 9, 10)", "--max-iterations", "300").out
    assert "beside" not in json.loads(call("game solve", "kuhn", "--max-iterations", "20", "--json").out)


def test_a_picture_without_a_folder_is_refused_before_the_run(tmp_path: Path) -> None:
    where = tmp_path / "away" / "picture.svg"
    result = call("game solve", "kuhn", "--max-iterations", "20", "--plot", where)
    assert result.code == 2
    assert f"--plot: {where.parent}: this folder does not exist" in result.err
    assert result.out == ""
