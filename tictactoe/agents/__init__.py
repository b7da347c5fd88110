"""Players (agents in this process, programs, players on a network), their matches and tournaments."""
