#!/bin/sh
# All checks, one after the other; every one runs, and the last lines say what failed and what could not be run.
failed=""
not_run=""
check() {
    name=$1
    shift
    echo "== $name"
    "$@" || failed="$failed $name"
}

echo "== Debian packages"
if sh tests/debian_packages.sh; then
    firmware=yes
else
    firmware=no
    not_run="firmware (build, lint, tests/firmware)"
fi
browser=yes
if [ ! -x "${CHROMIUM:-/usr/bin/chromium}" ]; then
    browser=no
    not_run="${not_run:+$not_run, }pages in a browser (tests/browser)"
fi

asyncapi=yes
if ! sh tests/asyncapi/check.sh --ready; then
    asyncapi=no
    not_run="${not_run:+$not_run, }the AsyncAPI document through the official parser (tests/asyncapi)"
fi

ignored=""
echo "== virtual machine"
if ! "$BIN/python" -m tests.vm --ready; then
    not_run="${not_run:+$not_run, }a real kernel in a virtual machine (tests/vm; docs/vm.md)"
    ignored="$ignored --ignore tests/vm"
fi

check ruff "$BIN/ruff" check .
check format "$BIN/ruff" format --check .
check mypy "$BIN/mypy"
check imports "$BIN/lint-imports" --no-cache
check clocks "$BIN/python" tests/lint/clock_lint.py
check wire "$BIN/python" firmware/wire/generate.py --check
[ "$asyncapi" = yes ] && check asyncapi sh tests/asyncapi/check.sh
if [ "$firmware" = yes ]; then
    check firmware make -s -C firmware
    check firmware-lint make -s -C firmware lint
else
    ignored="$ignored --ignore tests/firmware"
fi
[ "$browser" = no ] && ignored="$ignored --ignore tests/browser"
# shellcheck disable=SC2086
check tests "$BIN/python" -m pytest -n auto $ignored

if [ -n "$not_run" ]; then
    echo "not run: $not_run; what is missing is named above"
    [ "${CI:-}" = true ] && failed="$failed not-run"
fi
if [ -n "$failed" ]; then
    echo "failed:$failed"
    exit 1
fi
if [ -n "$not_run" ]; then
    echo "all checks that could be run passed"
else
    echo "all checks passed"
fi
