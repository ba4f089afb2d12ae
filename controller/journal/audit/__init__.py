"""What an auditor's verification is made of: it trusts nothing that a journal's file says of itself."""
