"""train-agent: learn one round by trial and error."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from tictactoe.games.rules import DEFAULT_RULES
from tictactoe.number_text import decimal_text, signed_text
from tictactoe.storage.json_text import json_text

from ..options.parameters import Count, Directory, File, Name, Number, json_option
from ..options.solving_options import ChosenRound, round_options
from ..program import SETTINGS, existing_of, run, say, shown_path, stop_on_signals
from ..progress import COMPILING, StatusLine, duration
from ..words import counted

if TYPE_CHECKING:
    from tictactoe.algorithms.learning.learning_method import LearningFigures
    from tictactoe.storage.learnt_table import LearntTable

METHODS = ("average-reward", "q-learning")
STATES = ("history", "board")
MOST_EPISODES = 10**12 - 1
WITH_CONTINUE = {"output", "episodes", "go_on", "export", "quiet", "as_json"}
"""The parameters that go together with --continue. All others come from the agent's file."""


@click.command(context_settings=SETTINGS)
@click.option(
    "-o",
    "--output",
    type=File(),
    default=Path("my_agent.msgpack"),
    show_default=True,
    help="The agent's file, replaced every five seconds. Learning that was stopped goes on where it was.",
)
@click.option(
    "--episodes", type=Count(1, MOST_EPISODES), default=1_000_000, show_default=True, help="Play so many rounds."
)
@click.option(
    "--opponent",
    type=Name(),
    default="self",
    show_default=True,
    metavar="NAME",
    help="Whom it plays against: self, an opponent such as uniform, learner-10 or perfect, a solution's round such as "
    "my_subgame/ or shipped/subgame_4_3 (with --score also a whole solution), or the file of another agent.",
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="average-reward",
    show_default=True,
    help="average-reward: the value of a move is the average reward of the rounds in which it was made. q-learning: it "
    "is learnt from the values of the agent's next state.",
)
@click.option(
    "--learning-rate",
    type=Number(0.0, 1.0, above_least=True),
    help="A constant rate for q-learning.  [default: 6 / (5 + n) at the n-th visit]",
)
@click.option(
    "--state",
    type=click.Choice(STATES),
    default="history",
    show_default=True,
    help="What it keeps in mind, beside its goal: all moves in order, or the board alone.",
)
@click.option(
    "--epsilon",
    type=Number(0.0, 1.0),
    default=1.0,
    show_default=True,
    help="How often it tries any move instead of the best one, in the first round.",
)
@click.option(
    "--epsilon-end",
    type=Number(0.0, 1.0),
    default=0.1,
    show_default=True,
    help="The same from round --epsilon-episodes on; in between it falls evenly.",
)
@click.option(
    "--epsilon-episodes", type=Count(0, MOST_EPISODES), default=100_000, show_default=True, help="See --epsilon-end."
)
@round_options
@click.option(
    "--seed",
    type=Count(0, 2**63 - 1),
    default=0,
    show_default=True,
    help="Of the random draws: the same seed gives the same bits.",
)
@click.option(
    "--continue",
    "go_on",
    is_flag=True,
    help="Go on with the agent in the file, with the options that it was begun with; only --episodes is given.",
)
@click.option(
    "--restart",
    is_flag=True,
    help="Throw away the file that is there, at once, and begin anew; if that is stopped, go on without --restart.",
)
@click.option(
    "--export",
    type=Directory(),
    metavar="DIRECTORY",
    help="Also save what it plays as a round, as solve-subgame does: for best-response-subgame, explore and others.",
)
@click.option("--quiet", is_flag=True, help="No progress and no result: nothing but errors.")
@json_option
def command(
    output: Path,
    episodes: int,
    opponent: str,
    method: str,
    learning_rate: float | None,
    state: str,
    epsilon: float,
    epsilon_end: float,
    epsilon_episodes: int,
    chosen: ChosenRound,
    seed: int,
    go_on: bool,
    restart: bool,
    export: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Learn one round by trial and error, and save what was learnt.

    The agent plays round after round, in both seats in turn, and keeps a table: what each move was worth where it was
    made. Without options: a round in which scoring is worth a point, against itself, a million times, which takes a
    second. Progress shows exactly how good the best moves of the table are: what they get against the opponent, and
    how much a perfect player would gain against them (exploitability). docs/learning.md says what to expect. Press
    Ctrl-C to stop: the same command goes on from there. plot-learning draws the file.

    \b
    train-agent -o agent.msgpack --opponent uniform
    train-agent -o agent.msgpack --continue --episodes 10000000
    train-agent -o q.msgpack --method q-learning --state board --opponent learner-10
    train-agent -o four_three.msgpack --score 4 3 --values-from shipped --opponent perfect
    train-agent -o agent.msgpack --continue --export agent_round/
    """
    from tictactoe.run_control import RunControl
    from tictactoe.solving import learning_run

    if go_on:
        _refuse_others()
        start = None
    else:
        start = _new(opponent, chosen, method, learning_rate, state, (epsilon, epsilon_end, epsilon_episodes), seed)
    progress = _Progress(episodes, quiet)
    with stop_on_signals() as stop, progress.showing():
        progress.starting_to_learn()
        control = RunControl(existing=existing_of(restart), stop=stop, reporter=progress)
        table = learning_run.train_agent(output, episodes, start, control=control)
    if export is not None:
        learning_run.export_agent(table, export)
    if as_json or not quiet:
        figures, best = _judged(table)
        if as_json:
            print(json_text(_as_dict(table, figures, best), indent=2))
        else:
            _print(table, figures, best, output, episodes)
            if export is not None:
                say(f"what it plays is also in {shown_path(export)}")


def _refuse_others() -> None:
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name not in WITH_CONTINUE:
            raise click.UsageError(
                f"--continue and {parameter.opts[-1]} exclude each other: the file says how to go on"
            )


def _new(
    opponent: str,
    chosen: ChosenRound,
    method: str,
    learning_rate: float | None,
    state: str,
    epsilon: tuple[float, float, int],
    seed: int,
) -> LearntTable:
    """A new table for the options, without any learning. Raises click.UsageError and FormatError."""
    from tictactoe.agents.learnt_agent import round_opponent
    from tictactoe.algorithms.learning.learning_method import LearningMethod
    from tictactoe.games.tic_tac_toe_tree import GameTree
    from tictactoe.match.scores import Score
    from tictactoe.storage.learnt_table import SELF_PLAY, FixedOpponent, LearntTable, RoundToLearn

    if learning_rate is not None and method != "q-learning":
        raise click.UsageError(f"--learning-rate: {method} has none; it is for --method q-learning")
    rules, values, winning_score = chosen.found()
    score = None if chosen.score is None else Score(*chosen.score)
    tree = GameTree.build(rules)
    try:
        strategy = None if opponent == SELF_PLAY else round_opponent(opponent, tree, values, chosen.values_from, score)
    except ValueError as error:
        raise click.UsageError(f"--opponent: {str(error).removeprefix('opponent: ')}") from error
    first, last, rounds = epsilon
    how = LearningMethod(
        name=method, learning_rate=learning_rate, epsilon=first, epsilon_end=last, epsilon_rounds=rounds
    )
    return LearntTable.new(
        tree,
        how,
        played=RoundToLearn(values, score, winning_score),
        state=state,
        opponent=None if strategy is None else FixedOpponent(opponent, strategy),
        seed=seed,
    )


class _Progress(StatusLine):
    """A LearningReporter that shows the rounds, the speed, the value of the greedy policy, and the time to go."""

    def __init__(self, episodes: int, quiet: bool) -> None:
        super().__init__("starting", seconds=10.0, quiet=quiet)
        self._episodes = episodes
        self._first: tuple[float, int] | None = None

    def starting_to_learn(self) -> None:
        """Show that the learner is being compiled, unless it is compiled already."""
        from tictactoe.algorithms.compiling import is_compiled
        from tictactoe.algorithms.learning.learning_kernels import play_rounds

        if not is_compiled(play_rounds):
            self.set(COMPILING.replace("solver", "learner"))

    def __call__(self, rounds: int, figures: LearningFigures) -> None:
        now = time.monotonic()
        if self._first is None:
            self._first = (now, rounds)
        then, before = self._first
        speed = (rounds - before) / max(now - then, 1e-9)
        left = f", {duration((self._episodes - rounds) / speed)} to go" if speed > 0.0 else ""
        self.set(
            f"{rounds:,} of {counted(self._episodes, 'round')}, {{elapsed}} elapsed, {speed:,.0f}/s, value "
            f"{signed_text(figures.value, 4)}, exploitability {decimal_text(figures.exploitability, 4)}{left}"
        )


def _judged(table: LearntTable) -> tuple[LearningFigures, tuple[float, float] | None]:
    """The figures of the greedy policy; and the most that a player can get against the opponent in each seat."""
    from tictactoe.algorithms.learning.tabular_learning import best_values_against
    from tictactoe.solving.learning_run import learner_of

    learner = learner_of(table)
    opponent = table.opponent_strategy
    return learner.figures(), None if opponent is None else best_values_against(learner.game, opponent)


def _as_dict(table: LearntTable, figures: LearningFigures, best: tuple[float, float] | None) -> dict[str, Any]:
    return {
        **table.task(),
        "outcome_values": table.outcome_values._asdict(),
        "rounds": figures.rounds,
        "nodes": figures.nodes,
        "value_first": figures.as_first,
        "value_second": figures.as_second,
        "value": figures.value,
        "best_value_first": None if best is None else best[0],
        "best_value_second": None if best is None else best[1],
        "best_value": None if best is None else sum(best) / 2.0,
        "exploitability": figures.exploitability,
        "log": [row._asdict() for row in table.figures],
    }


def _print(
    table: LearntTable, figures: LearningFigures, best: tuple[float, float] | None, output: Path, episodes: int
) -> None:
    from ..reports.report import exploitability_text

    if table.rounds > episodes:
        print(f"{shown_path(output)} holds a later state already: nothing was learnt")
    if table.rules != DEFAULT_RULES:
        print(f"rules: {table.rules}")
    method, state = table.method.name, table.state
    print(f"{method}, state {state}, {counted(table.rounds, 'round')}, {counted(table.nodes, 'node')} touched")
    if best is None:
        print(f"its best moves against themselves: {signed_text(figures.as_first, 6)} to the first mover")
    else:
        average, first, second = (
            signed_text(value, 6) for value in (figures.value, figures.as_first, figures.as_second)
        )
        where = f"{average} on average, {first} moving first, {second} moving second"
        print(f"its best moves against {table.opponent}: {where}")
        most = ", ".join(signed_text(value, 6) for value in (sum(best) / 2, *best))
        print(f"the most that anybody gets: {most}")
    if table.score is None:
        print(f"exploitability: {decimal_text(figures.exploitability, 6)} in the unit of the outcome values")
    else:
        print(f"exploitability: {exploitability_text(figures.exploitability)} of matches won")
    say(f"saved in {shown_path(output)}")


main = partial(run, command)
