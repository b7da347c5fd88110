"""The verb page."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

import tictactoe
from tictactoe.number_text import counted, size_text

from ..interruption import EXIT_INTERRUPTED, stop_on_signals
from ..options.common import check_directory, is_given, json_option, quiet_option
from ..options.parameters import Count, PathName, Reader
from ..options.solution_choice import page_data, solutions_option
from ..program import CommandError, Program, print_json, remark, say, shown_path

if TYPE_CHECKING:
    from tictactoe.browser import built_page

USUAL_PORT = 7315
"""The default port. It is always the same because a browser keeps matches and other data by port."""


def _address(text: str) -> str:
    from tictactoe.browser import page_folder

    return page_folder.page_address(text)


def _stun(text: str) -> str:
    from tictactoe.browser import page_folder

    return page_folder.stun_host(text)


@click.command(cls=Program)
@solutions_option
@click.option(
    "--port",
    type=Count(1, 65535),
    help=f"Port where the page is served.  [default: {USUAL_PORT}, or any free one if that is taken]",
)
@click.option("--no-open", is_flag=True, help="Print the address, but do not open a browser.")
@click.option(
    "-o",
    "--output",
    "outputs",
    type=PathName(),
    multiple=True,
    metavar="FOLDER|NAME.html",
    help="Folder, or one HTML file with everything. An earlier page there is replaced. May be given twice, for both.",
)
@click.option("--url", type=Reader("url", _address), help="Future address of the folder, for previews of links to it.")
@click.option(
    "--stun",
    type=Reader("host", _stun),
    help="STUN server where two friends' browsers may ask for their public addresses; the page says so. Without one, "
    "both devices of a match must be in the same network.",
)
@json_option
@quiet_option("Print only errors.")
def command(
    solutions: tuple[Path, ...],
    port: int | None,
    no_open: bool,
    outputs: tuple[Path, ...],
    url: str | None,
    stun: str | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Play, review, explore and learn in the browser.

    This prints an address that only this machine can reach, and opens the browser there. Press Ctrl-C to end it. The
    browser keeps an unfinished match and continues it at the same address.

    -o writes the page as a folder for any web server; no program has to run on the server. After a first visit, the
    page works without a network. -o page.html writes one file that you can send to a friend, who opens it with a double
    click.

    \b
    tictactoe page
    tictactoe page --no-open --port 8000
    tictactoe page -s my_solution/
    tictactoe page -o page/ -s my_solution/ -s filled
    tictactoe page -o page/ --url https://example.org/game/
    tictactoe page -o page.html
    """
    files, folders = ([path for path in outputs if (path.suffix == ".html") == ends] for ends in (True, False))
    if max(len(files), len(folders)) > 1:
        raise click.UsageError("--output: give at most one folder and one file")
    for name in ("port", "no_open") if outputs else ("url", "stun", "as_json", "quiet"):
        if is_given(name):
            what = "to a page that is served: leave it out" if outputs else "to a page that you write: add -o FOLDER"
            raise click.UsageError(f"--{name.removeprefix('as_').replace('_', '-')} applies only {what}")
    if not outputs:
        return _serve(solutions, port, opens=not no_open)
    output, single_file = (each[0] if each else None for each in (folders, files))
    check_directory(output, ".html")
    _write(solutions, output, single_file, url, stun, quiet=quiet, as_json=as_json)
    return 0


def _serve(solutions: tuple[Path, ...], port: int | None, *, opens: bool) -> int:
    from tictactoe.browser import server

    data = page_data(solutions, compression=1)  # fast, for this computer alone
    try:
        serving = server.PageServer(data, port or USUAL_PORT, report=remark)
    except OSError as error:
        if port is not None:
            why = error.strerror or str(error)
            raise CommandError(f"port {port} cannot be used: {why}; give another, or leave out --port") from None
        serving = server.PageServer(data, 0, report=remark)
    with serving, stop_on_signals() as stop:
        thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        print(f"Play at {serving.url} (Ctrl-C ends it)", flush=True)
        if opens and not _open(serving.url):
            remark("no browser could be opened: open the address yourself")
        while thread.is_alive() and not stop.wait(0.5):
            pass
        if thread.is_alive():
            serving.shutdown()
    return EXIT_INTERRUPTED if stop.is_set() else 0


def _open(url: str) -> bool:
    import webbrowser

    try:
        return webbrowser.open(url)
    except webbrowser.Error:
        return False


def _write(
    solutions: tuple[Path, ...],
    output: Path | None,
    single_file: Path | None,
    url: str | None,
    stun: str | None,
    *,
    quiet: bool,
    as_json: bool,
) -> None:
    from tictactoe.browser import built_page, page_folder
    from tictactoe.storage import atomic_files

    from ..progress import StatusLine

    if output is not None and single_file is not None and atomic_files.leads_into(single_file, output):
        raise click.UsageError(
            f"-o {single_file} is in the folder of the other -o, which has a page of its own; give another name"
        )
    data = page_data(solutions, url, stun)
    progress = StatusLine(quiet=quiet)
    built = content = None
    with stop_on_signals() as stop, progress.showing():

        def report(done: int, total: int) -> None:
            progress.set(f"making the page's data, {done} of {total} files")
            if stop.is_set():
                raise tictactoe.Interrupted("nothing was written")

        if output is not None:
            built = built_page.build_page(data, report)
        if single_file is not None:
            content = page_folder.single_file(data, report)
    with atomic_files.Replacements() as new:
        if content is not None and single_file is not None:
            with new.file(atomic_files.output_file(single_file)) as file:
                file.write(content)
        if built is not None and output is not None:
            page_folder.write_page_folder(output, built.files)
    if as_json:
        folder = built and {"path": str(output), **built.as_dict()}
        single = None if content is None else {"path": str(single_file), "bytes": len(content)}
        print_json({"folder": folder, "single_file": single})
    elif not quiet:
        if built is not None and output is not None:
            say(_about_folder(output, built))
        if content is not None and single_file is not None:
            say(f"Wrote {shown_path(single_file)}, {size_text(len(content))}: it opens with a double click.")


def _about_folder(output: Path, built: built_page.BuiltPage) -> str:
    first, files = built.as_dict(), counted(len(built.files), "file")
    packed, plain = (size_text(first[key]) for key in ("first_play_bytes_over_the_wire", "first_play_bytes"))
    where = shown_path(output)
    sizes = ", ".join(f"{size_text(number)} for {rules}" for rules, number in built.data_sizes.items())
    return (
        f"Wrote {where}, {files}: put the folder on any web server. The first match begins after {plain} have been "
        f"loaded, or {packed} from a server that compresses text; all data together: {sizes}."
    )
