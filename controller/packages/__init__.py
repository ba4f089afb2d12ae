"""Packages of others beside this one: what they offer by their metadata, and what their files are."""
