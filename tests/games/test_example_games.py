"""The games of examples/games/: their values by other means, and play that nobody gains by leaving; scripts and page.

The judge reads the descriptions one type and one move at a time; 21 and Blackjack++ have a program of their own.
"""

import random
import re
import runpy
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from oracle import card_totals, descriptions, poker_hands, sequences, small_games
from oracle.descriptions import exact_behaviour, exactly, gains
from support.pages import blocks, run_page
from support.slowness import by_default, slow

from tictactoe import DoubleOracle, Game, Rules, best_play, exploitability, gambit_text, uniform_strategy, update_rule
from tictactoe.algorithms.arrays import LARGEST_NUM_TYPES
from tictactoe.algorithms.cfr import CFRSolver
from tictactoe.algorithms.game_builder import MAXIMUM_NODES, build_game
from tictactoe.algorithms.ranked_game import ranked_payoff
from tictactoe.games.cursor import count_histories

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "games"
PAGES = [ROOT / "docs" / name for name in ("adding-a-game.md", "checking-a-game.md", "descriptions.md")]
TEXT = " ".join(" ".join(page.read_text(encoding="utf-8") for page in PAGES).split())
SCRIPTS = {path.stem: runpy.run_path(str(path)) for path in FOLDER.glob("[!_]*.py")}
KUHN, RPS, ROW = (SCRIPTS[name] for name in ("kuhn_poker", "rock_paper_scissors", "row_of_four"))
LEDUC, DICE, RIVER = (SCRIPTS[name] for name in ("leduc_poker", "liars_dice", "river_holdem"))
BLACKJACK, DUEL, TWENTY_ONE = (SCRIPTS[name] for name in ("blackjack_plus_plus", "duel_at_21", "twenty_one"))
THREE_CARDS = {1: 0.25, 5: 0.25, 10: 0.5}
THREE_HANDS = ("AsQs KhTd 6h5h", "TcTd AcKh 9c9d")

GAMES = {
    "Kuhn poker": lambda: (KUHN["KuhnPoker"](), "pdcfr+", 300, 1e-8),
    "Kuhn poker with 13 cards": lambda: (KUHN["KuhnPoker"](13), "pdcfr+", 1000, 1e-6),
    "Leduc by ranks": lambda: (LEDUC["LeducPoker"](), "rdcfr", 8000, 1e-9),
    "Leduc by six cards": lambda: (LEDUC["LeducPoker"](by_ranks=False), "rdcfr", 8000, 1e-9),
    "dice of three sides": lambda: (DICE["LiarsDice"](3), "dcfr", 1000, 1e-6),
    "liar's dice": lambda: (DICE["LiarsDice"](), "dcfr", 4000, 1e-5),
    "Blackjack++": lambda: (BLACKJACK["BlackjackPlusPlus"]((10, 5), 7), "pdcfr+", 200, 1e-9),
    "a duel of two hits and three cards": lambda: (DUEL["DuelAt21"](2, THREE_CARDS), "rdcfr", 1000, 1e-6),
    "a duel at 21": lambda: (DUEL["DuelAt21"](), "rdcfr", 500, 1e-6),
    "river hold'em": lambda: (RIVER["RiverHoldem"](), "rdcfr", 1000, 1e-9),
    "river with three hands": lambda: (RIVER["RiverHoldem"](ranges=THREE_HANDS), "rdcfr", 1000, 1e-9),
}
THREE_WIDE = ("Kuhn poker", "Leduc by ranks", "dice of three sides")
THREE_WIDE += ("a duel of two hits and three cards", "river with three hands")
"""For more than three types everything is compiled anew, which takes some seconds for each number of them."""


@pytest.mark.parametrize("name", by_default(GAMES, *THREE_WIDE))
def test_equilibria(name: str) -> None:
    """What the library says of play that it has found, the judge says, too; and the value is the linear program's."""
    description, rule, iterations, limit = GAMES[name]()
    game = build_game(description)
    solver = CFRSolver(game, update_rule(rule))
    solver.run(iterations)
    strategy = solver.average_strategy()
    found = exploitability(game, strategy)
    known = {(each.history, each.type): each.probabilities for each in game.information_sets(strategy)}
    play = (lambda *where: known[where],) * 2
    assert descriptions.value(description, play) == pytest.approx(found.value, abs=1e-12)
    best = [descriptions.best_response_value(description, play, player) for player in (0, 1)]
    assert best[0] - found.value == pytest.approx(found.first_gain, abs=1e-12)
    assert best[1] + found.value == pytest.approx(found.second_gain, abs=1e-12)
    assert found.total < limit
    assert -best[1] - 1e-9 <= sequences.value(description) <= best[0] + 1e-9


