# The firmware on a Pico (RP2040): build/rp2040/<kind>.elf and .uf2, and their manifest. Included by the Makefile.
# Debian: gcc-arm-none-eabi binutils-arm-none-eabi, without their recommended libraries.

ARM         ?= arm-none-eabi-
PICO_BUILD  := $(BUILD)/rp2040
PICO_PORT   := $(sort $(basename $(notdir $(wildcard ports/rp2040/*.c ports/rp2040/*.S))))
PICO_FLAGS  := -mcpu=cortex-m0plus -mthumb -std=gnu99 -O2 -g -ffreestanding $(WARN) $(PART_OF) -fshort-enums \
               -fno-tree-loop-distribute-patterns -ffile-prefix-map=$(CURDIR)=. -Icore -Ikinds -Iports/rp2040 -I$(BUILD)
PICO_OBJECTS := $(CORE:%=$(PICO_BUILD)/%.o) $(PICO_BUILD)/edge_store.o $(PICO_PORT:%=$(PICO_BUILD)/%.o)

.PHONY: pico pico-compiler
pico-compiler:
	@command -v $(ARM)gcc >/dev/null || { echo "the firmware of a Pico needs $(ARM)gcc:" \
	  "sudo apt install --no-install-recommends gcc-arm-none-eabi binutils-arm-none-eabi" >&2; exit 1; }

pico: $(KINDS:%=$(PICO_BUILD)/%.uf2) $(PICO_BUILD)/manifest.json

$(PICO_BUILD)/%.o: core/%.c $(HEADERS) $(wildcard ports/rp2040/*.h) pico.mk | pico-compiler
	@mkdir -p $(@D)
	@$(ARM)gcc $(PICO_FLAGS) -c $< -o $@

$(PICO_BUILD)/%.o: ports/rp2040/%.c $(HEADERS) $(wildcard ports/rp2040/*.h) pico.mk | pico-compiler
	@mkdir -p $(@D)
	@$(ARM)gcc $(PICO_FLAGS) -c $< -o $@

$(PICO_BUILD)/%.o: ports/rp2040/%.S pico.mk | pico-compiler
	@mkdir -p $(@D)
	@$(ARM)gcc $(PICO_FLAGS) -c $< -o $@

$(PICO_BUILD)/kind_%.o: kinds/%.c $(HEADERS) $(wildcard ports/rp2040/*.h) pico.mk | pico-compiler
	@mkdir -p $(@D)
	@$(ARM)gcc $(PICO_FLAGS) -c $< -o $@

$(KINDS:%=$(PICO_BUILD)/%.elf): $(PICO_BUILD)/%.elf: $$(addprefix $(PICO_BUILD)/kind_,$$(addsuffix .o,$$(call kind,$$*))) \
                                $(PICO_OBJECTS) ports/rp2040/rp2040.ld uf2.py build_id.py elf.py
	@$(ARM)gcc $(PICO_FLAGS) -nostdlib -nostartfiles -Wl,--gc-sections -Wl,--fatal-warnings -Wl,--build-id=none \
	  -T ports/rp2040/rp2040.ld $(filter %.o,$^) -lgcc -o $@
	@$(PYTHON) uf2.py checksum $@
	@$(PYTHON) build_id.py stamp $@

$(PICO_BUILD)/%.uf2: $(PICO_BUILD)/%.elf
	@$(PYTHON) uf2.py write $< $@

$(PICO_BUILD)/manifest.json: $(KINDS:%=$(PICO_BUILD)/%.uf2) manifest.py elf.py build_id.py
	@$(PYTHON) manifest.py --chip rp2040 --tools $(ARM) $(KINDS:%=$(PICO_BUILD)/%.elf) > $@

# --- what emulates it: Node with rp2040js in the version and with the hash of package-lock.json ---------------------------

PICO_RUNNER := ../simulators/board/rp2040
.PHONY: pico-emulator
pico-emulator: $(PICO_RUNNER)/node_modules/.package-lock.json

$(PICO_RUNNER)/node_modules/.package-lock.json: $(PICO_RUNNER)/package-lock.json
	@command -v npm >/dev/null || { echo "the emulated Pico needs Node and npm: sudo apt install nodejs npm" >&2; exit 1; }
	@cd $(PICO_RUNNER) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
	@touch $@
