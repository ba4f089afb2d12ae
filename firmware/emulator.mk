# The emulated board: a shared library on libsimavr (Debian: libsimavr-dev libelf-dev), and a small program for it.
#
#   make -C firmware emulator                      from the Makefile, which includes this
#   make -C firmware -f emulator.mk emulator       without it

BUILD        ?= build
EMULATOR     := ../simulators/board
EMULATOR_ELF := ../tests/firmware/elf
EMULATOR_C   := $(sort $(wildcard $(EMULATOR)/*.c))
# A library of other sources is made again, whatever its time says; the key is in it.
EMULATOR_KEY := $(shell cat $(EMULATOR_C) $(EMULATOR)/simboard.h 2>/dev/null | sha256sum | cut -c1-16)
EMULATOR_OLD := $(shell grep -qas $(EMULATOR_KEY) $(BUILD)/libsimboard.so || echo other_sources)
EMULATOR_CC  ?= cc
EMULATOR_CFLAGS := -std=gnu11 -O2 -fPIC -fvisibility=hidden -Wall -Wextra -Werror -Wconversion -Wshadow \
                   -Wstrict-prototypes -DSOURCES='"$(EMULATOR_KEY)"'
PROBE_CFLAGS := -mmcu=atmega328p -DF_CPU=16000000UL -std=gnu99 -Os -Wall -Wextra -Werror -Wconversion

.PHONY: all emulator other_sources
emulator: $(BUILD)/libsimboard.so $(BUILD)/probe.elf
all: emulator

$(BUILD)/libsimboard.so: $(EMULATOR_C) $(EMULATOR)/simboard.h $(EMULATOR_OLD)
	@mkdir -p $(BUILD)
	@test -e /usr/include/simavr/sim_avr.h && test -e /usr/include/libelf.h || \
	  { echo "the emulated board needs libsimavr: sudo apt install libsimavr-dev libelf-dev" >&2; exit 1; }
	@$(EMULATOR_CC) $(EMULATOR_CFLAGS) -shared -o $@.$$$$ $(EMULATOR_C) -lsimavr -lelf -lm && mv $@.$$$$ $@

$(BUILD)/probe.elf: $(EMULATOR_ELF)/probe.c
	@mkdir -p $(BUILD)
	@avr-gcc $(PROBE_CFLAGS) -o $@.$$$$ $< && mv $@.$$$$ $@
