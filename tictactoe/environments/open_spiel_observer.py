"""What a player may know, as OpenSpiel's observers give it: named pieces of one flat tensor, and a string."""

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
    """Which part of a state an observer gives. own_goal: the goal of the player who looks. public: what everybody sees.
    perfect_recall: with all that has happened; else with what matters for what follows."""

    own_goal: bool
    public: bool
    perfect_recall: bool

    @classmethod
    def of(cls, kind: Any, parameters: Mapping[str, Any] | None) -> Knowledge:
        """As a pyspiel.IIGObservationType says, None for OpenSpiel's default. Raises ValueError for parameters, and
        where both players' secrets are asked for."""
        if parameters:
            raise ValueError(f"params: {dict(parameters)} where there are none")
        kind = kind or pyspiel.IIGObservationType(perfect_recall=False)
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("iig_obs_type: no observer gives both players' goals")
        own_goal = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        return cls(own_goal, bool(kind.public_info), bool(kind.perfect_recall))


class Pieces:
    """A flat float32 tensor, and by name views of its parts, of the shapes given: what observers are made of."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...]]) -> None:
        sizes = [int(np.prod(shape)) for shape in shapes.values()]
        self.tensor = np.zeros(sum(sizes), np.float32)
        parts = np.split(self.tensor, np.cumsum(sizes)[:-1])
        self.dict = {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}


def round_shapes(knowledge: Knowledge) -> dict[str, tuple[int, ...]]:
    """Of the pieces that `set_round` fills.

    goal: the own one, one of win, lose, tie. moves, with perfect recall: which square was marked, by move. board,
    without: free, of the first mover, of the second, by square.
    """
    shapes: dict[str, tuple[int, ...]] = {"goal": (len(Goal),)} if knowledge.own_goal else {}
    if knowledge.public:
        shapes |= {"moves": (NUM_SQUARES, NUM_SQUARES)} if knowledge.perfect_recall else {"board": (3, NUM_SQUARES)}
    return shapes


def set_round(pieces: Mapping[str, Piece], play: RoundPlay, seat: int) -> None:
    """Fill what there is of `round_shapes`, which must be 0, as the player in `seat` sees it."""
    if "goal" in pieces and len(play.goals) > seat:
        pieces["goal"][play.goals[seat]] = 1
    if "moves" in pieces:
        set_moves(pieces["moves"], play.moves)
    if "board" in pieces:
        pieces["board"][0] = 1
        for number, square in enumerate(play.moves):
            pieces["board"][:, square - 1] = (0, number % 2 == 0, number % 2 == 1)


def set_moves(piece: Piece, moves: tuple[int, ...]) -> None:
    """Fill a piece [move, square], which must be 0."""
    for number, square in enumerate(moves):
        piece[number, square - 1] = 1


def round_words(knowledge: Knowledge, play: RoundPlay, seat: int) -> list[str]:
    """The same as words, such as "goal:win moves:5193"; without perfect recall "board:O.X......"."""
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
