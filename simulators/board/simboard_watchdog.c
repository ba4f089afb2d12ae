/* The watchdog as the data sheet has it: WDIE and WDE together give an interrupt at the first time-out and a reset at the
 * second, also where the interrupt was never served; WDRF keeps WDE set. libsimavr 1.6 raises the interrupt again and again
 * while it cannot be served, and never resets. */

#include "simboard.h"

#include <simavr/avr_watchdog.h>

enum { WDIF = 0x80, WDIE = 0x40, WDP3 = 0x20, WDCE = 0x10, WDE = 0x08, WDP = 0x07 }; /* WDTCSR */
enum { KILOHERTZ = 128, FIRST_PERIOD = 2048, WINDOW = 4, CYCLES_A_MS = 16000 };

static uint8_t *control(const struct board *board)
{
    return &board->avr->data[board->watchdog.sim->wdce.reg];
}

static uint64_t period(const struct board *board)
{
    const unsigned prescaler = (*control(board) & WDP) | ((*control(board) & WDP3) ? 8U : 0U);
    return ((uint64_t)FIRST_PERIOD << prescaler) * CYCLES_A_MS / KILOHERTZ;
}

static avr_cycle_count_t on_timeout(avr_t *avr, avr_cycle_count_t when, void *param)
{
    struct board *board = param;
    const uint8_t now = *control(board);
    if ((now & WDIE) && !((now & WDIF) && (now & WDE))) {
        avr_raise_interrupt(avr, &board->watchdog.sim->watchdog);
        *control(board) |= WDIF;
        return when + period(board);
    }
    board->watchdog.bitten = (now & WDE) != 0;
    return 0;
}

static void restart(struct board *board)
{
    avr_cycle_timer_cancel(board->avr, on_timeout, board);
    if (*control(board) & (WDE | WDIE))
        call_at(board, board->avr->cycle + period(board), on_timeout);
}

/* In interrupt and reset mode the chip clears WDIE as it serves the interrupt: the next time-out resets. */
static void on_serving(struct avr_irq_t *irq, uint32_t running, void *param)
{
    (void)irq;
    const struct board *board = param;
    if (!running)
        return;
    *control(board) &= (uint8_t)~WDIF;
    if (*control(board) & WDE)
        *control(board) &= (uint8_t)~WDIE;
}

static void write_control(avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    struct board *board = param;
    struct watchdog *watchdog = &board->watchdog;
    const uint8_t before = avr->data[address];
    const bool open = avr->cycle <= watchdog->window;
    const bool kept = (avr->data[avr->reset_flags.wdrf.reg] & WATCHDOG) != 0;
    uint8_t to = (uint8_t)(value & WDIE);
    if ((value & WDCE) && (value & WDE))
        watchdog->window = avr->cycle + WINDOW;
    if (open && !(value & WDCE)) {
        watchdog->window = 0;
        to |= (uint8_t)(value & (WDP3 | WDP | WDE));
    } else
        to |= (uint8_t)((before & (WDP3 | WDP | WDE)) | (value & WDE));
    if (kept)
        to |= WDE;
    if ((before & WDIF) && !(value & WDIF))
        to |= WDIF;
    else if (before & WDIF)
        avr_clear_interrupt(avr, &watchdog->sim->watchdog);
    avr->data[address] = to;
    if ((to ^ before) & (WDP3 | WDP | WDE | WDIE))
        restart(board);
}

static int on_instruction(struct avr_io_t *io, uint32_t code, void *param)
{
    (void)param;
    if (code != AVR_IOCTL_WATCHDOG_RESET)
        return -1;
    restart(io->avr->custom.data);
    return 0;
}

bool watchdog_begin(struct board *board)
{
    avr_watchdog_t *sim = (avr_watchdog_t *)part(board->avr, "watchdog", 0);
    if (!sim)
        return false;
    board->watchdog.sim = sim;
    board->avr->io[AVR_DATA_TO_IO(sim->wdce.reg)].w.c = write_control;
    board->avr->io[AVR_DATA_TO_IO(sim->wdce.reg)].w.param = board;
    avr_irq_register_notify(sim->watchdog.irq + AVR_INT_IRQ_RUNNING, on_serving, board);
    board->avr->custom.data = board;
    sim->io.ioctl = on_instruction;
    return true;
}

/* After a reset: off, but while WDRF is set it runs on, with its shortest time. */
void watchdog_go_on(struct board *board)
{
    board->watchdog.bitten = false;
    board->watchdog.window = 0;
    *control(board) = (!board->held && (board->held_flags & WATCHDOG)) ? WDE : 0;
    restart(board);
}
