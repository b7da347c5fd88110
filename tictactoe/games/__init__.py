"""Rules that become games: tic-tac-toe with secret goals, Kuhn poker, and games by name."""
