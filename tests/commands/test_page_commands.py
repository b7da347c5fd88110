"""page: what it serves and writes, and how it ends. consoles/page.txt shows refusals."""

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
from support.programs import call, complaint, contents, environment, json_of, program
from support.slowness import slow
from support.waiting import HANGS, wait_until

from tictactoe.browser.page_folder import MARKER_FILE

MATCH_TO_1 = ("-s", "match_to_1")


@contextmanager
def serving(*arguments: object, **variables: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    process = subprocess.Popen(
        [*program("page"), *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(**variables),
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = re.fullmatch(r"Play at (http://127\.0\.0\.1:[0-9]+/) \(Ctrl-C ends it\)\n", line)
        assert address is not None, line
        yield process, address[1]
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, *slow(signal.SIGTERM)])
def test_it_serves_until_it_is_told_to_end(number: signal.Signals) -> None:
    with serving("--no-open", PYTHONPROFILEIMPORTTIME="1") as (process, url):
        with urllib.request.urlopen(url, timeout=120) as answer:
            assert b"<title>Tic-Tac-Tell: tic-tac-toe with secret goals</title>" in answer.read()
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


def test_it_opens_the_browser(tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    browser.chmod(0o755)
    with serving(*MATCH_TO_1, BROWSER=f"{browser} %s") as (_, url):
        wait_until(lambda: (tmp_path / "opened").exists() and (tmp_path / "opened").read_text())
        assert (tmp_path / "opened").read_text().strip() == url


def test_it_takes_another_port_unless_one_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, serving(*MATCH_TO_1, "--no-open") as (_, first):
        with serving(*MATCH_TO_1, "--no-open") as (_, second):
            assert first != second
        port = taken.getsockname()[1]
        line = complaint(call("page", *MATCH_TO_1, "--no-open", "--port", port), 1, "page")
        assert line.startswith(f"tictactoe page: port {port} cannot be used: ")
        assert line.endswith("give another, or leave out --port")


def test_it_writes_a_folder_and_a_file(tmp_path: Path) -> None:
    folder, file = tmp_path / "page", tmp_path / "page.html"
    mask = os.umask(0o022)
    try:
        printed = json_of("page", *MATCH_TO_1, "-o", folder, "-o", file)
    finally:
        os.umask(mask)
    for path in folder.rglob("*"):  # a server of another user can read them
        assert path.stat().st_mode & 0o777 == (0o755 if path.is_dir() else 0o644), path
    assert printed["single_file"] == {"path": str(file), "bytes": file.stat().st_size}
    written = {name: data for name, data in contents(folder).items() if data is not None and name != MARKER_FILE}
    about = printed["folder"]
    assert about["path"] == str(folder)
    assert (about["files"], about["bytes"]) == (len(written), sum(map(len, written.values())))
    data = sum(len(content) for name, content in written.items() if name.endswith(".data"))
    assert about["data_bytes_by_rules"] == {"three-in-a-row": data}
    assert data < about["bytes_over_the_wire"] < about["bytes"]
    assert about["first_play_bytes_over_the_wire"] < about["bytes_over_the_wire"]
    assert (folder / f"page-{about['build']}" / "page.js").exists()
    again = call("page", *MATCH_TO_1, "-o", folder)
    assert (again.code, again.err) == (0, "")
    assert again.out.startswith(f"Wrote {folder}, {about['files']} files: put the folder on any web server.")
    assert "for three-in-a-row" in again.out


def test_a_server_for_friends_on_other_networks(tmp_path: Path) -> None:
    call("page", *MATCH_TO_1, "-o", tmp_path / "page", "--stun", "stun.example.org:3478", "--quiet")
    (manifest,) = (tmp_path / "page").glob("page-*/manifest.json")
    assert json.loads(manifest.read_text())["stun"] == "stun.example.org:3478"
    for bad in (
        "stun:stun.example.org",
        "a b",
        "example.org:0",
        "example.org:65536",
        "-a",
        "a/b",
        "x" * 300,
        "[::1]:1",
    ):
        line = complaint(call("page", *MATCH_TO_1, "-o", tmp_path / "other", "--stun", bad), 2, "page")
        assert "not a host, such as stun.example.org" in line


def test_a_page_with_an_address_shows_a_picture_where_it_is_linked(tmp_path: Path) -> None:
    call("page", *MATCH_TO_1, "-o", tmp_path / "page", "--url", "https://example.org/a&b", "--quiet")
    index = (tmp_path / "page" / "index.html").read_text()
    assert '<meta property="og:image" content="https://example.org/a&amp;b/preview.png">' in index
    assert (tmp_path / "page" / "preview.png").read_bytes().startswith(b"\x89PNG")
    assert '<a href="https://example.org/a&amp;b/">' in (tmp_path / "page" / "404.html").read_text()
    listed = (tmp_path / "page" / "files.js").read_text()
    assert "preview" not in listed
    assert "404" not in listed
    (manifest,) = (tmp_path / "page").glob("page-*/manifest.json")
    assert json.loads(manifest.read_text())["address"] == "https://example.org/a&b/"
