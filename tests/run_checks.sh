#!/bin/sh
# All checks; every one runs, and the last lines say what failed and what could not be run. Tests that wait (for
# processes, sockets and pages) run beside those that compute.
#
#     sh tests/run_checks.sh          all of them (make test)
#     sh tests/run_checks.sh quick    those that a change is tried with while it is written (make check)
failed=""
not_run=""
check() {
    name=$1
    shift
    echo "== $name"
    "$@" || failed="$failed $(echo "$name" | tr ' ' -)"
}

check_source() {
    check ruff "$BIN/ruff" check .
    check format "$BIN/ruff" format --check .
    check mypy "$BIN/mypy"
    check imports "$BIN/lint-imports" --no-cache
    check wire "$BIN/python" firmware/wire/generate.py --check
    check costs "$BIN/python" -m tests.costs
}

if [ "${1:-}" = quick ]; then
    check_source
    check tests "$BIN/python" -m pytest -n auto -m "not soak and not long" tests/unit tests/lint tests/contract
    [ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
    echo "all quick checks passed; the others: make test"
    exit 0
fi

echo "== Debian packages"
if sh tests/debian_packages.sh; then
    firmware=yes
else
    firmware=no
    not_run="firmware (build, lint, tests/firmware)"
fi
waiting="tests/e2e tests/window"
if [ -x "${CHROMIUM:-/usr/bin/chromium}" ]; then
    waiting="tests/browser $waiting"
else
    not_run="${not_run:+$not_run, }pages in a browser (tests/browser)"
fi

asyncapi=yes
if ! sh tests/asyncapi/check.sh --ready; then
    asyncapi=no
    not_run="${not_run:+$not_run, }the AsyncAPI document through the official parser (tests/asyncapi)"
fi

echo "== virtual machine"
if "$BIN/python" -m tests.vm --ready; then
    waiting="tests/vm $waiting"
else
    not_run="${not_run:+$not_run, }a real kernel in a virtual machine (tests/vm; docs/vm.md)"
fi

check_source
[ "$asyncapi" = yes ] && check asyncapi sh tests/asyncapi/check.sh
computing="--ignore tests/browser --ignore tests/e2e --ignore tests/vm --ignore tests/window"
if [ "$firmware" = yes ]; then
    check firmware make -s -C firmware
    check firmware-lint make -s -C firmware lint
else
    computing="$computing --ignore tests/firmware"
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# A shell has its background commands ignore Ctrl-C, and the programs that are tested would inherit that.
# shellcheck disable=SC2086
env --default-signal=INT "$BIN/python" -m pytest -n 3 $waiting >"$log" 2>&1 &
waits=$!
# shellcheck disable=SC2086
check "tests that compute" "$BIN/python" -m pytest -n auto $computing
wait "$waits" || failed="$failed tests-that-wait"
echo "== tests that wait"
cat "$log"

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