@pytest.mark.parametrize(
    ("description", "value"),
    [
        (DICE["LiarsDice"](3), Fraction(-1, 9)),
        (RIVER["RiverHoldem"](ranges=THREE_HANDS), Fraction(2, 7)),
        *slow((KUHN["KuhnPoker"](13), Fraction(-5, 78)), (DICE["LiarsDice"](), Fraction(-7, 258))),
        *slow((RIVER["RiverHoldem"](), Fraction(-4, 657))),
    ],
)
def test_values_that_are_fractions(description: Any, value: Fraction) -> None:
    """A proof in exact arithmetic: neither player gains anything by leaving play whose chances are fractions."""
    game = build_game(description)
    strategy = DoubleOracle(game.tree, uniform_strategy(game.tree)).solve(game).strategy
    play = exact_behaviour(game.information_sets(strategy))
    assert gains(description, play) == [value] * 3


@pytest.mark.parametrize(
    ("description", "value"),
    [
        *((KUHN["KuhnPoker"](number), value) for number, value in ((3, -1 / 18), (4, -1 / 24), (13, -5 / 78))),
        *((LEDUC["LeducPoker"](by_ranks), -0.085606424078) for by_ranks in (True, False)),
        (DICE["LiarsDice"](3, None), -1 / 9),
        (DICE["LiarsDice"](4, None), -1 / 8),
        (DICE["LiarsDice"](3, 1), 1 / 3),
        (DICE["LiarsDice"](4, 1), 0.0),
        *slow((DICE["LiarsDice"](5, None), -3 / 25), (DICE["LiarsDice"](6, None), -1 / 9)),
        *slow((DICE["LiarsDice"](6, 1), -7 / 327), (DICE["LiarsDice"](), -7 / 258)),
        *slow((DUEL["DuelAt21"](), -0.017404874133)),
    ],
)
def test_values(description: Any, value: float) -> None:
    """Leduc's is OpenSpiel's, with more digits; liar's dice are a table in https://github.com/thomasahle/snyd."""
    assert sequences.value(description) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("rules", [((6, 6), 2, 1), ((1, 10), 10, 1)])
def test_the_best_that_blackjack_players_get_is_dynamic_programming(rules: Any) -> None:
    """Whatever the other does: against the dealer it does not matter."""
    ups, dealer, hits = rules
    either = (lambda *where: {"stand": 0.5, "hit": 0.5},) * 2
    for player, shares in enumerate(((1, 0), (0, -1))):
        alone = BLACKJACK["BlackjackPlusPlus"](*rules, shares=shares)
        right = float(card_totals.blackjack(ups[player], dealer, hits))
        assert descriptions.best_response_value(alone, either, player) == pytest.approx(right, abs=1e-9)


def test_blackjack_figures_of_the_page() -> None:
    assert float(card_totals.blackjack(6, 2, 1)) == pytest.approx(0.848977, abs=5e-7)
    one_hit, two_hits = (BLACKJACK["BlackjackPlusPlus"](max_hits=hits) for hits in (1, 2))
    stood, hit = (below for _, below in two_hits.moves(two_hits.root()))
    assert one_hit.owner(stood) == 1
    drawn = dict(two_hits.moves(hit))
    assert {two_hits.owner(state) for state in drawn.values()} == {1}  # players take turns
    both_hit = dict(two_hits.moves(dict(two_hits.moves(drawn[5]))["hit"]))
    assert two_hits.owner(both_hit[10]) == 0  # and player 0 may draw its second card


