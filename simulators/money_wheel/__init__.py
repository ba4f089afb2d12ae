"""The simulated money wheel and its dealer."""
