"""Rounds with a person at the screen, for a match or for practice, from the first to the review."""

from __future__ import annotations

import re
import shutil
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from tictactoe.errors import TicTacToeError
from tictactoe.games.rules import DEFAULT_RULES, Rules
from tictactoe.number_text import counted, unbroken
from tictactoe.play import review_text
from tictactoe.play.adaptive import told, told_at_the_end
from tictactoe.play.match_history import latest_results, left_matches
from tictactoe.play.match_review import MatchReview, TranscriptJudge
from tictactoe.play.move_costs import Mistake
from tictactoe.play.notation import Position
from tictactoe.play.opponents import ADAPTIVE, DEFAULT_OPPONENT, IN_A_ROW, LADDER, offered_next, title_of
from tictactoe.play.recorded_play import RecordedMatch, RecordedPlay, RecordedPractice
from tictactoe.play.review_text import once_more
from tictactoe.play.round_text import Speaker, score_line
from tictactoe.play.transcript import Replayed
from tictactoe.storage.population import has_learnt

from ..interruption import QuitPlaying, Signals
from ..program import EXIT_FAILURE, as_typed, say, shown_path
from .line_reader import LineReader
from .play_round import RoundTalk, commands
from .play_screen import Screen, prompt, which

_LARGE = 36  # the rows of a terminal that has room for more

Played = TypeVar("Played", bound=RecordedPlay)


class Session(ABC, Generic[Played]):
    """Rounds with a person at the screen. record: what is played. directory: the directory of the solution that
    judges."""

    def __init__(self, record: Played, screen: Screen, directory: Path) -> None:
        self.record, self.screen, self._directory = record, screen, directory
        screen.solved_score = record.solved_score

    @abstractmethod
    def heading(self, number: int) -> str:
        """The heading of a round, by its number."""

    @abstractmethod
    def score(self, again: bool) -> str:
        """A sentence about the score after a round. again: both players reached the winning score."""

    @abstractmethod
    def summary(self, reason: QuitPlaying | None) -> str:
        """The closing line. reason: why play ended; None after the last round."""

    review_of = "the review"
    """What follows the last round, in words."""
    once_more = False
    """Whether the round starts at an earlier mistake, in which case the new move is judged at once."""

    def how_to_go_on(self) -> str:
        """The last line, which says how to continue; empty if nothing was saved."""
        return ""

    def run(self, signals: Signals) -> int:
        """Play, save and review; return the exit code. This opens the commitment unless the round continues later."""
        record = self.record
        record.keeps_left = self.screen.reader.is_terminal and record.file.keeps
        record.save()  # an unwritable file fails before anything is shown
        reason: QuitPlaying | None = None
        failure: Exception | None = None
        with signals.caught():
            try:
                self.screen.clear()
                while not record.is_over:
                    self._play_round()
            except QuitPlaying as quitting:
                reason = quitting
            except (OSError, TicTacToeError) as error:
                reason, failure = QuitPlaying("failed", code=EXIT_FAILURE), error
            try:
                save = reason is not None and reason.save
                record.settle(stopped=reason is not None, keep_unbegun=save)
            except (OSError, TicTacToeError) as error:
                failure = failure or error
                reason = reason and QuitPlaying("failed", code=EXIT_FAILURE)
            if reason is None:
                self.screen.clear()
            say(self.summary(reason))
            if record.current is not None and reason is not None and not record.stays_sealed:
                self.screen.open_commitment(record.current)
        if record.rounds:
            judge = TranscriptJudge(self._directory, record.setup, self._directory)
            talk = ReviewTalk(judge, self.screen.reader, self.screen.speaker, signals)
            talk.show(record.replayed(), ask=reason is None)
        if record.not_kept:
            say(f"The program could not keep this for review: {record.not_kept}.")
        if hint := self.how_to_go_on():
            say(hint)
        if failure is not None:
            raise failure
        return 0 if reason is None else reason.code

    def _play_round(self) -> None:
        record, screen, opponent = self.record, self.screen, self.record.setup.opponent
        played, generator = record.next_round()
        record.save()
        judge, heading = record.judge(played), self.heading(played.number)
        screen.heading = heading if opponent == DEFAULT_OPPONENT else f"{heading} ({title_of(opponent)})"
        screen.score_line = self.score_line
        talk = RoundTalk(screen, played, judge, record.opponent(played), record.given)
        talk.known, talk.counts_hints = record.known, opponent == ADAPTIVE
        if self.once_more:
            talk.verdict = lambda: once_more(screen.speaker, record.mistakes([played]))
        talk.play(generator, record.save)
        again = record.count(played)
        record.save()
        record.current = None
        screen.score_line = self.score_line
        pause = f"for {self.review_of if record.is_over else 'the next round'}"
        screen.finish(played, self.score(again), record.mistakes([played]), pause=pause, explore=self.explore)

    def explore(self, position: Position) -> None:
        setup, numpad = self.record.setup, self.screen.speaker.numpad
        with self.screen.reader.waiting():
            _explore(self._directory, position, setup.opponent, average=setup.average_strategy, numpad=numpad)

    @property
    def score_line(self) -> str:
        return score_line(self.record.setup.names, self.record.replayed().points)


