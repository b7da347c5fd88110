"""certify: a bound on the exploitability of a solution, or of a round, that is proved in exact arithmetic."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tictactoe.games.rules import DEFAULT_RULES
from tictactoe.number_text import rounded_up

from ..options.cluster_option import check_jobs, cluster_option, connected
from ..options.parameters import Count, File, SolutionDirectory
from ..options.solution_choice import chosen_solution
from ..program import SETTINGS, CommandError, available_cores, run, say, shown_path
from ..progress import StatusLine, at_most
from ..words import counted

if TYPE_CHECKING:
    from tictactoe.solving.cluster import Cluster


@click.command(context_settings=SETTINGS)
@click.option(
    "-s",
    "--solution",
    type=SolutionDirectory(),
    help="Directory of the solved match, or of a round that was solved on its own; shipped: the match that comes with "
    "the program.  [default: my_solution, shipped where there is no such directory; with --verify the directory of the "
    "certificate]",
)
@click.option(
    "-o",
    "--output",
    type=File(),
    help="Where the certificate goes.  [default: certificate.json in the directory of the solution; of one that comes "
    "with the program in the current directory]  An earlier one is replaced.",
)
@click.option("--verify", type=File(), default=None, help="Check this certificate instead of making one.")
@click.option(
    "--unreduced",
    is_flag=True,
    help="Check every claim on the tree of all histories, too, so that neither symmetry nor forced outcomes have to "
    "be believed. Also with --verify, which otherwise leaves out that part of a certificate.",
)
@click.option("--jobs", type=Count(1, 1024), default=None, help="Processes.  [default: the processors available]")
@cluster_option
@click.option("--quiet", is_flag=True, help="Show no progress and print only the total.")
@click.option("--json", "as_json", is_flag=True, help="Print the certificate as JSON on standard output.")
def command(
    solution: Path | None,
    output: Path | None,
    verify: Path | None,
    unreduced: bool,
    jobs: int | None,
    cluster: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Prove how much a solution can lose to a perfect player, at every score, in exact rational arithmetic.

    Of a round that was solved on its own (see solve-subgame) the bot of the last snapshot is judged.

    Nothing on the way to the claim is floating point, and a checker of its own does all of it: saved probabilities
    are the fractions that they are, renormalised exactly. docs/certificate.md has the theorem and the format.

    \b
    certify -s my_solution/
    certify --verify my_solution/certificate.json --unreduced
    certify -s shipped
    """
    check_jobs(jobs, cluster)
    if verify is not None:
        if output is not None or as_json:
            raise click.UsageError(f"--verify does not go with {'--output' if output is not None else '--json'}")
        _verify(verify, solution, unreduced, jobs, cluster, quiet)
        return
    from tictactoe.proof.certificate import certify
    from tictactoe.proof.certificate_format import certificate_bytes, write_certificate
    from tictactoe.proof.checker import Refused
    from tictactoe.proof.round_certificate import certify_round
    from tictactoe.run_control import RunControl
    from tictactoe.storage.directory_layout import CERTIFICATE_FILE, SOLUTION_FILE
    from tictactoe.storage.replaced_solution import finish
    from tictactoe.storage.safe_files import output_file
    from tictactoe.storage.shipped import is_shipped

    if output is not None:
        output_file(output)  # fail before the work, which may take hours
    solution = chosen_solution(solution, quiet=quiet)
    if output is None:
        output = Path(CERTIFICATE_FILE) if is_shipped(solution) else solution / CERTIFICATE_FILE
    if solution.is_dir() and not output.parent.is_dir():  # fail before the work
        raise CommandError(f"{shown_path(output)}: there is no such directory")
    finish(solution)
    is_match = (solution / SOLUTION_FILE).exists()
    try:
        with (
            connected(cluster if is_match else None, quiet=quiet, goes_on=False) as workers,
            _progress(workers, quiet) as observer,
        ):
            if is_match:
                control = RunControl(workers or jobs or available_cores(), reporter=observer)
                certificate = certify(solution, unreduced=unreduced, control=control)
            else:
                certificate = certify_round(solution, unreduced=unreduced)
    except Refused as error:
        raise CommandError(str(error)) from error
    write_certificate(output, certificate)
    if as_json:
        print(certificate_bytes(certificate).decode(), end="")
    elif not is_match:
        _print_round(certificate, solution, output, quiet)
    else:
        _print(certificate, output, quiet, _believed(cluster, "claimed and checked"))


