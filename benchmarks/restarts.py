"""How fast restarts make discounted CFR converge, beside other rules and what optimization uses, on standard games.

    python benchmarks/restarts.py [--output DIR] [--quick] [--part GAME]... [--method NAME]... [--variants N N]
        [--seconds N] [--hours N]
    python benchmarks/restarts.py [--output DIR] --halves | --conditions | --summary | --tables | --pictures DIR

It needs pip install -c constraints.txt '.[exact,openspiel]'.

A run is a method on a variant of a game, until 10,000 iterations, or before, after so many seconds of processor time
(--seconds; else as `most_seconds` in restarts_tables.py says). Its file holds a row for every check: iteration, visits
of information sets, seconds of the processor, NashConv. A run that has a file is not made again, so that a night, or
several machines with --part, go on with what is there. --quick makes three variants of the games that are built at
once, 300 iterations: five minutes.

Variant 0 is the game itself. In 1 to 20 each payoff and each chance of types is multiplied by a factor between 0.99 and
1.01, its own; with moves hidden, what is multiplied is a payoff times its chance. In 101 to 120 payoffs alone differ,
in their last bits: what rounding does. So does variant 100, the game itself by kernels without fused multiply-add: it
runs when NUMBA_CPU_NAME=generic is set, and no other variant does.

Parameters may be chosen on one half of the games. It has all that rdcfr was ever run on, and is filled up from the
others by a draw; the rest are shown. The seed is the hash of a commit that was made before any run of the new games.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

try:
    from first_order import PDLP, Optimistic, Simplex, condition, plans_of
except ModuleNotFoundError as error:
    if __name__ != "__main__":
        raise
    raise SystemExit(f"There is no {error.name} here: pip install -c constraints.txt '.[exact,openspiel]'") from None
from restarts_tables import LAST_BITS, RESULTS, folder, most_seconds, pictures, summarize, tables

from tictactoe import (
    CFRSolver,
    Game,
    Score,
    build_game,
    exploitability,
    load_solution,
    open_spiel_game,
    parse_rule,
    register_rule,
)
from tictactoe.algorithms.built_in_rules import BUILT_IN_RULES, RESTART_BLEND
from tictactoe.algorithms.hidden_moves import HiddenMovesGame
from tictactoe.algorithms.measured_run import perturbed
from tictactoe.algorithms.one_program import equilibrium
from tictactoe.algorithms.ranked_game import RankedGame
from tictactoe.algorithms.rule_definition import Restart
from tictactoe.algorithms.update_rules import FULL_WIDTH_ALGORITHMS
from tictactoe.games.named_games import named_game
from tictactoe.games.payoffs import tic_tac_toe_round

SEED = "5bbaf5bde8dfbdb6f493a938cfd08e25bdb5fc57"
"""The hash of the commit that closed the issue on games with hidden moves."""


def _named(name: str) -> Callable[[], Game]:
    return lambda: named_game(name).build()


def _round(first: int, second: int) -> Callable[[], Game]:
    def build() -> Game:
        solution = load_solution("shipped")
        return tic_tac_toe_round(solution.tree, solution.outcome_values(Score(first, second)))

    return build


def _open_spiel(name: str) -> Callable[[], Game]:
    return lambda: build_game(open_spiel_game(name), maximum_nodes=10_000_000)


_GOOFSPIEL = "goofspiel(imp_info=true,num_cards={},points_order={})"
_BATTLESHIP = (
    "battleship(board_width={},board_height=2,ship_sizes={},ship_values={},num_shots={},allow_repeated_shots=false,"
    "loss_multiplier=1.0)"
)
_RIVER = 'holdem(board="Ks Th 7s 4d 2s", ranges="22+,A2s+,KTo+ : 22+,A2s+,KTo+", pot=100, stack=450, bets="50%,100%")'
_TURN = 'holdem(board="Td 9d 6h Qc", ranges="TT+,AJs+,KQs : 88-66,QTs+,JTs,98s", pot=200, stack=900, bets="60%")'
KNOWN: dict[str, Callable[[], Game]] = {
    "kuhn": _named("kuhn"),
    "leduc, six cards": _named("leduc(cards=6)"),
    "liar's dice, 6 sides": _named("liars-dice"),
    "goofspiel 4, descending": _open_spiel(_GOOFSPIEL.format(4, "descending")),
    "goofspiel 5, descending": _open_spiel(_GOOFSPIEL.format(5, "descending")),
    "battleship 2x2": _open_spiel(_BATTLESHIP.format(2, "[1;2]", "[1;2]", 3)),
    "battleship 3x2": _open_spiel(_BATTLESHIP.format(3, "[2]", "[1]", 2)),
    "oshi-zumo, 5 coins": _open_spiel("oshi_zumo(coins=5,size=1,horizon=8)"),
    "match, 4-3": _round(4, 3),
    "match, 2-2": _round(2, 2),
    "match, 3-0": _round(3, 0),
}
"""Games that rdcfr was run on before."""
NEW: dict[str, Callable[[], Game]] = {
    "kuhn, 13 cards": _named("kuhn(13)"),
    "leduc, ranks": _named("leduc"),
    "liar's dice, 4 sides": _named("liars-dice(4)"),
    "liar's dice, 5 sides": _named("liars-dice(5)"),
    "goofspiel 4, ascending": _open_spiel(_GOOFSPIEL.format(4, "ascending")),
    "goofspiel 4, random": _open_spiel(_GOOFSPIEL.format(4, "random")),
    "goofspiel 5, ascending": _open_spiel(_GOOFSPIEL.format(5, "ascending")),
    "oshi-zumo, 4 coins": _open_spiel("oshi_zumo(coins=4,size=1,horizon=6)"),
    "blotto, 8 coins": _open_spiel("blotto(coins=8,fields=3)"),
    "dark hex 2x2": _open_spiel("dark_hex(num_rows=2,num_cols=2)"),
    "duel at 21": _named("duel"),
    "blackjack++": _named("blackjack"),
    "hold'em, river": _named(_RIVER),
    "hold'em, turn": _named(_TURN),
}
GAMES = KNOWN | NEW
SLOW = [
    "oshi-zumo",
    "goofspiel_5",
    "goofspiel_4,_random",
    "liar's_dice,_6",
    "hold'em,_turn",
    "duel",
    "black",
    "battleship",
]
"""Begin the names of games that are not for --quick."""


def _other_epochs(parameters: Mapping[str, float]) -> Iterator[tuple[int, Restart]]:
    epoch, last = parameters["epoch"], 0
    while True:
        last += int(epoch)
        yield last, Restart(1.0, RESTART_BLEND)
        epoch *= parameters["growth"]


_RDCFR = BUILT_IN_RULES["rdcfr"]
_DISCOUNTS = {name: value for name, value in _RDCFR.defaults.items() if name.startswith("discount")}
register_rule(
    "restarted", _RDCFR.fill, {**_DISCOUNTS, "epoch": 100.0, "growth": 1.0}, restarts=_other_epochs, sweep=_RDCFR.sweep
)
CANDIDATES = [f"restarted(epoch={epoch})" for epoch in (50, 100, 200, 400)] + ["restarted(growth=1.25)"]
"""rdcfr with other epochs: all equally long, or each longer than the last by a quarter."""
STEPS = (1.0, 10.0)
METHODS: dict[str, Callable[[Game], Any]] = {
    **{
        name: lambda game, name=name: CFRSolver(game, parse_rule(name))
        for name in (*FULL_WIDTH_ALGORITHMS, *CANDIDATES)
    },
    "pdlp": PDLP,
    "highs": Simplex,
    **{f"optimistic({step:g})": lambda game, step=step: Optimistic(game, step) for step in STEPS},
}
GENERIC = os.environ.get("NUMBA_CPU_NAME") == "generic"
VARIANTS = (LAST_BITS,) if GENERIC else (*range(21), *range(LAST_BITS + 1, LAST_BITS + 21))
MOST_ITERATIONS = 10_000
QUICK = 300, (0, 1, 2)
LARGEST_CHANGE = 0.01
CONDITIONS = ("kuhn", "blotto, 8 coins", "goofspiel 4, descending", "battleship 3x2")
"""Games whose condition is worked out with several largest changes."""


def halves() -> dict[str, list[str]]:
    """The games on which parameters may be chosen, and those that are shown."""
    new = sorted(NEW)
    random.Random(SEED).shuffle(new)
    num_shown = len(GAMES) // 2
    return {"chosen on": [*KNOWN, *new[num_shown:]], "shown": new[:num_shown]}


def variant(game: Game, number: int, change: float = LARGEST_CHANGE) -> Game:
    """The game itself, with other payoffs and chances, or with other last bits."""
    if number == 0 or number >= LAST_BITS:
        return perturbed(game, max(number - LAST_BITS, 0))
    draw = np.random.default_rng(number)

    def changed(numbers: Any) -> Any:
        return numbers * draw.uniform(1.0 - change, 1.0 + change, numbers.shape)

    if isinstance(game, HiddenMovesGame):
        return replace(game, ends=game.ends._replace(paid=changed(game.ends.paid)))
    if isinstance(game, RankedGame):
        return replace(game, leaves=game.leaves._replace(amount=changed(game.leaves.amount)))
    prior = changed(game.prior)
    return replace(game, payoffs=changed(game.payoffs), prior=prior / prior.sum())


def conditions() -> Iterator[str]:
    """Markdown: what `condition` says of the limit of rdcfr in CONDITIONS, and of the vertex in their variants 1."""
    yield "| | dimensions | as it is | changed by up to 10 % | 1 % | 0.1 % |"
    yield "|---|---|---|---|---|---|"
    for name in CONDITIONS:
        game = GAMES[name]()
        solver = METHODS["rdcfr"](game)
        solver.run(MOST_ITERATIONS)
        (own, other), least = condition(game, plans_of(game, solver.average_strategy()))
        changed = (variant(game, 1, change) for change in (0.1, 0.01, 0.001))
        found = [least, *(condition(each, plans_of(each, equilibrium(each).strategy))[1] for each in changed)]
        yield f"| {name} | {own:,}, {other:,} | {' | '.join(f'{each:.1e}' for each in found)} |"


def checks(last: int) -> Iterator[int]:
    """Iterations that grow by a quarter."""
    at = 10
    while at < last:
        yield at
        at = max(at + 10, at * 5 // 4 // 10 * 10)
    yield last


def rows(game: Game, method: str, last: int, limit: float) -> Iterator[tuple[int, int, float, float]]:
    """Iteration, visits, seconds of the processor without checks, NashConv."""
    solver, seconds = METHODS[method](game), 0.0
    for at in checks(last):
        started = time.process_time()
        solver.run(at - solver.iteration)
        seconds += time.process_time() - started
        judged = hasattr(solver, "nash_conv")
        gains = solver.nash_conv() if judged else exploitability(game, solver.average_strategy()).total
        yield at, solver.num_visits, seconds, gains
        if seconds > limit or getattr(solver, "is_done", False):
            return


def run(
    output: Path,
    parts: list[str],
    methods: list[str],
    variants: tuple[int, int],
    quick: bool,
    seconds: float | None,
    hours: float,
) -> None:
    """Make the runs that have no file. A variant runs with all games and methods before the next one begins."""
    end = time.monotonic() + 3600.0 * hours
    last, numbers = QUICK if quick else (MOST_ITERATIONS, VARIANTS)
    numbers = [number for number in numbers if variants[0] <= number <= variants[1]]
    wanted = (name for name in GAMES if not parts or name in parts)
    names = [name for name in wanted if not (quick and folder(name).startswith(tuple(SLOW)))]
    built: dict[str, Game] = {}
    for number, name, method in product(sorted(numbers, key=lambda each: each % LAST_BITS), names, methods or METHODS):
        path = output / folder(name) / f"{method}_{number}.csv"
        if path.exists():
            continue
        if time.monotonic() > end:
            return
        if name not in built:
            built[name] = GAMES[name]()
            METHODS["rdcfr"](built[name]).run(20)  # compiled before it is timed
        print(f"{name}: {method}, variant {number}", flush=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            found = list(rows(variant(built[name], number), method, last, seconds or most_seconds(name, number)))
        except ValueError as error:  # no matrix of this game fits
            found = []
            print(f"    {error}", flush=True)
        temporary = path.with_suffix(".part")
        with temporary.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("iteration", "visits", "seconds", "nash_conv"), *found])
        temporary.replace(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, help="default: restart_runs, or with --quick restart_runs_quick")
    parser.add_argument("--part", action="append", default=[], metavar="GAME", help="only this game")
    parser.add_argument("--method", action="append", default=[], choices=[*METHODS], help="only this method")
    parser.add_argument(
        "--variants", type=int, nargs=2, default=(VARIANTS[0], VARIANTS[-1]), metavar="N", help="the first and the last"
    )
    parser.add_argument("--seconds", type=float, help="of the processor, for a run (default: 2 to 15, by game)")
    parser.add_argument("--hours", type=float, default=1e6, help="begin no run after so many")
    parser.add_argument("--quick", action="store_true", help="three variants, 300 iterations, small games")
    parser.add_argument("--halves", action="store_true", help="run nothing, print the draw")
    parser.add_argument("--conditions", action="store_true", help="run no method, print how well-conditioned games are")
    parser.add_argument("--summary", action="store_true", help=f"run nothing, write {RESULTS.name}")
    parser.add_argument("--tables", action="store_true", help=f"run nothing, print the tables of {RESULTS.name}")
    parser.add_argument("--pictures", type=Path, metavar="DIR", help="run nothing, draw what is there")
    arguments = parser.parse_args()
    output = arguments.output or Path("restart_runs_quick" if arguments.quick else "restart_runs")
    if unknown := {*arguments.part} - GAMES.keys():
        parser.error(f"--part: there is no {', '.join(sorted(unknown))}; there are {'; '.join(GAMES)}")
    if arguments.halves:
        for title, names in halves().items():
            print(f"{title}: {'; '.join(names)}")
    elif arguments.conditions:
        print(*conditions(), sep="\n")
    elif arguments.summary:
        summarize(output, halves(), [*METHODS])
    elif arguments.tables:
        print(tables())
    elif arguments.pictures:
        pictures(arguments.pictures)
    else:
        run(
            output,
            arguments.part,
            arguments.method,
            arguments.variants,
            arguments.quick,
            arguments.seconds,
            arguments.hours,
        )


if __name__ == "__main__":
    main()
