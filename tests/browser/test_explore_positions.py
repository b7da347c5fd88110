"""What the page shows of a position is what the terminal's explore shows, by both rules."""

import random
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import pytest
from support.browser import Page
from support.explore_page import go_to, shown
from support.page_matches import likely_moves
from support.playing import random_moves
from support.slowness import by_default

from tictactoe import Cursor, Goal, RoundBot, Score, open_saved
from tictactoe.browser.page_data import SHIPPED_ON_PAGE
from tictactoe.match.percentages import percentage_points, win_percentage
from tictactoe.play.notation import Numbers
from tictactoe.play.view import Goals, View, view
from tictactoe.storage.open_saved import SavedRound, SavedRounds

NUMBERS = Numbers(4)  # as the terminal begins
ROUNDING = 1e-9  # what may differ by the order in which numbers are added


SPACE = "\u00a0"


def wins(value: float) -> str:
    return NUMBERS.percent(win_percentage(value)).replace(" ", "").replace("%", f"{SPACE}%")


def share(probability: float, never: str = "never", always: str = "always") -> str:
    """As in the terminal, but for what is never or always so."""
    if min(probability, 1 - probability) < 1e-12:
        return never if probability < 0.5 else always
    return f">99{SPACE}%" if probability > 0.995 else NUMBERS.share(probability).replace("%", f"{SPACE}%")


def chance(probability: float) -> str:
    return share(probability, "ruled out", "certain")


def near(written: Callable[[float], str], number: float) -> set[str]:
    """The texts of a number that rounding may have moved; of nothing at all only its own."""
    return {written(number + error) for error in ((-ROUNDING, 0.0, ROUNDING) if number else (0.0,))}


def costs(cost: float) -> set[str]:
    written = partial(NUMBERS.cost, digits_less=2)
    return near(lambda number: written(percentage_points(number)), cost)


def positions(rounds: SavedRounds, name: str) -> Iterator[tuple[SavedRound, RoundBot, Cursor, Goals]]:
    """At scores of either lead and of none: one of perfect players, one of any."""
    rng = random.Random(f"explore {name}")
    wanted: tuple[Goal | None, ...] = (*Goal, None)
    for score in ((0, 0), (4, 3), (1, 4)):
        saved = rounds.load(Score(*score))
        bot = RoundBot(saved.tree, saved.average_strategy, saved.snapshot.outcome_values)
        likely = likely_moves(rng, bot, rng.randrange(0, 6))
        for moves in (likely, random_moves(rng, saved.tree, rng.randrange(1, 9))):
            yield saved, bot, Cursor(saved.tree, moves), (rng.choice(wanted), rng.choice(wanted))


def check_table(seen: View, told: dict[str, Any]) -> None:
    mover = seen.to_move
    if mover is None:
        assert told["groups"] == []
        return
    assert [group["name"] for group in told["groups"]] == ["to WIN", "to LOSE", "to TIE", "any goal"]
    known = seen.goals[mover]
    assert [group["chosen"] for group in told["groups"]] == [goal is known for goal in Goal] + [False]
    assert told["columns"] == [" ".join(map(str, move.squares)) for move in seen.rows[0].moves]
    for row, group in zip(seen.rows, told["groups"], strict=False):
        assert group["worth"] in near(wins, row.value)
        for index, cell in enumerate(row.moves):
            assert group["plays"][index] in near(share, cell.probability)
            assert group["wins"][index] in near(wins, cell.value)
            assert group["costs"][index] in costs(cell.cost)
    assert seen.mover_value is not None
    assert told["groups"][3]["worth"] in near(wins, seen.mover_value)
    believed = seen.beliefs[mover] or seen.rules.goal_probabilities
    for index, text in enumerate(told["groups"][3]["plays"]):
        together = sum(b * row.moves[index].probability for b, row in zip(believed, seen.rows, strict=True))
        assert text in near(share, together)


def check_board(seen: View, told: dict[str, Any]) -> None:
    """Free squares show their price if the mover's goal is known, else the goals for which they cost nothing."""
    mover = seen.to_move
    known = None if mover is None else seen.goals[mover]
    assert set(told["notes"]) == {str(square) for move in seen.choices for square in move.squares}
    for index, move in enumerate(seen.choices):
        fits = [goal.name.lower() for goal, row in zip(Goal, seen.rows, strict=True) if row.moves[index].cost == 0]
        cost = None if known is None else seen.rows[known].moves[index].cost
        for square in move.squares:
            price, *played = told["notes"][str(square)].split("\n")
            shade = told["shades"][str(square)]
            if cost is None:
                assert price == ("any goal" if len(fits) == 3 else ", ".join(fits) or "no goal")
                assert shade == f"fits-{len(fits)}"
                continue
            often = near(share, move.average / len(move.squares))
            assert (played or ["never"])[0].replace("played", "").strip() in often
            assert price == "good" if cost == 0 else price in {f"costs {text}" for text in costs(cost)}
            assert (shade == "price-0") is (cost == 0)


def check_knowledge(seen: View, bot: RoundBot, node: int, told: dict[str, Any]) -> None:
    for own, texts in zip(seen.beliefs, told["beliefs"], strict=True):
        for goal, text in enumerate(texts):
            assert text in ({"not known"} if own is None else near(chance, own[goal]))
    prior = seen.rules.goal_probabilities
    first, second = (belief or prior for belief in seen.beliefs)
    by_goals = bot.expected[node]
    for x, o in product(range(4), repeat=2):
        mine = first if x == 3 else [float(goal == x) for goal in Goal]
        others = second if o == 3 else [float(goal == o) for goal in Goal]
        assert f"{told['values'][x][o]}{SPACE}%" in near(wins, float(mine @ by_goals @ others))
    x, o = (3 if goal is None else int(goal) for goal in seen.goals)
    assert told["chosen_values"] == [told["values"][x][o]]
    assert f"{told['values'][x][o]}{SPACE}%" in near(wins, seen.expected_value)
    line = seen.most_likely_line
    if line is None:
        assert told["course"] is None
    else:
        happened = seen.rules.of_round.happened[line.outcome]
        assert told["course"]["squares"] == list(line.squares)
        often = {"It always goes on so"} | {
            f"It goes on so in {text} of cases" for text in near(share, line.probability)
        }
        assert told["course"]["end"] in {f"{text}. Then {happened}, whatever follows." for text in often}


@pytest.mark.parametrize("name", by_default(SHIPPED_ON_PAGE, "shipped"))
def test_same_as_in_terminal(name: str, tab: Page) -> None:
    solution = "" if name == "shipped" else f"{name}/"
    for saved, bot, cursor, goals in positions(open_saved(name), name):
        seen = view(saved, cursor, goals)
        go_to(tab, solution, seen.position)
        told = shown(tab)
        check_table(seen, told)
        check_board(seen, told)
        check_knowledge(seen, bot, cursor.node, told)
        off = None in seen.beliefs
        assert ("Perfect players never come here" in told["warning"]) is off
        assert ("The round is over" in told["turn"]) is (seen.to_move is None)
        certain = seen.forced_outcome is not None and seen.outcome is None
        assert ("the end is certain" in told["turn"]) is certain
        if seen.forced_outcome is not None:
            assert seen.rules.of_round.happened[seen.forced_outcome] in told["turn"]
