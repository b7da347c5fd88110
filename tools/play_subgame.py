"""play-subgame: single rounds against the bot, for practice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .common import CommandError, Count, run, say
from .play import (
    SEATS,
    QuitPlaying,
    Screen,
    first_player,
    play_round,
    playing_options,
    solution_directory,
)
from .play_text import review_lines, round_facts

if TYPE_CHECKING:
    from tictactoe.cursor import Position
    from tictactoe.match import Goal
    from tictactoe.playing import Player, Round, RoundBook
    from tictactoe.snapshot import Snapshot
    from tictactoe.tree import GameTree

GOALS = ("win", "lose", "tie")


@click.command(context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]})
@playing_options
@click.option("--goal", type=click.Choice(GOALS), default=None, help="Your goal.  [default: drawn each round]")
@click.option("--bot-goal", type=click.Choice(GOALS), default=None, help="The bot's goal.  [default: drawn each round]")
@click.option(
    "--position", default=None,
    help='Start here, with these goals, such as "4-3 wl 513"; a goal that is "?" is drawn by what the moves tell.',
)
@click.option(
    "--seat", type=click.Choice(SEATS), default=None,
    help="Whether you move first or second.  [default: random; first with --position]",
)
@click.option("--rounds", type=Count(1), default=1, show_default=True, help="How many rounds to play.")
def command(
    solution: Path | None, average_strategy: bool, seed: int | None, keypad: str, plain: bool, goal: str | None,
    bot_goal: str | None, position: str | None, seat: str | None, rounds: int,
) -> None:  # fmt: skip
    """Play single rounds against the bot, as they are played at one score of a match.

    -s is the directory of a subgame, such as my_solution/subgame_4_3 or what solve-subgame wrote. By default it is
    the subgame of the position, else that of 0-0, of the installed solution. Type ? while playing for help.

    \b
    play-subgame --goal lose --rounds 3
    play-subgame -s my_solution/subgame_4_3 --seat second --bot-goal tie
    play-subgame --position "4-3 wl 513"
    """
    if position is not None and (goal is not None or bot_goal is not None):
        raise click.UsageError("--position names both goals already: leave out --goal and --bot-goal")
    from tictactoe.cursor import Cursor, IllegalMoveError
    from tictactoe.match import Goal
    from tictactoe.playing import RoundBook
    from tictactoe.tree import GameTree

    start, unknown = (None, ()) if position is None else _position(position)
    tree = GameTree.build()
    if start is not None:
        try:
            cursor = Cursor(tree, start.moves)
        except IllegalMoveError as error:
            raise click.UsageError(f"--position: {error}") from error
        if cursor.forced_outcome is not None:
            raise click.UsageError(f"--position: the round is decided after {''.join(map(str, start.moves))}")
    snapshot = _snapshot(solution, start, tree)
    if start is not None and snapshot.score is not None and snapshot.score != start.score:
        raise click.UsageError(f"--position: at {start.score}, but the subgame is that of {snapshot.score}")
    strategy = snapshot.average_strategy(tree) if average_strategy else snapshot.current_strategy
    practice = _Practice(
        RoundBook(tree, strategy, snapshot.outcome_values), snapshot, start, seed,
        wanted=tuple(None if name is None else Goal[name.upper()] for name in (goal, bot_goal)),
        unknown=unknown,
        seat=seat or ("random" if start is None else "first"),
    )  # fmt: skip
    practice.play(rounds, Screen(("You", "Bot"), keypad, plain))


def _position(text: str) -> tuple[Position, tuple[int, ...]]:
    """The position, and the seats whose goal is "?", as it is shown during a round."""
    from tictactoe.cursor import Position

    parts = text.split()
    unknown: tuple[int, ...] = ()
    if len(parts) > 1 and len(parts[1]) == 2:
        unknown = tuple(seat for seat, letter in enumerate(parts[1]) if letter == "?")
        parts[1] = parts[1].replace("?", "w")
    try:
        return Position.parse(" ".join(parts)), unknown
    except ValueError as error:
        raise click.UsageError(f"--position: {error}") from error


def _snapshot(directory: Path | None, start: Position | None, tree: GameTree) -> Snapshot:
    """The last saved state of the subgame."""
    from tictactoe.match import Score
    from tictactoe.snapshot import Snapshot, list_snapshots, snapshot_name, subgame_name
    from tictactoe.solution import SOLUTION_FILE, load_solution

    score = Score(0, 0) if start is None else start.score
    if directory is None:
        shipped = load_solution(solution_directory(None))
        if score not in shipped.results:
            raise click.UsageError(f"--position: {score} is no score of the installed match to {shipped.winning_score}")
        return shipped.snapshot(score)
    saved = list_snapshots(directory)
    if not saved:
        advice = ""
        if (directory / SOLUTION_FILE).exists():
            advice = f"; it is a whole solution: take a subgame of it, such as {directory / subgame_name(score)}"
        raise CommandError(f"{directory}: no snapshots here{advice}")
    return Snapshot.load(directory / snapshot_name(saved[-1]), tree)


class _Practice:
    """Rounds at one score, and what they have brought."""

    def __init__(
        self, book: RoundBook, snapshot: Snapshot, start: Position | None, seed: int | None,
        wanted: tuple[Goal | None, ...], unknown: tuple[int, ...], seat: str,
    ) -> None:  # fmt: skip
        """wanted: the person's goal and the bot's, where they are not to be drawn. unknown: the seats whose goals in
        `start` mean nothing."""
        self.book = book
        self.snapshot = snapshot
        self.start = start
        self.seed = seed
        self.wanted = wanted
        self.unknown = unknown
        self.seat = seat
        self.points = [0, 0]
        self._drawn = 0  # goals by what the moves tell

    def deal(self, number: int) -> Round:
        from tictactoe.match import Score
        from tictactoe.playing import Player, Round, commitment_text, deal_goals, new_nonce

        first = first_player(self.seat, self.seed, number)
        dealt = deal_goals(self.seed, number)
        goals = (self._goal(Player.PERSON, first, dealt[0]), self._goal(Player.BOT, first, dealt[1]))
        text = commitment_text(number, goals[Player.BOT], new_nonce(self.seed, number))
        start = self.start
        score = start.score if start is not None else self.snapshot.score or Score(0, 0)
        return Round(number, score, first, goals, text, self.book.tree, () if start is None else start.moves)

    def _goal(self, player: Player, first: Player, dealt: Goal) -> Goal:
        wanted = self.wanted[player]
        if self.start is None:
            return dealt if wanted is None else wanted
        seat = int(player is not first)
        if seat not in self.unknown:
            return (self.start.first_goal, self.start.second_goal)[seat]
        return self._likely_goal(seat, self.start.moves)

    def _likely_goal(self, seat: int, moves: tuple[int, ...]) -> Goal:
        """Drawn by what the moves tell about it."""
        from tictactoe.cursor import Cursor
        from tictactoe.match import Goal, Seat
        from tictactoe.playing import generator_for

        belief = self.book.belief(Cursor(self.book.tree, moves).node, Seat(seat))
        self._drawn += 1
        return generator_for(self.seed, f"unknown goal {self._drawn}").choices(list(Goal), weights=belief)[0]

    def play(self, rounds: int, screen: Screen) -> None:
        """Play them all, then show what the person's moves cost."""
        from tictactoe.playing import Player, generator_for

        played: list[Round] = []
        screen.clear()
        try:
            for number in range(1, rounds + 1):
                current = self.deal(number)
                screen.heading = self._heading(number, rounds, current)
                screen.score_line = self._tally()
                play_round(screen, current, self.book, generator_for(self.seed, f"moves {number}"))
                played.append(current)
                for player in Player:
                    self.points[player] += current.scored[player]
                screen.score_line = self._tally()
                pause = "for the next round" if number < rounds else "for the review"
                screen.finish(current, round_facts(screen, current, f"Points: {self._tally()}."), pause=pause)
        except QuitPlaying as reason:
            if len(played) < rounds:
                print(f"Stopped ({reason}); rounds played: {len(played)}. Points: {self._tally()}.")
                return
        screen.clear()
        print(f"Rounds played: {len(played)}. Points: {self._tally()}.")
        skip = 0 if self.start is None else len(self.start.moves)
        reviewed = []
        for one in played:
            costs = self.book.costs(one.cursor.moves, one.seat(Player.PERSON), one.goals[Player.PERSON])
            reviewed.append((one, [move for move in costs if move.number > skip], None))
        for line in review_lines(screen, reviewed, in_points=self.snapshot.score is None):
            say(line)

    def _heading(self, number: int, rounds: int, current: Round) -> str:
        where = "on its own"
        if self.snapshot.score is not None:
            where = f"at {current.score} of a match to {self.snapshot.winning_score}"
        return f"Round {number} of {rounds} {where}"

    def _tally(self) -> str:
        return f"You {self.points[0]} : {self.points[1]} Bot"


def main() -> None:
    """The program."""
    run(command)
