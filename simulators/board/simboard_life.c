/* The life of an emulated board: made, reset, hung, cut off. See simboard.h. */

#include "simboard.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <simavr/sim_core.h>
#include <simavr/sim_elf.h>

enum {
    HZ = 16000000,
    MILLIVOLT = 5000,
    FIRST_RAM = 0x100,
    UNTOUCHED = 0xA5,  /* what the RAM holds at power-on: not zero, as on the chip */
    JUMP_TO_ITSELF = 0xCFFF,
};

static _Thread_local char heard[120];

static void hear(struct avr_t *avr, const int level, const char *format, va_list values)
{
    (void)avr;
    if (level != LOG_ERROR || heard[0])
        return;
    (void)vsnprintf(heard, sizeof heard, format, values);
    bool colour = false;
    char *kept = heard;
    for (const char *each = heard; *each; each++) {
        colour = colour || *each == '\033';
        if (!colour && (unsigned char)*each >= ' ')
            *kept++ = *each;
        colour = colour && *each != 'm';
    }
    *kept = 0;
}

const char *last_complaint(void)
{
    return heard;
}

void forget_complaint(void)
{
    heard[0] = 0;
}

FOR_PYTHON uint64_t board_cycle(const struct board *board)
{
    return board->avr->cycle;
}

FOR_PYTHON const char *board_problem(const struct board *board)
{
    return board->problem;
}

/* The reset line is pulled low for a moment. */
FOR_PYTHON void board_reset(struct board *board)
{
    hold(board, EXTERNAL);
}

/* The supply goes, and `seed` draws what a byte of the EEPROM becomes that is being written; or it comes back. */
FOR_PYTHON void board_power_off(struct board *board, uint64_t seed)
{
    eeprom_tear(board, seed);
    board->watchdog.bitten = false; /* should it have bitten just before */
    hold(board, POWER_ON);
    chain_off(board);
    board->held_until = UINT64_MAX;
}

FOR_PYTHON void board_power_on(struct board *board)
{
    memset(board->avr->data + FIRST_RAM, UNTOUCHED, (size_t)board->avr->ramend + 1 - FIRST_RAM);
    board->held_until = board->avr->cycle + board->start_up;
}

/* Another time base for what is planned: what lies n cycles ahead will lie n * ratio - `less` ahead. */
FOR_PYTHON void board_retime(struct board *board, double ratio, uint64_t less)
{
    uart_retime(board, ratio, less);
    pins_retime(board, ratio, less);
}

FOR_PYTHON uint32_t board_resets(const struct board *board)
{
    return board->resets;
}

FOR_PYTHON uint8_t board_last_cause(const struct board *board)
{
    return board->last_cause;
}

/* From now on the core does nothing, with interrupts off or as they are: what a hung program is to all around it. */
FOR_PYTHON void board_hang(struct board *board, bool interrupts)
{
    avr_t *avr = board->avr;
    const uint32_t at = board->boot - 2; /* the last word of the program's flash, which jumps to itself */
    avr->flash[at] = JUMP_TO_ITSELF & 0xFF;
    avr->flash[at + 1] = JUMP_TO_ITSELF >> 8;
    if (!interrupts)
        avr_sreg_set(avr, S_I, 0);
    avr->state = cpu_Running;
    avr->pc = at;
}

/* Puts a bootloader into the flash, with the fuse that begins there after each reset; call it before the first cycle. */
FOR_PYTHON bool board_load_boot(struct board *board, const uint8_t *image, size_t size, uint32_t address)
{
    avr_t *avr = board->avr;
    if (address < 2 || address > avr->flashend || size > avr->flashend + 1 - address)
        return false;
    memcpy(avr->flash + address, image, size);
    board->boot = address;
    avr->reset_pc = address;
    avr->pc = address;
    return true;
}

/* A general register; what these hold at power-on is random on a chip, and a reset leaves them as they are. */
FOR_PYTHON void board_set_register(struct board *board, unsigned number, uint8_t value)
{
    board->avr->data[number] = value;
}

/* Bytes of RAM between the variables and the stack that nothing was ever written to. */
FOR_PYTHON int board_stack_left(const struct board *board)
{
    int left = 0;
    for (unsigned at = board->heap_start; at <= board->avr->ramend && board->avr->data[at] == UNTOUCHED; at++)
        left++;
    return left;
}

static void note_heap_start(struct board *board, const elf_firmware_t *firmware)
{
    board->heap_start = (uint16_t)(FIRST_RAM + firmware->datasize + firmware->bsssize);
    for (uint32_t i = 0; i < firmware->symbolcount; i++) {
        if (strcmp(firmware->symbol[i]->symbol, "_end") == 0)
            board->heap_start = (uint16_t)firmware->symbol[i]->addr; /* without the 0x800000 of data */
    }
}

static void forget(elf_firmware_t *firmware)
{
    for (uint32_t i = 0; i < firmware->symbolcount; i++)
        free(firmware->symbol[i]);
    free((void *)firmware->symbol);
    free(firmware->flash);
    free(firmware->eeprom);
    free(firmware->fuse);
    free(firmware->lockbits);
}

FOR_PYTHON void board_free(struct board *board)
{
    if (board->avr) {
        avr_terminate(board->avr);
        free(board->avr);
    }
    free(board->uart.sent);
    free(board->uart.line);
    free(board->pins.plan);
    free(board->pins.changes);
    free(board);
}

/* A board with the program of an ELF file, in its first cycle; NULL where there is no memory, and a board with a
 * problem where the file is none. `eeprom` has 1024 bytes, or is NULL: erased, or as the file has it. */
FOR_PYTHON struct board *board_new(const char *elf, const uint8_t *eeprom, uint64_t start_up)
{
    struct board *board = calloc(1, sizeof *board);
    if (!board)
        return NULL;
    avr_global_logger_set(hear);
    forget_complaint();
    elf_firmware_t firmware;
    if (elf_read_firmware(elf, &firmware) || !firmware.flash || !firmware.flashsize) {
        (void)snprintf(board->problem, sizeof board->problem, "it is not a program for an AVR. %s", heard);
        return board;
    }
    board->avr = avr_make_mcu_by_name("atmega328p");
    if (!board->avr || avr_init(board->avr)) {
        (void)snprintf(board->problem, sizeof board->problem, "libsimavr has no ATmega328P");
        forget(&firmware);
        return board;
    }
    avr_t *avr = board->avr;
    avr->frequency = HZ;
    avr->vcc = avr->avcc = avr->aref = MILLIVOLT;
    avr_load_firmware(avr, &firmware);
    note_heap_start(board, &firmware);
    forget(&firmware);
    memset(avr->data + FIRST_RAM, UNTOUCHED, (size_t)avr->ramend + 1 - FIRST_RAM);
    board->start_up = start_up;
    board->boot = avr->flashend + 1;
    if (!watchdog_begin(board) || !uart_begin(board) || !eeprom_begin(board) || !pins_begin(board)) {
        (void)snprintf(board->problem, sizeof board->problem, "libsimavr lacks a part of the ATmega328P");
        return board;
    }
    flags_begin(board);
    twi_begin(board);
    if (eeprom)
        memcpy(board->eeprom.sim->eeprom, eeprom, board->eeprom.sim->size);
    hold(board, POWER_ON);
    board->resets = 0;
    return board;
}
