"""A Merkle tree over the records of a journal, or the messages of a stream, and witnesses who sign that it only grows.

The formats are those of C2SP: signed-note, tlog-checkpoint, tlog-cosignature, tlog-witness, tlog-proof and tlog-policy.
"""
