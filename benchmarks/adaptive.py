"""What the adapting bot wins in matches to 5.

python benchmarks/adaptive.py --matches 2000 learner-10 naive-a copier
python benchmarks/adaptive.py --matches 2000 --trap 0 learner-1

AGENT: as `parse_agent` takes them, such as careless, a solution or the file of a learnt table; naive-a and naive-b; or
a stranger, whom the bot does not know: blocker, copier, contrary (see `policy_of`).
--trap POINTS: the opponent plays like AGENT, but what is worst for the bot's plan, which it knows, in every round in
which the bot risks more than so many points of winning chance. --score: where matches begin, the bot's points first.
--reckless: a bot that risks what it likes. --told: a bot that knows from the start whom it meets.

Many matches are played at a time, so that few plans have to be made. Estimates of what the bot wins, with 95 %
intervals: "plain", the share of the matches; "by rounds", which varies far less; and "by the account", which is right
if the theorem of docs/adaptive-bot.md is. "By rounds" is what the perfect bot wins, exactly, and for every round that
is played what the bot's plan for it gains over the perfect one's if the bot plays perfectly afterwards: an expectation
over goals and moves, as both strategies are known here. It needs no theorem. "As precise as" is the number of matches
that "plain" would need for the interval of "by rounds". "Both" is "by rounds" with "by the account" less "by rounds" as
a control variate, whose mean is 0 by the theorem; for a reckless bot it is not.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from tictactoe import Goal, MatchBot, Rules, Score, best_response_over_match, load_solution, parse_agent
from tictactoe.algorithms.arrays import FloatArray
from tictactoe.algorithms.best_response import leaf_distribution
from tictactoe.algorithms.restricted_response import Facts, Frontier, Plan, behaviour, best_plan
from tictactoe.algorithms.strategy import both_seats
from tictactoe.games.board import Board
from tictactoe.games.naive_players import rows_completed
from tictactoe.games.payoffs import result_probabilities, tic_tac_toe_round
from tictactoe.games.rules import Seat
from tictactoe.games.tic_tac_toe_tree import GameTree, even_over_squares
from tictactoe.match.head_to_head import MatchState, MatchStrategy, groups_of, outcome_values_at, solve_group
from tictactoe.match.scores import all_scores, pairs_in_solve_order
from tictactoe.play import adaptive
from tictactoe.play.adaptive import Model, known_players
from tictactoe.storage.population import CONSTANT_PLAYERS, constant_strategy
from tictactoe.storage.shipped import shipped_for, shipped_solution

POINTS = 5
KEPT = 300


class Many:
    """Many matches at a time between the adapting bot and an opponent, round by round.

    worth: what the states are worth to a bot that plays perfectly from there on, as match values.
    trap: the risk in match value above which the opponent plays what is worst for the bot; None for never.
    """

    def __init__(
        self,
        bots: MatchBot,
        opponent: MatchStrategy,
        worth: Mapping[MatchState, float],
        seed: int,
        *,
        trap: float | None = None,
        reckless: bool = False,
        told: bool = False,
    ) -> None:
        self.bots, self.opponent, self.worth, self.tree = bots, opponent, worth, bots.tree
        self.known, self.trap, self.reckless, self.told = known_players(bots.tree), trap, reckless, told
        self.generator = np.random.default_rng(seed)
        self.known_facts: dict[MatchState, tuple[Facts, Facts, FloatArray]] = {}
        self.kept: dict[object, Frontier] = {}
        self.frontiers = 0

    def budget(self, given: float, score: Score) -> float:
        return 2.0 if self.reckless else adaptive.budget(given, score, POINTS)

    def facts_at(self, state: MatchState) -> tuple[Facts, Facts, FloatArray]:
        """The round as the bot knows it; with `worth` for what follows; and the opponent's own reach."""
        if state not in self.known_facts:
            seat, perfect = state.seat, self.bots.round_bot(state.score)
            value = perfect.value if seat is Seat.FIRST else -perfect.value
            facts = Facts(tic_tac_toe_round(self.tree, perfect.values), seat, perfect.strategy, value)
            game = tic_tac_toe_round(self.tree, outcome_values_at(state, self.worth, POINTS))
            judge = Facts(game, seat, perfect.strategy, self.worth[state])
            theirs = self.tree.own_reach_of_player(1 - seat, self.opponent[state.score])
            self.known_facts[state] = facts, judge, theirs
        return self.known_facts[state]

    def play(self, number: int, start: Score) -> tuple[FloatArray, ...]:
        """By match: whether the bot won, K at the end, the sum of what its plans gained over the perfect bot's, and the
        number of rounds."""
        tree, prior = self.tree, Model(self.tree, self.known)
        evidence = np.tile(prior.evidence, (number, 1))
        counts = np.zeros((number, *prior.learnt.counts.shape), np.float32)
        given, gained, rounds, won = np.zeros(number), np.zeros(number), np.zeros(number), np.full(number, -1)
        points = np.tile(start, (number, 1))
        first = np.arange(number) % 2  # 0: the bot moves first
        while (won < 0).any():
            groups = defaultdict(list)
            for match in np.flatnonzero(won < 0).tolist():
                mine, theirs = points[match].tolist()
                seat = Seat(int(first[match]))
                state = MatchState(seat, Score(mine, theirs) if seat is Seat.FIRST else Score(theirs, mine))
                steps: tuple[int, ...] = ()
                learnt = b""
                if self.told:
                    steps = (1,)
                elif rounds[match]:
                    steps = adaptive.steps_of(adaptive.weights_of(evidence[match]))
                    learnt = counts[match].tobytes() if steps[-1] else b""
                groups[state, steps, learnt].append(match)
            for (state, steps, learnt), matches in groups.items():
                (facts, _, reach), plans = self.facts_at(state), defaultdict(list)
                if steps:
                    frontier = self.kept.pop((state, steps, learnt), None)
                    if frontier is None:
                        if not self.told:
                            model = Model(tree, self.known)
                            model.evidence, model.learnt.counts = evidence[matches[0]], counts[matches[0]].astype(float)
                            reach = model.reach(self.bots.round_bot(state.score), Seat(1 - state.seat))
                        frontier = Frontier(facts, reach)
                        self.frontiers += 1
                    if not learnt:
                        self.kept[state, steps, learnt] = frontier
                        if len(self.kept) > KEPT:
                            del self.kept[next(iter(self.kept))]
                    for match in matches:
                        plans[frontier.choice(self.budget(given[match], state.score))].append(match)
                else:
                    plans[0, 0, 0] = matches
                for choice, those in plans.items():
                    plan = frontier.mixture(*choice) if steps else None
                    self.rounds(state, plan, np.array(those), given, gained, evidence, counts, points)
            live = np.flatnonzero(won < 0)
            rounds[live] += 1
            both = (points[live] >= POINTS).all(axis=1)
            points[live[both]] = POINTS - 1
            for player in (0, 1):
                won[live[points[live, player] >= POINTS]] = player
            first[live] = 1 - first[live]
        return won == 0, given, gained, rounds

    def rounds(
        self,
        state: MatchState,
        plan: Plan | None,
        those: np.ndarray,
        given: np.ndarray,
        gained: np.ndarray,
        evidence: np.ndarray,
        counts: np.ndarray,
        points: np.ndarray,
    ) -> None:
        """Play a round of the matches `those` by one plan."""
        tree, seat, n = self.tree, state.seat, len(those)
        facts, judge, their_reach = self.facts_at(state)
        perfect = self.bots.round_bot(state.score)
        reach = facts.equilibrium.reach if plan is None else plan.reach
        mine = behaviour(tree, seat, reach, facts.strategy)
        theirs = self.opponent[state.score]
        if self.trap is not None and plan is not None and plan.risk > self.trap:
            their_reach = best_plan(tree, 1 - seat, facts.answers(reach))
            theirs = behaviour(tree, 1 - seat, their_reach, theirs)
        gained[those] += judge.gain(reach, their_reach)
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
    """The opponent of a name. Strangers, whatever their goal: a blocker blocks a row of the other, a copier marks what
    lies opposite to a mark of the other, and both else take the centre, else any square. The contrary one plays
    perfectly, but in 3 moves of 10 like one who wants to lose instead of to win, or the reverse."""
    if name == "contrary":
        perfect = {score: bots.round_bot(score).strategy for score in all_scores(POINTS)}
        return {score: 0.7 * each + 0.3 * each[:, [Goal.LOSE, Goal.WIN, Goal.TIE]] for score, each in perfect.items()}
    if name in ("blocker", "copier"):

        def squares(board: Board, _goal: Goal) -> tuple[int, ...]:
            free, other = board.free_squares, board.first if board.num_marks % 2 else board.second
            opposite = tuple(square for square in free if other >> (9 - square) & 1)
            return (rows_completed(other, free) if name == "blocker" else opposite) or tuple({5} & set(free)) or free

        return dict.fromkeys(all_scores(POINTS), even_over_squares(bots.tree, squares))
    if name in CONSTANT_PLAYERS:
        return dict.fromkeys(all_scores(POINTS), constant_strategy(name, bots.tree))
    return parse_agent(name).policy(bots.tree, POINTS)