def _verify(
    path: Path, solution: Path | None, unreduced: bool, jobs: int | None, cluster: str | None, quiet: bool
) -> None:
    from tictactoe.proof.certificate import verify
    from tictactoe.proof.certificate_format import ROUND_FORMAT, read_certificate
    from tictactoe.proof.checker import Refused
    from tictactoe.proof.round_certificate import verify_round
    from tictactoe.run_control import RunControl

    certificate = read_certificate(path)
    is_round = certificate["format"] == ROUND_FORMAT
    if solution is None:
        solution = _beside(path, certificate, is_round, quiet)
    try:
        with (
            connected(None if is_round else cluster, quiet=quiet, goes_on=False) as workers,
            _progress(workers, quiet) as observer,
        ):
            if is_round:
                verify_round(certificate, solution, unreduced=unreduced)
            else:
                control = RunControl(workers or jobs or available_cores(), reporter=observer)
                verify(certificate, solution, unreduced=unreduced, control=control)
    except Refused as error:
        raise CommandError(f"{shown_path(path)}: refused: {error}") from error
    trees = "the reduced and the unreduced tree" if unreduced else "the reduced tree"
    holds = f"every claim holds, checked on {trees}."
    if certificate["nodes"]["unreduced"] is not None and not unreduced:
        holds = (
            "every claim holds on the reduced tree; that they hold on the unreduced one, too, as the certificate says, "
            "was not checked (--unreduced does that)."
        )
    believed = "" if is_round else _believed(cluster, "checked")
    proved = _round_total(certificate, solution) if is_round else _total(certificate)
    print(f"{shown_path(path)}: {holds}{believed} {proved}")


def _beside(path: Path, certificate: Mapping[str, Any], is_round: bool, quiet: bool) -> Path:
    """The directory with the files that a certificate is about: the certificate's own directory, or one that ships. A
    notice on standard error names the latter. Raises CommandError if neither has the files."""
    from tictactoe.storage.directory_layout import SOLUTION_FILE, list_snapshots, parse_snapshot_name, require_in_place
    from tictactoe.storage.shipped import shipped_with, with_names

    require_in_place(path.parent)  # otherwise the files would seem to be missing
    if list_snapshots(path.parent) if is_round else (path.parent / SOLUTION_FILE).exists():
        return path.parent
    for name, digest in certificate["files"].items():
        if name == SOLUTION_FILE or (is_round and parse_snapshot_name(name) is not None):
            shipped = shipped_with(name, digest)
            if shipped is not None:
                if not quiet:
                    line = f"{shown_path(path)}: is about what comes with the program (-s {with_names(str(shipped))})"
                    print(line, file=sys.stderr, flush=True)
                return shipped
    what, example = ("round", "single_round") if is_round else ("solution", "shipped")
    raise CommandError(
        f"{shown_path(path)}: the {what} that it is about does not lie beside it; name it with -s, such as -s {example}"
    )


def _believed(cluster: str | None, done: str) -> str:
    """A blank and a sentence that the workers of a cluster are believed; empty if this program's processes checked."""
    if cluster is None or cluster.startswith("local:"):
        return ""
    return f" The workers of {cluster} have {done} that, and are believed: without --cluster it is checked here."


