"""Tabular learning in plain Python: dictionaries, lists, and random numbers made of Python's integers."""

from collections import defaultdict
from collections.abc import Sequence

from tictactoe.algorithms.learning import LearningMethod

from .naive import Floats, NaiveGame

State = tuple[int, int]  # row of the table, type of the mover
MASK = 2**64 - 1


def mixed(bits: int) -> int:
    """SplitMix64's finaliser with Python's integers."""
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & MASK
    return bits ^ (bits >> 31)


def draw(key: int, number: int) -> float:
    """The draw of that number, a float in 0 to 1, of those that belong to the key."""
    return (mixed((key + (number + 1) * 0x9E3779B97F4A7C15) & MASK) >> 11) * 2.0**-53


class NaiveLearner:
    """As TabularLearner. key: of the draws, as that makes it of a seed. row: by node."""

    def __init__(
        self, game: NaiveGame, method: LearningMethod, key: int, row: Sequence[int], opponent: Floats | None
    ) -> None:
        self.game, self.method, self.key, self.row, self.opponent = game, method, key, row, opponent
        self.values: dict[State, float] = defaultdict(float)
        self.visits: dict[State, int] = defaultdict(int)
        self.rounds = self.nodes = 0

    def draw(self, number: int) -> float:
        return draw(self.key + self.rounds * 0xD1342543DE82EF95, number)

    def types(self) -> tuple[int, int]:
        pairs = [(first, second) for second in range(3) for first in range(3) if self.game.prior[first, second] > 0]
        left = self.draw(-1) * self.game.prior.T.sum()
        for first, second in pairs:
            if left < self.game.prior[first, second]:
                return first, second
            left -= self.game.prior[first, second]
        return pairs[-1]

    def learns(self, player: int) -> bool:
        return self.opponent is None or player == self.rounds % 2

    def best(self, node: int, kind: int) -> int:
        return max(self.game.tree.children(node), key=lambda child: self.values[self.row[child], kind])

    def chosen(self, node: int, kind: int, number: int) -> int:
        children = list(self.game.tree.children(node))
        chance = self.draw(2 * number)
        if self.opponent is not None and not self.learns(int(self.game.tree.owner[node])):
            possible = [child for child in children if self.opponent[child, kind] > 0.0]
            for child in possible:
                chance -= self.opponent[child, kind]
                if chance < 0.0:
                    return child
            return possible[-1]
        how = self.method
        falls = self.rounds < how.epsilon_episodes
        part = self.rounds / how.epsilon_episodes if falls else 0.0
        if chance < (how.epsilon + (how.epsilon_end - how.epsilon) * part if falls else how.epsilon_end):
            return children[int(self.draw(2 * number + 1) * len(children))]
        return self.best(node, kind)

    def play(self) -> None:
        tree = self.game.tree
        types = self.types()
        made: list[tuple[int, int]] = []  # where, and the node moved to
        node = 0
        while tree.owner[node] >= 0:
            child = self.chosen(node, types[tree.owner[node]], len(made))
            made.append((node, child))
            node = child
        reward = float(self.game.payoffs[tree.leaf_class[node], types[0], types[1]])
        for player, sign in ((0, 1.0), (1, -1.0)):
            own = [(node, self.row[child]) for node, child in made if tree.owner[node] == player]
            if not self.learns(player):
                continue
            for index, (_, row) in enumerate(own):
                target = sign * reward
                if self.method.method == "q-learning" and index + 1 < len(own):
                    later = own[index + 1][0]
                    target = self.values[self.row[self.best(later, types[player])], types[player]]
                state = row, types[player]
                self.visits[state] += 1
                offset = 5 if self.method.method == "q-learning" else 0
                rate = self.method.learning_rate or (offset + 1) / (offset + self.visits[state])
                self.values[state] += rate * (target - self.values[state])
        self.rounds += 1
        self.nodes += len(made)
