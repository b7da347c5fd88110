"""Kuhn poker, Leduc and liar's dice of examples/games/ are the games of OpenSpiel: move by move, with every pair of
types, the same owner, moves, chances and payoffs."""

import runpy
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from support.slowness import slow

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed: pip install '.[openspiel]'")

FOLDER = Path(__file__).parents[2] / "examples" / "games"
KUHN, LEDUC, DICE = (runpy.run_path(str(FOLDER / f"{name}.py")) for name in ("kuhn_poker", "leduc_poker", "liars_dice"))
POKER = {"fold": 0, "check": 1, "call": 1, "bet": 2, "raise": 2, **{c: n for n, c in enumerate(LEDUC["CARDS"])}}
"""Moves and cards of Leduc by the numbers that they have there."""


def claim(name: str) -> int:
    """The number of a claim such as "2-4" in liar's dice."""
    return 12 if name == "liar" else int(name[0]) * 6 - 7 + int(name[2])


@pytest.mark.parametrize(
    ("name", "description", "number", "leaves"),
    [
        ("kuhn_poker", KUHN["KuhnPoker"](), {"check": 0, "fold": 0, "bet": 1, "call": 1}.get, 6 * 5),
        ("leduc_poker", LEDUC["LeducPoker"](by_ranks=False), POKER.get, 5520),
        *slow(("liars_dice", DICE["LiarsDice"](), claim, 36 * 4095)),
    ],
)
def test_the_same_game(name: str, description: Any, number: Callable[[str], int], leaves: int) -> None:
    game, found = pyspiel.load_game(name), 0
    drawn = [types for types in product(*description.types) if description.prior(*types)]
    for places in product(*(range(len(names)) for names in description.types)):
        types = tuple(names[place] for names, place in zip(description.types, places, strict=True))
        if types not in drawn:
            continue
        assert description.prior(*types) == pytest.approx(1 / len(drawn))
        dealt = game.new_initial_state()
        for place in places:
            dealt.apply_action(place)
        waiting = [(description.root(), dealt)]
        while waiting:
            ours, theirs = waiting.pop()
            owner = description.owner(ours)
            if owner is None:
                assert theirs.is_terminal()
                assert description.payoff(ours, *types) == theirs.returns()[0]
                found += 1
                continue
            moves = {number(move): (move, below) for move, below in description.moves(ours)}
            if owner == 2:
                chances = {action: description.chance(ours, move, *types) for action, (move, _) in moves.items()}
                assert {action: chance for action, chance in chances.items() if chance} == dict(
                    theirs.chance_outcomes()
                )
                moves = {action: each for action, each in moves.items() if chances[action]}
            else:
                assert owner == theirs.current_player()
                assert sorted(moves) == theirs.legal_actions()
            waiting += [(below, theirs.child(action)) for action, (_, below) in moves.items()]
    assert found == leaves
