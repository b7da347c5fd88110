"""Games as descriptions for `build_game`, a file each. Installed as tictactoe.example_games: `game solve kuhn`."""