def test_twenty_one_is_dynamic_programming() -> None:
    best = best_play(TWENTY_ONE["TwentyOne"](Fraction))
    assert best.value == card_totals.twenty_one()
    assert best_play(TWENTY_ONE["TwentyOne"]()).value == pytest.approx(float(best.value), abs=1e-12)
    num_compared = 0
    for state, move in best.moves.items():
        mine = (1, state.mine.points - 11) if state.mine.soft else (0, state.mine.points)
        up_card = 1 if state.dealer.soft else state.dealer.points
        assert best.values[state] == card_totals.playing(mine, up_card, 21)
        stands = best.values[state] == card_totals.standing(card_totals.total(mine), up_card)
        assert move == ("stand" if stands else "hit")
        num_compared += 1
    assert num_compared == 10 * (18 + 10)  # hard 4 to 21, soft 12 to 21, for each card of the dealer


def test_what_is_at_stake_on_the_river() -> None:
    river = RIVER["RiverHoldem"]()
    waiting, seen = [river.root()], Counter()
    while waiting:
        state = waiting.pop()
        if river.owner(state) is not None:
            waiting += [below for _, below in river.moves(state)]
            continue
        factor, name = river.payoff_strength(state)
        seen[factor, name or "fold"] += 1
        for first, second in product(*river.types):
            assert river.payoff(state, first, second) == ranked_payoff(river, state, first, second)
    assert seen == {
        (0.5, "showdown"): 1,  # nobody bets
        **{(stake, "showdown"): 2 for stake in (1.0, 1.5, 3.0, 4.5)},  # a bet of either is called, a raise is called
        **dict.fromkeys([(0.5, "fold"), (-0.5, "fold")], 2),
        **{(sign * stake, "fold"): 1 for sign, stake in product((1, -1), (1.0, 1.5))},  # a raise is not called
    }


def test_river_ranges() -> None:
    for wrong, what in (
        ({"ranges": "AsQs 9s8s"}, "ranges: 'AsQs 9s8s' is not two lists of hands, one for each player"),
        ({"ranges": ("AsQs 9c8c QsAs", "all")}, "ranges: AsQs comes twice"),
        ({"ranges": ("AsQ", "all")}, "'AsQ' is not 2 different cards, such as AhAs"),
        ({"ranges": ("AsQs", "AsKc")}, "ranges: no two hands can be dealt at once"),
        ({"ranges": ("1082", "all")}, "ranges: 1082 is not a number of hands from 2 to 1,081"),
        ({"ranges": ("", "all")}, "ranges: no two hands can be dealt at once"),
        ({"board": "Ks Th 7s 4d 4d"}, "'KsTh7s4d4d' is not 5 different cards, such as KsAcAdAhAs"),
    ):
        with pytest.raises(ValueError, match=f"^{re.escape(what)}$"):
            RIVER["RiverHoldem"](**wrong)
    river = RIVER["RiverHoldem"](ranges=("all", "AsQs KsQd"))
    assert list(map(len, river.types)) == [1081, 2]
    chances = Counter(river.prior(*pair) for pair in product(*river.types))
    possible = 45 * 44 // 2  # player 1 holds two of the 47 cards that are left
    assert chances == {1 / possible: possible, 0.0: 2 * 1081 - possible}
    assert river.prior("AhAd", "KsQd") == 0.0  # the board has the king of spades
    assert river.prior("AhQs", "AsQs") == 0.0
    blocked = build_game(RIVER["RiverHoldem"](ranges=("KsQs AsQs KhTd", "TcTd AhQd")))
    assert blocked.prior[:3, :2].tolist() == [[0.0, 0.0], [1 / 3, 1 / 3], [0.0, 1 / 3]]


def cards(number: int, draws: random.Random) -> list[str]:
    return draws.sample([rank + suit for rank, suit in product("23456789TJQKA", "cdhs")], number)


