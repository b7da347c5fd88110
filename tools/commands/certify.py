"""certify: a bound on the exploitability of a solution, or of a round, that is proved in exact arithmetic."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

import tictactoe
from tictactoe.match.percentages import at_most
from tictactoe.number_text import counted

from ..lazy_imports import lazily
from ..options.parameters import File, SolutionDirectory
from ..options_before.common import quiet_option
from ..options_before.declaring import command_of, flag, group, option
from ..options_before.solution_choice import chosen_solution
from ..options_before.workers import Workers, connected
from ..program import CommandError, note, shown_path
from ..progress import StatusLine

with lazily():
    from tictactoe.proof import certificate_format, certificate_text, checker
    from tictactoe.storage import atomic_files, directory_layout, replaced_solution, shipped

    from ..reports import certificate_report


@dataclass(frozen=True)
class Options:
    solution: Path | None = option(
        SolutionDirectory(),
        "Directory of the solved match, or of a round that was solved on its own; shipped: the match that comes with "
        "the program.  [default: my_solution, shipped where there is no such directory; with --verify the directory of "
        "the certificate]",
        short="-s",
    )
    output: Path | None = option(
        File(),
        "Where the certificate goes.  [default: certificate.json in the directory of the solution; of one that comes "
        "with the program in the current directory]  An earlier one is replaced.",
        short="-o",
    )
    verify: Path | None = option(File(), "Check this certificate instead of making one.")
    unreduced: bool = flag(
        "Check every claim on the tree of all histories, too, so that neither symmetry nor forced outcomes have to "
        "be believed. Also with --verify, which otherwise leaves out that part of a certificate."
    )
    workers: Workers = group(Workers, jobs="Processes.  [default: the processors available]")
    quiet: bool = quiet_option("Show no progress and print only the total.")
    as_json: bool = flag("Print the certificate as JSON on standard output.", names="--json")


@command_of(Options)
def command(given: Options) -> None:
    """Prove how much a solution can lose to the best responder, at every score, in exact rational arithmetic.

    Of a round that was solved on its own (see solve-subgame) the bot of the last snapshot is judged.

    Nothing on the way to the claim is floating point, and a checker of its own does all of it: saved probabilities
    are the fractions that they are, renormalised exactly. docs/certificate.md has the theorem and the format.

    \b
    certify -s my_solution/
    certify --verify my_solution/certificate.json --unreduced
    certify -s shipped
    """
    if given.verify is not None:
        if given.output is not None or given.as_json:
            raise click.UsageError(f"--verify does not go with {'--output' if given.output is not None else '--json'}")
        _verify(given, given.verify)
        return
    if given.output is not None:
        atomic_files.output_file(given.output)  # fail before the work, which may take hours
    solution = chosen_solution(given.solution, quiet=given.quiet)
    file = Path(directory_layout.CERTIFICATE_FILE)
    output = given.output or (file if shipped.is_shipped(solution) else solution / file)
    if solution.is_dir() and not output.parent.is_dir():  # fail before the work
        raise CommandError(f"{shown_path(output)}: there is no such directory")
    replaced_solution.finish(solution)
    is_match = (solution / directory_layout.SOLUTION_FILE).exists()
    try:
        with _control(given, is_match) as control:
            if is_match:
                certificate = tictactoe.certify(solution, unreduced=given.unreduced, control=control)
            else:
                certificate = tictactoe.certify_round(solution, unreduced=given.unreduced)
    except checker.Refused as error:
        raise CommandError(str(error)) from error
    certificate_format.write_certificate(output, certificate)
    if given.as_json:
        print(certificate_format.certificate_bytes(certificate).decode(), end="")
    elif is_match:
        believed = _believed(given.workers.cluster, "claimed and checked")
        certificate_report.print_match(certificate, output, given.quiet, believed)
    else:
        certificate_report.print_round(certificate, solution, output, given.quiet)


def _verify(given: Options, path: Path) -> None:
    certificate = tictactoe.read_certificate(path)
    is_round = certificate["format"] == certificate_format.ROUND_FORMAT
    solution = given.solution or _beside(path, certificate, is_round, given.quiet)
    try:
        with _control(given, not is_round) as control:
            if is_round:
                tictactoe.verify_round(certificate, solution, unreduced=given.unreduced)
            else:
                tictactoe.verify(certificate, solution, unreduced=given.unreduced, control=control)
    except checker.Refused as error:
        raise CommandError(f"{shown_path(path)}: refused: {error}") from error
    trees = "the reduced and the unreduced tree" if given.unreduced else "the reduced tree"
    holds = f"every claim holds, checked on {trees}."
    if certificate["nodes"]["unreduced"] is not None and not given.unreduced:
        holds = (
            "every claim holds on the reduced tree; that they hold on the unreduced one, too, as the certificate says, "
            "was not checked (--unreduced does that)."
        )
    if is_round:
        proved = f" {certificate_text.proved_of_round(certificate, solution)}"
    else:
        proved = f"{_believed(given.workers.cluster, 'checked')} {certificate_text.proved_of_match(certificate)}"
    print(f"{shown_path(path)}: {holds}{proved}")


def _beside(path: Path, certificate: Mapping[str, Any], is_round: bool, quiet: bool) -> Path:
    """The directory with the files that a certificate is about: the certificate's own directory, or one that ships. A
    notice on standard error names the latter. Raises CommandError if neither has the files."""
    directory_layout.require_in_place(path.parent)  # otherwise the files would seem to be missing
    record = directory_layout.SOLUTION_FILE
    if directory_layout.list_snapshots(path.parent) if is_round else (path.parent / record).exists():
        return path.parent
    if (directory := shipped.shipped_with_one_of(certificate["files"], snapshots=is_round)) is not None:
        if not quiet:
            note(f"{shown_path(path)}: is about what comes with the program (-s {shipped.with_names(str(directory))})")
        return directory
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
def _control(given: Options, on_cluster: bool) -> Iterator[tictactoe.RunControl[Any]]:
    """The control of the proof, while the block runs. on_cluster: whether a cluster may do it."""
    address = given.workers.cluster if on_cluster else None
    with connected(address, quiet=given.quiet, goes_on=False) as cluster:
        progress = _Progress("certifying{cluster}, {elapsed} elapsed: reading", cluster, quiet=given.quiet)
        with progress.showing():
            yield tictactoe.RunControl(cluster or given.workers.threads, reporter=progress)
