"""train-agent: learn one round by trial and error."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

import tictactoe
from tictactoe.number_text import counted, decimal_text, signed_text

from ..lazy_imports import lazily
from ..options.parameters import NAME, Count, Directory, File, Number
from ..options_before.common import json_option, quiet_option
from ..options_before.declaring import command_of, flag, group, is_given, option
from ..options_before.game_option import ROUND_OPTIONS, game_option, print_about_game, refuse_beside_game
from ..options_before.solving_options import ChosenRound, errors_of_options
from ..options_before.workers import existing_of, followed
from ..program import print_json, say, shown_path
from ..progress import SpeedLine, compiling_text

with lazily():
    from tictactoe.agents import named
    from tictactoe.algorithms import compiling
    from tictactoe.algorithms.learning import learning_method
    from tictactoe.games import named_games
    from tictactoe.solving import learning_run, results_as_data
    from tictactoe.storage import learnt_table

    from ..reports import round_report


METHODS = ("average-reward", "q-learning")
STATES = ("history", "board")
MOST_EPISODES = 10**12 - 1
WITH_CONTINUE = ("--game", "--output", "--episodes", "--continue", "--export", "--quiet", "--json")
"""The options that go together with --continue. All others come from the agent's file."""


@dataclass(frozen=True)
class Options:
    game: named_games.NamedGame | None = game_option("Learn another game instead, by yourself, uniform or solved")
    output: Path = option(
        File(),
        "The agent's file, replaced every five seconds. Learning that was stopped goes on where it was.",
        short="-o",
        default=Path("my_agent.msgpack"),
    )
    episodes: int = option(Count(1, MOST_EPISODES), "Play so many rounds.", default=1_000_000)
    opponent: str = option(
        NAME,
        "Whom it plays against: self, an opponent such as uniform, learner-10 or perfect, a solution's round such as "
        "my_subgame/ or shipped/subgame_4_3 (with --score also a whole solution), or the file of another agent.",
        default="self",
        metavar="NAME",
    )
    method: str = option(
        click.Choice(METHODS),
        "average-reward: the value of a move is the average reward of the rounds in which it was made. q-learning: it "
        "is learnt from the values of the agent's next state.",
        default="average-reward",
    )
    learning_rate: float | None = option(
        Number(0.0, 1.0, above_least=True), "A constant rate for q-learning.  [default: 6 / (5 + n) at the n-th visit]"
    )
    state: str = option(
        click.Choice(STATES),
        "What it keeps in mind, beside its goal: all moves in order, or the board alone.",
        default="history",
    )
    epsilon: float = option(
        Number(0.0, 1.0), "How often it tries any move instead of the best one, in the first round.", default=1.0
    )
    epsilon_end: float = option(
        Number(0.0, 1.0), "The same from round --epsilon-episodes on; in between it falls evenly.", default=0.1
    )
    epsilon_episodes: int = option(Count(0, MOST_EPISODES), "See --epsilon-end.", default=100_000)
    round: ChosenRound = group(ChosenRound)
    seed: int = option(Count(0, 2**63 - 1), "Of the random draws: the same seed gives the same bits.", default=0)
    go_on: bool = flag(
        "Go on with the agent in the file, with the options that it was begun with; only --episodes is given.",
        names="--continue",
    )
    restart: bool = flag(
        "Begin anew, and replace the file that is there as soon as the new one is first saved, some seconds later; if "
        "that is stopped, go on without --restart."
    )
    export: Path | None = option(
        Directory(),
        "Also save what it plays as a round, as solve-multiround --one-round does: for best-response-multiround and "
        "others.",
        metavar="DIRECTORY",
    )
    quiet: bool = quiet_option("No progress and no result: nothing but errors.")
    as_json: bool = json_option()


