"""Proofs of the firmware's core by CBMC, a model checker for C: the harnesses in this folder, and what runs them."""
