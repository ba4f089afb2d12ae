# Feltwire. `make help` lists what there is; every target sets up what it needs, without root.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
CHECKS := $(VENV)/.checks-installed
FLEET  := $(VENV)/.fleet-installed
# What no process imports is never compiled: half of the time of an installation would be that.
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

.PHONY: help setup tools run fleet check test vm-test systems pythons soak mutants proofs bench bench-compare bench-small deb release install firmware firmware-release firmware-repeat lock clean

help:
	@echo "make run     simulated tables and their scoreboard: it prints the page's address (Ctrl-C ends it); OPEN=1 opens it"
	@echo "make fleet   a hall: a hub, three venues, twelve simulated tables and their board (apt install nats-server)"
	@echo "make check   the quick checks, in under two minutes: ruff, mypy, import contracts, quick unit tests"
	@echo "make test    all checks: ruff, mypy, import contracts, clock lint, tests"
	@echo "make vm-test  the installed package on a real kernel in a virtual machine (VM=\"NAME...\" runs a share)"
	@echo "make systems  the quick start, packages and container in clean roots of Debian 12 and 13, amd64 and arm64"
	@echo "              and the carrier boards' projects in KiCad 9 (as root; SYSTEMS=\"NAME...\" runs a share)"
	@echo "make pythons  of Python 3.12 and 3.14, which no package is for: locked wheels, syntax and types"
	@echo "make deb     the packages for Debian 12 and 13, amd64 and arm64, with all that a table's computer needs"
	@echo "make release KEY=NAME  the packages of this commit's tag, signed, in an apt repository (docs/release.md)"
	@echo "sudo make install  builds the package for this computer and installs it (COMPILED=1: hot modules compiled)"
	@echo "make firmware  the boards' firmware, and the board that is emulated (apt installs the AVR toolchain)"
	@echo "make firmware-release KEY=FILE  the images that come with this software: built, and signed with the release key"
	@echo "make firmware-repeat N=200  the tests of emulated boards, that often, while every core is busy"
	@echo "make soak    the long randomised runs (many hours, in pieces: after an interruption it resumes);"
	@echo "             SOAK=\"--only NAME --count N --jobs N\" runs a share, SOAK=--help explains"
	@echo "make mutants  how many small changes of the verdict modules the tests notice (hours; after an interruption it resumes)"
	@echo "make proofs  docs/proofs.md: what the long runs recorded so far have shown; then the firmware's core is proven by"
	@echo "             CBMC, each proof with its time (PROOFS=\"NAME...\" a share, PROOFS=--mistakes that they can fail)"
	@echo "make bench   the figures, each next to its peer or limit; it fails where a goal is missed; of compiled modules"
	@echo "             where a C compiler is (BENCH=--plain: of plain Python)"
	@echo "             (BENCH=--json keeps the run in benchmarks/history.jsonl, BENCH=history shows what is kept)"
	@echo "make bench-compare A=COMMIT B=COMMIT  two commits in turns: is B better? (FIGURE=\"money wheel\", BLOCKS=10)"
	@echo "make bench-small  a table at a tenth of one core, and how many fit a small Pi (as root, or where systemd runs)"
	@echo "make setup   only installs the command into $(BIN)/feltwire"
	@echo "make tools   only installs it, and what the checks need: pytest, ruff, mypy"
	@echo "make lock    renews the locked dependencies"

setup: $(STAMP)
	@echo "Feltwire is installed: $(BIN)/feltwire --help; make run shows three simulated tables"

tools: $(CHECKS)

# What is installed, by the name of its lock. That of the checks has all that the other has.
define install
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
  { echo "Feltwire needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.12"; exit 1; }
@$(PYTHON) -c 'import sys; sys.exit(sys.maxsize < 2**32)' || \
  { echo "Feltwire needs a 64-bit system, and $(PYTHON) is of a 32-bit one; on a Pi: Raspberry Pi OS (64-bit)"; exit 1; }
@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
  { rm -rf $(VENV); echo "python3 cannot make a virtual environment; install it with: sudo apt install python3-venv"; exit 1; }
@echo "installing $(2) into $(VENV) ..."
@$(PIP) --require-hashes -r requirements/$(1).lock
@$(PIP) --no-build-isolation --no-deps -e .
@touch $(STAMP)
endef

$(STAMP): requirements/run.lock pyproject.toml
	$(call install,run,Feltwire)

