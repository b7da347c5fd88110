"""What a person sees and types: play, explore and review in a terminal."""
