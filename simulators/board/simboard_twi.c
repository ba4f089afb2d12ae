/* The two-wire unit as master, and a FRAM on its bus (FM24W256, MB85RC256V): libsimavr's unit has no clock, no bus that hangs
 * and no memory. A step of the unit takes its bits at the rate in TWBR; where the bus is held low it takes for ever.
 *
 * The FRAM has address 0x50, two address bytes of which as many count as it has, and keeps a byte when its eighth bit has
 * come. A power cut in the middle of a byte leaves the byte before. */

#include "simboard.h"

#include <string.h>

#include <simavr/sim_interrupts.h>

enum { TWBR = 0xB8, TWSR = 0xB9, TWDR = 0xBB, TWCR = 0xBC };
enum { TWINT = 0x80, TWEA = 0x40, TWSTA = 0x20, TWSTO = 0x10, TWEN = 0x04 };
enum { DATA_PIN = 12, CLOCK_PIN = 13 }; /* C4, C5 */
enum { BITS_A_BYTE = 9, BITS_A_START = 2, ADDRESS = 0x50 };
enum { NOBODY, ADDRESSED, HIGH_BYTE, WRITING, READING };

static uint64_t bit_cycles(const struct board *board)
{
    return 16U + 2U * board->avr->data[TWBR];
}

static bool there(const struct board *board)
{
    const struct twi *twi = &board->twi;
    return twi->fram_size && !twi->missing;
}

static avr_cycle_count_t on_step(avr_t *avr, avr_cycle_count_t when, void *param)
{
    (void)when;
    struct board *board = param;
    struct twi *twi = &board->twi;
    avr->data[TWSR] = (uint8_t)((avr->data[TWSR] & 3U) | twi->status);
    if (twi->stopping)
        avr->data[TWCR] &= (uint8_t)~TWSTO;
    else
        avr->data[TWCR] |= TWINT;
    if (twi->received)
        avr->data[TWDR] = twi->byte;
    twi->stopping = twi->received = false;
    return 0;
}

static bool disturbed(struct twi *twi)
{
    if (!twi->disturbed)
        return false;
    twi->disturbed--;
    return true;
}

static void take_byte(struct board *board, uint8_t byte)
{
    struct twi *twi = &board->twi;
    const bool broken = disturbed(twi);
    if (twi->phase == NOBODY) {
        const bool mine = there(board) && byte >> 1 == ADDRESS && !broken;
        const bool reads = byte & 1U;
        twi->status = mine ? (reads ? 0x40 : 0x18) : (reads ? 0x48 : 0x20);
        twi->phase = !mine ? NOBODY : reads ? READING : ADDRESSED;
        return;
    }
    if (broken || !there(board)) {
        twi->status = 0x30;
        twi->phase = NOBODY;
        return;
    }
    twi->status = 0x28;
    if (twi->phase == ADDRESSED) {
        twi->at = (uint32_t)byte << 8;
        twi->phase = HIGH_BYTE;
    } else if (twi->phase == HIGH_BYTE) {
        twi->at = (twi->at | byte) & (twi->fram_size - 1);
        twi->phase = WRITING;
    } else {
        twi->wanted = byte;
        twi->writes_now = true;
    }
}

/* The FRAM keeps the byte at the end of its bits. */
static avr_cycle_count_t on_kept(avr_t *avr, avr_cycle_count_t when, void *param)
{
    (void)avr, (void)when;
    struct board *board = param;
    struct twi *twi = &board->twi;
    if (!twi->writes_now)
        return 0;
    twi->fram[twi->at] = twi->wanted;
    twi->at = (twi->at + 1) & (twi->fram_size - 1);
    twi->writes++;
    twi->writes_now = false;
    return 0;
}

static void write_control(avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    struct board *board = param;
    struct twi *twi = &board->twi;
    avr->data[address] = (uint8_t)(value & ~TWINT);
    if (!(value & TWEN)) {
        avr_cycle_timer_cancel(avr, on_step, board);
        twi->phase = NOBODY;
        return;
    }
    if (!(value & TWINT))
        return;
    uint64_t bits = BITS_A_BYTE;
    twi->stopping = twi->received = false;
    if (value & TWSTO) {
        twi->phase = NOBODY;
        twi->started = false;
        twi->stopping = true;
        bits = 1;
    } else if (value & TWSTA) {
        twi->status = twi->started ? 0x10 : 0x08;
        twi->started = true;
        twi->phase = NOBODY;
        bits = BITS_A_START;
    } else if (twi->phase == READING) {
        twi->byte = twi->fram[twi->at];
        twi->at = (twi->at + 1) & (twi->fram_size - 1);
        twi->received = true;
        twi->status = value & TWEA ? 0x50 : 0x58;
        if (disturbed(twi))
            twi->status = 0x38;
    } else {
        take_byte(board, avr->data[TWDR]);
        if (twi->writes_now)
            call_at(board, avr->cycle + (BITS_A_BYTE - 1) * bit_cycles(board), on_kept);
    }
    if (twi->held)
        return; /* a line that is held low: the step never ends */
    call_at(board, avr->cycle + bits * bit_cycles(board), on_step);
}

/* The clock line, moved by hand: a chip that holds the data line lets go after some of its pulses. */
void twi_clocked(struct board *board)
{
    struct twi *twi = &board->twi;
    if (!twi->held)
        return;
    twi->held--;
    if (!twi->held)
        pin_driven(board, DATA_PIN, 1);
}

bool twi_is_clock(unsigned pin)
{
    return pin == CLOCK_PIN;
}

void twi_quiet(struct board *board)
{
    board->twi.phase = NOBODY;
    board->twi.started = board->twi.writes_now = board->twi.stopping = board->twi.received = false;
}

void twi_begin(struct board *board)
{
    wrap_writes(board, TWCR, write_control);
}

/* A FRAM of `size` bytes, a power of two, with this content; its bus is pulled up. */
FOR_PYTHON bool board_fram(struct board *board, const uint8_t *content, size_t size)
{
    struct twi *twi = &board->twi;
    if (size > sizeof twi->fram || (size & (size - 1)))
        return false;
    memcpy(twi->fram, content, size);
    twi->fram_size = (uint32_t)size;
    pin_driven(board, DATA_PIN, 1);
    pin_driven(board, CLOCK_PIN, 1);
    return true;
}

FOR_PYTHON void board_fram_content(const struct board *board, uint8_t *to)
{
    memcpy(to, board->twi.fram, board->twi.fram_size);
}

FOR_PYTHON uint32_t board_fram_writes(const struct board *board)
{
    return board->twi.writes;
}

/* The chip does not answer (`missing`); the next bytes are not acknowledged (`disturbed`); it holds the data line until this many
 * clocks (`held`). */
FOR_PYTHON void board_fram_faults(struct board *board, bool missing, uint32_t next, uint32_t held)
{
    board->twi.missing = missing;
    board->twi.disturbed = next;
    board->twi.held = held;
    pin_driven(board, DATA_PIN, held ? 0 : 1);
}
