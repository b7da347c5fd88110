from __future__ import annotations

from .bot import RoundBot


def opponent_of(name: str, bot: RoundBot) -> RoundBot:
    return bot
