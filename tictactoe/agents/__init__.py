"""Players: agents in this process, programs and players over a network; their matches and tournaments."""
