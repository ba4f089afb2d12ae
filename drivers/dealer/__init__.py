"""The dealer's devices: buttons, the "no more bets" lamp and the number display."""
