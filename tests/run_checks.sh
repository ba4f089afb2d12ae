#!/bin/sh
# All checks, one after the other; every one runs, and the last line says what failed.
failed=""
check() {
    name=$1
    shift
    echo "== $name"
    "$@" || failed="$failed $name"
}

check ruff "$BIN/ruff" check .
check format "$BIN/ruff" format --check .
check mypy "$BIN/mypy"
check imports "$BIN/lint-imports" --no-cache
check clocks "$BIN/python" tests/lint/clock_lint.py
check tests "$BIN/python" -m pytest -m "not soak" -n auto

if [ -n "$failed" ]; then
    echo "failed:$failed"
    exit 1
fi
echo "all checks passed"
