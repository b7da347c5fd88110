"""Games as descriptions for `build_game`, a file each. As tictactoe.example_games: `tictactoe game solve kuhn`."""
