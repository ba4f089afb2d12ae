"""The service: tables, journal, feed and commands in one process, from its start to its end."""
