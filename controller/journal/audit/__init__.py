"""The parts of an auditor's verification, which trusts nothing that a journal's file says of itself."""
