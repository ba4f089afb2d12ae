"""The simulated roulette wheel with its ball and its dealer, and the automatic wheel."""
