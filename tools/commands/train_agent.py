"""The verb train-agent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

import tictactoe
from tictactoe.number_text import (
    counted,
    decimal_text,
    name_and_parameters,
    read_number,
    read_whole_number,
    signed_text,
)

from ..options.common import existing_of, json_option, one_value, quiet_option, refuse, restart_option, seed_option
from ..options.game_option import ROUND_OPTIONS, game_option, print_about_game, refuse_beside_game
from ..options.parameters import NAME, Count, File, Reader, shortened
from ..options.rules_options import WantedRules, rules_option
from ..options.solving_options import ChosenRound, errors_of_options, round_options
from ..options.workers import followed
from ..program import Program, shown_path
from ..progress import SpeedLine, compiling_text

if TYPE_CHECKING:
    from tictactoe.games.named_games import NamedGame

HISTORY, BOARD = "history", "board"
NUMBERS = {
    "learning_rate": read_number,
    "epsilon": read_number,
    "epsilon_end": read_number,
    "epsilon_episodes": read_whole_number,
}
"""The reader of the number of each parameter of a method."""


class Method(NamedTuple):
    learning: tictactoe.LearningMethod
    state: str


def read_method(text: str) -> Method:
    """A name, perhaps with parameters in brackets. Raises ValueError."""
    method, given = name_and_parameters(text, "q-learning(learning_rate=0.1)")
    state = given.pop("state", HISTORY)
    if state not in (HISTORY, BOARD):
        raise ValueError(f"state: {shortened(state)} is neither {HISTORY} nor {BOARD}")
    numbers: dict[str, Any] = {}
    for name, value in given.items():
        if name not in NUMBERS:
            raise ValueError(f"{shortened(name)} is not a parameter of a method: state, {', '.join(NUMBERS)}")
        try:
            numbers[name] = NUMBERS[name](value)
        except ValueError as error:
            raise ValueError(f"{name}: {shortened(value)} {error}") from None
    return Method(tictactoe.LearningMethod(method=method, **numbers), state)


@dataclass(frozen=True)
class Way:
    opponent: str
    method: Method
    seed: int


way_options = one_value(
    "way",
    Way,
    click.option(
        "--opponent",
        type=NAME,
        default="self",
        metavar="NAME",
        help="Opponent to learn against: self, a name such as uniform, learner-10 or perfect, a solution's round such "
        "as my_subgame/ or shipped/subgame_4_3 (with --score also a whole solution), or the file of another agent.",
    ),
    click.option(
        "--method",
        type=Reader("method", read_method),
        default="average-reward",
        metavar="NAME[(PARAMETER=VALUE,...)]",
        help="average-reward: the value of a move is the average reward of the rounds in which it was made. "
        "q-learning: the value is learnt from the values of the agent's next state, at the rate learning_rate or, by "
        "default, 6 / (5 + n) at the n-th visit. state=history: the agent remembers its goal and all moves; "
        "state=board: its goal and the board alone. epsilon=1: the probability of a random move in the first round; it "
        "falls evenly to epsilon_end=0.1 at round epsilon_episodes=1e5.",
    ),
    seed_option("Seed of the random draws; the same seed gives the same bits.", 0),
)
"""The options of how an agent learns, and against whom. They are passed as `way`."""


@click.command(cls=Program)
@game_option("Learn another game instead, against self, uniform or a solution")
@click.option(
    "-o",
    "--output",
    type=File(),
    default=Path("my_agent.msgpack"),
    help="File of the agent, replaced every five seconds. A stopped run continues.",
)
@click.option("--episodes", type=Count(1, 10**12 - 1), default=1_000_000, help="Number of rounds to play.")
@way_options
@rules_option("three-in-a-row, or those of --values-from")
@round_options
@click.option(
    "--resume",
    is_flag=True,
    help="Continue the agent in the file with the options that it was begun with; give only --episodes, too.",
)
@restart_option
@quiet_option()
@json_option
def command(
    game: NamedGame | None,
    output: Path,
    episodes: int,
    way: Way,
    rules: WantedRules,
    chosen: ChosenRound,
    resume: bool,
    restart: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Learn one round by trial and error, and save what was learnt.

    The agent plays round after round, in alternating seats, and keeps a table of what each move was worth. Without
    options, it plays a million rounds against itself, in which scoring is worth a point; this takes a second. The
    progress line shows exactly what the table's best moves get against the opponent, and what the best responder would
    gain against them (exploitability). docs/learning.md says what to expect. Press Ctrl-C to stop: the same command
    continues. plot draws the file; convert makes a round of it for best-response-multiround, explore and other verbs.

    With --game, the opponent is self, uniform, or a directory of game solve. In a game of one player against chance,
    such as twenty-one, you see how much less the agent gets than the best play, by rounds played, and after how many
    rounds it had learnt enough.

    \b
    tictactoe train-agent --game twenty-one -o 21.msgpack --method q-learning --episodes 5e6
    tictactoe train-agent -o agent.msgpack --opponent uniform
    tictactoe train-agent -o agent.msgpack --resume --episodes 1e7
    tictactoe train-agent -o q.msgpack --method 'q-learning(state=board)' --opponent learner-10
    tictactoe train-agent -o four_three.msgpack --score 4-3 --values-from shipped --opponent perfect
    tictactoe convert agent.msgpack -o agent_round/
    """
    from tictactoe.solving import learning_run

    if resume:
        theirs = {"game", "output", "episodes", "resume", "quiet", "as_json"}
        others = {parameter.name or "" for parameter in click.get_current_context().command.params} - theirs
        refuse(others, "cannot be combined with --resume: the file has the options")
    described = None
    if game is not None:
        refuse_beside_game(ROUND_OPTIONS)
        if way.method.state != HISTORY:
            raise click.UsageError("--method: state applies only to tic-tac-toe, and --game names another game")
        described = learning_run.game_to_learn(game)
    progress = _Progress(episodes, quiet)
    control: tictactoe.RunControl[Any] = tictactoe.RunControl(existing=existing_of(restart))
    start = None if resume else _new(way, chosen, rules, game, described)
    with followed(progress, control) as control:
        progress.starting_to_learn()
        table = tictactoe.train_agent(output, episodes, start, described=described, control=control)
    if not as_json and not quiet and table.rounds > episodes:
        print(f"{shown_path(output)} already holds a later state: nothing was learnt")
    if as_json or not quiet:
        print_about_game(game, learning_run.LearntReport(table, described, game), output, quiet=quiet, as_json=as_json)


