"""Machines with a known truth, written from the rules and the physics alone: what the controller is judged by.

Nothing here knows the controller, the drivers or the simulators, so that one mistake is not made twice.
"""
