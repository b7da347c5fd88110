"""build-page: the page as a folder for a web server, or as one file."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tictactoe.storage.json_text import json_text

from ..options.page_options import page_data, solutions_option
from ..options.parameters import Directory, File, json_option
from ..program import SETTINGS, run, say, shown_path, stop_on_signals
from ..progress import StatusLine
from ..words import counted

if TYPE_CHECKING:
    from tictactoe.browser.built_page import BuiltPage


@click.command(context_settings=SETTINGS)
@solutions_option()
@click.option("-o", "--output", type=Directory(), help="Folder to write; an earlier page in it is replaced.")
@click.option("--single-file", "single", type=File(), help="Write all into one HTML file; an earlier one is replaced.")
@json_option
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def command(solutions: tuple[Path, ...], output: Path | None, single: Path | None, as_json: bool, quiet: bool) -> None:
    """Write the game as a web page: to play, review, explore and learn, in any browser.

    A folder is for a web server: any one will do, and nothing runs on it. Whoever has opened the page once can go on
    without a network. One file is for a friend: it opens with a double click. For your own browser there is
    play-browser.

    \b
    build-page -o page/
    build-page --single-file page.html
    build-page -o page/ -s my_solution/ -s filled
    """
    if output is None and single is None:
        raise click.UsageError("name what to write: -o FOLDER, --single-file FILE, or both")
    if output is not None and single is not None and _is_in(single, output):
        raise click.UsageError(
            f"--single-file {single} is in the folder of -o, which has a page of its own; name another"
        )
    from tictactoe.browser.built_page import build_page
    from tictactoe.browser.page_folder import write_page_folder
    from tictactoe.browser.single_file import single_file
    from tictactoe.errors import Interrupted
    from tictactoe.storage.safe_files import Replacements, output_file

    data = page_data(solutions)
    progress = StatusLine(quiet=quiet)
    built = content = None
    with stop_on_signals() as stop, progress.showing():

        def report(done: int, total: int) -> None:
            progress.set(f"making the page's data, {done} of {total} files")
            if stop.is_set():
                raise Interrupted("nothing was written")

        if output is not None:
            built = build_page(data, report)
        if single is not None:
            content = single_file(data, report)
    with Replacements() as new:
        if content is not None and single is not None:
            with new.file(output_file(single)) as file:
                file.write(content)
        if built is not None and output is not None:
            write_page_folder(output, built.files)
    if as_json:
        found = {"folder": _folder_as_dict(output, built), "single_file": _file_as_dict(single, content)}
        print(json_text(found, indent=2))
    elif not quiet:
        if built is not None and output is not None:
            say(_about_folder(output, built))
        if content is not None and single is not None:
            say(f"{shown_path(single)} is written, {_size(len(content))}: it opens with a double click.")


def _folder_as_dict(output: Path | None, built: BuiltPage | None) -> dict[str, Any] | None:
    if built is None:
        return None
    return {
        "path": str(output),
        "build": built.build,
        "files": len(built.files),
        "bytes": sum(map(len, built.files.values())),
        "bytes_over_the_wire": built.over_the_wire(built.files),
        "first_play_bytes_over_the_wire": built.over_the_wire(built.first),
        "data_bytes_by_rules": dict(built.data_sizes),
    }


def _file_as_dict(single: Path | None, content: bytes | None) -> dict[str, Any] | None:
    return None if content is None else {"path": str(single), "bytes": len(content)}


def _about_folder(output: Path, built: BuiltPage) -> str:
    first, files = built.over_the_wire(built.first), counted(len(built.files), "file")
    where = shown_path(output)
    sizes = ", ".join(f"{_size(number)} for {rules}" for rules, number in built.data_sizes.items())
    return (
        f"{where} is written, {files}: put it on any web server. The first match begins when {_size(first)} have been "
        f"loaded; all data there is: {sizes}."
    )


def _size(number: int) -> str:
    return f"{number / 1e6:.1f} MB" if number >= 1e6 else f"{number / 1e3:.0f} kB"


def _is_in(path: Path, folder: Path) -> bool:
    """Whether a path leads into a folder, after following links. A circle of links leads nowhere."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


main = partial(run, command)
