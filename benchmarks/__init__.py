"""How fast Feltwire is, next to a peer or a bare limit measured in the same run: `python -m benchmarks`."""
