"""Rules, rounds, faults, configuration, tables and the command line. Knows no pin."""
