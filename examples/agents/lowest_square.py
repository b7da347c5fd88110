"""A program that plays, without any library: it marks the lowest free square.

tournament "cmd:python examples/agents/lowest_square.py" uniform
"""

import json


def say(**message: object) -> None:
    """A message is a line of JSON on standard output, written at once."""
    print(json.dumps(message), flush=True)


def main() -> None:
    """Join, then answer every turn, until it is told to quit."""
    say(type="join", name="lowest", protocol=1)
    while True:
        heard = json.loads(input())
        if heard["type"] == "quit":
            return
        if heard["type"] == "turn":
            square = min(set(range(1, 10)) - set(heard["moves"]))
            say(type="move", square=square, turn=heard["turn"])


if __name__ == "__main__":
    main()
