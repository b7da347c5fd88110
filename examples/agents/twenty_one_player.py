"""A player at `tictactoe network host --game twenty-one`: python twenty_one_player.py HOST PORT NAME

docs/protocol.md has the messages. It hits below 17.
"""

import socket
import sys
from collections.abc import Iterator

host, port, name = sys.argv[1], int(sys.argv[2]), sys.argv[3]
connection = socket.create_connection((host, port))
RANKS = ["Ace", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King"]


def messages() -> Iterator[str]:
    begun = b""
    while part := connection.recv(4096):
        *whole, begun = (begun + part).split(b"\0")
        yield from (message.decode() for message in whole if message)


def points(cards: list[str]) -> int:
    values = [min(RANKS.index(card.split()[0]) + 1, 10) for card in cards]
    return sum(values) + (10 if 1 in values and sum(values) <= 11 else 0)


def say(message: str) -> None:
    connection.sendall(message.encode() + b"\0")


cards: list[str] = []
say("JOIN " + name)
for message in messages():
    word, _, rest = message.partition(" ")
    if word == "BEGIN":
        cards = []
    elif word == "CARD":
        cards.append(rest)
    elif word == "DECISION":
        say("HIT" if points(cards) < 17 else "STAND")
    elif word == "RESULT":
        print(rest, flush=True)
    elif word == "QUIT":
        break