def worth_of(tree: GameTree, ours: MatchStrategy, theirs: MatchStrategy) -> dict[MatchState, float]:
    """The match values of all states between two strategies, to us."""
    values: dict[MatchState, float] = {}
    for group in groups_of(pairs_in_solve_order(POINTS)):
        probabilities = {}
        for seat, score in group:
            first, second = (ours, theirs) if seat is Seat.FIRST else (theirs, ours)
            leaves = leaf_distribution(tree, both_seats(tree, first[score], second[score]))
            probabilities[MatchState(seat, score)] = result_probabilities(tree.rules, leaves)
        values |= solve_group(group, probabilities, values, POINTS)
    return values


def interval(values: np.ndarray) -> str:
    return f"{100 * values.mean():.2f} +- {196 * values.std() / len(values) ** 0.5:.2f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="+", metavar="AGENT")
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--rules", default="three-in-a-row")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--score", default="0-0")
    parser.add_argument("--trap", type=float, metavar="POINTS")
    parser.add_argument("--reckless", action="store_true")
    parser.add_argument("--told", action="store_true")
    options = parser.parse_args()
    bots = MatchBot(load_solution(shipped_solution(shipped_for(Rules.parse(options.rules)) or "")))
    perfect = {score: bots.round_bot(score).strategy for score in all_scores(POINTS)}
    start = Score(*map(int, options.score.split("-")))
    starts = [MatchState(Seat.FIRST, start), MatchState(Seat.SECOND, start.twin)]
    trap = None if options.trap is None else options.trap / 50.0
    for name in options.agents:
        opponent = policy_of(name, bots)
        worth = worth_of(bots.tree, perfect, perfect if trap is not None else opponent)
        many = Many(bots, opponent, worth, options.seed, trap=trap, reckless=options.reckless, told=options.told)
        won, given, gained, rounds = many.play(options.matches, start)
        fixed, value = (
            sum(0.25 + each / 4.0 for each in values)
            for values in (
                [worth[state] for state in starts],
                [bots.round_bot(start).value, -bots.round_bot(start.twin).value],
            )
        )
        by_rounds, by_account = fixed + gained / 2.0, value + given / 2.0
        control = by_account - by_rounds
        both = by_rounds - np.cov(by_rounds, control)[0, 1] / control.var(ddof=1) * control
        print(
            f"{name}: plain {interval(won)}, by rounds {interval(by_rounds)}, as precise as "
            f"{len(won) * won.var() / by_rounds.var():.0f} matches; by the account {interval(by_account)}; "
            f"both {interval(both)}; account less rounds {interval(control)}; perfect {100 * fixed:.2f} %; "
            f"{rounds.mean():.2f} rounds, {many.frontiers} models answered",
            flush=True,
        )
        if trap is None:
            best = best_response_over_match(bots.tree, opponent, POINTS).scores
            print(f"  the best responder: {25.0 * (2.0 + best[start].maximum - best[start.twin].minimum):.2f} %")


if __name__ == "__main__":
    main()
