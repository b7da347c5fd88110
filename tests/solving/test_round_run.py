"""A round on its own in a directory: what its files claim, and going on from them."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from oracle.lifting import game_tree
from support.programs import contents

from tictactoe.algorithms.best_response import exploitability
from tictactoe.algorithms.update_rules import update_rule
from tictactoe.errors import Interrupted
from tictactoe.games.goals import SINGLE_ROUND
from tictactoe.games.tic_tac_toe import tic_tac_toe_round
from tictactoe.match.options import RoundOptions
from tictactoe.solving.round_run import CHECKPOINT_FILE, solve_round
from tictactoe.storage.directory_layout import snapshot_name
from tictactoe.storage.snapshot import Snapshot


@pytest.mark.parametrize("algorithm", ["dcfr", "pdcfr+"])
def test_a_file_says_how_good_its_own_arrays_are(algorithm: str, tmp_path: Path) -> None:
    """Stopped at iteration 13 it goes on from 10, where it last flushed, to what it would have come to anyway."""
    stop = threading.Event()
    options = RoundOptions(iterations=30, rule=update_rule(algorithm), check_exploitability_every=7, snapshot_at=(13,))

    def stop_at_13(iteration: int, *evaluation: object) -> None:
        if iteration == 13:
            stop.set()

    with pytest.raises(Interrupted):
        solve_round(tmp_path / "out", game_tree(), options, observer=stop_at_13, stop=stop)
    for name, iteration in ((CHECKPOINT_FILE, 10), (snapshot_name(13), 13)):
        saved = Snapshot.load(tmp_path / "out" / name, game_tree())
        found = exploitability(tic_tac_toe_round(game_tree(), SINGLE_ROUND), saved.average_strategy(game_tree()))
        assert saved.iteration == iteration
        assert saved.exploitability == pytest.approx(found.total, abs=1e-13)
        assert saved.value == pytest.approx(found.value, abs=1e-13)
    solve_round(tmp_path / "out", game_tree(), options)
    solve_round(tmp_path / "whole", game_tree(), options)
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")
