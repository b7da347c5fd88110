"""certify: a bound on the exploitability of a solution, or of a round, that is proved in exact arithmetic."""

from __future__ import annotations

import contextlib
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .common import CommandError, Count, Directory, available_cores, live_console, run, say
from .progress import SECONDS_BETWEEN_LINES, brief, duration, redrawn

if TYPE_CHECKING:
    from tictactoe.checker import State


class File(click.ParamType):
    """A path that is no directory; it need not exist."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        if not str(value) or "\0" in str(value):
            self.fail("not the name of a file", param, ctx)
        if Path(value).is_dir():
            self.fail(f"{value} is a directory", param, ctx)
        return Path(value)


@click.command(context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]})
@click.option(
    "-s", "--solution", type=Directory(), default=None,
    help="Directory of the solved match, or of a round that was solved on its own.  [default: my_solution; with "
    "--verify that of the certificate]",
)
@click.option(
    "-o", "--output", type=File(), default=None,
    help="Where the certificate goes.  [default: certificate.json in the directory of the solution]",
)
@click.option("--verify", type=File(), default=None, help="Check this certificate instead of making one.")
@click.option(
    "--unreduced", is_flag=True,
    help="Check every claim on the tree of all histories, too, so that neither symmetry nor forced outcomes have to "
    "be believed. Also with --verify, which otherwise leaves out that part of a certificate.",
)
@click.option("--jobs", type=Count(1, 1024), default=None, help="Processes.  [default: the processors available]")
@click.option("--quiet", is_flag=True, help="Show no progress and print only the total.")
@click.option("--json", "as_json", is_flag=True, help="Print the certificate as JSON on standard output.")
def command(
    solution: Path | None, output: Path | None, verify: Path | None, unreduced: bool, jobs: int | None, quiet: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Prove how much a solution can lose to a perfect player, at every score, in exact rational arithmetic.

    Of a round that was solved on its own (see solve-subgame) the bot of the last snapshot is judged.

    Nothing on the way to the claim is floating point, and a checker of its own does all of it: saved probabilities
    are the fractions that they are, renormalised exactly. docs/certificate.md has the theorem and the format.

    \b
    certify -s my_solution/
    certify --verify my_solution/certificate.json --unreduced
    """
    if verify is not None:
        if output is not None or as_json:
            raise click.UsageError(f"--verify does not go with {'--output' if output is not None else '--json'}")
        _verify(verify, solution, unreduced, jobs, quiet)
        return
    from tictactoe.bounds import SOLUTION_FILE
    from tictactoe.certificate import CERTIFICATE_FILE, certificate_bytes, certify, write_certificate
    from tictactoe.checker import Refused
    from tictactoe.round_certificate import certify_round

    solution = Path("my_solution") if solution is None else solution
    output = solution / CERTIFICATE_FILE if output is None else output
    if output.suffix == ".msgpack":
        raise click.UsageError(f"--output: {output} looks like a file of a solution")
    if solution.is_dir() and not output.parent.is_dir():  # rather before the work than after it
        raise CommandError(f"{output}: there is no such directory")
    is_match = (solution / SOLUTION_FILE).exists()
    try:
        with _progress(quiet) as observer:
            if is_match:
                certificate = certify(solution, unreduced=unreduced, jobs=jobs or available_cores(), observer=observer)
            else:
                certificate = certify_round(solution, unreduced=unreduced)
    except Refused as error:
        raise CommandError(str(error)) from error
    write_certificate(output, certificate)
    if as_json:
        print(certificate_bytes(certificate).decode(), end="")
    elif not is_match:
        _print_round(certificate, output, quiet)
    else:
        _print(certificate, output, quiet)


def _verify(path: Path, solution: Path | None, unreduced: bool, jobs: int | None, quiet: bool) -> None:
    from tictactoe.certificate import verify
    from tictactoe.checker import Refused
    from tictactoe.round_certificate import ROUND_FORMAT, read_any_certificate, verify_round

    certificate = read_any_certificate(path)
    is_round = certificate["format"] == ROUND_FORMAT
    solution = path.parent if solution is None else solution
    jobs = jobs or available_cores()
    try:
        with _progress(quiet) as observer:
            if is_round:
                verify_round(certificate, solution, unreduced=unreduced)
            else:
                verify(certificate, solution, unreduced=unreduced, jobs=jobs, observer=observer)
    except Refused as error:
        raise CommandError(f"{path}: refused: {error}") from error
    trees = "the reduced and the unreduced tree" if unreduced else "the reduced tree"
    if certificate["nodes"].get("unreduced") and not unreduced:
        trees += " (--unreduced would check it on the unreduced tree, too)"
    proved = _round_total(certificate) if is_round else _total(certificate)
    print(f"{path}: every claim holds, checked on {trees}. {proved}")


class _Progress:
    """What has been proved so far, in one line."""

    def __init__(self) -> None:
        self._started = self.last = time.monotonic()
        self._state = "reading"

    def __call__(self, num_done: int, num_groups: int, bounds: Mapping[State, Fraction]) -> None:
        from tictactoe.checker import State

        totals = [
            value + bounds[State(1, *state[1:])]
            for state, value in bounds.items()
            if state.seat == 0 and State(1, *state[1:]) in bounds
        ]
        self._state = f"{num_done} of {num_groups} scores"
        if totals:
            self._state += f", at most {brief(float(max(totals)))} exploitable"

    def __str__(self) -> str:
        return f"certifying, {duration(time.monotonic() - self._started)} elapsed: {self._state}"


