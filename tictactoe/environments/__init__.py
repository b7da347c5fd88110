"""The game in the forms of other libraries. Importing tictactoe does not import it."""
