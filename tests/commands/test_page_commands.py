"""play-browser and build-page: what they start and write, what they say, how they end."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.programs import call, complaint, contents, environment, json_of, program, remove_scores
from support.waiting import HANGS, wait_until

from tictactoe.browser.page_folder import MARKER_FILE

MATCH_TO_1 = ("-s", "match_to_1")


@contextmanager
def serving(*arguments: object, **variables: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """play-browser as a process of its own, and the address that it prints."""
    process = subprocess.Popen(
        [program("play-browser"), *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(**variables),
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.fullmatch(r"Play at (http://127\.0\.0\.1:[0-9]+/) \(Ctrl-C ends it\)\n", line)
        assert found is not None, line
        yield process, found[1]
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_play_browser_serves_until_it_is_told_to_end(number: signal.Signals) -> None:
    """Nothing that is slow has been imported; and not a word at the end."""
    with serving("--no-open", PYTHONPROFILEIMPORTTIME="1") as (process, url):
        with urllib.request.urlopen(url, timeout=120) as answer:
            assert b"<title>Tic-tac-toe with secret goals</title>" in answer.read()
        for name in ("data/manifest.json", "page.js", "main.js"):
            with urllib.request.urlopen(url + name, timeout=120) as answer:
                assert answer.status == 200
        process.send_signal(number)
        out, err = process.communicate(timeout=HANGS)
    assert (process.returncode, out) == (130, "")
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in err.splitlines()}
    assert "numpy" in imported
    assert imported.isdisjoint({"numba", "rich", "matplotlib"})
    assert all(line.startswith("import time:") for line in err.splitlines())


def test_play_browser_opens_the_browser(tmp_path: Path) -> None:
    """The one that the person has chosen, at the address that is printed."""
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    browser.chmod(0o755)
    with serving(*MATCH_TO_1, BROWSER=f"{browser} %s") as (_, url):
        wait_until(lambda: (tmp_path / "opened").exists() and (tmp_path / "opened").read_text())
        assert (tmp_path / "opened").read_text().strip() == url


def test_play_browser_takes_another_port_unless_one_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, serving(*MATCH_TO_1, "--no-open") as (_, first):
        with serving(*MATCH_TO_1, "--no-open") as (_, second):
            assert first != second
        port = taken.getsockname()[1]
        line = complaint(call("play-browser", *MATCH_TO_1, "--no-open", "--port", port), 1, "play-browser")
        assert line.startswith(f"play-browser: port {port} cannot be used: ")
        assert line.endswith("name another, or leave --port out")


def test_build_page_says_what_to_name() -> None:
    line = complaint(call("build-page"), 2, "build-page")
    assert line == ("build-page: name what to write: -o FOLDER, --single-file FILE, or both (see build-page --help)")


def test_build_page_writes_a_folder_and_a_file(tmp_path: Path) -> None:
    """And says how large they are, as they are."""
    folder, file = tmp_path / "page", tmp_path / "page.html"
    found = json_of("build-page", *MATCH_TO_1, "-o", folder, "--single-file", file)
    assert found["single_file"] == {"path": str(file), "bytes": file.stat().st_size}
    written = {
        name: content for name, content in contents(folder).items() if content is not None and name != MARKER_FILE
    }
    about = found["folder"]
    assert about["path"] == str(folder)
    assert (about["files"], about["bytes"]) == (len(written), sum(map(len, written.values())))
    data = sum(len(content) for name, content in written.items() if name.endswith(".data"))
    assert about["data_bytes_by_rules"] == {"three-in-a-row": data}
    assert data < about["bytes_over_the_wire"] < about["bytes"]
    assert about["first_play_bytes_over_the_wire"] < about["bytes_over_the_wire"]
    assert (folder / f"page-{about['build']}" / "page.js").exists()
    again = call("build-page", *MATCH_TO_1, "-o", folder)
    assert (again.code, again.err) == (0, "")
    assert again.out.startswith(f"{folder} is written, {about['files']} files: put it on any web server.")
    assert "for three-in-a-row" in again.out


def test_build_page_replaces_no_file_of_anybody_else(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    line = complaint(call("build-page", *MATCH_TO_1, "-o", tmp_path), 1, "build-page")
    assert "holds files that build-page has not written, such as thesis.txt; choose a new folder" in line
    assert contents(tmp_path) == {"thesis.txt": b"mine"}


@pytest.mark.parametrize("name", ["build-page", "play-browser"])
def test_solutions_that_make_no_page(name: str, tmp_path: Path) -> None:
    """Two by the same rules, and one that is not solved to its end."""
    where = ["-o", tmp_path / "page"] if name == "build-page" else ["--no-open"]
    line = complaint(call(name, *MATCH_TO_1, "-s", "shipped", *where), 1, name)
    assert "are both solved for the rules three-in-a-row" in line
    solved = tmp_path / "solved"
    assert call("compact-solution", "-s", "match_to_1", "-o", solved).code == 0
    remove_scores(solved, (0, 0))
    assert "not solved yet" in complaint(call(name, "-s", solved, *where), 1, name)
    assert not (tmp_path / "page").exists()


def test_build_page_chooses_what_is_on_the_page(tmp_path: Path) -> None:
    """The page begins with the solution that is named first."""
    call("build-page", "-s", "filled_match_to_1", *MATCH_TO_1, "-o", tmp_path / "page", "--quiet")
    (manifest,) = (tmp_path / "page").glob("page-*/manifest.json")
    assert [one["name"] for one in json.loads(manifest.read_text())["solutions"]] == ["filled", "three-in-a-row"]


def test_the_pages_of_a_server_can_be_read_by_it(tmp_path: Path) -> None:
    """With the rights that new files have: the folder is copied to other machines, and read there by other users."""
    mask = os.umask(0o022)
    try:
        call("build-page", *MATCH_TO_1, "-o", tmp_path / "page", "--quiet")
    finally:
        os.umask(mask)
    for path in (tmp_path / "page").rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o755 if path.is_dir() else 0o644), path


@pytest.mark.parametrize("name", ["page", "page/index.html", "page/data/../mine.html"])
def test_one_file_in_the_other_page(tmp_path: Path, name: str) -> None:
    """It would take the place of that page's files; nothing is written."""
    single = tmp_path / name
    result = call("build-page", *MATCH_TO_1, "-o", tmp_path / "page", "--single-file", single)
    assert "is in the folder of -o" in complaint(result, 2, "build-page")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("page", ["page", "loop"])
def test_links_in_a_circle_as_outputs(tmp_path: Path, page: str) -> None:
    """One line that names the link, as for any output that cannot be written."""
    (tmp_path / "loop").symlink_to("loop")
    outputs = tmp_path / page, tmp_path / ("loop" if page == "page" else "one.html")
    result = call("build-page", *MATCH_TO_1, "-o", outputs[0], "--single-file", outputs[1])
    assert f"{tmp_path / 'loop'}: " in complaint(result, 1, "build-page")
