"""Texas hold'em from the turn or the river on, with ranges and bet sizes as players type them, as a description.

Player 0 acts first on each street (it is "out of position"), player 1 last. The pot lies in the middle, and both have
the same stack behind. Payoffs are what player 0 takes out of the pot less what it puts in from here on, in chips: the
"EV" of most solvers. Player 1 gets the rest of the pot, so that half of the pot each is even. Bets are whole chips.

Holdem("Ks Th 7s 4d 2s", "22+,A2s+,KTo+ : AA-88,AKs,87s@0.5", 100, 450, bets="50%,100%", raises="3x")

board: five cards, the river; or four, the turn, and chance brings the fifth.
ranges: of player 0 and of player 1, with a colon between them: hands and groups of hands, with commas between them,
    in small letters or capital ones.
    QQ, AKs (of one suit), AKo (of two), AK (both), AsKd (one hand), 22+ (also higher pairs), A2s+ (also higher second
    cards, below the first), QQ-88, A5s-A2s, 98s-65s, all. A weight from 0 to 1 may follow: 87s@0.5 or 87s:0.5. What
    stands later counts.
bets, raises: percents of the pot (of a raise: after the call), "geometric" (on each street that is left the same part
    of the pot, until all is in), "all-in", and for raises 3x: to three times the opponent's bet on this street. With
    a colon between them, sizes of player 0 and of player 1. river_bets, river_raises: others on the river.
donk: bets of player 0 on the river after it has called on the turn; without it those of `bets`.
add_all_in: all-in is added where it is at most so many pots. force_all_in: a bet is all-in if, once it is called, at
    most so many pots are left. merging: of two bets that differ by less than this, the smaller is left out: X is kept,
    and Y is not, if (1 + X) / (1 + Y) < 1 + merging, in pots. 0 turns each off.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from tictactoe.example_games.river_holdem import DECK, RANKS, rank_of  # type: ignore[import-not-found]

from tictactoe import CFRSolver, build_game, exploitability, update_rule

CHANCE = 2
SIZE = re.compile(r"(?P<part>\d+\.?\d*|\.\d+)(?P<unit>%|x)|(?P<word>geometric|all-in)")
HANDS = re.compile(r"(?:[2-9TJQKA][cdhs]){2}|all|([2-9TJQKA]{2}[so]?)(?:(\+)|-([2-9TJQKA]{2}[so]?))?")
Sizes = list[tuple[float, str]]


def parts_of(what: str, text: str, separator: str) -> tuple[tuple[str, int], tuple[str, int]]:
    """The texts of player 0 and of player 1, each with the place where it begins."""
    colons = [match.start() for match in re.finditer(separator, text)]
    if len(colons) != 1:
        raise ValueError(f"{what}: {text!r} is not one part for each player, with a colon between them")
    return (text[: colons[0]], 0), (text[colons[0] + 1 :], colons[0] + 1)


def as_cards(text: str) -> str:
    """With ranks in capital letters and the rest in small ones, however it was typed."""
    return "all" if text.lower() == "all" else text.lower().translate(str.maketrans("tjqka", "TJQKA"))


def board_of(text: str) -> list[str]:
    """The cards on the table."""
    cards: list[str] = []
    for match in re.finditer(r"[^\s,]{1,2}", text):
        card = as_cards(match[0])
        if card not in DECK or card in cards:
            problem = "lies there twice" if card in cards else "is no card, such as Ks or Th"
            raise ValueError(f"board: {match[0]!r} (character {match.start() + 1}) {problem}")
        cards.append(card)
    if len(cards) not in (4, 5):
        raise ValueError(f"board: {text!r} is not four or five cards: only the turn and the river are solved")
    return cards


def items_of(text: str, start: int) -> Iterator[tuple[str, int]]:
    """What stands between commas, and its place, counted from 1."""
    for match in re.finditer("[^,]+", text):
        if match[0].strip():
            yield match[0].strip(), start + match.start() + len(match[0]) - len(match[0].lstrip()) + 1


def sizes_of(what: str, text: str) -> tuple[Sizes, Sizes]:
    """The sizes of both players."""
    both = parts_of(what, text, ":") if ":" in text else ((text, 0), (text, 0))
    found: list[Sizes] = [[], []]
    for player, (own, start) in enumerate(both):
        for item, place in items_of(own, start):
            match = SIZE.fullmatch(item.lower())
            if match is None or (match["unit"] == "x" and (not what.endswith("raises") or float(match["part"]) <= 1.0)):
                known = "such as 50%, geometric or all-in" + (", or 3x" if what.endswith("raises") else "")
                raise ValueError(f"{what}: {item!r} (character {place}) is no size {known}")
            found[player].append((float(match["part"] or 0.0), match["unit"] or match["word"]))
    return found[0], found[1]


def range_of(what: str, text: str, start: int) -> dict[str, float]:
    """The weights of hands, by their cards, the higher first."""
    weights: dict[str, float] = {}
    for item, place in items_of(text, start):
        typed, at, weight = re.sub(r"\s*[@:]\s*", "@", item).partition("@")
        hands = as_cards(typed)
        match = HANDS.fullmatch(hands)
        where = f"{what}: {item!r} (character {place})"
        if at and not re.fullmatch(r"0?\.\d+|[01](\.0*)?", weight):
            raise ValueError(f"{where}: {weight!r} is not a weight from 0 to 1")
        if match is None:
            raise ValueError(f"{where} is no hands, such as QQ, AKs, AsKd, 22+, A5s-A2s or all")
        found = list(hands_of(hands, *match.groups()))
        if not found:
            raise ValueError(f"{where}: there are no such hands")
        weights |= dict.fromkeys(found, float(weight or 1.0))
    return weights


def hands_of(text: str, group: str | None, plus: str | None, last: str | None) -> Iterator[str]:
    """The hands of a group; none if it makes no sense."""
    if group is None:
        cards = DECK if text == "all" else sorted({text[:2], text[2:]}, key=DECK.index)
        yield from (high + low for low, high in combinations(cards, 2))
        return
    ranks = [RANKS.index(rank) for rank in group[:2]]
    high, low, suits = max(ranks), min(ranks), group[2:]
    if high == low and suits:
        return
    pairs = [(high, low)]
    if plus:
        pairs = (
            [(rank, rank) for rank in range(low, 13)] if high == low else [(high, rank) for rank in range(low, high)]
        )
    if last:
        ends = sorted([(high, low), tuple(sorted(map(RANKS.index, last[:2]), reverse=True))])
        (high, low), (top, bottom) = ends
        pairs = [(rank, rank + low - high) for rank in range(high, top + 1)]
        if high == top:
            pairs = [(high, rank) for rank in range(low, bottom + 1)]
        if last[2:] != suits or (high != top and high - low != top - bottom) or (high == low) != (top == bottom):
            return
    for high, low in pairs:
        for first, second in combinations("cdhs", 2):
            if high == low:
                yield RANKS[high] + second + RANKS[low] + first
            elif suits != "s":
                yield from (RANKS[high] + one + RANKS[low] + other for one, other in ((first, second), (second, first)))
        if high != low and suits != "o":
            yield from (RANKS[high] + suit + RANKS[low] + suit for suit in "cdhs")


class State(NamedTuple):
    """Where the hand is."""

    card: str  # that chance has brought
    mover: int
    left: tuple[int, int]  # of the stacks
    level: int = 0  # what the last bet on this street came to
    matched: int = 0  # what each has put in, but for the last bet
    bets: int = 0  # on this street
    last: str = ""  # the move, without its amount
    donks: bool = False  # whether player 0 has called the last bet of the turn
    all_in: bool = False


def rounded(number: float) -> int:
    return math.floor(number + 0.5)


class Holdem:
    """Hold'em on the turn or the river.

    Texas hold'em, last bets: four or five cards lie on the table, each holds two
    in secret (Th: the ten of hearts), out of ranges that both know. Player 0 acts
    first on each street. The best five of seven cards win. What player 0 gets is
    what it takes out of the pot less what it puts in: half of the pot is even.
    """

    def __init__(
        self,
        board: str = "Ks Th 7s 4d 2s",
        ranges: str = "22+,A2s+,KTo+ : AA-88,AKs,87s@0.5",
        pot: int = 100,
        stack: int = 450,
        bets: str = "50%, 100%",
        raises: str = "3x",
        river_bets: str | None = None,
        river_raises: str | None = None,
        donk: str | None = None,
        add_all_in: float = 1.5,
        force_all_in: float = 0.15,
        merging: float = 0.1,
    ) -> None:
        for name, amount in (("pot", pot), ("stack", stack)):
            if type(amount) is not int or not 0 < amount <= 10**9:
                raise ValueError(f"{name}: {amount!r} is not a whole number of chips from 1 on")
        for name, number in (("add_all_in", add_all_in), ("force_all_in", force_all_in), ("merging", merging)):
            if type(number) not in (int, float) or not 0.0 <= number < math.inf:
                raise ValueError(f"{name}: {number!r} is not a number from 0 on")
        sizes = {"bets": bets, "raises": raises, "river_bets": river_bets, "river_raises": river_raises, "donk": donk}
        for name, text in {"board": board, "ranges": ranges, **sizes}.items():
            if not isinstance(text, str) and not (text is None and name in ("river_bets", "river_raises", "donk")):
                raise ValueError(f"{name}: {text!r} is no text in quotes")
        self._board = board_of(board)
        self._pot, self._stack, self.base = pot, stack, pot / 2
        self._limits = float(add_all_in), float(force_all_in), float(merging)
        self._sizes = {False: (sizes_of("bets", bets), sizes_of("raises", raises))}
        on_river = (
            sizes_of("river_bets", bets if river_bets is None else river_bets),
            sizes_of("river_raises", raises if river_raises is None else river_raises),
        )
        self._sizes[True] = on_river
        self._donk = None if donk is None else sizes_of("donk", donk)[0]
        self._hands: list[dict[str, float]] = []
        for player, (text, start) in enumerate(parts_of("ranges", ranges, r":(?!\s*[01.])")):
            found = range_of(f"ranges, player {player}", text, start)
            free = {hand: weight for hand, weight in found.items() if not {hand[:2], hand[2:]} & {*self._board}}
            self._hands.append({hand: weight for hand, weight in free.items() if weight > 0.0})
            if not self._hands[player]:
                raise ValueError(f"ranges, player {player}: no hand is possible with the board {' '.join(self._board)}")
        self.types = tuple(tuple(hands) for hands in self._hands)
        self.weights = [list(hands.values()) for hands in self._hands]
        self.blockers = [[(hand[:2], hand[2:]) for hand in hands] for hands in self.types]

    @cached_property
    def strengths(self) -> dict[str, list[list[int]]]:
        """By the card that chance has brought: how strong the hands of both players are."""
        known: dict[frozenset[str], int] = {}
        cards = [""] if len(self._board) == 5 else [card for card in DECK if card not in self._board]
        return {card: [[self._strength(hand, card, known) for hand in hands] for hands in self.types] for card in cards}

    def _strength(self, hand: str, card: str, known: dict[frozenset[str], int]) -> int:
        if card in (hand[:2], hand[2:]):
            return 0
        cards = frozenset([*self._board, hand[:2], hand[2:], *([card] if card else [])])
        if cards not in known:
            kind, *ranks = rank_of([*cards])
            digits = [kind, *ranks, 0, 0, 0, 0, 0][:6]
            known[cards] = sum(digit * 13**place for place, digit in enumerate(reversed(digits)))
        return known[cards]

    def root(self) -> State:
        return State("", 0, (self._stack, self._stack))

    def _is_river(self, state: State) -> bool:
        return len(self._board) == 5 or state.card != ""

    def owner(self, state: State) -> int | None:
        over = state.last == "call" or (state.last == "check" and state.mover == 0)
        if state.last == "fold" or (over and self._is_river(state)) or (state.all_in and state.last == "card"):
            return None
        return CHANCE if over else state.mover

    def moves(self, state: State) -> list[tuple[str, State]]:
        if self.owner(state) == CHANCE:
            after = state._replace(mover=0, level=0, bets=0, last="card")
            return [(card, after._replace(card=card)) for card in DECK if card not in self._board]
        mover, other = state.mover, 1 - state.mover
        passed = state._replace(mover=other)
        if not state.level:
            found = [("check", passed._replace(last="check", donks=False))]
        else:
            lowest = min(state.left)
            called = passed._replace(left=(lowest, lowest), matched=self._stack - lowest, donks=mover == 0)
            found = [("fold", passed._replace(last="fold")), ("call", called._replace(last="call"))]
        for amount in [] if state.all_in else self._amounts(state):
            name = (
                "all-in"
                if amount == state.left[other] + state.level
                else f"{'raise' if state.level else 'bet'} {amount}"
            )
            before = state.left[other] + state.level  # of the mover's stack, when the street began
            left = (before - amount, state.left[1]) if mover == 0 else (state.left[0], before - amount)
            after = passed._replace(left=left, level=amount, bets=state.bets + 1, last="bet")
            found.append((name, after._replace(all_in=name == "all-in", matched=self._stack - state.left[other])))
        return found

    def _amounts(self, state: State) -> list[int]:
        """What bets or raises may come to on this street, from the lowest on."""
        add, force, merging = self._limits
        mover, level, behind = state.mover, state.level, state.left[1 - state.mover]
        to_call = state.left[mover] - behind
        pot, most = self._pot + 2 * (self._stack - behind), behind + level
        sizes = self._sizes[self._is_river(state)][level > 0][mover]
        if self._donk is not None and state.last == "card" and state.donks:
            sizes = self._donk
        streets = 1 if self._is_river(state) else 2
        found = [most] if most - level <= rounded(pot * add) else []
        for part, unit in sizes:
            if unit == "geometric":
                times = max(streets - state.bets + (level > 0), 1)
                part = ((2.0 * behind / pot + 1.0) ** (1.0 / times) - 1.0) * 50.0
            amount = (
                most
                if unit == "all-in"
                else rounded(level * part)
                if unit == "x"
                else level + rounded(pot * part / 100.0)
            )
            amount = min(max(amount, min(max(level + to_call, 1), most)), most)
            left = rounded((pot + 2 * (amount - level)) * force)
            found.append(most if most <= amount + left else amount)
        kept: list[int] = []
        for amount in sorted({*found}, reverse=True):
            ratio, above = (amount - level) / pot, (kept[-1] - level) / pot if kept else math.inf
            if ratio < (above - merging) / (1.0 + merging) * (1.0 - 1e-12):
                kept.append(amount)
        return kept[::-1]

    def chance(self, state: State, card: str) -> float:
        """Of each card that nobody holds."""
        return 1.0 / (52 - 4 - 4)

    def blocks(self, state: State, card: str) -> tuple[str]:
        return (card,)

    def show(self, state: State) -> str:
        put_in = [self._stack - left for left in state.left]
        table = " ".join([*self._board, *([state.card] if state.card else [])])
        return f"On the table: {table}. The pot: {self._pot + sum(put_in)}. Left: {state.left[0]} and {state.left[1]}."

    def means(self, state: State, name: str) -> str:
        if name in ("check", "fold"):
            return "give up" if name == "fold" else "pay nothing"
        left = dict(self.moves(state))[name].left[state.mover]
        return f"pay {state.left[state.mover] - left}"

    def payoff_strength(self, state: State) -> tuple[float, str | None]:
        """What is won in addition to half of the pot, and by which strengths."""
        if state.last == "fold":  # the other player is to move
            put_in = self._stack - state.left[1 - state.mover]
            return (self._pot / 2 + put_in) * (1 if state.mover == 0 else -1), None
        return self._pot / 2 + self._stack - min(state.left), state.card


def main() -> None:
    game = build_game(Holdem())
    solver = CFRSolver(game, update_rule("pdcfr+"))
    solver.run(500)
    found = exploitability(game, solver.average_strategy())
    print(
        f"Hold'em, {len(game.types[0])} hands against {len(game.types[1])}, "
        f"value to the first player: {found.value:.3f} of 100"
    )
    print(f"exploitability: {found.total:.1e}, nodes: {game.tree.num_nodes}")


if __name__ == "__main__":
    main()
