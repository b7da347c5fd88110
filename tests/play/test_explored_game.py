"""What explore knows of a described game, held to sums over all histories that are played out."""

from pathlib import Path

import numpy as np
import pytest

from tictactoe import GameOptions, best_response_value, exploitability, solve_game
from tictactoe.errors import FormatError, NotSavedError
from tictactoe.games.named_games import NamedGame, named_game
from tictactoe.play.explored_game import GameExplorer, game_of_directory
from tictactoe.play.explorer import MistakeError

LEDUC = named_game("leduc")


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("leduc")
    options = GameOptions(iterations=30, snapshot_at=(10, 20), check_exploitability_every=10)
    solve_game(directory, LEDUC.build(), options)
    return directory


def at(directory: Path, history: str) -> GameExplorer:
    return GameExplorer(LEDUC, directory, [name for name in history.split("/") if name])


def test_the_root(solved: Path) -> None:
    """The values of the mover's types, weighed, are the value of a best response."""
    explorer, game = at(solved, ""), LEDUC.build()
    view, strategy = explorer.view(), explorer.saved.average_strategy(game)
    assert view.value == pytest.approx(explorer.saved.value, abs=1e-13)
    assert view.value == pytest.approx(exploitability(game, strategy).value, abs=1e-13)
    assert [(row.type, row.belief) for row in view.rows] == [(name, pytest.approx(1 / 3)) for name in game.types[0]]
    best = sum((row.belief or 0.0) * (row.value or 0.0) for row in view.rows)
    assert best == pytest.approx(best_response_value(game, 0, strategy), abs=1e-12)
    for row in view.rows:
        assert sum(move.probability for move in row.moves) == pytest.approx(1.0)
        assert min(move.cost for move in row.moves if move.cost is not None) == 0.0


def test_beliefs_follow_from_the_moves(solved: Path) -> None:
    explorer = at(solved, "")
    row = explorer.view().rows
    explorer.move(["check"])
    beliefs = explorer.view().beliefs[0]
    assert beliefs is not None
    likely = np.array([each.moves[0].probability for each in row])
    assert [each.probability for each in beliefs] == pytest.approx((likely / likely.sum()).tolist())


def test_moving_about(solved: Path) -> None:
    explorer = at(solved, "check")
    explorer.move(["2", "fo"])
    view = explorer.view()
    assert (view.position, view.to_move, view.value) == ("check/bet/fold", None, -1.0)
    assert {each.payoff for each in view.payoffs} == {-1.0}
    with pytest.raises(MistakeError, match="'call': the game is over before this move"):
        explorer.move(["call"])
    explorer.undo()
    with pytest.raises(MistakeError, match="'x' is not a move here: fold, call, raise"):
        explorer.move(["x"])
    explorer.go_to(())
    with pytest.raises(MistakeError, match="no move to take back"):
        explorer.undo()
    assert (explorer.iterations(), explorer.saved_text()) == ([10, 20, 30], "3 are saved, 10 to 30")
    explorer.go_to_iteration("first")
    explorer.go_to_iteration("+")
    assert explorer.view().iteration == 20
    explorer.go_to_iteration("last")
    with pytest.raises(MistakeError, match="30 is the last"):
        explorer.go_to_iteration("+")


def test_what_a_directory_is_of(solved: Path, tmp_path: Path) -> None:
    assert (game_of_directory(solved), game_of_directory(tmp_path), game_of_directory(tmp_path / "no")) == (
        "leduc",
        None,
        None,
    )
    (tmp_path / "snapshot_000001.msgpack").write_bytes(b"mine")
    assert game_of_directory(tmp_path) is None
    with pytest.raises(FormatError, match="belongs to another game, 'leduc'"):
        GameExplorer(named_game("kuhn"), solved)
    with pytest.raises(NotSavedError, match="iteration 7 is not saved; saved: 10, 20, 30"):
        GameExplorer(LEDUC, solved, iteration="7")


class Never:
    """Player 1 is never asked: player 0 always stops, which is worth more."""

    types = ("a", "b"), ("c",)

    def prior(self, first: str, second: str) -> float:
        return 0.5

    def root(self) -> str:
        return ""

    def owner(self, state: str) -> int | None:
        return {"": 0, "go": 1}.get(state)

    def moves(self, state: str) -> list[tuple[str, str]]:
        return [("stop", "stop"), ("go", "go")] if not state else [("left", "left"), ("right", "right")]

    def payoff(self, state: str, first: str, second: str) -> float:
        return 1.0 if state == "stop" else -1.0

    def show(self, state: str) -> str:
        return f"It says {state}."


def test_where_the_strategies_never_lead(tmp_path: Path) -> None:
    named = NamedGame("never", "Never", Never(), "never.py")
    options = GameOptions(iterations=100, snapshot_at=(), outcome_values=None)
    solve_game(tmp_path, named.build(), options)
    explorer = GameExplorer(named, tmp_path, ["go"])
    explorer.average = False
    view = explorer.view()
    assert (view.shown, view.value, view.beliefs, view.history_probability) == ("It says go.", None, (None, None), 0.0)
    assert [(row.type, row.belief, row.value, row.moves[0].cost) for row in view.rows] == [("c", None, None, None)]
