"""What the dealer and the supervisor press and see: buttons, the lamp of the call, the number display."""
