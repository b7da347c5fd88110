"""The bot that adapts: what it risks, what it is given, and that nobody does better against it than the value."""

import random
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from support.slowness import slow

from tictactoe import Goal, MatchBot, RoundBot, Score, Seat, best_response, kuhn_poker, load_solution
from tictactoe.algorithms.arrays import FloatArray
from tictactoe.algorithms.game import Game
from tictactoe.algorithms.public_tree import PublicTree
from tictactoe.algorithms.restricted_response import Facts, Frontier, Plan, behaviour
from tictactoe.algorithms.strategy import strategy_problem, uniform_strategy
from tictactoe.games.cursor import Cursor
from tictactoe.games.payoffs import tic_tac_toe_round
from tictactoe.games.tic_tac_toe_tree import GameTree, uniform_over_squares
from tictactoe.play.adaptive import AdaptiveBot, Learnt, Model, known_players, told
from tictactoe.play.bot import opponent_of
from tictactoe.play.match_history import TranscriptFile, earlier_rounds
from tictactoe.play.recorded_play import RecordedMatch, watched_rounds
from tictactoe.play.referee import Match
from tictactoe.play.transcript import Setup, match_lines, replay
from tictactoe.storage.shipped import shipped_solution
from tictactoe.storage.texts import json_text

LAST = Score(4, 4)


@pytest.fixture(scope="module")
def bots() -> MatchBot:
    return MatchBot(load_solution("shipped"))


def facts_at(bots: MatchBot, score: Score, seat: Seat) -> Facts:
    perfect = bots.round_bot(score)
    value = perfect.value if seat is Seat.FIRST else -perfect.value
    return Facts(tic_tac_toe_round(bots.tree, perfect.values), seat, perfect.strategy, value)


def reach_of(bots: MatchBot, name: str, score: Score, seat: Seat) -> FloatArray:
    return bots.tree.own_reach_of_player(seat, opponent_of(name, bots.round_bot(score)).strategy)


def paths(tree: PublicTree) -> list[tuple[int, ...]]:
    """The nodes on the way to every leaf."""
    way: list[tuple[int, ...]] = [(0,)]
    for node in range(1, tree.num_nodes):
        way.append((*way[tree.parent[node]], node))
    return [way[leaf] for leaf in np.flatnonzero(tree.leaf_class >= 0)]


def gifts(facts: Facts, plan: Plan) -> FloatArray:
    """float64 (num_nodes, k): the gifts of the moves on the way to every node, by the opponent's type; 0 where the plan
    does not lead. By levels, as `Facts.gift` does it along one way."""
    tree, values, odds = facts.tree, facts.answers(plan.reach), facts.odds(plan.reach)
    result = np.zeros_like(values)
    for nodes in tree.nodes_by_depth[1:]:
        above = tree.parent[nodes]
        theirs = (tree.owner[above] != facts.player)[:, None] & (odds[above] > 0.0)
        given = np.where(theirs, (values[above] - values[nodes]) / np.where(theirs, odds[above], 1.0), 0.0)
        result[nodes] = result[above] + given
    return result