@command_of(Options)
def command(given: Options) -> None:
    """Learn one round by trial and error, and save what was learnt.

    The agent plays round after round, in both seats in turn, and keeps a table: what each move was worth where it was
    made. Without options: a round in which scoring is worth a point, against itself, a million times, which takes a
    second. Progress shows exactly how good the best moves of the table are: what they get against the opponent, and
    how much the best responder would gain against them (exploitability). docs/learning.md says what to expect. Press
    Ctrl-C to stop: the same command goes on from there. plot-learning draws the file.

    With --game the opponent is self, uniform, or a directory of solve-game. Of a single player against chance, such as
    twenty-one, you see how much less it gets than the best play, by rounds played, and since when it is enough.

    \b
    train-agent --game twenty-one -o 21.msgpack --method q-learning --episodes 5000000
    train-agent -o agent.msgpack --opponent uniform
    train-agent -o agent.msgpack --continue --episodes 10000000
    train-agent -o q.msgpack --method q-learning --state board --opponent learner-10
    train-agent -o four_three.msgpack --score 4 3 --values-from shipped --opponent perfect
    train-agent -o agent.msgpack --continue --export agent_round/
    """
    if given.go_on:
        _refuse_others()
    progress = _Progress(given.episodes, given.quiet)
    if given.game is not None:
        _learn_game(given, given.game, progress)
        return
    start = None if given.go_on else _new(given)
    with followed(progress, tictactoe.RunControl(existing=existing_of(given.restart))) as control:
        progress.starting_to_learn()
        table = tictactoe.train_agent(given.output, given.episodes, start, control=control)
    if given.export is not None:
        learning_run.export_agent(table, given.export)
    if given.as_json or not given.quiet:
        figures, best = learning_run.judged(table)
        if given.as_json:
            print_json(results_as_data.learnt_round(table, figures, best))
        else:
            round_report.print_learnt(table, figures, best, given.output, given.episodes)
            if given.export is not None:
                say(f"what it plays is also in {shown_path(given.export)}")


def _learn_game(given: Options, named: named_games.NamedGame, progress: _Progress) -> None:
    refuse_beside_game((*ROUND_OPTIONS, "state", "export"))
    game, way = (
        learning_run.GameToLearn(named),
        learning_run.WayOfLearning(_method(given), given.opponent, given.seed),
    )
    with errors_of_options():
        start = None if given.go_on else game.new(way)
    with followed(progress, tictactoe.RunControl(existing=existing_of(given.restart))) as control:
        progress.starting_to_learn()
        table = learning_run.train_on_game(given.output, given.episodes, game, start, control=control)
    if given.as_json or not given.quiet:
        report = learning_run.LearntReport(game, table)
        print_about_game(named, report, given.output, quiet=given.quiet, as_json=given.as_json)


def _refuse_others() -> None:
    for parameter in click.get_current_context().command.params:
        option = parameter.opts[-1]
        if option not in WITH_CONTINUE and is_given(parameter.name or ""):
            raise click.UsageError(f"--continue and {option} exclude each other: the file says how to go on")


def _new(given: Options) -> tictactoe.LearntTable:
    """A new table for the options, without any learning. Raises click.UsageError and FormatError."""
    rules, values, winning_score = given.round.round()
    score, tree, opponent = given.round.score, tictactoe.GameTree.build(rules), None
    try:
        if given.opponent != learnt_table.SELF_PLAY:
            strategy = named.round_opponent(given.opponent, tree, values, given.round.values_from, score)
            opponent = learnt_table.FixedOpponent(given.opponent, strategy)
    except ValueError as error:
        raise click.UsageError(f"--opponent: {str(error).removeprefix('opponent: ')}") from error
    method = _method(given)
    played = learnt_table.RoundToLearn(values, score, winning_score)
    return tictactoe.LearntTable.new(tree, method, played=played, state=given.state, opponent=opponent, seed=given.seed)


def _method(given: Options) -> tictactoe.LearningMethod:
    if given.learning_rate is not None and given.method != "q-learning":
        raise click.UsageError(f"--learning-rate: {given.method} has none; it is for --method q-learning")
    return tictactoe.LearningMethod(
        method=given.method,
        learning_rate=given.learning_rate,
        epsilon=given.epsilon,
        epsilon_end=given.epsilon_end,
        epsilon_episodes=given.epsilon_episodes,
    )


class _Progress(SpeedLine):
    """A LearningReporter that shows the rounds, the speed, the value of the greedy policy, and the time to go."""

    def starting_to_learn(self) -> None:
        """Show that the learner is being compiled, unless it is compiled already."""
        if not compiling.is_compiled(learning_method.play_rounds):
            self.set(compiling_text(learning_method.play_rounds, "learner"))

    def __call__(self, rounds: int, figures: tictactoe.LearningFigures) -> None:
        speed, left = self.speed(rounds)
        self.set(
            f"{rounds:,} of {counted(self._most, 'round')}, {{elapsed}} elapsed, {speed:,.0f}/s, value "
            f"{signed_text(figures.value, 4)}, exploitability {decimal_text(figures.exploitability, 4)}{left}"
        )