class PracticeSession(Session[RecordedPractice]):
    """Rounds of practice with a person at the screen. where: for example "at 4-3 of a match to 5"."""

    def __init__(self, record: RecordedPractice, where: str, screen: Screen, directory: Path) -> None:
        super().__init__(record, screen, directory)
        self._where = where

    def heading(self, number: int) -> str:
        return f"Round {number} of {self.record.wanted} {self._where}"

    def score(self, again: bool) -> str:
        return f"Points: {self.score_line}."

    def summary(self, reason: QuitPlaying | None) -> str:
        record = self.record
        stopped = f"Stopped ({reason}); rounds" if record.current or not record.is_over else "Rounds"
        return f"{stopped} played: {len(record.rounds)}. Points: {self.score_line}."

    def play_once(self, signals: Signals) -> None:
        self.once_more = True
        with signals.caught():
            try:
                self.screen.clear()
                self._play_round()
            except QuitPlaying as quitting:
                if self.record.current is not None:
                    self.screen.open_commitment(self.record.current)
                if quitting.code:
                    sys.exit(quitting.code)


@dataclass(frozen=True)
class ReviewTalk:
    judge: TranscriptJudge
    reader: LineReader
    speaker: Speaker
    signals: Signals
    player: int = 0

    def show(self, replayed: Replayed, title: str = "", *, ask: bool = True) -> None:
        """Print a title and the review of at least one round.

        ask: on a terminal, print the worst mistakes without better moves, then follow the person's commands.
        """
        review, reader = self.judge.review(replayed, self.player), self.reader
        ask, mistakes = ask and reader.is_terminal and bool(review.mistakes), review.mistakes
        low = ask and shutil.get_terminal_size().lines < _LARGE
        most = (2 if low else 3) if ask else None
        if title:
            say(title)
        self._tell(review, most, low)
        every = "all answers" if most is not None and len(mistakes) > most else "answers"
        words = (f"t 1 try mistake 1 again, e 1 explore it, a {every}", "t 1 try again, e 1 explore, a answers")
        while ask:
            answer = reader.read(prompt("Enter to end", words))
            if answer is None or answer.lower() in ("", "q", "quit"):
                return
            if (chosen := which(answer, mistakes, "et")) is not None:
                if answer[0] in "eE":
                    self._explore(chosen)
                else:
                    self._try_again(chosen)
                self._tell(review, most, low)
            elif answer.lower() in ("a", "all", "answers"):
                _say_all(review_text.mistakes_told(self.speaker, mistakes))
            else:
                numbers = "1" if len(mistakes) == 1 else f"a number from 1 to {len(mistakes)}"
                print(f"{answer[:20]!a}: type t or e and {numbers}, or a, or press Enter")

    def _tell(self, review: MatchReview, most: int | None, low: bool) -> None:
        speaker = self.speaker
        explained, *rounds = review_text.rounds_told(speaker, review, self.judge.setup.names)
        say(explained)
        _say_all(rounds)
        heading, *drawn = review_text.chances(speaker, review, low=low)
        say(heading)
        print("\n".join(drawn))
        say(review_text.accuracy_told(review))
        _say_all(review_text.mistakes_told(speaker, review.mistakes, most, answers=most is None))
        _say_all(review_text.luck_and_skill(speaker, review))

    def _explore(self, mistake: Mistake) -> None:
        judge, opponent = self.judge, self.judge.opponent_of(self.player)
        average, numpad = judge.setup.average_strategy, self.speaker.numpad
        _explore(judge.directory, mistake.position, opponent, average=average, numpad=numpad)

    def _try_again(self, mistake: Mistake) -> None:
        record = self.judge.again(mistake, self.player)
        speaker = Speaker(record.setup.names[1], numpad=self.speaker.numpad, in_points=self.judge.in_points)
        screen = Screen(speaker, self.reader, commands("hbu?q"))
        PracticeSession(
            record, f"at {record.practice.score}, again with the same goals", screen, self.judge.directory
        ).play_once(self.signals)
        screen.clear()


