"""What stands in for hardware and kernels in tests. Never imported by shipped code."""
