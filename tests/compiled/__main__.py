"""`python -m tests.compiled --ready`: whether the hot modules can be compiled here, or what is missing."""

from __future__ import annotations

import argparse
import sys

from systemd.package.compiled import missing_tools

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.compiled", description=__doc__)
    parser.add_argument("--ready", action="store_true", required=True)
    parser.parse_args()
    missing = missing_tools()
    sys.exit(None if missing is None else f"compiled modules: there is no {missing}")
