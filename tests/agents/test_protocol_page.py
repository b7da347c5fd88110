"""docs/protocol.md: the example match is a real one, and the two clients play against a real referee."""

import asyncio
import json
import re
import shutil
import sys
from pathlib import Path

import pytest
from support.network import Wire, held, highest, play, tournament

from tictactoe.agents import messages

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")


def code(language: str) -> str:
    (block,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(block)


async def test_the_example_match_is_a_real_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tictactoe.agents.network_referee.secrets.token_urlsafe", lambda size: "iEJ7P0RYBP1Yb7ZiMFgBXQ")
    async with held(tournament(1, 1, 1, seconds=60.0), 2) as referee:
        ann = await Wire.joined(referee.port, "Ann", protocol=1)
        referee.playing.append(asyncio.create_task(play(ann)))
        await referee.until("Ann has joined")
        referee.join("Bob", choice=highest)
        await referee.over()
    (shown,) = re.findall(r"```\n(> \{.*?)```", PAGE, re.DOTALL)
    assert shown.splitlines() == ann.lines


def test_every_message_is_on_the_page() -> None:
    for kind in (*messages.FromReferee.__args__, *messages.FromPlayer.__args__):
        assert f"`{kind.__struct_config__.tag}`" in PAGE or f'"type":"{kind.__struct_config__.tag}"' in PAGE
        for field in kind.__struct_fields__:
            assert f"`{field}`" in PAGE or f'"{field}"' in PAGE, field


@pytest.mark.parametrize("language", ["python", "javascript"])
async def test_the_clients_play(language: str, tmp_path: Path) -> None:
    program = sys.executable if language == "python" else shutil.which("node")
    if program is None:
        pytest.skip("needs node")
    assert len([line for line in code(language).splitlines() if line.strip()]) <= 30
    client = tmp_path / ("client.py" if language == "python" else "client.js")
    client.write_text(code(language), encoding="utf-8")

    async with held(tournament(2, 4, 5, ("uniform",)), 3) as referee:

        async def start(*more: str) -> asyncio.subprocess.Process:
            return await asyncio.create_subprocess_exec(
                program, str(client), "127.0.0.1", str(referee.port), "Cy", *more, stdout=asyncio.subprocess.PIPE
            )

        first = await start()
        assert first.stdout is not None
        token = json.loads((await first.stdout.readline()).decode().replace("'", '"'))["token"]
        referee.join("Dan")
        await referee.until("The tournament begins")
        first.kill()
        await first.wait()
        second = await start(token)
        await referee.over()
    output, _ = await second.communicate()
    assert second.returncode == 0
    lines, reasons = output.decode().splitlines(), referee.reasons()
    assert "welcome" in lines[0]
    assert "you are number" in lines[-1]
    assert not [line for line in lines if "error" in line]
    assert reasons == [""] * 12