$(CHECKS): requirements/dev.lock requirements/run.lock pyproject.toml
	$(call install,dev,Feltwire and what the checks need)
	@touch $@

# The scoreboard is a process of its own beside the tables, as it is at a venue.
run: $(STAMP)
	@base=$$($(BIN)/python -c 'from feed.endpoints import default_base; print(default_base())'); \
	$(BIN)/feltwire scoreboard "$$base" --simulated $(if $(OPEN),--open) & \
	board=$$!; trap 'kill $$board 2>/dev/null' INT TERM EXIT; \
	$(BIN)/feltwire run examples/roulette.toml examples/money_wheel.toml examples/sic_bo.toml --speed 10 \
	  --fault same_direction@2 --fault short_spin@4

$(FLEET): $(STAMP) requirements/fleet.lock
	@$(PIP) --require-hashes -r requirements/fleet.lock
	@touch $@

fleet: $(FLEET)
	@$(BIN)/python examples/fleet.py

check: $(CHECKS)
	@BIN=$(BIN) sh tests/run_checks.sh quick

# It has the tools made itself, beside what needs none of them.
test:
	@BIN=$(BIN) sh tests/run_checks.sh

VM ?=

vm-test: $(CHECKS)
	@sh tests/debian_packages.sh vm
	@$(BIN)/python -m tests.vm $(VM)

SYSTEMS ?=

systems: $(CHECKS)
	@sh tests/debian_packages.sh systems
	@$(BIN)/python -m tests.systems $(SYSTEMS)

pythons: $(CHECKS)
	@$(BIN)/python -m tests.pythons

# As options: DEB="--system trixie --arch arm64"
deb: $(STAMP)
	@$(BIN)/python -m systemd.package $(DEB)

release: $(STAMP)
	@$(BIN)/python -m systemd.package.release "$(KEY)"

# What cannot be installed here is refused before anything is set up.
install:
	@sh systemd/package/install.sh ready
	@sh systemd/package/install.sh

# As options: SOAK="--only corrupted-roulette --count 10000 --jobs 1"
soak: $(CHECKS) firmware
	@$(BIN)/python -m tests.soak --list
	@$(BIN)/python -m tests.soak $(SOAK)

mutants: $(CHECKS)
	@$(BIN)/python -m tests.mutants

PROOFS ?=

proofs: $(CHECKS)
	@$(BIN)/python -m tests.soak --proofs
	@sh tests/debian_packages.sh
	@$(BIN)/python -m firmware.proofs $(PROOFS)

# As options: BENCH="--json", BENCH="history", BENCH="history 'money wheel'"
bench: $(CHECKS) firmware
	@$(BIN)/python -m benchmarks $(BENCH)

FIGURE ?=
BLOCKS ?= 6

bench-compare: $(CHECKS)
	@$(BIN)/python -m benchmarks compare "$(A)" "$(B)" $(if $(FIGURE),--figure "$(FIGURE)") --blocks $(BLOCKS)

SHARE ?= 0.1

bench-small: $(CHECKS)
	@$(BIN)/python -m benchmarks small --share $(SHARE) $(if $(MIPS),--mips $(MIPS)) $(if $(WRITE),--write)

firmware:
	@sh tests/debian_packages.sh
	@$(MAKE) -s -C firmware

firmware-release: $(STAMP)
	@PYTHON=$(BIN)/python sh firmware/release.sh "$(KEY)"

N ?= 200

firmware-repeat: $(CHECKS) firmware
	$(BIN)/python -m tests.repeat_loaded $(N)

lock: $(STAMP)
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	  requirements/build.in pyproject.toml -o requirements/run.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	  --extra dev requirements/build.in pyproject.toml -o requirements/dev.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	  --extra pi requirements/build.in pyproject.toml -o requirements/pi.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	  --extra pi --extra fleet --extra mqtt -c requirements/pi.lock pyproject.toml -o requirements/package.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	  --extra fleet --extra statistics -c requirements/run.lock pyproject.toml -o requirements/statistics.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	  --extra fleet -c requirements/run.lock pyproject.toml -o requirements/fleet.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	  --extra mqtt -c requirements/run.lock pyproject.toml -o requirements/mqtt.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	  --extra screen -c requirements/run.lock pyproject.toml -o requirements/screen.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	  --extra venue -c requirements/run.lock pyproject.toml -o requirements/venue.lock

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
