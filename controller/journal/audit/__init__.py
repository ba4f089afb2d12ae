"""The parts of an auditor's verification, which trusts nothing that a journal's file states of itself."""