class _Progress(StatusLine):
    """The progress of the proof, in one line."""

    def __call__(self, num_done: int, num_groups: int, largest: Fraction | None) -> None:
        most = "" if largest is None else f", {at_most(largest)} exploitable"
        self.set(f"certifying{{cluster}}, {{elapsed}} elapsed: {num_done} of {counted(num_groups, 'score')}{most}")


@contextlib.contextmanager
def _progress(cluster: Cluster | None, quiet: bool) -> Iterator[_Progress]:
    """An observer that shows the progress on standard error."""
    progress = _Progress("certifying{cluster}, {elapsed} elapsed: reading", cluster, quiet=quiet)
    with progress.showing():
        yield progress


def _print(certificate: Mapping[str, Any], output: Path, quiet: bool, believed: str) -> None:
    from tictactoe.proof.certificate_format import decimal_text

    from ..reports.report import print_table

    rows = []
    for entry in sorted(certificate["scores"], key=lambda entry: entry["score"], reverse=True):
        upper, lower, exploitability = (Fraction(entry[name]) for name in ("upper", "lower", "exploitability"))
        rows.append(
            (
                "-".join(map(str, entry["score"])),
                _signed(decimal_text(lower, up=False, places=9)),
                _signed(decimal_text(upper, up=True, places=9)),
                rounded_up(exploitability),
                f"{rounded_up(50 * exploitability)} %",
                decimal_text(min(map(Fraction, entry["progress"].values())), up=False, places=3),
                "exact" if all(way["exact"] for way in entry["arithmetic"].values()) else "enclosed",
            )
        )
    explanation = (
        "score: points of the player who moves first, then of the other. lower, upper: proved bounds on the match "
        "value (-1 to 1) to the first mover, whoever of the two is a perfect player and the other the bot; the value "
        "of the game lies between them. exploitability: upper - lower, at least the total exploitability from there "
        "on; also in percentage points of matches won. progress: the least probability that a round leads on. "
        "probabilities: used exactly, or enclosed between multiples of 2^-96. All numbers are rounded outward; the "
        "certificate has them exactly."
    )
    if not quiet:
        headings = ("score", "lower", "upper", "exploitability", "% of matches", "progress", "probabilities")
        print_table(headings, rows, explanation, ("probabilities", "progress", "% of matches"))
        if certificate["not_judged"]:
            named = ", ".join("-".join(map(str, score)) for score in certificate["not_judged"][:8])
            more = ", ..." if len(certificate["not_judged"]) > 8 else ""
            say(f"Not judged, because a score is missing or leads to a missing one: {named}{more}.")
        _print_trees(certificate)
        say(f"Certificate: {shown_path(output)}")
    say(f"{_total(certificate)}{believed}")


def _print_trees(certificate: Mapping[str, Any]) -> None:
    if walked := certificate["nodes"]["unreduced"]:
        say(
            f"Checked on the reduced tree of {certificate['nodes']['reduced']:,} nodes and on the unreduced one of "
            f"{walked:,}."
        )


def _print_round(certificate: Mapping[str, Any], directory: Path, output: Path, quiet: bool) -> None:
    if not quiet:
        exploitability = rounded_up(Fraction(certificate["exploitability"]))
        exact = all(way["exact"] for way in certificate["arithmetic"].values())
        of_match, values = _of_match(certificate, "at"), _outcome_values(certificate)
        lower, upper = _bounds(certificate)
        say(f"Round{of_match} with the outcome values {values} (who scores; to the first mover).")
        print(f"lower           {lower}")
        print(f"upper           {upper}")
        print(f"exploitability  {exploitability}")
        print(f"probabilities   {'exact' if exact else 'enclosed between multiples of 2^-96'}")
        say(
            "lower: what the bot is sure of moving first. upper: the most that an adversary gets that moves first. The "
            "value of the round to the first mover lies between them. exploitability: upper - lower, at least the "
            "exploitability (NashConv) of the bot. All three in the unit of the outcome values."
        )
        _print_trees(certificate)
        say(f"Certificate: {shown_path(output)}")
    say(_round_total(certificate, directory))


