"""Skill-stop video."""