def _say_all(lines: list[str]) -> None:
    for line in lines:
        say(line, "    " if re.match(" |Luck|Skill", line) else "")


def _explore(directory: Path, position: Position, opponent: str, *, average: bool, numpad: bool) -> None:
    from tictactoe.play.explorer import Explorer
    from tictactoe.play.judge import Judge
    from tictactoe.storage.open_saved import open_saved

    from .conversation import Conversation

    saved = open_saved(directory)
    known = Judge(saved, average=average).known_opponent(opponent, None)
    explorer = Explorer(saved, position, known=known if known and known.can_answer else None, numpad=numpad)
    explorer.average = average
    Conversation(explorer).cmdloop()


_CONTINUE = "play-multiround --resume"


def waiting_text(besides: Path | None = None) -> list[str]:
    """A line about unfinished matches, if any. besides: a file that is not counted."""
    others = [path for path in left_matches() if path != besides]
    waiting = counted(len(others), "unfinished match waits", "unfinished matches wait")
    return [f"{waiting}: {unbroken(_CONTINUE)}."] if others else []


class MatchSession(Session[RecordedMatch]):
    review_of = "the review of the match"

    def heading(self, number: int) -> str:
        return f"Round {number} of a match to {self.record.match.winning_score}"

    def score(self, again: bool) -> str:
        match, score = self.record.match, f"Score: {self.score_line}."
        if self.record.adaptive is not None:
            score = f"{score} {told(self.record.adaptive, self.screen.speaker.opponent)}"
        if again:
            return (
                f"Both reached {match.winning_score}, so both are set back by a point and the match continues. {score}"
            )
        if match.winner is not None and self.screen.redraws:  # elsewhere, this is said soon
            return f"{score} {match.victory}"
        return score

    def _offer(self) -> list[str]:
        setup, results = self.record.setup, latest_results(IN_A_ROW)
        ladder = [name for name in LADDER if has_learnt(name, Rules.parse(setup.rules))]
        offered = offered_next(results, ladder) if self.record.file.keeps and not self.record.not_kept else None
        if offered is None or results[0][0] != setup.opponent:
            return []
        how = "wins in a row: next on the ladder" if results[0][1] else "losses in a row: a step down the ladder"
        options = "" if setup.rules == DEFAULT_RULES else f" --rules {as_typed([setup.rules])}"
        if setup.winning_score != setup.solved_winning_score:
            options += f" --winning-score {setup.winning_score}"
        typed = title_of(offered).lower().replace(" ", "-")
        command = unbroken(f"play-multiround --opponent {typed}{options}")
        return [f"{IN_A_ROW} {how} is {title_of(offered)}: {command}."]

    def summary(self, reason: QuitPlaying | None) -> str:
        score = f"Score: {self.score_line}."
        if self.record.is_over:
            words = [self.record.match.victory, score]
            if self.record.adaptive is not None:
                words.append(told_at_the_end(self.record.adaptive, self.screen.speaker.opponent))
            return " ".join(words)
        return f"Stopped ({reason}); rounds played: {len(self.record.rounds)}. {score}"

    def how_to_go_on(self) -> str:
        record, file = self.record, self.record.file
        if not record.is_over and not file.holds:
            return ""
        if record.is_over:
            offer, waiting = self._offer(), waiting_text(file.path) if file.ours else []
            return " ".join([*offer, *waiting])
        others = [path for path in left_matches() if path != file.path]
        named = "" if file.ours else f" --transcript {as_typed([shown_path(file.path)])}"
        text = f"To continue: {unbroken(_CONTINUE + named)}."
        if record.stays_sealed and record.current is not None:
            opponent = self.screen.speaker.opponent
            text += f" Round {record.current.number} continues with the same goals, {opponent}'s still sealed."
        if file.ours and others:
            kept = counted(len(others), "earlier unfinished match is", "earlier unfinished matches are")
            other = unbroken(f"{_CONTINUE} --transcript {as_typed([shown_path(others[0])])}")
            text += f" {kept} kept, too. To continue the last of them: {other}."
        return text
