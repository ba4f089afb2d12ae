"""What a journal's file holds, and its verification, which trusts nothing that the file states of itself.

Records in chains, the seals over them, and the heads file beside a journal; read, verified, chosen and exported.
"""
