"""Whoever plays: agents in this process, programs, players over a network; their matches and tournaments."""
