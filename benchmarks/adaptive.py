"""What the adapting bot wins in matches to 5, with the perfect bot's wins beside, computed exactly.

python benchmarks/adaptive.py --matches 20000 learner-10 learner-1
python benchmarks/adaptive.py --matches 20000 --trap learner-1

AGENT: as `parse_agent` takes them, such as careless, a solution or the file of a learnt table, or naive-a and naive-b.
--trap: the opponent plays like AGENT until the bot risks something, and then what is worst for it in that round, which
it knows. --reckless: a bot that risks what it likes, for comparison.

Many matches are played at a time, so that few plans have to be made. "by the account" is the same probability from what
the opponent has given, 50 % + E[K] / 2 (docs/adaptive-bot.md), which varies less. Both have 95 % intervals.
"""

from __future__ import annotations

import argparse
from collections import defaultdict

import numpy as np

from tictactoe import MatchBot, Rules, Score, head_to_head, load_solution, parse_agent
from tictactoe.algorithms.restricted_response import Facts, Frontier, Plan, behaviour, best_plan
from tictactoe.games.payoffs import tic_tac_toe_round
from tictactoe.games.rules import Seat
from tictactoe.match.head_to_head import MatchStrategy
from tictactoe.match.scores import all_scores
from tictactoe.play import adaptive
from tictactoe.play.adaptive import Model, known_players
from tictactoe.storage.population import CONSTANT_PLAYERS, constant_strategy
from tictactoe.storage.shipped import shipped_for, shipped_solution

POINTS = 5
KEPT = 300


