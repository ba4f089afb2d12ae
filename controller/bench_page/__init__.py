"""The technician's screen in a browser: the lines of one table, what its drivers make of them, and why a round ended.

LiveTable ──batches──► LineDisplay ─┐
    │  └──observations──► notes ────┤
    └── drivers' views, round ──────┴─► BenchHost ──frames──► browsers
"""
