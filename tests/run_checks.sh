#!/bin/sh
# All checks; every one runs, and the last lines say what failed and what could not be run. What reads the source, and
# tests that wait (for processes, sockets and pages), run beside the tests that compute, each with a log of its own.
#
#     sh tests/run_checks.sh          all of them (make test), and before them: make tools
#     sh tests/run_checks.sh quick    those that a change is tried with while it is written (make check)
# Some hundred processes are started, and each would compile every module that it imports.
unset PYTHONDONTWRITEBYTECODE

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
not_run=""
# Leaves a mark until the check has passed, in a shell of its own, since a check may consist of others.
check() (
    mark=$logs/begun-$(echo "$1" | tr ' ' -)
    echo "== $1"
    shift
    touch "$mark"
    if "$@"; then rm "$mark"; fi
)

# Prints what failed, or was ended before it passed, and succeeds where something did.
any_failed() {
    failed=$(cd "$logs" && echo begun-*)
    [ "$failed" != "begun-*" ] && echo "failed: $(echo "$failed" | sed 's/begun-//g')"
}

# In CI nobody reads later what mypy keeps for its next run, and nothing measures the compiled copy that the tests make.
kept=""
if [ "${CI:-}" = true ]; then
    kept="--cache-dir=/dev/null"
    export FELTWIRE_COMPILED_LEVEL=0
fi

check_source() {
    check ruff "$BIN/ruff" check .
    check format "$BIN/ruff" format --check .
    # shellcheck disable=SC2086
    check mypy "$BIN/mypy" $kept
    check imports "$BIN/lint-imports" --no-cache
    check wire "$BIN/python" firmware/wire/generate.py --check
    check costs "$BIN/python" -m tests.costs
}

if [ "${1:-}" = quick ]; then
    check "reading the source" check_source >"$logs/source" 2>&1 &
    check tests "$BIN/python" -m pytest -n auto --dist worksteal -m "not soak and not long" tests/unit tests/lint tests/contract
    wait
    cat "$logs/source"
    any_failed && exit 1
    echo "all quick checks passed; the others: make test"
    exit 0
fi

# What needs nothing of .venv, and is done while pip fills that. What is there then is marked.
prepare() {
    echo "== Debian packages"
    if sh tests/debian_packages.sh; then
        touch "$logs/has-packages"
        echo "== emulator of the Pico"
        if make -s -C firmware pico-emulator; then touch "$logs/has-pico"; fi
        echo "== model checker"
        if sh firmware/debian.sh cbmc >"$logs/cbmc" 2>&1; then touch "$logs/has-cbmc"; else cat "$logs/cbmc"; fi
    fi
    if sh tests/asyncapi/check.sh --ready; then
        touch "$logs/has-asyncapi"
        check asyncapi sh tests/asyncapi/check.sh
    fi
    if [ -e "$logs/has-packages" ]; then
        check firmware make -s -j2 -C firmware
        check firmware-lint make -s -C firmware lint
    fi
}
prepare >"$logs/prepared" 2>&1 &
preparing=$!
if ! make -s tools; then
    wait
    cat "$logs/prepared"
    exit 1
fi

check "reading the source" check_source >"$logs/source" 2>&1 &
# A new checkout has no bytecode, and each process of tests would compile every module; this one does it before them, and
# makes no test.
"$BIN/python" -m pytest --collect-only -qq -o python_functions=none -o python_classes=None >"$logs/collected" 2>&1 &
collecting=$!
wait $preparing
cat "$logs/prepared"

waiting="tests/e2e tests/window"
computing="--ignore tests/browser --ignore tests/e2e --ignore tests/vm --ignore tests/window"
if [ ! -e "$logs/has-packages" ]; then
    computing="$computing --ignore tests/firmware"
    not_run="firmware (build, lint, tests/firmware)"
else
    if [ ! -e "$logs/has-cbmc" ]; then
        computing="$computing --ignore tests/firmware/test_proofs.py"
        not_run="proofs of the firmware's core (tests/firmware/test_proofs.py)"
    fi
    if [ ! -e "$logs/has-pico" ]; then
        computing="$computing --ignore tests/firmware/test_pico.py --ignore tests/firmware/test_pico_usb.py"
        not_run="${not_run:+$not_run, }the firmware on an emulated Pico (tests/firmware/test_pico.py, test_pico_usb.py)"
    fi
fi
if [ -x "${CHROMIUM:-/usr/bin/chromium}" ]; then
    waiting="tests/browser $waiting"
else
    not_run="${not_run:+$not_run, }pages in a browser (tests/browser)"
fi
if [ ! -e "$logs/has-asyncapi" ]; then
    not_run="${not_run:+$not_run, }the AsyncAPI document through the official parser (tests/asyncapi)"
fi

echo "== virtual machine"
if "$BIN/python" -m tests.vm --ready; then
    waiting="tests/vm $waiting"
else
    not_run="${not_run:+$not_run, }a real kernel in a virtual machine (tests/vm; docs/vm.md)"
fi

echo "== compiler of the hot modules"
if ! "$BIN/python" -m tests.compiled --ready; then
    computing="$computing --ignore tests/compiled"
    not_run="${not_run:+$not_run, }hot modules compiled (tests/compiled)"
fi

# Errors of the collection are reported by the tests, too.
wait $collecting || true
# A shell has its background commands ignore Ctrl-C, and the programs that are tested would inherit that; all of this may
# be such a command, too.
# shellcheck disable=SC2086
check "tests that wait" env --default-signal=INT "$BIN/python" -m pytest -n 3 --dist worksteal $waiting >"$logs/waiting" 2>&1 &
# Each worker takes tests that are beside each other, so that what a module's tests share is made once. There is one more
# than cores: some of these tests wait, too, for a disk or a process.
# shellcheck disable=SC2086
check "tests that compute" env --default-signal=INT "$BIN/python" -m pytest -n $(($(nproc) + 1)) --dist worksteal $computing
wait
cat "$logs/source" "$logs/waiting"

if [ -n "$not_run" ]; then
    echo "not run: $not_run; what is missing is named above"
    [ "${CI:-}" = true ] && touch "$logs/begun-not-run"
fi
any_failed && exit 1
if [ -n "$not_run" ]; then
    echo "all checks that could be run passed"
else
    echo "all checks passed"
fi
