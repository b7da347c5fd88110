"""The games of examples/games/: values and equilibria, which are often fractions, and the output of the scripts."""

import runpy
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from oracle import sequences, small_games
from oracle.descriptions import exact_behaviour, exactly, gains
from support.pages import blocks, run_page
from support.slowness import slow

from tictactoe import (
    CFRSolver,
    DoubleOracle,
    Game,
    Rules,
    best_play,
    build_game,
    exploitability,
    gambit_text,
    uniform_strategy,
    update_rule,
)
from tictactoe.algorithms.arrays import LARGEST_NUM_TYPES
from tictactoe.algorithms.game_builder import MAXIMUM_NODES
from tictactoe.games.histories import count_histories

ROOT = Path(__file__).parents[2]
FOLDER, PAGE = ROOT / "examples" / "games", ROOT / "docs" / "adding-a-game.md"
NAMES = ("kuhn_poker", "rock_paper_scissors", "row_of_four", "leduc_poker", "twenty_one", "river_holdem")
KUHN, RPS, ROW, LEDUC, TWENTY_ONE, RIVER = (runpy.run_path(str(FOLDER / f"{name}.py")) for name in NAMES)


def test_kuhn_poker_and_row_of_four() -> None:
    kuhn = build_game(KUHN["KuhnPoker"]())
    play = exact_behaviour(kuhn.information_sets(small_games.kuhn_equilibrium(0.25)))
    assert gains(KUHN["KuhnPoker"](), play) == [Fraction(-1, 18)] * 3
    game = build_game(ROW["RowOfFour"]())
    found = DoubleOracle(game.tree, uniform_strategy(game.tree)).solve(game)
    assert gains(ROW["RowOfFour"](), exact_behaviour(game.information_sets(found.strategy))) == [Fraction(5, 56)] * 3
    assert exactly(game.information_set(found.strategy, (), "win").probabilities[1]) == Fraction(2, 7)
    assert game.information_set(found.strategy, (), "lose").probabilities[1] == pytest.approx(1.0)


@pytest.mark.parametrize(("worth", "throws"), [(1.0, (1, 1, 1)), (2.0, (1, 2, 1)), (3.0, (1, 3, 1))])
def test_hidden_throws(worth: float, throws: tuple[int, ...]) -> None:
    """The equilibrium of the game in which both throw at once is one of the game with a pad, and CFR finds it.

    With a win of rock over scissors that counts w, it is 1 : w : 1, against which each throw gets 0."""
    description = RPS["RockPaperScissors"](worth)
    chance = dict(zip(RPS["THROWS"], (Fraction(each, sum(throws)) for each in throws), strict=True))

    def first(history: Any, pad: int) -> dict[int, Fraction]:
        return {said: chance[RPS["thrown"](pad, said)] for said in RPS["PADS"]}

    assert gains(description, (first, lambda *_: chance)) == [0, 0, 0]
    game = build_game(description)
    solver = CFRSolver(game, update_rule("pdcfr+"))
    solver.run(2000)
    strategy = solver.average_strategy()
    assert exploitability(game, strategy).total < 1e-9
    for said in RPS["PADS"]:
        assert RPS["first_throws"](game, strategy, said) == pytest.approx([*map(float, chance.values())], abs=1e-6)
    assert RPS["second_throws"](game, strategy) == pytest.approx([*map(float, chance.values())], abs=1e-6)
    assert (exploitability(game, uniform_strategy(game.tree)).total > 0.1) == (worth != 1.0)


PRINTED = {
    "kuhn_poker": ["Kuhn poker, value to player 0: -0.055556; known: -1/18 = -0.055556", "exploitability: "],
    "row_of_four": [
        "A row of four, 27 nodes, value to X: 0.089285714, exploit",
        "linear programs: 0.089285714, which is 5/56",
    ],
    "rock_paper_scissors": [
        "Rock beats scissors: 1. Value: 0.000000",
        "  rock    paper scissors",
        "having said 0    0.333    0.333",
    ],
    "blackjack_plus_plus": [
        "Blackjack++, value to player 0: 0.000000, exploitability: ",
        "Payoffs: player 0 0.848977, player 1 0.848977, dealer 1.302045",
    ],
    "twenty_one": ["Twenty-one, value to the player: -0.046556, exact; states: 1,706", "", "Best moves", "2  3  4"],
    "river_holdem": ["River, 10 hands against 8, value to player 0: -0.006088", "exploitability: "],
    "leduc_poker": [
        *("Leduc by ranks, value to player 0: -0.085606; known: -0.085606", ", nodes: 240, "),
        *("Leduc by six cards, value to player 0: -0.085606; known: -0.085606", ", nodes: 465, "),
    ],
    "liars_dice": ["Liar's dice, value to player 0: -0.02713", "nodes: 8,191", "", "die  first claim"],
    "duel_at_21": ["Duel at 21, value to player 0: -0.017405, exploitability: ", "nodes: 14,511, "],
}
LONG = ("leduc_poker", "liars_dice", "blackjack_plus_plus", "duel_at_21", "river_holdem")


@pytest.mark.parametrize("name", [*(name for name in PRINTED if name not in LONG), *slow(*LONG)])
def test_the_scripts(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", [name])
    runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    for line, part in zip(capsys.readouterr().out.splitlines(), PRINTED[name], strict=False):
        assert part in line
    assert {f"{path.stem}" for path in FOLDER.glob("[!_]*.py")} == set(PRINTED)


@pytest.mark.parametrize("most_compiled", [3, *slow(LARGEST_NUM_TYPES)])
def test_the_page(most_compiled: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By default without compiling anything for its twenty cards."""
    monkeypatch.setattr(Game, "is_wide", property(lambda game: game.tree.num_types > most_compiled))
    first = next(block for block in blocks(PAGE) if block.language == "python")
    assert first.code in (FOLDER / "row_of_four.py").read_text(encoding="utf-8")
    names = run_page(PAGE)
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert all(f"(../examples/games/{path.name})" in text for path in FOLDER.glob("[a-z]*.py"))
    assert f"All of tic-tac-toe, {count_histories(Rules()):,} histories" in text
    assert "a million histories unless" in text
    assert f"Up to {LARGEST_NUM_TYPES} types run on compiled code" in text
    assert MAXIMUM_NODES == 1_000_000
    assert sequences.value(names["NearOrFar"](20)) == pytest.approx(1397 / 10260, abs=1e-9)
    assert sequences.value(names["FirstMarkBlind"]()) == pytest.approx(0.0, abs=1e-9)
    assert names["found"].value == pytest.approx(1 / 9, abs=1e-5)
    bets = names["bets"].round()
    assert (bets[:53].all(), bets[58:385].any(), bets[393:].all()) == (True, False, True)  # 500/9 = 56, 500 * 7/9 = 389
    assert "Player 0 bets with the highest two ninths of them, and bluffs with the lowest ninth" in text


def test_what_the_page_says_of_other_forms() -> None:
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    leduc = build_game(LEDUC["LeducPoker"](by_ranks=False))
    in_gambit = len(gambit_text(leduc).splitlines()) - 2  # a line for the title, and an empty one
    assert f"Leduc with six cards has {leduc.tree.num_nodes} nodes here" in text
    assert f"Gambit file has {in_gambit:,} nodes" in text
    assert f"has {len(best_play(TWENTY_ONE['TwentyOne']()).values):,} states" in text
    river = RIVER["RiverHoldem"](ranges=("all", "AsQs"))
    assert f"has {len(river.types[0]):,} hands" in text
