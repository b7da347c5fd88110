"""Rounds of a described game between a person and a bot, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any

from ..number_text import counted, in_words, signed_text
from .game_advice import CHANCE, Advice, GameRound, GameRules, MoveAdvice

Ask = Callable[[str], str | None]
"""A function that asks a person for a line; it returns None at the end of the input."""
Say = Callable[[str], object]

NO_COST = 5e-7
"""A smaller cost counts as none: it is rounding, or an error that learning has left."""
HELP = "Type the name or number of a move; h: a hint; ?: the rules; q: quit."
MOST_EXPLAINED = 4
"""The largest number of moves whose meanings the question lists."""


@dataclass(kw_only=True)
class GameSession:
    """Rounds between a person and a bot, until the person quits or the input ends."""

    title: str
    how_to_play: Sequence[str] = ()
    """The lines of the rules in words."""
    rules: GameRules
    advice: Callable[[], Advice]
    """A function that returns the bot's knowledge. The first call may take a while."""
    one_player: bool
    """Whether the only opponent is chance."""
    bot_sits_in: bool = False
    """Whether the bot plays every second round in the person's place, in a game of one player."""
    seed: int
    rounds: int | None = None
    """The number of rounds to play; None for no limit."""
    ask: Ask
    say: Say
    _won = _cost = _cost_of_round = 0.0
    _num_rounds = _num_moves = 0

    def run(self) -> None:
        """Play, and print the total at the end. KeyboardInterrupt is raised again after that."""
        self.say(self.title)
        self._explain()
        try:
            self._play()
        except KeyboardInterrupt:
            self._total()
            raise
        self._total()

    def _explain(self) -> None:
        if self.how_to_play:
            self.say("\n".join(self.how_to_play))
        self.say(HELP)

    def _play(self) -> None:
        first = Random(self.seed).randrange(2)
        for number in count() if self.rounds is None else range(self.rounds):
            position = self.rules.dealt(Random(f"{self.seed} {number}"))
            if self.one_player and self.bot_sits_in and number % 2 == 1:
                self._watched(position, number)
            elif not self._round(position, number, 0 if self.one_player else (number + first) % 2):
                break

    def _total(self) -> None:
        if self._num_rounds == 0:
            self.say("No round was finished: you won nothing and lost nothing.")
            return
        cost = f"your moves cost {self._cost:.4f}" if self._cost > NO_COST else "your moves cost nothing"
        self.say(f"Total of {counted(self._num_rounds, 'round')}: you got {signed_text(self._won, 2)}; {cost}.")

    def _round(self, position: GameRound, number: int, you: int) -> bool:
        who = "" if self.one_player else f": you are the {('first', 'second')[you]} player"
        self.say(f"\nRound {number + 1}{who}.")
        shown: list[Any] = []
        moves_before, self._cost_of_round = self._num_moves, 0.0
        while (owner := position.owner) is not None:
            if position.hides:
                if owner == you:
                    self._show_seen(position, you)
                    if not self._your_move(position):
                        return False
                elif owner == CHANCE:
                    position.draw()
                else:
                    self._bot_moves(position)
                continue
            if self._has_types(you) and (known := position.known_types(you)) != shown:
                shown, many = known, f"You do not know yet which of {len(known)} possible hands you have."
                self.say(f"You have {in_words(known[0])}." if len(known) == 1 else many)
            if owner == CHANCE:
                self._drawn(position)
            elif owner == you:
                self._show(position)
                if not self._your_move(position, f" ({in_words(shown[0])})" if len(shown) == 1 else ""):
                    return False
            else:
                self.say(f"Bot: {self._bot_moves(position)}")
        self._end(position, you)
        if self._num_moves > moves_before or self.rounds is not None:
            return True
        return not _is_end(self.ask("Enter: the next round; q: quit."))  # nothing else was asked in this round

    def _bot_moves(self, position: GameRound) -> str:
        moves, meanings = self.advice().moves(position), position.meanings
        return _explained(position.play_one_of(list(moves), [each.played for each in moves.values()]), meanings)

    def _show_seen(self, position: GameRound, you: int) -> None:
        seen = " ".join(in_words(position.seen).split())
        own = [f"You have {in_words(position.types[you])}."] if self._has_types(you) else []
        if own or seen:
            self.say(" ".join([*own, *([f"You see: {seen}"] if seen else [])]))

    def _has_types(self, player: int) -> bool:
        types = getattr(self.rules.description, "types", ((), ()))
        return len(types[player]) > 1

    def _drawn(self, position: GameRound) -> None:
        before = position.meanings
        self.say(f"Chance: {_explained(position.draw(), before)}")

    def _show(self, position: GameRound) -> None:
        if (shown := position.shown) is not None:
            self.say(shown)

    def _watched(self, position: GameRound, number: int) -> None:
        self.say(f"\nRound {number + 1}: the bot plays it.")
        while (owner := position.owner) is not None:
            if owner == CHANCE:
                self._drawn(position)
                continue
            self._show(position)
            moves = self.advice().moves(position)
            name = max(moves, key=lambda each: moves[each].played)
            self.say(f"Bot: {in_words(name)}. {_cost_text(moves, name, 'it')}")
            position.play(name)
        self._show(position)
        self.say(f"The bot gets {signed_text(position.payoff, 2)}.")

    def _your_move(self, position: GameRound, having: str = "") -> bool:
        names, meanings = list(position.moves), position.meanings
        while True:
            line = self.ask(f"Your move{having}: {_listed(names, meanings if len(names) <= MOST_EXPLAINED else {})}?")
            if line is None or _is_end(line):
                return False
            if line.lower() in ("h", "hint"):
                self._hint(position)
                continue
            found = moves_meant(line, names)
            if found:
                break
            if line in ("?", "help"):
                self._explain()
            else:
                self.say(f"{line[:40]!r} is not a move here. {HELP}")
        moves = self.advice().moves(position)
        (name,) = found
        position.play(name)
        self._num_moves += 1
        self._cost_of_round += _cost(moves, name)
        self.say(f"You: {in_words(name)}. {_cost_text(moves, name, 'the bot' if not self.one_player else 'chance')}")
        return True

    def _hint(self, position: GameRound) -> None:
        moves, one_player = self.advice().moves(position), self.one_player
        width = max(len(in_words(name)) for name in moves)
        self.say(f"{'':{width}}  on average{'' if one_player else '   a bot in your place'}")
        base = position.total if position.owner else 0.0
        for name, move in moves.items():
            played = "" if one_player else f"{100 * move.played:17.1f} %"
            self.say(f"{in_words(name):{width}}  {signed_text(base + move.worth, 4):>10}{played}")

    def _end(self, position: GameRound, you: int) -> None:
        own = position.total - position.payoff if you else position.payoff
        if position.hides:
            self.say(f"All moves: {', '.join(map(str, position.history))}.")
        self._show(position)
        self._num_rounds += 1
        self._won += own
        self._cost += self._cost_of_round
        sides = (("You", you), ("the bot", 1 - you))
        had = [f"{name} had {in_words(position.types[player])}" for name, player in sides if self._has_types(player)]
        if had:
            self.say(f"{had[0][0].upper()}{', '.join(had)[1:]}.")
        self.say(f"You get {signed_text(own, 2)}.")


