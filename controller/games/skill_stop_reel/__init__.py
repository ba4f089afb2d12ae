"""Skill-stop reel."""
