"""How strong the opponents are, exactly: python benchmarks/opponents.py

The tables of docs/opponents.md, for each rules for which a solution ships: the percentages of matches to 5 that the
perfect opponent and the best responder win against each; and how each opens a match, in percent: a corner, a
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
from tictactoe.match.scores import all_scores
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
    print("| opponent | the perfect one wins | the best responder wins |\n|---|---|---|")
    for name, strategy in strategies.items():
        wins = head_to_head(match.tree, strategies["perfect"], strategy, match.winning_score).wins
        best = best_response_over_match(match.tree, strategy, match.winning_score).scores[START]
        # Over both seats: what the best player wins beyond a half is a quarter of what both of them gain together.
        print(f"| {name} | {100.0 * wins:.2f} % | {50.0 + 25.0 * best.exploitability:.2f} % |")
    print("\n| opponent | wants to win | to lose | to tie |\n|---|---|---|---|")
    for name in opponents:
        print(f"| {name} | {' | '.join(opening(opponents[name][START], goal) for goal in Goal)} |")
    print()


def opening(bot: RoundBot, goal: Goal) -> str:
    """Whole percentages of the first move: a corner, a side, the centre."""
    return " ".join(f"{100.0 * choice.probability:.0f}" for choice in bot.choices(Cursor(bot.tree), goal))


if __name__ == "__main__":
    main()
