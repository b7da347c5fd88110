"""How strong the opponents are, exactly: python benchmarks/opponents.py

For each rules for which a solution ships, what `play/opponents.py` and docs/opponents.md say: the percentages of
matches that two simple players (`games/naive_players.py`; the mean of both), the perfect opponent and the best
responder win against each; and how each opens a match, in percent: a corner, a side, the centre. Last the ladder: its
steps, by what the simple players win in matches to 3, and what a third one wins by which it was not chosen.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from tictactoe import (
    OPPONENTS,
    Board,
    Cursor,
    Goal,
    MatchBot,
    RoundBot,
    Rules,
    Score,
    best_response_over_match,
    head_to_head,
    load_solution,
    opponent_of,
)
from tictactoe.games.naive_players import NAIVE_PLAYERS, rows_completed
from tictactoe.games.tic_tac_toe_tree import even_over_squares
from tictactoe.match.head_to_head import MatchStrategy
from tictactoe.match.scores import all_scores, part_for_shorter_match
from tictactoe.play.opponents import LADDER, MEASURED_RULES
from tictactoe.storage.shipped import shipped_for, shipped_solution

START = Score(0, 0)


def main() -> None:
    """Print the figures for each rules."""
    for name in MEASURED_RULES:
        print(f"## {name}\n")
        shipped = shipped_for(Rules.parse(name))
        assert shipped is not None
        tables(MatchBot(load_solution(shipped_solution(shipped))))


def tables(match: MatchBot) -> None:
    """Of the opponents by the rules of the match."""
    bots = {score: match.round_bot(score) for score in all_scores(match.winning_score)}
    players = {name: {score: opponent_of(name, bots[score]) for score in bots} for name in (*OPPONENTS, *NAIVE_PLAYERS)}
    strategies = {name: {score: bot.strategy for score, bot in of.items()} for name, of in players.items()}
    lengths, simple, for_the_file = range(1, match.winning_score + 1), {}, []
    print("| opponent | simple players win, to 1, 2, 3, 4, 5 | the perfect one wins | the best responder wins, to 5 |")
    print("|---|---|---|---|")
    for name in OPPONENTS:
        by_naive = [[wins_to(to, match, strategies[one], strategies[name]) for to in lengths] for one in NAIVE_PLAYERS]
        means = [sum(wins) / len(wins) for wins in zip(*by_naive, strict=True)]
        perfect = [wins_to(to, match, strategies["perfect"], strategies[name]) for to in lengths]
        best = best_response_over_match(match.tree, strategies[name], match.winning_score).scores[START]
        # Over both seats: what the best player wins beyond a half is a quarter of what both of them gain together.
        expert, simple[name] = 50.0 + 25.0 * best.exploitability, means[2]
        print(f"| {name} | {row(means)} | {row(perfect)} | {expert:.2f} % |")
        for_the_file.append(f'        "{name}": Wins({whole(means)}, {whole(perfect)}, {expert:.0f}),')
    print("\n| opponent | wants to win | to lose | to tie |\n|---|---|---|---|")
    for name in OPPONENTS:
        print(f"| {name} | {' | '.join(opening(players[name][START], goal) for goal in Goal)} |")
    print(f'\n    "{match.tree.rules}": {{', *for_the_file, "    },", sep="\n")
    print(f"\nhardest first: {simple == dict(sorted(simple.items(), key=lambda item: item[1]))}; the ladder:")
    for name, after in pairwise((*LADDER[:-1], LADDER[-2])):
        print(f"{name} {simple[name]:.2f}, down to the next {simple[name] - simple[after]:.2f}")
    third = dict.fromkeys(bots, even_over_squares(match.tree, ordinary))
    print("a third one:", *(f"{name} {wins_to(3, match, third, strategies[name]):.2f}" for name in LADDER[:-1]), "\n")


def ordinary(board: Board, goal: Goal) -> tuple[int, ...]:
    """Plays as in ordinary tic-tac-toe: a row, a block, the centre, a corner; to tie without the row; to lose it leaves
    rows alone, and takes sides first."""
    mine, theirs = (board.first, board.second) if board.num_marks % 2 == 0 else (board.second, board.first)
    free = board.free_squares
    rows, blocks = (rows_completed(marks, free) for marks in (mine, theirs))
    orders: dict[Goal, tuple[Iterable[int], ...]] = {
        Goal.WIN: (rows, blocks, (5,), (1, 3, 7, 9), free),
        Goal.TIE: ({*blocks} - {*rows}, {5} - {*rows}, {1, 3, 7, 9} - {*rows}, {*free} - {*rows}, free),
        Goal.LOSE: ({2, 4, 6, 8} - {*rows, *blocks}, {*free} - {*rows, *blocks}, {*free} - {*rows}, free),
    }
    return next(found for order in orders[goal] if (found := tuple(square for square in order if square in free)))


def whole(percentages: list[float]) -> tuple[int, ...]:
    """Rounded, for matches to 1 to 5."""
    return tuple(map(round, percentages))


def row(percentages: list[float]) -> str:
    """For a cell: rounded, and that of matches to 3 more exactly."""
    return " ".join(f"{one:.2f}" if to == 3 else f"{one:.0f}" for to, one in enumerate(percentages, 1))


def wins_to(points: int, match: MatchBot, ours: MatchStrategy, theirs: MatchStrategy) -> float:
    """The percentage of matches to so many points that we win."""
    ours, theirs = (part_for_shorter_match(strategy, match.winning_score, points) for strategy in (ours, theirs))
    return 100.0 * head_to_head(match.tree, ours, theirs, points).wins


def opening(bot: RoundBot, goal: Goal) -> str:
    """Whole percentages of the first move: a corner, a side, the centre."""
    return " ".join(f"{100.0 * choice.probability:.0f}" for choice in bot.choices(Cursor(bot.tree), goal))


if __name__ == "__main__":
    main()
