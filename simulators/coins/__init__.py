"""Simulated coin and token equipment: devices on a ccTalk bus, byte for byte, and tokens in a chute."""
