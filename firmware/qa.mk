# How the firmware is checked: what can be read out of the code, a fuzzer, and the sanitizers. Included by the Makefile.
#
#   make -C firmware lint                  warnings of gcc and clang, cppcheck, clang-tidy: core, kinds, ports, emulator, fuzzer
#   make -C firmware fuzz SECONDS=600      each kind of board for this long; what it finds is in build/fuzz/found
#   make -C firmware sanitized             the libraries of the tests, with AddressSanitizer and UBSan, in build/sanitized

CHECKED     := $(SOURCES) $(wildcard ports/host/*.c)
CLANG_FLAGS := $(filter-out -Wvla,$(HOST_FLAGS))

# --- lint -------------------------------------------------------------------------------------------------------------

CPPCHECK_FLAGS := --quiet --enable=warning,style,performance,portability --inline-suppr --error-exitcode=1 \
                  --suppressions-list=lint/cppcheck.txt
TIDY_FLAGS := --quiet --config-file=.clang-tidy

# clang knows the chip, its address space of flash and its ints of 16 bits. It does not take one word of avr-libc, the assembly
# of wdt.h, so that header is left out; and gcc's word for interrupts.
AVR_INCLUDE   ?= /usr/lib/avr/include
AVR_OWN       := $(wildcard ports/avr/*.c) ports/no_fram.c
AVR_CHECKED   := $(SOURCES) $(AVR_OWN)
AVR_CLANG      = --target=avr $(filter-out -Wvla -Wcast-align -Os -g $(PART_OF),$(AVR_FLAGS)) -isystem $(AVR_INCLUDE) \
                 -isystem $(shell $(CLANG) -print-resource-dir)/include \
                 -Wno-unknown-attributes -Wno-unused-variable \
                 -D_AVR_WDT_H_ -DWDTO_250MS=4 '-Dwdt_enable(timeout)=' '-Dwdt_disable()=' '-Dwdt_reset()='

PICO_OWN      := $(wildcard ports/rp2040/*.c)
PICO_2_OWN    := $(filter-out %/usb.c,$(PICO_OWN))
PICO_CLANG    := --target=thumbv6m-none-eabi $(filter-out -mcpu=% -mthumb -Wvla -Wcast-align -O2 -g -ffile-prefix-map=% \
                 -fno-tree-loop-distribute-patterns $(PART_OF),$(PICO_FLAGS))
PICO_2_CLANG  := --target=thumbv8m.main-none-eabi -DRP2350 $(filter-out --target=%,$(PICO_CLANG))

.PHONY: lint lint-host lint-avr lint-pico lint-emulator lint-fuzz
lint: lint-host lint-avr lint-pico lint-emulator lint-fuzz

# How far the analyzer follows the paths of one function; its own default is 225,000, which takes eight times as long. The soak
# has that (tests/firmware/test_static_analysis.py).
ANALYZER_NODES ?= 20000
TIDY_NODES     := $(foreach word,-Xclang -analyzer-config -Xclang max-nodes=$(ANALYZER_NODES),--extra-arg=$(word))

# What clang-tidy counts (warnings of others' headers) it says on stderr, and only what it could not do is worth reading.
tidy = $(TIDY) $(TIDY_FLAGS) $(TIDY_NODES) $(1) -- $(2) 2>$(BUILD)/$@.log || { cat $(BUILD)/$@.log >&2; exit 1; }

lint-host: $(BUILD)/build.h
	@$(CC) $(HOST_FLAGS) -fsyntax-only $(CHECKED)
	@$(CLANG) $(CLANG_FLAGS) -fsyntax-only $(CHECKED)
	@$(CPPCHECK) $(CPPCHECK_FLAGS) --std=c99 --platform=unix64 -Icore -Ikinds -Iports/host -I$(BUILD) $(CHECKED)
	@$(call tidy,$(CHECKED),$(CLANG_FLAGS))

# The analyzer follows the paths of the core and the kinds once, in lint-host: it is most of clang-tidy's time. A path that only
# an int of 16 bits opens is not followed. All other checks see these sources as the chip does, too.
lint-avr: $(BUILD)/build.h
	@$(CLANG) $(AVR_CLANG) -fsyntax-only $(AVR_CHECKED)
	@$(CPPCHECK) $(CPPCHECK_FLAGS) --std=c99 --platform=avr8 --include=lint/avr.h -DF_CPU=16000000UL \
	  -Icore -Ikinds -Iports/avr -I$(BUILD) $(AVR_CHECKED)
	@$(call tidy,$(AVR_OWN),$(AVR_CLANG))
	@$(call tidy,'--checks=-clang-analyzer-*' $(SOURCES),$(AVR_CLANG))

# A register is a number made a pointer: here, unlike elsewhere, that is meant.
lint-pico: $(BUILD)/build.h
	@$(CLANG) $(PICO_CLANG) -fsyntax-only $(PICO_OWN)
	@$(CLANG) $(PICO_2_CLANG) -fsyntax-only $(PICO_2_OWN)
	@$(CPPCHECK) $(CPPCHECK_FLAGS) --std=c99 --platform=unix32 -Icore -Ikinds -Iports/rp2040 -I$(BUILD) $(PICO_OWN)
	@$(call tidy,'--checks=-performance-no-int-to-ptr' $(PICO_OWN),$(PICO_CLANG))

lint-emulator: | $(BUILD)/build.h
	@$(EMULATOR_CC) $(EMULATOR_CFLAGS) -fsyntax-only $(EMULATOR_C)
	@$(CLANG) $(EMULATOR_CFLAGS) -fsyntax-only $(EMULATOR_C)
	@$(CPPCHECK) $(CPPCHECK_FLAGS) --std=c11 --platform=unix64 $(EMULATOR_C)
	@$(call tidy,$(EMULATOR_C),$(EMULATOR_CFLAGS))

lint-fuzz: $(BUILD)/build.h
	@$(CLANG) $(CLANG_FLAGS) -fsyntax-only $(FUZZ_C)
	@$(CPPCHECK) $(CPPCHECK_FLAGS) --std=c99 --platform=unix64 -Icore -Ikinds -Iports/host -Ifuzz -I$(BUILD) '-D__asm__(name)=' \
	  $(FUZZ_C)
	@$(call tidy,$(FUZZ_C),$(CLANG_FLAGS))

# --- the fuzzer -------------------------------------------------------------------------------------------------------
#
# A board's variables are put into sections of their own (fuzz/power.h), so that a script can begin with a board that has just
# been powered on. What the core, the kind and the port call of each other goes through fuzz/hooks.c.

SECONDS ?= 600
FUZZ_PYTHON ?= $(firstword $(wildcard ../.venv/bin/python) $(PYTHON)) # the scripts are written with hal/board, which needs msgspec
FUZZ_C       := $(wildcard fuzz/*.c)
FUZZ_DIR     := $(BUILD)/fuzz
FUZZ_HOOKED  := port_watchdog_pat port_rx port_tx port_snapshot_take port_listen port_output port_pin_write \
                outputs_set outputs_all_safe kind_command kind_set edges_watch edge_store_clear edge_store_add \
                edge_store_lose edge_store_again store_set_serial store_note
SANITIZED    := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FUZZ_FLAGS   := $(filter-out -O2 -fPIC -fvisibility=hidden $(PART_OF),$(CLANG_FLAGS)) -O1 -Ifuzz $(SANITIZED)
FUZZ_BOARD   := $(FUZZ_FLAGS) -DMACHINE_QUEUE_SIZE=4096U -include fuzz/power.h
# Only what is the board's own is to be explored, by its branches: the fuzzer need not guess a CRC, nor the hours of a clock.
FUZZ_EXPLORE := -fsanitize-coverage=inline-8bit-counters,pc-table
FUZZ_OBJECTS := $(CORE:%=$(FUZZ_DIR)/o/%.o) $(FUZZ_DIR)/o/edge_store.o $(FUZZ_DIR)/o/machine.o

$(FUZZ_DIR)/o/%.o: core/%.c $(HEADERS) ports/host/port_inline.h fuzz/power.h qa.mk
	@mkdir -p $(@D)
	@$(CLANG) $(FUZZ_BOARD) $(FUZZ_EXPLORE) -c $< -o $@

$(FUZZ_DIR)/o/machine.o: ports/host/machine.c $(HEADERS) $(wildcard ports/host/*.h) fuzz/power.h qa.mk
	@mkdir -p $(@D)
	@$(CLANG) $(FUZZ_BOARD) -c $< -o $@

$(FUZZ_DIR)/o/kind_%.o: kinds/%.c $(HEADERS) ports/host/port_inline.h fuzz/power.h qa.mk
	@mkdir -p $(@D)
	@$(CLANG) $(FUZZ_BOARD) $(FUZZ_EXPLORE) -c $< -o $@

$(FUZZ_DIR)/o/by_%.o: fuzz/%.c $(wildcard fuzz/*.h) $(HEADERS) $(wildcard ports/host/*.h) qa.mk
	@mkdir -p $(@D)
	@$(CLANG) $(FUZZ_FLAGS) -c $< -o $@

FUZZ_KNOWING := $(patsubst fuzz/%.c,$(FUZZ_DIR)/o/by_%.o,$(FUZZ_C))

$(KINDS:%=$(FUZZ_DIR)/%): $(FUZZ_DIR)/%: $$(addprefix $(FUZZ_DIR)/o/kind_,$$(addsuffix .o,$$(call kind,$$*))) \
                          $(FUZZ_OBJECTS) $(FUZZ_KNOWING)
	@$(CLANG) $(SANITIZED) -fsanitize=fuzzer $(FUZZ_HOOKED:%=-Wl,--wrap=%) $(filter %.o,$^) -o $@

.PHONY: fuzz fuzzers
fuzzers: $(KINDS:%=$(FUZZ_DIR)/%)

# What each session of the fuzzer learnt is where the next begins; what it finds is kept, and named.
fuzz: fuzzers
	@for kind in $(KINDS); do \
	  mkdir -p $(FUZZ_DIR)/corpus/$$kind $(FUZZ_DIR)/found && \
	  PYTHONPATH=.. $(FUZZ_PYTHON) fuzz/seeds.py $$kind $(FUZZ_DIR)/seeds/$$kind && \
	  echo "fuzz $$kind: $(SECONDS) s" && \
	  $(FUZZ_DIR)/$$kind -max_total_time=$(SECONDS) -max_len=2048 -timeout=60 -rss_limit_mb=1024 -print_final_stats=1 \
	    -artifact_prefix=$(FUZZ_DIR)/found/$$kind- $(FUZZ_DIR)/corpus/$$kind $(FUZZ_DIR)/seeds/$$kind \
	    2>$(FUZZ_DIR)/$$kind.log || { tail -40 $(FUZZ_DIR)/$$kind.log; exit 1; }; \
	  tail -6 $(FUZZ_DIR)/$$kind.log; \
	done

# --- the sanitizers ---------------------------------------------------------------------------------------------------
#
# The libraries and programs of `make host` once more, in build/sanitized: a wrong address or anything undefined ends them.
# The compiler optimises as it does for the fuzzer, which takes it half of the time.

.PHONY: sanitized
sanitized: $(KINDS:%=$(BUILD)/sanitized/libcore_%.so) $(KINDS:%=$(BUILD)/sanitized/host/%)

sanitize = @$(MAKE) -s BUILD=$(BUILD)/sanitized CC='$(CC) $(SANITIZED)' WARN='-w -O1' $@

$(BUILD)/sanitized/libcore_%.so: FORCE
	$(sanitize)

$(BUILD)/sanitized/host/%: FORCE
	$(sanitize)
