"""How strong the opponents are, exactly: python benchmarks/opponents.py

The tables of docs/opponents.md, for each rules for which a solution ships: the percentages of matches to 5 that the
perfect opponent and the best responder win against each, and rounded those of matches to 1, 2, 3 and 4 that the
perfect one wins; and how each opens a match, in percent: a corner, a
side, the centre.
"""

from __future__ import annotations

from tictactoe import (
    OPPONENTS,
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
from tictactoe.match.head_to_head import MatchStrategy
from tictactoe.match.scores import all_scores, part_for_shorter_match
from tictactoe.play.opponents import MEASURED_RULES
from tictactoe.storage.shipped import shipped_for, shipped_solution

START = Score(0, 0)


def main() -> None:
    """Print two tables for each rules."""
    for name in MEASURED_RULES:
        print(f"## {name}\n")
        shipped = shipped_for(Rules.parse(name))
        assert shipped is not None
        tables(MatchBot(load_solution(shipped_solution(shipped))))


def tables(match: MatchBot) -> None:
    """Of the opponents by the rules of the match."""
    bots = {score: match.round_bot(score) for score in all_scores(match.winning_score)}
    opponents = {name: {score: opponent_of(name, bot) for score, bot in bots.items()} for name in OPPONENTS}
    strategies = {name: {score: bot.strategy for score, bot in bots.items()} for name, bots in opponents.items()}
    print("| opponent | the perfect one wins | the best responder wins | the perfect one, to 1, 2, 3, 4 |")
    print("|---|---|---|---|")
    for name, strategy in strategies.items():
        wins = [wins_to(points, match, strategies["perfect"], strategy) for points in range(1, match.winning_score + 1)]
        best = best_response_over_match(match.tree, strategy, match.winning_score).scores[START]
        # Over both seats: what the best player wins beyond a half is a quarter of what both of them gain together.
        shorter = " ".join(f"{one:.0f}" for one in wins[:-1])
        print(f"| {name} | {wins[-1]:.2f} % | {50.0 + 25.0 * best.exploitability:.2f} % | {shorter} |")
    print("\n| opponent | wants to win | to lose | to tie |\n|---|---|---|---|")
    for name in opponents:
        print(f"| {name} | {' | '.join(opening(opponents[name][START], goal) for goal in Goal)} |")
    print()


def wins_to(points: int, match: MatchBot, ours: MatchStrategy, theirs: MatchStrategy) -> float:
    """The percentage of matches to so many points that we win."""
    ours, theirs = (part_for_shorter_match(strategy, match.winning_score, points) for strategy in (ours, theirs))
    return 100.0 * head_to_head(match.tree, ours, theirs, points).wins


def opening(bot: RoundBot, goal: Goal) -> str:
    """Whole percentages of the first move: a corner, a side, the centre."""
    return " ".join(f"{100.0 * choice.probability:.0f}" for choice in bot.choices(Cursor(bot.tree), goal))


if __name__ == "__main__":
    main()
