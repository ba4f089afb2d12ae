"""Statistics of the tables of a fleet: their events as Parquet files, and what is counted over them.

The one place that knows DuckDB: neither a table nor a relay needs it.
"""
