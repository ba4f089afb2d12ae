"""The long randomised runs, in pieces that can be resumed: `python -m tests.soak --list`, and docs/proofs.md."""
