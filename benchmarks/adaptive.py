"""What the adapting bot wins: matches to 5 against fixed players, many at a time, with the perfect bot's wins beside.

python benchmarks/adaptive.py --matches 20000 learner-10 learner-1
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import numpy as np

from tictactoe import MatchBot, Score
from tictactoe.algorithms.arrays import FloatArray
from tictactoe.algorithms.restricted_response import Facts, Frontier, behaviour
from tictactoe.games.payoffs import tic_tac_toe_round
from tictactoe.games.rules import Seat
from tictactoe.play import adaptive
from tictactoe.play.adaptive import Known, Model
from tictactoe.play.bot import RoundBot


class Many:
    """Many matches at a time between the adapting bot and an opponent, round by round."""

    def __init__(self, bots: MatchBot, known: list[Known], opponent: Callable[[RoundBot], FloatArray], seed: int):
        self.bots, self.known, self.opponent, self.tree = bots, known, opponent, bots.tree
        self.generator = np.random.default_rng(seed)
        self.facts: dict[tuple[Score, Seat], Facts] = {}
        self.frontiers = 0
        self.kept: dict[object, Frontier] = {}

    def facts_at(self, score: Score, seat: Seat) -> Facts:
        if (score, seat) not in self.facts:
            perfect = self.bots.round_bot(score)
            value = perfect.value if seat is Seat.FIRST else -perfect.value
            game = tic_tac_toe_round(self.tree, perfect.values)
            self.facts[score, seat] = Facts(game, seat, perfect.strategy, value)
        return self.facts[score, seat]

    def play(self, number: int) -> dict[str, FloatArray]:
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
                if given[match] > adaptive.LEAST_BUDGET:
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
                        if len(self.kept) > 300:
                            del self.kept[next(iter(self.kept))]
                    for match in matches:
                        plans[frontier.choice(given[match])].append(match)
                else:
                    plans[0, 0, 0] = matches
                for choice, those in plans.items():
                    plan = frontier.mixture(*choice) if steps and choice != (0, 0, 0) else None
                    self.rounds(score, facts, plan, np.array(those), given, evidence, counts, points)
            live = np.flatnonzero(won < 0)
            rounds[live] += 1
            both = (points[live] >= 5).all(axis=1)
            points[live[both]] = 4
            for player in (0, 1):
                won[live[points[live, player] >= 5]] = player
            first[live] = 1 - first[live]
        return {"won": won == 0, "given": given, "rounds": rounds, "weights": evidence}

    def rounds(self, score, facts, plan, those, given, evidence, counts, points) -> None:
        """Play a round of the matches `those` by one plan."""
        tree, seat, n = self.tree, Seat(facts.player), len(those)
        perfect = self.bots.round_bot(score)
        reach = facts.equilibrium.reach if plan is None else plan.reach
        mine = behaviour(tree, seat, reach, facts.strategy)
        theirs = self.opponent(perfect)
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