def _new(
    way: Way, chosen: ChosenRound, wanted: WantedRules, game: NamedGame | None, described: Any
) -> tictactoe.LearntTable:
    from tictactoe.agents import named
    from tictactoe.solving import learning_run
    from tictactoe.storage import learnt_table

    method, state = way.method
    if game is not None:
        with errors_of_options():
            opponent = learning_run.opponent_in(way.opponent, game, described)
        return tictactoe.LearntTable.new(described, method, opponent=opponent, seed=way.seed)
    rules, values, winning_score = chosen.round(wanted)
    score, tree, opponent = chosen.score, tictactoe.GameTree.build(rules), None
    try:
        if way.opponent != learnt_table.SELF_PLAY:
            strategy = named.round_opponent(way.opponent, tree, values, chosen.values_from, score)
            opponent = learnt_table.FixedOpponent(way.opponent, strategy)
    except ValueError as error:
        raise click.UsageError(f"--opponent: {str(error).removeprefix('opponent: ')}") from error
    played = learnt_table.RoundToLearn(values, score, winning_score)
    return tictactoe.LearntTable.new(tree, method, played=played, state=state, opponent=opponent, seed=way.seed)


class _Progress(SpeedLine):
    def starting_to_learn(self) -> None:
        from tictactoe.algorithms import compiling, learning

        if not compiling.is_compiled(learning.play_rounds):
            self.set(compiling_text(learning.play_rounds, "learner"))

    def __call__(self, rounds: int, figures: tictactoe.LearningFigures) -> None:
        speed, left = self.speed(rounds)
        self.set(
            f"{rounds:,} of {counted(self._most, 'round')}, {{elapsed}} elapsed, {speed:,.0f}/s, value "
            f"{signed_text(figures.value, 4)}, exploitability {decimal_text(figures.exploitability, 4)}{left}"
        )