def test_ranks_of_hands() -> None:
    draws, rank_of = random.Random(1), RIVER["rank_of"]
    for number in (5, 6, 7, 7):
        for _ in range(250):
            first, second = cards(number, draws), cards(number, draws)
            ours, right = (rank_of(first), rank_of(second)), (poker_hands.best(first), poker_hands.best(second))
            assert [each[0] for each in ours] == [each[0] for each in right]
            assert (ours[0] > ours[1], ours[0] == ours[1]) == (right[0] > right[1], right[0] == right[1])
    for better, worse in (
        ("2s 3s 4s 5s As Kd Kh", "Ks Kd Kh Kc As Ad 2h"),  # the wheel of one suit, four of a kind
        ("Ks Kd Kh As Ad Ah 2c", "Ks Kd Kh Qs Qd Qh 2c"),  # a full house of two triples
        ("Ks Kd Qh Qs Jd Jh Ac", "Ks Kd Qh Qs Jd Jh 9c"),  # three pairs
        ("2s 3d 4s 5s 6h Ad Ac", "As 2d 3h 4c 5s Kd Kh"),
    ):
        assert rank_of(better.split()) > rank_of(worse.split())
    same = "Ks Kd Kh Kc Qs Qd Qh", "Ks Kd Kh Kc Qs 2d 3h"
    assert len({rank_of(hand.split()) for hand in same}) == 1


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
    """With a win of rock over scissors that counts w, the equilibrium is 1 : w : 1, against which each throw gets 0."""
    game = build_game(RPS["RockPaperScissors"](worth))
    solver = CFRSolver(game, update_rule("pdcfr+"))
    solver.run(2000)
    strategy = solver.average_strategy()
    assert exploitability(game, strategy).total < 1e-9
    for each in game.information_sets(strategy):
        assert [*each.probabilities.values()] == pytest.approx([part / sum(throws) for part in throws], abs=1e-6)
    assert (exploitability(game, uniform_strategy(game.tree)).total > 0.1) == (worth != 1.0)


PRINTED = {
    "kuhn_poker": "Kuhn poker, value to the first player: -0.055556; known: -1/18 = -0.055556",
    "row_of_four": "by a linear program: 0.089285714, which is 5/56",
    "rock_paper_scissors": "player 1: rock 0.333, paper 0.333, scissors 0.333",
    "blackjack_plus_plus": "Payoffs: first player 0.848977, second player 0.848977, dealer 1.302045",
    "twenty_one": "Twenty-one, value to the player: -0.046556, exact; states: 1,706",
    "river_holdem": "River, 10 hands against 8, value to the first player: -0.006088",
    "holdem": "Hold'em, 131 hands against 42, value to the first player: ",
    "leduc_poker": "Leduc by six cards, value to the first player: -0.085606; known: -0.085606",
    "liars_dice": "Liar's dice, value to the first player: -0.02713",
    "duel_at_21": "Duel at 21, value to the first player: -0.017405, exploitability: ",
}
LONG = ("leduc_poker", "liars_dice", "blackjack_plus_plus", "duel_at_21", "river_holdem", "holdem")


