"""The verb best-response-multiround."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import tictactoe
from tictactoe.errors import NotSavedError, printable
from tictactoe.match.percentages import at_most
from tictactoe.match.scores import match_to
from tictactoe.number_text import counted
from tictactoe.play.opponents import OPPONENTS, TYPED_NAMES

from ..options.common import json_option, one_value, quiet_option, refuse, strategy_option, winning_score_option
from ..options.game_option import game_option
from ..options.parameters import Count, File, SolutionOrOpponent
from ..options.rules_options import WantedRules, require_rules, rules_option
from ..options.solution_choice import chosen_solution, refuse_to_write_into, solution_option
from ..options.solving_options import outcome_values_option
from ..options.workers import Workers, connected, workers_options
from ..program import CommandError, Program, note, print_json, shown_path
from ..progress import StatusLine

if TYPE_CHECKING:
    from tictactoe.games.named_games import NamedGame
    from tictactoe.match.best_response_over_match import ScoreResponse

_JUDGING = ("winning_score", "strategy", "iteration", "outcome_values", "save", "rules")
_PROVING = ("unreduced", "output", "jobs", "cluster")
FOR_MATCHES, FOR_ROUNDS = ("winning_score",), ("outcome_values",)


@dataclass(frozen=True)
class Judged:
    """What is judged in a solution or a round, and whether the best response is saved."""

    strategy: str
    iteration: int | None
    outcome_values: tuple[float, ...] | None
    save: bool
    as_json: bool

    @property
    def average(self) -> bool:
        return self.strategy == "average"


@dataclass(frozen=True)
class Proof:
    prove: bool
    verify: Path | None
    unreduced: bool
    output: Path | None
    quiet: bool


judged_options = one_value(
    "judged",
    Judged,
    strategy_option(),
    click.option(
        "-i",
        "--iteration",
        type=Count(0),
        help="Judge earlier strategies: of every score the last one saved up to this iteration, or of a round the one "
        "saved at this iteration.",
    ),
    outcome_values_option("those with which the round was solved"),
    click.option(
        "--save",
        is_flag=True,
        help="Save the best response beside the snapshots, for explore. It replaces an earlier one. Not for solutions "
        "that come with the program.",
    ),
    json_option,
)
proof_options = one_value(
    "proof",
    Proof,
    click.option("--prove", is_flag=True, help="Prove a bound in exact arithmetic and write a certificate of it."),
    click.option("--verify", type=File(), help="Check this certificate instead of making one."),
    click.option(
        "--unreduced",
        is_flag=True,
        help="Check every claim on the tree of all histories, too, which relies neither on symmetry nor on forced "
        "outcomes. Works with --verify, too, which otherwise leaves out that part of a certificate.",
    ),
    click.option(
        "-o",
        "--output",
        type=File(),
        help="File for the certificate; an earlier one is replaced.  [default: certificate.json in the directory of "
        "the solution, or in the current directory if the solution comes with the program]",
    ),
    quiet_option("Show no progress and no table, and of a proof only the total."),
)


@click.command(cls=Program)
@solution_option(
    f"Directory of a solved match or of a round, such as shipped/subgame_4_4, or an opponent: {', '.join(TYPED_NAMES)}",
    SolutionOrOpponent(),
)
@winning_score_option(
    "Length of the match that is judged: a shorter match that the solution contains, or any match of an opponent.  "
    "[default: the solution's, or 5]",
    None,
)
@rules_option("those of the solution, or three-in-a-row")
@game_option("With --verify, compare the game in a certificate with this one")
@judged_options
@proof_options
@workers_options("Number of processes that prove.  [default: the processors available]")
def command(
    solution: Path | str | None,
    winning_score: int | None,
    rules: WantedRules,
    game: NamedGame | None,
    judged: Judged,
    proof: Proof,
    workers: Workers,
) -> None:
    """Compute exactly what the best responder wins against a solution, over the whole match or in one round.

    The best responder knows the bot's strategy, but not its goals. The table shows for every score the most that it can
    gain by moving first, the least to which it can hold a bot that moves first, and the difference: the total
    exploitability from that score on. For a round, it shows what a best response gains in both seats, for every pair of
    goals and over all pairs, without the rest of the match.

    --prove uses exact rational arithmetic instead of floating point, and a separate checker confirms the claim. Saved
    probabilities are taken as exact fractions and renormalised. For a round, it judges the bot of the last snapshot.
    docs/certificate.md has the theorem and the format.

    \b
    best-response-multiround -s my_solution/
    best-response-multiround -s my_solution/ --strategy current --json
    best-response-multiround -s learner-10 --rules filled
    best-response-multiround -s my_solution/subgame_4_4 --save
    best-response-multiround -s my_solution/ --prove
    best-response-multiround --verify my_solution/certificate.json --unreduced
    best-response-multiround --verify my_kuhn/certificate.json --game kuhn
    """
    if proof.prove or proof.verify is not None:
        refuse(_JUDGING, "does not apply to proofs")
        if isinstance(solution, str):
            solution = _solution_of(solution)
        if proof.verify is not None:
            refuse(("output", "as_json"), "cannot be combined with --verify")
            _verify(proof, proof.verify, solution, game, workers)
        else:
            refuse(("game",), "requires --verify; game solve --algorithm exact -o DIR makes certificates of games")
            _prove(proof, solution, workers, as_json=judged.as_json)
        return
    refuse((*_PROVING, "game"), "applies only to proofs")
    if isinstance(solution, str):
        refuse(
            ("save", "iteration", "strategy", "outcome_values"), f"applies to solutions, and {solution} is an opponent"
        )
        _show(*_of_opponent(solution, rules.over(), winning_score), judged.as_json, proof.quiet)
        return
    directory = chosen_solution(solution, quiet=proof.quiet)
    if judged.save:
        refuse_to_write_into(directory, "--save")
    if _is_round(directory):
        refuse(FOR_MATCHES, f"applies to matches, and {directory} is a round")
        _judge_round(directory, rules, judged, proof.quiet)
    else:
        refuse(FOR_ROUNDS, f"applies to rounds, and {directory} is a match")
        _judge_match(directory, winning_score, rules, judged, proof.quiet)


def _solution_of(opponent: str) -> Path:
    from tictactoe.storage import shipped

    if opponent not in shipped.SHIPPED:
        raise click.UsageError(f"--solution: {opponent} is an opponent; only solutions can be proved")
    return shipped.solution_directory(opponent)


def _is_round(directory: Path) -> bool:
    from tictactoe.storage import directory_layout, locked_directory

    locked_directory.finish(directory)
    record = directory / directory_layout.SOLUTION_FILE
    return bool(directory_layout.list_snapshots(directory)) and not record.exists()


def _judge_match(directory: Path, winning_score: int | None, rules: WantedRules, judged: Judged, quiet: bool) -> None:
    from tictactoe.match import scores
    from tictactoe.storage import open_saved

    loaded = tictactoe.load_solution(directory)
    require_rules(rules, loaded.tree, directory)
    winning_score = loaded.winning_score if winning_score is None else winning_score
    if winning_score > loaded.winning_score:
        raise click.UsageError(f"--winning-score: {directory} is a match to {counted(loaded.winning_score, 'point')}")
    if not loaded.results:
        raise CommandError(f"{directory}: no score has been solved yet")
    strategies = loaded.strategies(average=judged.average, iteration=judged.iteration)
    response = tictactoe.best_response_over_match(loaded.tree, strategies, loaded.winning_score)
    shown = scores.part_for_shorter_match(response.scores, loaded.winning_score, winning_score)
    try:
        if judged.save:
            open_saved.save_match_response(loaded, response, average=judged.average, iteration=judged.iteration)
    finally:  # show the result even if saving fails
        _show(shown, winning_score, loaded.rules, judged.as_json, quiet)


def _of_opponent(
    name: str, rules: tictactoe.Rules, winning_score: int | None
) -> tuple[Mapping[tictactoe.Score, ScoreResponse], int, str]:
    from tictactoe.agents import strategy_agent
    from tictactoe.storage import shipped

    tree, points = tictactoe.GameTree.build(rules), winning_score or shipped.SHIPPED_MATCHES["shipped"]
    if OPPONENTS[name].uses_solution and points > shipped.SHIPPED_MATCHES["shipped"]:
        what = f"{name} plays from the solution of a match to {counted(shipped.SHIPPED_MATCHES['shipped'], 'point')}"
        raise click.UsageError(f"--winning-score: {what}")
    try:
        strategies = strategy_agent.opponent_policy(name, tree, points)
    except ValueError as error:
        raise CommandError(str(error).removeprefix("opponent: ").removeprefix("rules: ")) from error
    return tictactoe.best_response_over_match(tree, strategies, points).scores, points, str(rules)


def _show(
    shown: Mapping[tictactoe.Score, ScoreResponse], winning_score: int, rules: str, as_json: bool, quiet: bool
) -> None:
    from tictactoe.match import scores
    from tictactoe.solving import results_as_data

    from ..reports import best_response_report

    missing = [score for score in scores.all_scores(winning_score) if score not in shown]
    if as_json:
        print_json({"rules": rules, **results_as_data.best_response_of_match(shown, missing, winning_score)})
    elif not quiet:
        best_response_report.print_match(shown, missing, match_to(winning_score, rules))


def _judge_round(directory: Path, rules: WantedRules, judged: Judged, quiet: bool) -> None:
    from tictactoe.solving import results_as_data
    from tictactoe.storage import open_saved

    from ..reports import best_response_report

    rounds = tictactoe.open_saved(directory)
    require_rules(rules, rounds.tree, directory)
    try:
        snapshot, tree = rounds.snapshot(None, judged.iteration), rounds.tree
    except NotSavedError as error:
        raise CommandError(f"{directory}: {error}") from error
    strategy = snapshot.average_strategy(tree) if judged.average else snapshot.current_strategy
    values = tictactoe.OutcomeValues(*judged.outcome_values) if judged.outcome_values else snapshot.round_values
    if judged.save and values != snapshot.outcome_values:
        what = "a saved best response must be to the snapshot's own outcome values; leave out --outcome-values"
        raise click.UsageError(f"--save: {what}")
    responses = tictactoe.best_responses(tictactoe.tic_tac_toe_round(tree, values), strategy)
    in_match_value = snapshot.score is not None and judged.outcome_values is None
    try:
        if judged.save:
            answers = open_saved.response_to_snapshot(snapshot, judged.average, values, responses)
            answers.save(directory)
    finally:  # show the result even if saving fails
        if judged.as_json:
            print_json(results_as_data.best_response_of_round(snapshot, values, responses, in_match_value))
        elif not quiet:
            best_response_report.print_round(snapshot, values, responses, in_match_value)


def _prove(proof: Proof, given: Path | None, workers: Workers, *, as_json: bool) -> None:
    from tictactoe.proof import certificate_format, checker
    from tictactoe.storage import atomic_files, directory_layout, shipped

    from ..reports import best_response_report

    if proof.output is not None:
        atomic_files.output_file(proof.output)  # fails before the work, which may take hours
    solution = chosen_solution(given, quiet=proof.quiet)
    file = Path(directory_layout.CERTIFICATE_FILE)
    output = proof.output or (file if shipped.is_shipped(solution) else solution / file)
    if solution.is_dir() and not output.parent.is_dir():  # fails before the work
        raise CommandError(f"{shown_path(output)}: this directory does not exist")
    is_round = _is_round(solution)
    try:
        with _control(proof, workers, on_cluster=not is_round) as control:
            if is_round:
                certificate = tictactoe.certify_round(solution, unreduced=proof.unreduced)
            else:
                certificate = tictactoe.certify(solution, unreduced=proof.unreduced, control=control)
    except checker.Refused as error:
        raise CommandError(str(error)) from error
    certificate_format.write_certificate(output, certificate)
    if as_json:
        print(certificate_format.certificate_bytes(certificate).decode(), end="")
    elif is_round:
        best_response_report.print_proof_of_round(certificate, solution, output, proof.quiet)
    else:
        believed = _believed(workers.cluster, "claimed and checked")
        best_response_report.print_proof_of_match(certificate, output, proof.quiet, believed)


def _verify_game(path: Path, certificate: Mapping[str, Any], game: NamedGame | None) -> None:
    from tictactoe.proof import checker, game_checker
    from tictactoe.solving import game_certificate

    refuse(("solution", "unreduced", "jobs", "cluster"), "is not needed: the certificate of a game contains everything")
    try:
        if game is not None:
            game_checker.check_same_game(certificate, game_certificate.printed_game(game), game.name)
        value = game_checker.check_game(certificate)
    except checker.Refused as error:
        raise CommandError(f"{shown_path(path)}: refused: {error}") from error
    which = "the game in it" if game is None else game.name
    print(
        printable(
            f"{shown_path(path)}: every claim holds. "
            f"Proved: the value of {which} to the first player is exactly {value}."
        )
    )


def _verify(proof: Proof, path: Path, given: Path | None, game: NamedGame | None, workers: Workers) -> None:
    from tictactoe.proof import certificate_format, certificate_text, checker

    certificate = tictactoe.read_certificate(path)
    if certificate["format"] == certificate_format.GAME_FORMAT:
        _verify_game(path, certificate, game)
        return
    refuse(("game",), "does not apply: this certificate is about tic-tac-toe")
    is_round = certificate["format"] == certificate_format.ROUND_FORMAT
    solution = given or _beside(path, certificate, is_round, proof.quiet)
    try:
        with _control(proof, workers, on_cluster=not is_round) as control:
            if is_round:
                tictactoe.verify_round(certificate, solution, unreduced=proof.unreduced)
            else:
                tictactoe.verify(certificate, solution, unreduced=proof.unreduced, control=control)
    except checker.Refused as error:
        raise CommandError(f"{shown_path(path)}: refused: {error}") from error
    trees = "the reduced and the unreduced tree" if proof.unreduced else "the reduced tree"
    holds = f"every claim holds, checked on {trees}."
    if certificate["nodes"]["unreduced"] is not None and not proof.unreduced:
        holds = (
            "every claim holds on the reduced tree. The certificate says that they hold on the unreduced tree, too; "
            "that was not checked (--unreduced checks it)."
        )
    if is_round:
        proved = f" {certificate_text.proved_of_round(certificate, solution)}"
    else:
        proved = f"{_believed(workers.cluster, 'checked')} {certificate_text.proved_of_match(certificate)}"
    print(f"{shown_path(path)}: {holds}{proved}")


def _beside(path: Path, certificate: Mapping[str, Any], is_round: bool, quiet: bool) -> Path:
    """The directory with a certificate's files: its own, or a shipped one. Raises CommandError if the files are
    missing."""
    from tictactoe.storage import directory_layout, shipped

    directory_layout.require_in_place(path.parent)  # or the files would seem to be missing
    record = directory_layout.SOLUTION_FILE
    if directory_layout.list_snapshots(path.parent) if is_round else (path.parent / record).exists():
        return path.parent
    if (directory := shipped.shipped_with_one_of(certificate["files"], snapshots=is_round)) is not None:
        if not quiet:
            known = shipped.with_names(str(directory))
            note(f"{shown_path(path)}: it is about a solution that comes with the program (-s {known})")
        return directory
    what, example = ("round", "single_round") if is_round else ("solution", "shipped")
    raise CommandError(
        f"{shown_path(path)}: the {what} that it is about is not beside it; name it with -s, such as -s {example}"
    )


def _believed(cluster: str | None, done: str) -> str:
    if cluster is None or cluster.startswith("local:"):
        return ""
    return f" This was {done} by the workers of {cluster} and is believed; without --cluster, it is checked here."


class _Progress(StatusLine):
    def __call__(self, num_done: int, num_groups: int, largest: Fraction | None) -> None:
        most = "" if largest is None else f", {at_most(largest)} exploitable"
        self.set(f"certifying{{cluster}}, {{elapsed}} elapsed: {num_done} of {counted(num_groups, 'score')}{most}")


@contextlib.contextmanager
def _control(proof: Proof, workers: Workers, *, on_cluster: bool) -> Iterator[tictactoe.RunControl[Any]]:
    address = workers.cluster if on_cluster else None
    with connected(address, quiet=proof.quiet, goes_on=False) as cluster:
        progress = _Progress("certifying{cluster}, {elapsed} elapsed: reading", cluster, quiet=proof.quiet)
        with progress.showing():
            yield tictactoe.RunControl(cluster or workers.threads, reporter=progress)
