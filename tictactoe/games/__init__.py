"""Rules that become games: tic-tac-toe with secret goals, and Kuhn poker."""