@pytest.mark.parametrize("name", [*(name for name in PRINTED if name not in LONG), *slow(*LONG)])
def test_the_scripts(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", [name])
    runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    assert PRINTED[name] in capsys.readouterr().out
    assert PRINTED.keys() == SCRIPTS.keys()


@pytest.mark.parametrize("most_compiled", [3, *slow(LARGEST_NUM_TYPES)])
def test_the_pages(most_compiled: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By default without compiling anything for twenty cards."""
    monkeypatch.setattr(Game, "is_wide", property(lambda game: game.tree.num_types > most_compiled))
    first = next(block for block in blocks(PAGES[0]) if block.language == "python")
    assert first.code in (FOLDER / "row_of_four.py").read_text(encoding="utf-8")
    monkeypatch.syspath_prepend(str(FOLDER))
    run_page(PAGES[1], **run_page(PAGES[0]))
    names, text = run_page(PAGES[2]), TEXT
    assert all(f"(../examples/games/{path.name})" in text for path in FOLDER.glob("[a-z]*.py"))
    assert f"All of tic-tac-toe, {count_histories(Rules()):,} histories" in text
    assert "a million histories unless" in text
    assert f"Sampling works with at most {LARGEST_NUM_TYPES} types" in text
    assert MAXIMUM_NODES == 1_000_000
    assert sequences.value(names["NearOrFar"](20)) == pytest.approx(1397 / 10260, abs=1e-9)
    assert sequences.value(names["FirstMarkBlind"]()) == pytest.approx(0.0, abs=1e-9)
    assert names["found"].value == pytest.approx(1 / 9, abs=1e-5)
    bets = names["bets"].round()
    assert (bets[:53].all(), bets[58:385].any(), bets[393:].all()) == (True, False, True)  # 500/9 = 56, 500 * 7/9 = 389
    assert "Player 0 bets with the highest two ninths of them, and bluffs with the lowest ninth" in text


def test_what_the_pages_say_of_other_forms() -> None:
    leduc = build_game(LEDUC["LeducPoker"](by_ranks=False))
    in_gambit = len(gambit_text(leduc).splitlines()) - 2  # a line for the title, and an empty one
    assert f"Leduc with six cards has {leduc.tree.num_nodes} nodes here" in TEXT
    assert f"Gambit file has {in_gambit:,} nodes" in TEXT
    assert f"has {len(best_play(TWENTY_ONE['TwentyOne']()).values):,} states" in TEXT
    river = RIVER["RiverHoldem"](ranges=("all", "AsQs"))
    assert f"has {len(river.types[0]):,} hands" in TEXT


def test_a_dealers_totals_with_52_cards() -> None:
    """Against card after card in fractions, from a deck without those that are seen."""
    game = TWENTY_ONE["From52"]()

    def totals(deck: tuple[int, ...], hand: tuple[int, int]) -> dict[int, Fraction]:
        if card_totals.total(hand) >= 17:
            return {min(card_totals.total(hand), 22): Fraction(1)}
        ends: dict[int, Fraction] = {}
        for card, left in enumerate(deck, 1):
            rest = tuple(count - (place == card) for place, count in enumerate(deck, 1))
            for end, chance in totals(rest, card_totals.grown(hand, card)).items() if left else ():
                ends[end] = ends.get(end, Fraction(0)) + Fraction(left, sum(deck)) * chance
        return ends

    for cards, up in (((0, 0, 1, 0, 0, 0, 0, 0, 0, 1), 10), ((1, 0, 0, 0, 0, 0, 2, 0, 0, 0), 7)):
        deck = tuple(
            full - own - (card == up) for card, (full, own) in enumerate(zip(game.full, cards, strict=True), 1)
        )
        ends = totals(deck, card_totals.grown((0, 0), up))
        state = TWENTY_ONE["State"]("dealer", TWENTY_ONE["Hand"](17), TWENTY_ONE["Hand"]().with_card(up), cards)
        for end in range(17, 23):
            assert game.chance(state, end, "", "") == pytest.approx(float(ends.get(end, 0)), abs=1e-12)


@pytest.mark.slow
def test_twenty_one_with_52_cards() -> None:
    assert best_play(TWENTY_ONE["From52"]()).value == pytest.approx(-0.0424623, abs=1e-7)


@pytest.mark.slow
def test_by_points_52_cards_are_played_like_an_endless_deck() -> None:
    """docs/protocol.md: its value, and that no other move gains on average over the cards one may have."""
    game, endless = TWENTY_ONE["From52"](), best_play(TWENTY_ONE["TwentyOne"]()).moves
    seen = sorted((state for state in best_play(game).values if state.stage == "play"), key=lambda s: -sum(s.cards))
    worth: dict[Any, float] = {}
    gains: dict[Any, dict[str, float]] = {}
    for state in seen:  # those with most cards first
        for name in ("stand", "hit"):
            stage = state._replace(stage="dealer" if name == "stand" else name)
            ends = ((game.chance(stage, move, "", ""), after) for move, after in game.moves(stage))
            paid = (chance * (worth[after] if after in worth else game.payoff(after, "", "")) for chance, after in ends)
            gains.setdefault(state, {})[name] = sum(paid)
        worth[state] = gains[state][endless[state._replace(cards=())]]
    reach = dict.fromkeys(seen, 0.0)
    waiting = [(1.0, game.root())]
    while waiting:  # each way to the first decision
        chance, state = waiting.pop()
        if state.stage == "play":
            reach[state] += chance
        else:
            waiting += [(chance * game.chance(state, move, "", ""), after) for move, after in game.moves(state)]
    assert sum(chance * worth[state] for state, chance in reach.items()) == pytest.approx(-0.0428061, abs=1e-7)
    switched: Counter[Any] = Counter()
    for state in reversed(seen):
        move = endless[state._replace(cards=())]
        other = {"hit": "stand", "stand": "hit"}[move]
        switched[state.mine, state.dealer] += reach[state] * (gains[state][other] - gains[state][move])
        if move == "hit":
            stage = state._replace(stage="hit")
            for name, after in game.moves(stage):
                if after in reach:
                    reach[after] += reach[state] * game.chance(stage, name, "", "")
    assert max(switched.values()) <= 1e-15