def joint(facts: Facts, plan: Plan, theirs: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """By leaf, own type and opponent's type: how likely it is, what we get, and the gift. theirs: own reach."""
    leaves = np.flatnonzero(facts.tree.leaf_class >= 0)
    prior = facts.game.prior if facts.player == 0 else facts.game.prior.T
    chance = plan.reach[leaves][:, :, None] * prior * theirs[leaves][:, None, :]
    sign = 1.0 if facts.player == 0 else -1.0
    payoffs = facts.game.payoffs if facts.player == 0 else facts.game.payoffs.transpose(0, 2, 1)
    given = np.broadcast_to(gifts(facts, plan)[leaves][:, None, :], chance.shape)
    return chance, sign * payoffs[facts.tree.leaf_class[leaves]], given


@pytest.mark.parametrize("seat", Seat)
def test_what_we_get_is_value_less_risk_plus_gift(bots: MatchBot, seat: Seat) -> None:
    facts, other = facts_at(bots, LAST, seat), Seat(1 - seat)
    frontier = Frontier(facts, reach_of(bots, "learner-10", LAST, other))
    for budget, name in product((0.0, 0.02, 0.1, 2.0), ("learner-10", "uniform", "perfect")):
        plan, theirs = frontier.plan(budget), reach_of(bots, name, LAST, other)
        chance, paid, given = joint(facts, plan, theirs)
        assert plan.risk <= budget
        assert (chance * paid).sum() == pytest.approx(facts.value - plan.risk + (chance * given).sum(), abs=1e-12)
        assert given.min() > -1e-12
        if name == "learner-10":
            assert (chance * paid).sum() == pytest.approx(facts.value + plan.gain, abs=1e-12)


def test_the_risk_is_what_the_best_answer_takes(bots: MatchBot) -> None:
    facts = facts_at(bots, Score(3, 1), Seat.FIRST)
    plan = Frontier(facts, reach_of(bots, "learner-1", Score(3, 1), Seat.SECOND)).plan(0.3)
    mixed = behaviour(bots.tree, 0, plan.reach, facts.strategy)
    assert strategy_problem(bots.tree, mixed) is None
    answer = best_response(facts.game, 1, mixed)
    assert -answer.value == pytest.approx(facts.value - plan.risk, abs=1e-12)
    assert plan.risk > 0.1


def test_more_risk_gains_more(bots: MatchBot) -> None:
    """And an eighth of the way to the best answer's risk gains half of what that gains, at least."""
    for seat in Seat:
        facts = facts_at(bots, LAST, seat)
        frontier = Frontier(facts, reach_of(bots, "learner-1", LAST, Seat(1 - seat)))
        gains = [frontier.plan(budget).gain for budget in (0.0, 0.01, 0.05, 0.1, 0.2, 0.4, 2.0)]
        assert gains == sorted(gains)
        assert gains[3] - gains[0] > 0.5 * (gains[-1] - gains[0])


def test_the_gift_along_a_way(bots: MatchBot) -> None:
    facts = facts_at(bots, LAST, Seat.SECOND)
    plan = Frontier(facts, reach_of(bots, "uniform", LAST, Seat.FIRST)).plan(0.05)
    expected, generator = gifts(facts, plan), random.Random(1)
    for way in generator.sample(paths(bots.tree), 200):
        if facts.odds(plan.reach)[way[-1]].min() > 0.0:
            for goal in Goal:
                assert facts.gift(plan.reach, way, goal) == pytest.approx(expected[way[-1], goal], abs=1e-12)


def kuhn_facts() -> Facts:
    """Player 0 of Kuhn poker with its equilibrium that never bluffs: value -1/18."""
    from tictactoe import CFRSolver, update_rule

    game = kuhn_poker()
    solver = CFRSolver(game, update_rule("pdcfr+"))
    solver.run(3000)
    return Facts(game, 0, solver.average_strategy(), -1.0 / 18.0)


def pure_plans(game: Game, player: int) -> list[FloatArray]:
    """The own reach of every pure strategy of the player."""
    tree = game.tree
    nodes = [node for node in tree.decision_nodes.tolist() if tree.owner[node] == player]
    sets = [(node, own) for node in nodes for own in range(tree.num_types)]
    found = []
    for moves in product(*(list(tree.children(node)) for node, _ in sets)):
        strategy = uniform_strategy(tree)
        for (node, own), move in zip(sets, moves, strict=True):
            strategy[list(tree.children(node)), own] = 0.0
            strategy[move, own] = 1.0
        found.append(tree.own_reach_of_player(player, strategy))
    return found


@pytest.mark.parametrize("most", [2, *slow(3)])
def test_no_plan_over_several_rounds_of_a_small_game_gets_more_than_the_value(most: int) -> None:
    """All pure plans of an opponent who knows the bot's, chosen anew in each round by what has happened, exactly."""
    facts = kuhn_facts()
    plans = pure_plans(facts.game, 1)
    assert len(plans) == 64
    timid = uniform_strategy(facts.tree)
    frontier, worst = Frontier(facts, facts.tree.own_reach_of_player(1, timid)), dict[tuple[int, float], float]()
    risks = set[float]()

    def least(rounds: int, given: float) -> float:
        """What the opponent can hold the bot to in so many more rounds."""
        key = rounds, round(given, 9)
        if rounds and key not in worst:
            plan, found = frontier.plan(given), []
            risks.add(plan.risk)
            for theirs in plans:
                chance, paid, gift = joint(facts, plan, theirs)
                live = chance > 1e-12
                after = [least(rounds - 1, max(0.0, given - plan.risk) + each) for each in gift[live].tolist()]
                found.append(float((chance[live] * (paid[live] + after)).sum()))
            worst[key] = min(found)
        return worst.get(key, 0.0)

    for rounds in range(1, most + 1):
        assert least(rounds, 0.0) == pytest.approx(rounds * facts.value, abs=1e-6)
    assert max(risks) > 0.05


@pytest.mark.parametrize("first", Seat)
def test_gifts_that_are_a_trap_cost_nothing(bots: MatchBot, first: Seat) -> None:
    """At 4-4 an opponent plays like learner-1 until the bot risks something, and then what is worst for it. Exactly."""
    model = {seat: reach_of(bots, "learner-1", LAST, Seat(1 - seat)) for seat in Seat}
    facts = {seat: facts_at(bots, LAST, seat) for seat in Seat}
    frontiers = {seat: Frontier(facts[seat], model[seat]) for seat in Seat}

    def kept(budget_of: float | None) -> float:
        """What the bot has after two rounds. budget_of: of a bot without the rule; None for K."""
        here, after = facts[first], facts[Seat(1 - first)]
        plan = here.equilibrium if budget_of is None else frontiers[first].plan(budget_of)
        if plan.risk > 0.0:  # the trap closes at once
            return here.value - plan.risk
        chance, paid, given = joint(here, plan, model[first])
        total = float((chance * paid).sum())  # it has the value of the next round where nobody has won alone
        goes_on = np.abs(np.abs(paid) - 1.0) > 1e-9
        for gift in np.unique(np.round(given[goes_on & (chance > 1e-15)], 12)).tolist():
            here_too = goes_on & (np.abs(given - gift) < 1e-11)
            total -= float(chance[here_too].sum()) * frontiers[Seat(1 - first)].plan(gift).risk
        assert after.value == pytest.approx(-here.value)
        return total

    assert kept(None) >= facts[first].value - 1e-12
    assert kept(0.2) < facts[first].value - 0.1


def test_every_plan_lets_the_match_end(bots: MatchBot) -> None:
    """Nobody keeps the score for ever: against a plan the chance to leave it is at least a hundredth of a third."""
    keeps = Facts(tic_tac_toe_round(bots.tree, type(bots.round_bot(LAST).values)(1.0, 0.0, 0.0, 1.0)), 1,
                  bots.round_bot(LAST).strategy, 0.0)  # fmt: skip
    facts = facts_at(bots, LAST, Seat.SECOND)
    for plan in (facts.equilibrium, Frontier(facts, reach_of(bots, "learner-1", LAST, Seat.FIRST)).plan(2.0)):
        assert keeps.answers(plan.reach)[0].sum() <= 1.0 - (1.0 if plan is facts.equilibrium else 0.01) / 3.0 + 1e-9


def play(bot: AdaptiveBot, bots: MatchBot, name: str, rounds: int, seed: int = 1) -> None:
    generator = random.Random(seed)
    for number in range(rounds):
        seat, cursor = Seat(number % 2), Cursor(bots.tree)
        players: dict[int, RoundBot] = {seat: bot.begin_round(Score(0, 0), seat)}
        players[1 - seat] = opponent_of(name, bots.round_bot(Score(0, 0)))
        goals = [Goal(generator.randrange(3)) for _ in range(2)]
        while cursor.forced_outcome is None:
            mover = len(cursor.moves) % 2
            cursor.play(players[mover].choose(cursor, goals[mover], generator))
        bot.end_round(cursor.nodes, goals[1 - seat])


@pytest.mark.parametrize(("name", "title"), [("learner-1", "First try"), *slow(("uniform", "Random"))])
def test_it_finds_out_whom_it_meets(bots: MatchBot, name: str, title: str) -> None:
    bot = AdaptiveBot(bots)
    play(bot, bots, name, 12)
    assert bot.model.names[bot.model.weights.argmax()] == name
    assert bot.account.given > 0.0
    assert bot.account.gained > 0.0
    assert f"like {title}" in told(bot, "the bot")


def test_it_learns_what_nobody_known_does(bots: MatchBot) -> None:
    """Somebody who always marks the side 2, 4, 6 or 8 first, whatever the goal."""
    model, learnt = Model(bots.tree, known_players(bots.tree)), Learnt(bots.tree)
    assert learnt.strategy() == pytest.approx(uniform_over_squares(bots.tree))
    for _ in range(10):
        model.observe(bots.round_bot(Score(0, 0)), Cursor(bots.tree, (2, 5, 4, 9, 6)).nodes, Seat.FIRST, Goal.WIN)
    strategy = model.learnt.strategy()
    assert strategy_problem(bots.tree, strategy) is None
    side = bots.tree.find((2,))
    assert strategy[side].round(3).tolist() == pytest.approx([(10 + 2 * 4 / 9) / 12, 4 / 9, 4 / 9], abs=1e-3)
    assert model.weights[-1] > 0.9


def test_advice_gives_nothing_and_the_risk_is_charged(bots: MatchBot) -> None:
    bot = AdaptiveBot(bots)
    play(bot, bots, "uniform", 2)
    before, weights = bot.account, bot.model.weights
    bot.begin_round(LAST, Seat.FIRST)
    assert bot.plan.risk > 0.0
    assert bot.end_round(Cursor(bots.tree, (1, 2, 4, 7, 3, 5, 6, 9)).nodes, Goal.WIN, counts=False) == 0.0
    assert bot.account.given == before.given - bot.plan.risk
    assert bot.model.weights.tolist() == weights.tolist()


def test_a_match_goes_on_with_what_it_knew(bots: MatchBot) -> None:
    setup = Setup(names=("You", "Bot"), seed=1, winning_score=5, solved_winning_score=5, opponent="adaptive")
    directory = shipped_solution("shipped")
    match = Match(bots.tree, 5, setup.names, 0, 1)
    record = RecordedMatch(setup, TranscriptFile(None), directory, bots, match)
    generator = random.Random(1)
    for number in range(4):
        played, draws = record.next_round()
        opponent = record.opponent(played)
        played.hints = int(number == 2)
        while (mover := played.mover) is not None:
            free = played.cursor.board.free_squares
            played.play(opponent.choose(played.cursor, played.goals[1], draws) if mover else generator.choice(free))
        record.count(played)
        record.current = None
    again = replay([json_text(line) for line in record.lines()], GameTree.build())
    assert again.match is not None
    resumed = RecordedMatch(setup, TranscriptFile(None), directory, bots, again.match)
    assert record.adaptive is not None
    assert resumed.adaptive is not None
    assert resumed.adaptive.account == record.adaptive.account
    assert resumed.adaptive.account.given > 0.01
    assert resumed.adaptive.model.weights == pytest.approx(record.adaptive.model.weights, abs=1e-12)
    first, second = (each.opponent(each.next_round()[0]).strategy for each in (record, resumed))
    assert first.tolist() == second.tolist()
    assert not np.array_equal(first, bots.round_bot(again.match.score).strategy)


def test_what_turns_to_the_model_costs_nothing(bots: MatchBot) -> None:
    """By every way and for every type the opponent gets no more; against the model the bot gets more."""
    score = Score(2, 1)
    for seat, name in product(Seat, ("learner-10", "uniform")):
        facts, model = facts_at(bots, score, seat), reach_of(bots, name, score, Seat(1 - seat))
        equal = facts.equilibrium.reach
        for reach in (equal, Frontier(facts, model).plan(0.1).reach):
            better = facts.improved(reach, model)
            assert strategy_problem(bots.tree, behaviour(bots.tree, seat, better, facts.strategy)) is None
            assert (facts.answers(better)[0] <= facts.answers(reach)[0] + 1e-14).all()
            assert facts.gain(better, model) >= facts.gain(reach, model)
        assert facts.gain(facts.improved(equal, model), model) > facts.gain(equal, model) + 1e-4


def test_it_goes_on_from_the_history(bots: MatchBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From matches to fewer points, too, in the order of play; and a match that is resumed has learnt from the same."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert earlier_rounds(bots.tree, 5) == ()
    for seed, points in ((1, 1), (2, 2)):
        setup = Setup(names=("You", "Bot"), seed=seed, winning_score=points, solved_winning_score=5, opponent="uniform")
        ours = MatchBot(load_solution("shipped"), points)
        record = RecordedMatch(setup, TranscriptFile(None), shipped_solution("shipped"), ours,
                               Match(bots.tree, points, setup.names, 0, seed))  # fmt: skip
        list(watched_rounds(record))
        record.file = TranscriptFile.of_a_new_match()
        record.save()
        record.settle(stopped=False)
        earlier = [str(one.position(1, score=ours.solved_score(one.score))) for one in record.rounds]
    earlier_of_all = earlier_rounds(bots.tree, 5)
    assert list(earlier_of_all[-len(earlier) :]) == earlier
    assert len(earlier_of_all) > len(earlier)
    assert earlier_of_all[0].startswith("4-4")
    setup = Setup(names=("You", "Bot"), seed=1, winning_score=5, solved_winning_score=5, opponent="adaptive",
                  earlier_rounds=earlier_of_all)  # fmt: skip
    lines = [json_text(line) for line in match_lines(setup, Match(bots.tree, 5, setup.names, 0, 1))]
    again = replay(lines, GameTree.build())
    assert again.setup == setup
    assert again.match is not None
    record = RecordedMatch(again.setup, TranscriptFile(None), shipped_solution("shipped"), bots, again.match)
    assert record.adaptive is not None
    assert record.adaptive.model.weights[0] > 0.3  # player 0 was the perfect one
    for damaged in ("0-0 w? 51", "0-0 ww 1425369", "5-0 w? 1425369", "x"):
        with pytest.raises(ValueError, match="line 1"):
            replay([lines[0].replace(earlier_of_all[0], damaged)], GameTree.build())