def _is_end(line: str | None) -> bool:
    return line is None or line.lower() in ("q", "quit", "exit")


def _listed(names: list[Any], meanings: Mapping[Any, str]) -> str:
    numbered = not _have_digits(names)
    return ", ".join(
        f"{number} {_explained(name, meanings)}" if numbered else _explained(name, meanings)
        for number, name in enumerate(names, 1)
    )


def _explained(name: Any, meanings: Mapping[Any, str]) -> str:
    return f"{in_words(name)} ({meanings[name]})" if meanings.get(name) else in_words(name)


def _have_digits(names: list[Any]) -> bool:
    return any(in_words(name)[:1].isdigit() for name in names)


def moves_meant(line: str, names: list[Any]) -> list[Any]:
    """A list of the one move that a line means; an empty list if it means none or several."""
    wanted = line.strip().lower()
    by_name = [name for name in names if in_words(name).lower() == wanted]
    if by_name or not wanted:
        return by_name[:1]
    if wanted.isdigit() and not _have_digits(names):
        return names[int(wanted) - 1 : int(wanted)] if 1 <= int(wanted) <= len(names) else []
    begins = [name for name in names if in_words(name).lower().startswith(wanted)]
    return begins if len(begins) == 1 else []


def _cost(moves: dict[Any, MoveAdvice], name: Any) -> float:
    return max(0.0, max(each.worth for each in moves.values()) - moves[name].worth)


def _cost_text(moves: dict[Any, MoveAdvice], name: Any, whom: str) -> str:
    cost = _cost(moves, name)
    if cost <= NO_COST:
        return "It costs nothing."
    best = max(moves, key=lambda each: moves[each].worth)
    return f"It costs {cost:.4f}: {in_words(best)} is best here{f' against {whom}' if whom != 'it' else ''}."
