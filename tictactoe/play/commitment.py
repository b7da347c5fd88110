"""Commitments to a goal, which can be checked after the round."""

from __future__ import annotations

import hashlib
import re

from ..games.goals import Goal
from .randomness import generator_for, round_purpose


def commitment_text(number: int, goal: Goal, nonce: str) -> str:
    """What is hashed before a round and shown after it."""
    return f"smbc-tictactoe round {number} goal {goal.name.lower()} nonce {nonce}"


def commitment_hash(text: str) -> str:
    """SHA-256, hexadecimal: what `printf '%s' 'TEXT' | sha256sum` prints."""
    return hashlib.sha256(text.encode()).hexdigest()


def is_commitment(text: str, number: int, goal: Goal) -> bool:
    """Whether the text is one for round `number` and this goal: its nonce has 2 to 64 hexadecimal digits."""
    return re.fullmatch(f"{commitment_text(number, goal, '')}[0-9a-f]{{2,64}}", text) is not None


def new_commitment(seed: int | None, number: int, goal: Goal, again: int = 0) -> str:
    """The text for a goal, with 32 hexadecimal digits that keep it from being guessed, unless they are of a seed."""
    generator = generator_for(seed, round_purpose("nonce", number, again))
    return commitment_text(number, goal, f"{generator.getrandbits(128):032x}")
