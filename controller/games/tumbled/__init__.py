"""The games of cage and chute: beat the dealer, chuck-a-luck, under/over."""
