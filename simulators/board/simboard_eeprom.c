/* The EEPROM as the data sheet has it: a byte takes 3.4 ms to write (1.8 ms to erase or to write alone), EEPE stays set
 * this long, a reset does not stop it, and a power cut leaves the byte torn. In libsimavr 1.6 a write takes no time.
 */

#include "simboard.h"

#include <string.h>

#include <simavr/sim_interrupts.h>

enum { EEPM = 0x30, EERIE = 0x08, EEMPE = 0x04, EEPE = 0x02, EERE = 0x01 }; /* EECR */
enum { BOTH = 0, ERASE = 1, WRITE = 2 };                                    /* EEPM */
enum { BOTH_CYCLES = 54400, ONE_CYCLES = 28800 };                           /* 3.4 ms and 1.8 ms at 16 MHz */
enum { WINDOW = 4, READ_HALT = 4, WRITE_HALT = 2 };                         /* cycles */

static uint16_t address_of(const struct board *board)
{
    const avr_eeprom_t *sim = board->eeprom.sim;
    const uint8_t *data = board->avr->data;
    return (uint16_t)((data[sim->r_eearl] | data[sim->r_eearh] << 8) & (sim->size - 1));
}

static uint8_t result(const struct eeprom *eeprom)
{
    if (eeprom->mode == ERASE)
        return 0xFF;
    return eeprom->mode == WRITE ? eeprom->before & eeprom->wanted : eeprom->wanted;
}

/* The interrupt is asked for as long as it is on and nothing is being written. */
static void ask(struct board *board)
{
    avr_int_vector_t *ready = &board->eeprom.sim->ready;
    if (!board->held && !board->eeprom.busy && (board->avr->data[board->eeprom.sim->r_eecr] & EERIE))
        avr_raise_interrupt(board->avr, ready);
    else if (ready->pending)
        avr_clear_interrupt(board->avr, ready);
}

static void on_return(struct avr_irq_t *irq, uint32_t running, void *board)
{
    (void)irq;
    if (!running)
        ask(board);
}

static avr_cycle_count_t on_done(avr_t *avr, avr_cycle_count_t when, void *param)
{
    (void)when;
    struct board *board = param;
    struct eeprom *eeprom = &board->eeprom;
    eeprom->sim->eeprom[eeprom->address] = result(eeprom);
    eeprom->busy = false;
    avr->data[eeprom->sim->r_eecr] &= (uint8_t)~EEPE;
    ask(board);
    return 0;
}

static void begin_write(struct board *board, uint8_t mode)
{
    struct eeprom *eeprom = &board->eeprom;
    avr_t *avr = board->avr;
    eeprom->busy = true;
    eeprom->mode = mode;
    eeprom->begun = avr->cycle;
    eeprom->done = avr->cycle + (mode == BOTH ? BOTH_CYCLES : ONE_CYCLES);
    eeprom->address = address_of(board);
    eeprom->before = eeprom->sim->eeprom[eeprom->address];
    eeprom->wanted = avr->data[eeprom->sim->r_eedr];
    eeprom->writes++;
    call_at(board, eeprom->done, on_done);
    avr->cycle += WRITE_HALT;
}

static void write_control(avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    struct board *board = param;
    struct eeprom *eeprom = &board->eeprom;
    const bool open = avr->cycle <= eeprom->window;
    const uint8_t mode = eeprom->busy ? avr->data[address] & EEPM : value & EEPM;
    if ((value & EEMPE) && !(value & EEPE))
        eeprom->window = avr->cycle + WINDOW;
    if ((value & EEPE) && open && !eeprom->busy) {
        eeprom->window = 0;
        begin_write(board, mode >> 4);
    }
    if ((value & EERE) && !eeprom->busy) {
        avr->data[eeprom->sim->r_eedr] = eeprom->sim->eeprom[address_of(board)];
        avr->cycle += READ_HALT;
    }
    avr->data[address] = (uint8_t)(mode | (value & EERIE) | (eeprom->busy ? EEPE : 0));
    ask(board);
}

static uint8_t read_control(avr_t *avr, avr_io_addr_t address, void *param)
{
    const struct board *board = param;
    const bool open = avr->cycle <= board->eeprom.window;
    return (uint8_t)((avr->data[address] & ~EEMPE) | (open ? EEMPE : 0));
}

bool eeprom_begin(struct board *board)
{
    avr_t *avr = board->avr;
    avr_eeprom_t *sim = (avr_eeprom_t *)part(avr, "eeprom", 0);
    if (!sim)
        return false;
    board->eeprom.sim = sim;
    wrap_writes(board, sim->r_eecr, write_control);
    avr->io[AVR_DATA_TO_IO(sim->r_eecr)].r.c = read_control;
    avr->io[AVR_DATA_TO_IO(sim->r_eecr)].r.param = board;
    avr_irq_register_notify(sim->ready.irq + AVR_INT_IRQ_RUNNING, on_return, board);
    return true;
}

/* After a reset: a byte that is being written goes on being written. */
void eeprom_go_on(struct board *board)
{
    struct eeprom *eeprom = &board->eeprom;
    eeprom->window = 0;
    board->avr->data[eeprom->sim->r_eecr] = eeprom->busy ? EEPE : 0;
    if (eeprom->busy)
        call_at(board, eeprom->done, on_done);
}

static uint64_t draw(uint64_t *state) { /* splitmix64 */
    uint64_t z = (*state += 0x9E3779B97F4A7C15U);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
}

/* Cells lose or take their charge one by one: each bit that is on its way has arrived with the share of time gone. */
static uint8_t torn(const struct eeprom *eeprom, uint64_t now, uint64_t seed)
{
    const uint64_t phase = eeprom->mode == BOTH ? BOTH_CYCLES / 2 : ONE_CYCLES;
    uint64_t gone = now > eeprom->begun ? now - eeprom->begun : 0;
    uint8_t from = eeprom->before;
    uint8_t to = result(eeprom);
    uint8_t mixed = 0;
    if (eeprom->mode == BOTH && gone < phase)
        to = 0xFF; /* first all bits become 1 */
    else if (eeprom->mode == BOTH) {
        from = 0xFF; /* then those that shall be 0 */
        gone -= phase;
    }
    uint64_t state = seed ^ (now << 10) ^ eeprom->address;
    for (unsigned bit = 0; bit < 8; bit++)
        mixed = (uint8_t)(mixed | ((draw(&state) % phase < gone ? to : from) & 1U << bit));
    return mixed;
}

/* The power goes. */
void eeprom_tear(struct board *board, uint64_t seed)
{
    struct eeprom *eeprom = &board->eeprom;
    if (eeprom->busy)
        eeprom->sim->eeprom[eeprom->address] = torn(eeprom, board->avr->cycle, seed);
    eeprom->busy = false;
}

/* --- for Python --------------------------------------------------------------------------------------------------- */

FOR_PYTHON size_t board_eeprom_size(const struct board *board)
{
    return board->eeprom.sim->size;
}

/* The bytes as they are; one that is being written is still as before. */
FOR_PYTHON void board_eeprom(const struct board *board, uint8_t *image)
{
    memcpy(image, board->eeprom.sim->eeprom, board->eeprom.sim->size);
}

FOR_PYTHON bool board_eeprom_busy(const struct board *board)
{
    return board->eeprom.busy;
}

/* How many bytes were written or erased since power-on: each cell bears 100,000 of them. */
FOR_PYTHON uint32_t board_eeprom_writes(const struct board *board)
{
    return board->eeprom.writes;
}
