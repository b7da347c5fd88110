"""A player's knowledge in the form of OpenSpiel's observers: named pieces of one flat tensor, and a string."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from ..games.board import SQUARES
from ..games.goals import Goal, goal_name
from .round_play import RoundPlay

Piece = NDArray[np.float32]
NUM_SQUARES = len(SQUARES)


@dataclass(frozen=True)
class Knowledge:
    """The part of a state that an observer shows."""

    own_goal: bool
    """Whether it shows the observing player's goal."""
    public: bool
    """Whether it shows public information."""
    perfect_recall: bool
    """Whether it shows all moves so far, not only the present board."""

    @classmethod
    def of(cls, kind: Any, parameters: Mapping[str, Any] | None) -> Knowledge:
        """The knowledge that a pyspiel.IIGObservationType asks for; None is OpenSpiel's default.

        Raises ValueError for parameters, and for a type that asks for both players' goals.
        """
        if parameters:
            raise ValueError(f"params: {dict(parameters)} where there are none")
        kind = kind or pyspiel.IIGObservationType(perfect_recall=False)
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("iig_obs_type: no observer gives both players' goals")
        own_goal = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        return cls(own_goal, bool(kind.public_info), bool(kind.perfect_recall))


class Pieces:
    """The base of observers: a flat float32 tensor, and a dictionary of views of its parts, in the given shapes."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        sizes = [int(np.prod(shape)) for shape in shapes.values()]
        self.tensor = np.zeros(sum(sizes), np.float32)
        parts = np.split(self.tensor, np.cumsum(sizes)[:-1])
        self.dict = {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}


def round_shapes(knowledge: Knowledge) -> dict[str, tuple[int, ...]]:
    """The shapes of the pieces that `set_round` fills.

    goal: (3,), 1 for the player's own goal: win, lose or tie.
    moves, with perfect recall: (9, 9), [move, square], 1 if the move marked the square.
    board, without perfect recall: (3, 9), [free, first mover's or second mover's, square].
    """
    shapes: dict[str, tuple[int, ...]] = {"goal": (len(Goal),)} if knowledge.own_goal else {}
    if knowledge.public:
        shapes |= {"moves": (NUM_SQUARES, NUM_SQUARES)} if knowledge.perfect_recall else {"board": (3, NUM_SQUARES)}
    return shapes


def set_round(pieces: Mapping[str, Piece], play: RoundPlay, seat: int) -> None:
    """Fill the pieces of `round_shapes` with the view of the player in `seat`. They must be 0 before."""
    if "goal" in pieces and len(play.goals) > seat:
        pieces["goal"][play.goals[seat]] = 1
    if "moves" in pieces:
        set_moves(pieces["moves"], play.moves)
    if "board" in pieces:
        pieces["board"][0] = 1
        for number, square in enumerate(play.moves):
            pieces["board"][:, square - 1] = (0, number % 2 == 0, number % 2 == 1)


def set_moves(piece: Piece, moves: tuple[int, ...]) -> None:
    """Fill a piece [move, square]. It must be 0 before."""
    for number, square in enumerate(moves):
        piece[number, square - 1] = 1


def round_words(knowledge: Knowledge, play: RoundPlay, seat: int) -> list[str]:
    """The pieces of `round_shapes` in words, such as "goal:win moves:5193", or "board:O.X......"."""
    words = [f"goal:{goal_name(play.goals[seat])}"] if knowledge.own_goal and len(play.goals) > seat else []
    if knowledge.public:
        words.append(f"moves:{squares_text(play.moves)}" if knowledge.perfect_recall else f"board:{board_text(play)}")
    return words


def squares_text(moves: tuple[int, ...]) -> str:
    """5193, "-" for no moves."""
    return "".join(map(str, moves)) or "-"


def board_text(play: RoundPlay) -> str:
    """The squares in order: X, O, or "." where nobody has marked."""
    marks = dict(zip(play.moves, "XOXOXOXOX", strict=False))
    return "".join(marks.get(square, ".") for square in SQUARES)
