"""Train a small neural network against an opponent that ships, and judge it exactly: python examples/train_ppo.py

    pip install '.[rl]' sb3-contrib
    python examples/train_ppo.py --opponent learner-10 --steps 200000
    python examples/train_ppo.py --opponent learner-10 --steps 200000 --winning-score 5

The algorithm is MaskablePPO of sb3-contrib (Huang & Ontanon 2022). The game is one round on its own, in which a point
more than the opponent is worth 1, or a match, in which winning is worth 1 and losing -1; who moves first is drawn.
Prints a line at the beginning and after every part of the training for the network as it learns, which draws its moves,
and for its likeliest moves alone. Nothing is sampled for that: the network is asked at all positions, and its
probabilities are judged as a solution's are. docs/learning.md says what came out.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tictactoe import (
    SINGLE_ROUND,
    FloatArray,
    GameTree,
    Masks,
    Observations,
    Score,
    all_scores,
    best_response_over_match,
    best_response_value,
    both_seats,
    exploitability,
    head_to_head,
    opponent_to_meet,
    strategy_of_policy,
    tic_tac_toe_round,
)

NUM_ENVIRONMENTS = 16
"""Games that are played side by side for an update."""

ROUND = Score(0, 0)
"""Where the strategy of a single round stands."""

Policy = Callable[[Observations, Masks], FloatArray]
Strategies = dict[Score, FloatArray]


class Judged(NamedTuple):
    """In a round points more than the opponent, in a match its value, -1 to 1: by who moves first; and the
    exploitability (NashConv) of what was judged."""

    as_first: float
    as_second: float
    exploitability: float | None = None

    def __str__(self) -> str:
        lost = "" if self.exploitability is None else f"{self.exploitability:16.4f}"
        return f"{self.as_first:+9.4f} {self.as_second:+9.4f} {(self.as_first + self.as_second) / 2:+9.4f}{lost}"


def new_model(options: dict[str, Any], seed: int) -> Any:
    """A network with two layers of 128, which has learnt nothing yet."""
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.env_util import make_vec_env

    from tictactoe.environments.gymnasium_match import AgainstOpponent

    torch.set_num_threads(1)  # the network is too small for more
    environments = make_vec_env(AgainstOpponent, NUM_ENVIRONMENTS, seed=seed, env_kwargs=options)
    return MaskablePPO(
        "MlpPolicy",
        environments,
        learning_rate=1e-3,
        n_steps=128,
        batch_size=256,
        n_epochs=4,
        gamma=1.0,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [128, 128]},
        device="cpu",
        seed=seed,
    )


def policy_of(model: Any, *, greedy: bool) -> Policy:
    """The network's probabilities, or 1 for its likeliest move."""
    import torch

    def probabilities(shown: Observations, masks: Masks) -> FloatArray:
        with torch.no_grad():
            distribution = model.policy.get_distribution(torch.as_tensor(shown), action_masks=masks).distribution
        found: FloatArray = distribution.probs.double().numpy()
        return np.eye(masks.shape[1])[found.argmax(axis=1)] if greedy else found

    return probabilities


def strategies_of(tree: GameTree, policy: Policy, winning_score: int | None) -> Strategies:
    """What a policy plays in the round, or at every score of the match: float64 (num_nodes, 3)."""
    if winning_score is None:
        return {ROUND: strategy_of_policy(tree, policy)}
    return {score: strategy_of_policy(tree, policy, score, winning_score) for score in all_scores(winning_score)}


def judged(tree: GameTree, ours: Strategies, theirs: Strategies, winning_score: int | None) -> Judged:
    """What we get against the opponent."""
    if winning_score is None:
        game, our, their = tic_tac_toe_round(tree, SINGLE_ROUND), ours[ROUND], theirs[ROUND]
        first = exploitability(game, both_seats(tree, our, their)).value
        second = exploitability(game, both_seats(tree, their, our)).value
        return Judged(first, -second, exploitability(game, our).total)
    found = head_to_head(tree, ours, theirs, winning_score)
    lost = best_response_over_match(tree, ours, winning_score).scores[ROUND].exploitability
    return Judged(2.0 * found.wins_as_first - 1.0, 2.0 * found.wins_as_second - 1.0, lost)


def possible(tree: GameTree, theirs: Strategies, winning_score: int | None) -> Judged:
    """The most that anybody gets against the opponent."""
    if winning_score is None:
        game = tic_tac_toe_round(tree, SINGLE_ROUND)
        return Judged(*(best_response_value(game, player, theirs[ROUND]) for player in (0, 1)))
    found = best_response_over_match(tree, theirs, winning_score).scores[ROUND]
    return Judged(found.maximum, -found.minimum)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opponent", default="learner-10", help="whom to learn against  [default: learner-10]")
    parser.add_argument("--winning-score", type=int, help="of a match  [default: a single round]")
    parser.add_argument("--rules", default="three-in-a-row", help="[default: three-in-a-row]")
    parser.add_argument("--steps", type=int, default=200_000, help="moves of the learner  [default: 200000]")
    parser.add_argument("--parts", type=int, default=5, help="after how many parts to judge  [default: 5]")
    parser.add_argument("--seed", type=int, default=1, help="[default: 1]")
    arguments = parser.parse_args()
    to, tree = arguments.winning_score, GameTree.build(arguments.rules)
    bot_at = opponent_to_meet(arguments.opponent, arguments.rules, to)
    theirs = {score: bot_at(score).strategy for score in ([ROUND] if to is None else all_scores(to))}
    print("   steps  seconds  moves         first    second   average  exploitability")
    print(f"{'':18}best possible{possible(tree, theirs, to)}")
    options = {"opponent": arguments.opponent, "winning_score": to, "rules": arguments.rules, "merge_symmetric": True}
    model = new_model(options, arguments.seed)
    spent = 0.0
    for part in range(arguments.parts + 1):
        if part:
            start = time.perf_counter()
            model.learn(arguments.steps // arguments.parts, reset_num_timesteps=False)
            spent += time.perf_counter() - start
        for name, greedy in (("drawn", False), ("likeliest", True)):
            ours = strategies_of(tree, policy_of(model, greedy=greedy), to)
            print(f"{model.num_timesteps:8} {spent:8.0f}  {name:10}{judged(tree, ours, theirs, to)}", flush=True)


if __name__ == "__main__":
    main()
