"""The program of a machine's screen: a process beside the table, on the other end of the link `screen`."""