class _Lines(_Progress):
    """The same where there is no terminal: a line now and then."""

    def __call__(self, num_done: int, num_groups: int, bounds: Mapping[State, Fraction]) -> None:
        super().__call__(num_done, num_groups, bounds)
        if time.monotonic() - self.last >= SECONDS_BETWEEN_LINES:
            self.last = time.monotonic()
            print(self, file=sys.stderr, flush=True)


@contextlib.contextmanager
def _progress(quiet: bool) -> Iterator[_Progress | None]:
    """An observer of what is going on, shown on standard error; until the end a SIGTERM is as good as a Ctrl-C."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with _shown(quiet) as progress:
            yield progress
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def _shown(quiet: bool) -> Iterator[_Progress | None]:
    console = None if quiet else live_console()
    if console is None:
        yield None if quiet else _Lines()
        return
    from rich.text import Text

    progress = _Progress()
    with redrawn(console, lambda: Text(str(progress))):
        yield progress


def _print(certificate: Mapping[str, Any], output: Path, quiet: bool) -> None:
    from tictactoe.certificate import decimal_text, fraction

    from .report import print_table

    rows = []
    for entry in sorted(certificate["scores"], key=lambda entry: entry["score"], reverse=True):
        upper, lower, exploitability = (fraction(entry[name]) for name in ("upper", "lower", "exploitability"))
        rows.append((
            "-".join(map(str, entry["score"])), _signed(decimal_text(lower, up=False, places=9)),
            _signed(decimal_text(upper, up=True, places=9)), _rounded_up(exploitability),
            f"{_rounded_up(50 * exploitability)} %", f"{min(map(_leaving, entry['progress'].values())):.3f}",
            "exact" if all(way["exact"] for way in entry["arithmetic"].values()) else "enclosed",
        ))  # fmt: skip
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
        say(f"Certificate: {output}")
    say(_total(certificate))


def _print_trees(certificate: Mapping[str, Any]) -> None:
    if walked := certificate["nodes"]["unreduced"]:
        say(f"Checked on the reduced tree of {certificate['nodes']['reduced']:,} nodes and on the unreduced one of "
            f"{walked:,}.")  # fmt: skip


def _print_round(certificate: Mapping[str, Any], output: Path, quiet: bool) -> None:
    from tictactoe.certificate import fraction

    if not quiet:
        values = ", ".join(f"{float(fraction(text)):.9g} {who}" for who, text in certificate["outcome_values"].items())
        exploitability = _rounded_up(fraction(certificate["exploitability"]))
        exact = all(way["exact"] for way in certificate["arithmetic"].values())
        say(f"Round with the outcome values {values} (who scores; to the first mover).")
        print(f"lower           {_exactly(certificate['lower'], up=False)}")
        print(f"upper           {_exactly(certificate['upper'], up=True)}")
        print(f"exploitability  {exploitability}")
        print(f"probabilities   {'exact' if exact else 'enclosed between multiples of 2^-96'}")
        say("lower: what the bot is sure of moving first. upper: the most that an adversary gets that moves first. The "
            "value of the round to the first mover lies between them. exploitability: upper - lower, at least the "
            "exploitability (NashConv) of the bot. All three in the unit of the outcome values.")  # fmt: skip
        _print_trees(certificate)
        say(f"Certificate: {output}")
    say(_round_total(certificate))


def _round_total(certificate: Mapping[str, Any]) -> str:
    from tictactoe.certificate import fraction

    lower, upper = _exactly(certificate["lower"], up=False), _exactly(certificate["upper"], up=True)
    value = f"is {lower}" if lower == upper else f"lies in {lower} to {upper}"
    return (
        f"Proved: the value of the round to the first mover {value}, and the exploitability of the bot is "
        f"{_at_most(fraction(certificate['exploitability']))}, in the unit of the outcome values."
    )


def _exactly(text: str, *, up: bool) -> str:
    """A fraction as it is, when it is short; otherwise ten digits, rounded outward."""
    import decimal

    from tictactoe.certificate import fraction

    if len(text) <= 24:
        return text.removesuffix("/1")
    value = fraction(text)
    context = decimal.Context(prec=10, rounding=decimal.ROUND_CEILING if up else decimal.ROUND_FLOOR)
    return str(context.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator)))


def _signed(number: str) -> str:
    return number if number.startswith("-") else f"+{number}"


def _leaving(text: str) -> float:
    """For the table, rounded down."""
    from tictactoe.certificate import decimal_text, fraction

    return float(decimal_text(fraction(text), up=False, places=3))


def _total(certificate: Mapping[str, Any]) -> str:
    from tictactoe.certificate import fraction

    if certificate["total"] is None:
        return "The score 0-0 cannot be judged, so there is no total."
    total = fraction(certificate["total"]["exploitability"])
    proved = f"Proved: the total exploitability of the bot in a match to {certificate['winning_score']} is"
    if total == 0:
        return f"{proved} exactly 0."
    return (
        f"{proved} {_at_most(total)} in match value (-1 to 1), {_rounded_up(50 * total)} percentage points of matches "
        "won."
    )


def _at_most(value: Fraction) -> str:
    """Of an exploitability, which is never below 0."""
    return f"at most {_rounded_up(value)}" if value else "exactly 0"


def _rounded_up(value: Fraction) -> str:
    """Three digits, as in 4.94e-06, rounded up."""
    import decimal

    context = decimal.Context(prec=3, rounding=decimal.ROUND_CEILING)
    number = context.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator))
    return f"{float(number):.2e}"


def main() -> None:
    """The program."""
    run(command)
