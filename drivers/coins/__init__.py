"""Coin and token equipment: ccTalk acceptor and hopper on one bus, pulse acceptors, and the optos of a token chute."""
