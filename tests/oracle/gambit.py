"""The truth for Gambit's files: a plain reader, and values and best responses by recursion, in fractions."""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

Key = tuple[int, int]
"""A player, 0 or 1, and the number of an information set."""


@dataclass(eq=False)
class Node:
    kind: str
    """c, p or t."""
    key: Key = (-1, 0)
    name: str = ""
    labels: tuple[str, ...] = ()
    shares: tuple[Fraction, ...] = ()
    """The chance of each move, also of a player's, who moves uniformly at random."""
    payoff: Fraction = Fraction(0)
    children: list["Node"] = field(default_factory=list)


def read(text: str) -> Node:
    """The root. Everything that a reader may rely on is asserted."""
    assert re.fullmatch("[ -~\n]*", text), "Gambit takes printable ASCII alone"
    head, *lines = text.splitlines()
    assert re.fullmatch(r'EFG 2 R "[^"]*" \{ "[^"]*" "[^"]*" \}', head)
    rest = iter(line for line in lines if line)
    moves_of: dict[Key, Any] = {}

    def node() -> Node:
        line = next(rest)
        if line[0] == "t":
            found = re.fullmatch(r't "" \d+ "" \{ (-?[\d.]+), (-?[\d.]+) \}', line)
            assert found, line
            assert Fraction(found[1]) == -Fraction(found[2])
            return Node("t", payoff=Fraction(found[1]))
        found = re.fullmatch(r'(?:c ""|p "" ([12])) (\d+) ("[^"]*") \{ (.*) \} 0', line)
        assert found, line
        moves = re.findall(r'"([^"]*)"(?: ([\d./]+))?', found[4])
        labels = tuple(label for label, _ in moves)
        assert len(set(labels)) == len(labels) > 0
        if line[0] == "c":
            shares = tuple(Fraction(share) for _, share in moves)
            assert sum(shares) == 1
            assert min(shares) > 0
            result = Node("c", (-1, int(found[2])), found[3], labels, shares)
        else:
            uniform = (Fraction(1, len(labels)),) * len(labels)
            result = Node("p", (int(found[1]) - 1, int(found[2])), found[3], labels, uniform)
        assert moves_of.setdefault(result.key, (found[3], moves)) == (found[3], moves)
        result.children = [node() for _ in labels]
        return result

    root = node()
    assert not list(rest)
    names = [(key[0], name) for key, (name, _) in moves_of.items()]
    assert len(set(names)) == len(names)  # Gambit asks for that
    for player in (0, 1):
        numbers = sorted(number for owner, number in moves_of if owner == player)
        assert numbers == list(range(1, len(numbers) + 1))
    return root


def sets(root: Node) -> dict[Key, list[Node]]:
    """The nodes of every information set."""
    result, waiting = defaultdict(list), [root]
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if node.kind == "p":
            result[node.key].append(node)
    return result


def value(node: Node) -> Fraction:
    """What player 0 gets if both play uniformly at random."""
    if node.kind == "t":
        return node.payoff
    return sum((share * value(child) for share, child in zip(node.shares, node.children, strict=True)), Fraction(0))


def best_response_value(root: Node, player: int) -> Fraction:
    """What a player gets by a best response to uniform play."""
    members, reach = sets(root), {root: Fraction(1)}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        waiting += node.children
        for share, child in zip(node.shares, node.children, strict=True):
            reach[child] = reach[node] * (1 if node.kind == "p" and node.key[0] == player else share)

    @cache
    def choice(key: Key) -> int:
        nodes = members[key]
        totals = [sum(reach[node] * best(node.children[i]) for node in nodes) for i in range(len(nodes[0].children))]
        return totals.index(max(totals))

    @cache
    def best(node: Node) -> Fraction:
        if node.kind == "t":
            return node.payoff if player == 0 else -node.payoff
        if node.kind == "p" and node.key[0] == player:
            return best(node.children[choice(node.key)])
        return sum((share * best(child) for share, child in zip(node.shares, node.children, strict=True)), Fraction(0))

    return best(root)
