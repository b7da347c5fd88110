"""build-page: the page as a folder for a web server, or as one file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

import tictactoe
from tictactoe.number_text import counted, size_text

from ..interruption import stop_on_signals
from ..lazy_imports import lazily
from ..options.parameters import Directory, File, Reader
from ..options_before.common import json_option, quiet_option
from ..options_before.declaring import command_of, option
from ..options_before.solution_choice import page_data, solutions_option
from ..program import print_json, say, shown_path
from ..progress import StatusLine

with lazily():
    from tictactoe.browser import built_page, page_folder
    from tictactoe.storage import atomic_files


@dataclass(frozen=True)
class Options:
    solutions: tuple[Path, ...] = solutions_option()
    output: Path | None = option(Directory(), "Folder to write; an earlier page in it is replaced.", short="-o")
    single: Path | None = option(
        File(), "Write all into one HTML file; an earlier one is replaced.", names="--single-file"
    )
    url: str | None = option(
        Reader("url", lambda text: page_folder.page_address(text)),
        "Address where the folder will stand: links to it show a title and a picture.",
    )
    as_json: bool = json_option()
    quiet: bool = quiet_option("Print nothing but errors.")


@command_of(Options)
def command(given: Options) -> None:
    """Write the game as a web page: to play, review, explore and learn, in any browser.

    A folder is for a web server: any one will do, and nothing runs on it. Whoever has opened the page once can go on
    without a network. One file is for a friend: it opens with a double click. For your own browser there is
    play-browser.

    \b
    build-page -o page/
    build-page --single-file page.html
    build-page -o page/ -s my_solution/ -s filled
    build-page -o page/ --url https://example.org/game/
    """
    if given.output is None and given.single is None:
        raise click.UsageError("name what to write: -o FOLDER, --single-file FILE, or both")
    if given.output is not None and given.single is not None and atomic_files.leads_into(given.single, given.output):
        raise click.UsageError(
            f"--single-file {given.single} is in the folder of -o, which has a page of its own; name another"
        )

    data = page_data(given.solutions, given.url)
    progress = StatusLine(quiet=given.quiet)
    built = content = None
    with stop_on_signals() as stop, progress.showing():

        def report(done: int, total: int) -> None:
            progress.set(f"making the page's data, {done} of {total} files")
            if stop.is_set():
                raise tictactoe.Interrupted("nothing was written")

        if given.output is not None:
            built = built_page.build_page(data, report)
        if given.single is not None:
            content = page_folder.single_file(data, report)
    with atomic_files.Replacements() as new:
        if content is not None and given.single is not None:
            with new.file(atomic_files.output_file(given.single)) as file:
                file.write(content)
        if built is not None and given.output is not None:
            page_folder.write_page_folder(given.output, built.files)
    if given.as_json:
        folder = built and {"path": str(given.output), **built.as_dict()}
        single = None if content is None else {"path": str(given.single), "bytes": len(content)}
        print_json({"folder": folder, "single_file": single})
    elif not given.quiet:
        if built is not None and given.output is not None:
            say(_about_folder(given.output, built))
        if content is not None and given.single is not None:
            say(f"{shown_path(given.single)} is written, {size_text(len(content))}: it opens with a double click.")


def _about_folder(output: Path, built: built_page.BuiltPage) -> str:
    first, files = built.as_dict(), counted(len(built.files), "file")
    packed, plain = (size_text(first[key]) for key in ("first_play_bytes_over_the_wire", "first_play_bytes"))
    where = shown_path(output)
    sizes = ", ".join(f"{size_text(number)} for {rules}" for rules, number in built.data_sizes.items())
    return (
        f"{where} is written, {files}: put it on any web server. The first match begins when {plain} have been "
        f"loaded, or {packed} from a server that compresses text; all data there is: {sizes}."
    )