class Many:
    """Many matches at a time between the adapting bot and an opponent, round by round."""

    def __init__(self, bots: MatchBot, opponent: MatchStrategy, seed: int, *, trap: bool, reckless: bool) -> None:
        self.bots, self.opponent, self.tree = bots, opponent, bots.tree
        self.known, self.trap, self.reckless = known_players(bots.tree), trap, reckless
        self.generator = np.random.default_rng(seed)
        self.facts: dict[tuple[Score, Seat], Facts] = {}
        self.kept: dict[object, Frontier] = {}
        self.frontiers = 0

    def budget(self, given: float, score: Score) -> float:
        return 2.0 if self.reckless else adaptive.budget(given, score, POINTS)

    def facts_at(self, score: Score, seat: Seat) -> Facts:
        if (score, seat) not in self.facts:
            perfect = self.bots.round_bot(score)
            value = perfect.value if seat is Seat.FIRST else -perfect.value
            game = tic_tac_toe_round(self.tree, perfect.values)
            self.facts[score, seat] = Facts(game, seat, perfect.strategy, value)
        return self.facts[score, seat]

    def play(self, number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """By match: whether the bot won, K at the end, and the number of rounds."""
        tree, start = self.tree, Model(self.tree, self.known)
        evidence = np.tile(start.evidence, (number, 1))
        counts = np.zeros((number, *start.learnt.counts.shape), np.float32)
        given, rounds, won = np.zeros(number), np.zeros(number), np.full(number, -1)
        points = np.zeros((number, 2), int)
        first = np.arange(number) % 2  # 0: the bot moves first
        while (won < 0).any():
            groups = defaultdict(list)
            for match in np.flatnonzero(won < 0).tolist():
                mine, theirs = points[match].tolist()
                seat = Seat(int(first[match]))
                score = Score(mine, theirs) if seat is Seat.FIRST else Score(theirs, mine)
                if rounds[match]:
                    steps = adaptive.steps_of(adaptive.weights_of(evidence[match]))
                    learnt = counts[match].tobytes() if steps[-1] else b""
                else:
                    steps, learnt = (), b""
                groups[score, seat, steps, learnt].append(match)
            for (score, seat, steps, learnt), matches in groups.items():
                facts, plans = self.facts_at(score, seat), defaultdict(list)
                if steps:
                    model = Model(tree, self.known)
                    model.evidence, model.learnt.counts = evidence[matches[0]], counts[matches[0]].astype(float)
                    frontier = self.kept.pop((score, seat, steps, learnt), None)
                    if frontier is None:
                        frontier = Frontier(facts, model.reach(self.bots.round_bot(score), Seat(1 - seat)))
                        self.frontiers += 1
                    if not learnt:
                        self.kept[score, seat, steps, learnt] = frontier
                        if len(self.kept) > KEPT:
                            del self.kept[next(iter(self.kept))]
                    for match in matches:
                        plans[frontier.choice(self.budget(given[match], score))].append(match)
                else:
                    plans[0, 0, 0] = matches
                for choice, those in plans.items():
                    plan = frontier.mixture(*choice) if steps else None
                    self.rounds(score, facts, plan, np.array(those), given, evidence, counts, points)
            live = np.flatnonzero(won < 0)
            rounds[live] += 1
            both = (points[live] >= POINTS).all(axis=1)
            points[live[both]] = POINTS - 1
            for player in (0, 1):
                won[live[points[live, player] >= POINTS]] = player
            first[live] = 1 - first[live]
        return won == 0, given, rounds

    def rounds(
        self,
        score: Score,
        facts: Facts,
        plan: Plan | None,
        those: np.ndarray,
        given: np.ndarray,
        evidence: np.ndarray,
        counts: np.ndarray,
        points: np.ndarray,
    ) -> None:
        """Play a round of the matches `those` by one plan."""
        tree, seat, n = self.tree, Seat(facts.player), len(those)
        perfect = self.bots.round_bot(score)
        reach = facts.equilibrium.reach if plan is None else plan.reach
        mine = behaviour(tree, seat, reach, facts.strategy)
        theirs = self.opponent[score]
        if self.trap and plan is not None and plan.risk > 0.0:
            worst = best_plan(tree, 1 - seat, facts.answers(reach))
            theirs = behaviour(tree, 1 - seat, worst, theirs)
        draw = self.generator.random
        goals = np.stack([(draw(n) * 3).astype(int), (draw(n) * 3).astype(int)])  # the bot's, the opponent's
        answers, met = facts.answers(reach), facts.odds(reach)
        known = [player.strategy(perfect) for player in self.known]
        kind, position, squares, alike = adaptive.kinds_of(tree)
        given[those] = np.maximum(0.0, given[those] - (0.0 if plan is None else plan.risk))
        node, live = np.zeros(n, int), np.arange(n)
        while len(live):
            at = node[live]
            own = tree.owner[at[0]] == seat
            goal = goals[0 if own else 1, live]
            strategy, pick, chosen = mine if own else theirs, draw(len(live)), tree.first_child[at].copy()
            last = tree.first_child[at] + tree.num_children[at] - 1
            total = strategy[chosen, goal]
            while (more := (pick >= total) & (chosen < last)).any():
                chosen[more] += 1
                total[more] += strategy[chosen[more], goal[more]]
            if not own:
                who = those[live]
                given[who] += (answers[at, goal] - answers[chosen, goal]) / met[at, goal]
                here = counts[who, position[chosen], goal]
                share = (here[np.arange(len(who)), kind[chosen]] + adaptive.LEARNT_PRIOR * alike[chosen]) / (
                    here.sum(axis=1) + adaptive.LEARNT_PRIOR
                )
                odds = [each[chosen, goal] for each in known] + [share * squares[chosen] / alike[chosen]]
                floor = adaptive.ERROR * squares[chosen]
                evidence[who] += np.log((1.0 - adaptive.ERROR) * np.stack(odds, axis=1) + floor[:, None])
                counts[who, position[chosen], goal, kind[chosen]] += 1
            node[live] = chosen
            live = live[tree.leaf_class[chosen] < 0]
        for index in range(n):
            by_seat = goals[:, index] if seat is Seat.FIRST else goals[::-1, index]
            first, second = tree.rules.scores(tree.outcome(int(node[index])), *by_seat)
            points[those[index]] += (first, second) if seat is Seat.FIRST else (second, first)


def policy_of(name: str, bots: MatchBot) -> MatchStrategy:
    if name in CONSTANT_PLAYERS:
        return dict.fromkeys(all_scores(POINTS), constant_strategy(name, bots.tree))
    return parse_agent(name).policy(bots.tree, POINTS)


def interval(values: np.ndarray) -> str:
    return f"{100 * values.mean():.2f} % +- {196 * values.std() / len(values) ** 0.5:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="+", metavar="AGENT")
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--rules", default="three-in-a-row")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trap", action="store_true")
    parser.add_argument("--reckless", action="store_true")
    options = parser.parse_args()
    bots = MatchBot(load_solution(shipped_solution(shipped_for(Rules.parse(options.rules)) or "")))
    perfect = {score: bots.round_bot(score).strategy for score in all_scores(POINTS)}
    for name in options.agents:
        opponent = policy_of(name, bots)
        many = Many(bots, opponent, options.seed, trap=options.trap, reckless=options.reckless)
        won, given, rounds = many.play(options.matches)
        fixed = 100.0 * head_to_head(bots.tree, perfect, opponent, POINTS).wins
        print(
            f"{name}: wins {interval(won)}, by the account {interval(0.5 + 0.5 * given)}; perfect {fixed:.2f} %; "
            f"{rounds.mean():.2f} rounds, {many.frontiers} models answered",
            flush=True,
        )


if __name__ == "__main__":
    main()
