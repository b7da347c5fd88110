"""Learning by trial and error: Q-learning and average rewards."""
