# The firmware on a Pico (RP2040), on one whose own USB is its line (rp2040_usb), and on a Pico 2 (RP2350):
# build/<chip>/<kind>.elf and .uf2, and their manifest. Included by the Makefile. Debian: gcc-arm-none-eabi binutils-arm-none-eabi, without their recommended libraries.

ARM         ?= arm-none-eabi-
PICO_BUILD  := $(BUILD)/rp2040
PICO_2_BUILD := $(BUILD)/rp2350
PICO_SOURCES := $(wildcard ports/rp2040/*.c ports/rp2040/*.S)
PICO_HEADERS := $(wildcard ports/rp2040/*.h)
PICO_COMMON := -mthumb -std=gnu99 -O2 -g -ffreestanding $(WARN) $(PART_OF) -fshort-enums \
               -fno-tree-loop-distribute-patterns -ffile-prefix-map=$(CURDIR)=. -Icore -Ikinds -Iports/rp2040 -I$(BUILD)
PICO_FLAGS  := -mcpu=cortex-m0plus $(PICO_COMMON)
PICO_USB_BUILD := $(BUILD)/rp2040_usb
PICO_USB_FLAGS := $(PICO_FLAGS) -DPORT_USB
PICO_2_FLAGS := -mcpu=cortex-m33 -mfloat-abi=soft -DRP2350 $(PICO_COMMON)

.PHONY: pico pico-usb pico2 pico-compiler
pico-compiler:
	@command -v $(ARM)gcc >/dev/null || { echo "the firmware of a Pico needs $(ARM)gcc:" \
	  "sudo apt install --no-install-recommends gcc-arm-none-eabi binutils-arm-none-eabi" >&2; exit 1; }

pico: $(KINDS:%=$(PICO_BUILD)/%.uf2) $(PICO_BUILD)/manifest.json
pico-usb: $(KINDS:%=$(PICO_USB_BUILD)/%.uf2) $(PICO_USB_BUILD)/manifest.json
pico2: $(KINDS:%=$(PICO_2_BUILD)/%.uf2) $(PICO_2_BUILD)/manifest.json

# $(1): the chip. $(2): its folder. $(3): its flags. $(4): the size of its second-stage boot loader. $(5): files of the port that it has not.
# $(6): the folder of core and kinds, which know of no line.
define pico_chip
$(2)/%.o: core/%.c $$(HEADERS) $$(PICO_HEADERS) pico.mk | pico-compiler
	@mkdir -p $$(@D)
	@$$(ARM)gcc $(3) -c $$< -o $$@

$(2)/%.o: ports/rp2040/%.c $$(HEADERS) $$(PICO_HEADERS) pico.mk | pico-compiler
	@mkdir -p $$(@D)
	@$$(ARM)gcc $(3) -c $$< -o $$@

$(2)/%.o: ports/rp2040/%.S pico.mk | pico-compiler
	@mkdir -p $$(@D)
	@$$(ARM)gcc $(3) -c $$< -o $$@

$(2)/kind_%.o: kinds/%.c $$(HEADERS) $$(PICO_HEADERS) pico.mk | pico-compiler
	@mkdir -p $$(@D)
	@$$(ARM)gcc $(3) -c $$< -o $$@

$$(KINDS:%=$(2)/%.elf): $(2)/%.elf: $$$$(addprefix $(6)/kind_,$$$$(addsuffix .o,$$$$(call kind,$$$$*))) \
                        $$(CORE:%=$(6)/%.o) $(6)/edge_store.o \
                        $$(patsubst %,$(2)/%.o,$$(basename $$(notdir $$(filter-out $(5:%=ports/rp2040/%),$$(PICO_SOURCES))))) \
                        ports/rp2040/pico.ld uf2.py build_id.py elf.py
	@$$(ARM)gcc $(3) -nostdlib -nostartfiles -Wl,--gc-sections -Wl,--fatal-warnings -Wl,--build-id=none \
	  -Wl,--defsym=boot2_size=$(4) -T ports/rp2040/pico.ld $$(filter %.o,$$^) -lgcc -o $$@
	@$$(PYTHON) uf2.py finish $(1) $$@
	@$$(PYTHON) build_id.py stamp $$@

$$(KINDS:%=$(2)/%.uf2): $(2)/%.uf2: $(2)/%.elf
	@$$(PYTHON) uf2.py write $(1) $$< $$@

$(2)/manifest.json: $$(KINDS:%=$(2)/%.uf2) manifest.py elf.py build_id.py
	@$$(PYTHON) manifest.py --chip $(1) --tools $$(ARM) $$(KINDS:%=$(2)/%.elf) > $$@
endef
$(eval $(call pico_chip,rp2040,$(PICO_BUILD),$$(PICO_FLAGS),0x100,image_def.c usb.c,$(PICO_BUILD)))
$(eval $(call pico_chip,rp2040_usb,$(PICO_USB_BUILD),$$(PICO_USB_FLAGS),0x100,image_def.c uart.c,$(PICO_BUILD)))
$(eval $(call pico_chip,rp2350,$(PICO_2_BUILD),$$(PICO_2_FLAGS),0,boot2.S usb.c,$(PICO_2_BUILD)))

# --- what emulates it: Node with rp2040js in the version and with the hash of package-lock.json ---------------------------

PICO_RUNNER := ../simulators/board/rp2040
.PHONY: pico-emulator
pico-emulator: $(PICO_RUNNER)/node_modules/.package-lock.json

$(PICO_RUNNER)/node_modules/.package-lock.json: $(PICO_RUNNER)/package-lock.json
	@command -v npm >/dev/null || { echo "the emulated Pico needs Node and npm: sudo apt install nodejs npm" >&2; exit 1; }
	@cd $(PICO_RUNNER) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
	@touch $@
