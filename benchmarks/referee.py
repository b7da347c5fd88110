"""How many matches an hour a referee holds: 100 connections from a second process, on this machine.

    .venv/bin/python benchmarks/referee.py --players 100 --winning-score 5

The players mark free squares at random and answer at once. Results are saved, as `tictactoe network host --output`
does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path


async def player(port: int, name: str) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(json.dumps({"type": "join", "name": name}).encode() + b"\n")
    while line := await reader.readline():
        message = json.loads(line)
        if message["type"] == "turn":
            square = random.choice([square for square in range(1, 10) if square not in message["moves"]])
            writer.write(json.dumps({"type": "move", "square": square, "turn": message["turn"]}).encode() + b"\n")


async def crowd(port: int, number: int) -> None:
    await asyncio.gather(*(player(port, f"player {each}") for each in range(number)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=100)
    parser.add_argument("--winning-score", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        words = [str(Path(sys.executable).parent / "tictactoe"), "network", "host"]
        words += ["--listen", "127.0.0.1:0", "--output", directory]
        words += ["--players", str(arguments.players), "--winning-score", str(arguments.winning_score)]
        words += ["--matches", "1", "--json"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        assert process.stdout is not None
        while (found := re.search(r"join 127\.0\.0\.1:(\d+) ", process.stderr.readline())) is None:
            pass
        began = time.monotonic()
        asyncio.run(crowd(int(found[1]), arguments.players))
        seconds = time.monotonic() - began
        printed = json.loads(process.stdout.read())
        process.wait()
    matches, reasons = len(printed["results"]), sum(bool(each["reason"]) for each in printed["results"])
    print(
        f"{arguments.players} connections, {matches:,} matches to {arguments.winning_score} in {seconds:.1f} s: "
        f"{3600 * matches / seconds:,.0f} an hour; not played to their ends: {reasons}"
    )


if __name__ == "__main__":
    main()
