"""Wheels and dice with a known truth, written from the rules and the physics alone, to test the controller against.

Nothing here knows the controller, the drivers or the simulators, so that one mistake is not made twice.
"""