def _round_total(certificate: Mapping[str, Any], directory: Path) -> str:
    lower, upper = _bounds(certificate)
    value = f"is {lower}" if lower == upper else f"lies in {lower} to {upper}"
    given = f", which its snapshot gives{score}," if (score := _of_match(certificate, "for")) else ","
    named = f"{_outcome_values(certificate)}{given} the value of the round{_by_rules(certificate)} to the first mover"
    exploitability = _exploitability(Fraction(certificate["exploitability"]))
    return (
        f"Proved: with the outcome values {named} {value}, and the exploitability of the bot is {exploitability}, in "
        f"the unit of the outcome values. {_which_snapshot(certificate, directory)}"
    )


def _which_snapshot(certificate: Mapping[str, Any], directory: Path) -> str:
    """A sentence that names the bot's snapshot, and the snapshot that the match around the round plays."""
    from tictactoe.proof.round_certificate import named_by_record
    from tictactoe.storage.directory_layout import SOLUTION_FILE

    (judged,) = certificate["files"]
    bot = f"The bot is that of {judged}, the last one there"
    named = named_by_record(directory, certificate)
    if named is None:
        return f"{bot}."
    if named == judged:
        return f"{bot}, which is also what the match plays."
    return f"{bot}; the match plays another one, {named}, which its {SOLUTION_FILE} names."


def _outcome_values(certificate: Mapping[str, Any]) -> str:
    """The round's value to the first mover for each result (who scores), with enough digits to identify the float."""
    values = {
        who: repr(float(Fraction(text))).removesuffix(".0") for who, text in certificate["outcome_values"].items()
    }
    return ", ".join(f"{values[who]} {who}" for who in ("both", "first", "second", "neither"))


def _of_match(certificate: Mapping[str, Any], word: str) -> str:
    """A blank, the word and the round's score in its match; empty for a round without a match."""
    if certificate["score"] is None:
        return ""
    return f" {word} {'-'.join(map(str, certificate['score']))} of a match to {certificate['winning_score']}"


def _bounds(certificate: Mapping[str, Any]) -> tuple[str, str]:
    """The lower and the upper bound: as fractions if both are short; otherwise as ten digits each, rounded outward."""
    lower, upper = certificate["lower"], certificate["upper"]
    if max(len(lower), len(upper)) <= 24:
        return lower.removesuffix("/1"), upper.removesuffix("/1")
    return _decimal(Fraction(lower), up=False), _decimal(Fraction(upper), up=True)


def _decimal(value: Fraction, *, up: bool) -> str:
    import decimal

    context = decimal.Context(prec=10, rounding=decimal.ROUND_CEILING if up else decimal.ROUND_FLOOR)
    return str(context.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator)))


def _signed(number: str) -> str:
    return number if number.startswith("-") else f"+{number}"


def _total(certificate: Mapping[str, Any]) -> str:
    from ..reports.report import exploitability_text

    if certificate["total"] is None:
        return "The score 0-0 cannot be judged, so there is no total."
    total = Fraction(certificate["total"]["exploitability"])
    match = f"a match to {certificate['winning_score']}{_by_rules(certificate)}"
    proved = f"Proved: the total exploitability of the bot in {match} is"
    if total == 0:
        return f"{proved} exactly 0."
    return f"{proved} at most {exploitability_text(total, up=True)} of matches won."


def _by_rules(certificate: Mapping[str, Any]) -> str:
    """The rules and the odds of the goals in words; empty for the default rules."""
    name, _, odds = certificate["end_rule"].partition(" ")
    if odds:
        return f" by the rules {name}, with goals drawn {odds} (win:lose:tie),"
    return "" if name == DEFAULT_RULES else f" by the rules {name}"


def _exploitability(value: Fraction) -> str:
    """An exploitability, which is never below 0, as an upper bound in words."""
    return f"at most {rounded_up(value)}" if value else "exactly 0"


main = partial(run, command)
