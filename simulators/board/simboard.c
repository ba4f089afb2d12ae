/* The loop that runs an emulated board to a cycle, resets, and what the parts share. See simboard.h. */

#include "simboard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <simavr/sim_core.h>

enum { TO_INTERRUPT = 4 }; /* cycles from an interrupt to its vector; and as many again out of sleep (data sheet) */

void call_at(struct board *board, uint64_t cycle, avr_cycle_timer_t timer)
{
    const uint64_t now = board->avr->cycle;
    avr_cycle_timer_register(board->avr, cycle > now ? cycle - now : 0, timer, board);
}

void wrap_writes(struct board *board, avr_io_addr_t address, avr_io_write_t call)
{
    const size_t io = AVR_DATA_TO_IO((size_t)address);
    board->wrapped[io] = (struct wrapped){board->avr->io[io].w.c, board->avr->io[io].w.param};
    board->avr->io[io].w.c = call;
    board->avr->io[io].w.param = board;
}

void write_through(struct board *board, avr_io_addr_t address, uint8_t value)
{
    const struct wrapped own = board->wrapped[AVR_DATA_TO_IO((size_t)address)];
    if (own.call)
        own.call(board->avr, address, value, own.param);
    else
        board->avr->data[address] = value;
}

avr_io_t *part(const avr_t *avr, const char *kind, int name)
{
    for (avr_io_t *io = avr->io_port; io; io = io->next) {
        if (strcmp(io->kind, kind) == 0 && (!name || ((avr_ioport_t *)io)->name == name))
            return io;
    }
    return NULL;
}

bool grow(void **items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return true;
    const size_t more = *room ? 2 * *room : 256;
    void *moved = realloc(*items, more * size);
    if (!moved)
        return false;
    *items = moved;
    *room = more;
    return true;
}

void close_up(void *items, size_t size, size_t *first, size_t *end)
{
    if (*first == 0 || *first < *end - *first)
        return;
    memmove(items, (char *)items + *first * size, (*end - *first) * size);
    *end -= *first;
    *first = 0;
}

uint8_t ones_written(const avr_t *avr, uint8_t value)
{
    const unsigned opcode = avr->flash[avr->pc] | (unsigned)avr->flash[avr->pc + 1] << 8;
    return (opcode & 0xFF00) == 0x9A00 ? (uint8_t)(1U << (opcode & 7)) : value;
}

static avr_cycle_count_t on_stop(avr_t *avr, avr_cycle_count_t when, void *board)
{
    (void)avr, (void)when, (void)board;
    return 0;
}

uint64_t retimed(const struct board *board, uint64_t cycle, double ratio, uint64_t less)
{
    const uint64_t now = board->avr->cycle;
    const uint64_t ahead = cycle > now ? (uint64_t)((double)(cycle - now) * ratio) : 0;
    return now + (ahead > less ? ahead - less : 0);
}

/* Every avr_reset takes all timers away and empties all registers; this gives back what does not end with a reset. */
static void go_on(struct board *board)
{
    board->avr->run_cycle_limit = board->avr->frequency; /* in effect: as far as the next timer */
    if (board->stop > board->avr->cycle)
        call_at(board, board->stop, on_stop);
    uart_go_on(board);
    eeprom_go_on(board);
    pins_go_on(board);
    watchdog_go_on(board);
}

/* The reset line is low, or the start-up time runs: outputs float at once, and nothing is executed. */
void hold(struct board *board, uint8_t cause)
{
    avr_t *avr = board->avr;
    const uint8_t before = board->held ? board->held_flags : avr->data[avr->reset_flags.porf.reg];
    board->held_flags = cause == POWER_ON ? POWER_ON : (uint8_t)(before | cause);
    board->held = true;
    board->held_until = avr->cycle + board->start_up;
    board->last_cause = cause;
    board->resets++;
    uart_quiet(board);
    twi_quiet(board);
    pins_quiet(board);
    avr_cycle_timer_reset(avr);
    go_on(board);
}

static void let_go(struct board *board)
{
    avr_t *avr = board->avr;
    board->held = false;
    board->closed.off = false;
    avr_reset(avr);
    avr->data[avr->reset_flags.porf.reg] = board->held_flags;
    uart_quiet(board);
    go_on(board);
}

/* How long interrupts are off in one go. Two interrupts that follow each other leave one instruction between them. */
static void note_closed(struct board *board, uint32_t pc)
{
    struct closed *closed = &board->closed;
    const bool off = !board->avr->sreg[S_I];
    if (off && !closed->off) {
        closed->since = board->avr->cycle;
        closed->from = pc;
    } else if (!off && closed->off && board->avr->cycle - closed->since > closed->longest) {
        closed->longest = board->avr->cycle - closed->since;
        closed->longest_from = closed->from;
    }
    closed->off = off;
}

/* Runs what is due, then goes on to what comes next: one interrupt, or instructions up to the next timer. */
static void step(struct board *board)
{
    avr_t *avr = board->avr;
    const bool asleep = avr->state == cpu_Sleeping;
    const avr_cycle_count_t idle = avr_cycle_timer_process(avr);
    if (board->paused)
        return;
    if (board->held) {
        const uint64_t left = board->held_until > avr->cycle ? board->held_until - avr->cycle : 0;
        avr->cycle += left < idle ? left : idle;
        if (avr->cycle >= board->held_until)
            let_go(board);
        return;
    }
    if (board->watchdog.bitten) {
        hold(board, WATCHDOG);
        return;
    }
    if (asleep && !avr->sreg[S_I])
        avr->state = cpu_Sleeping; /* nothing wakes a core whose interrupts are off */
    if (avr->state == cpu_Sleeping) {
        avr->cycle += idle;
        return;
    }
    const uint32_t before = avr->pc;
    if (avr->interrupt_state == -2) /* `sei` or `reti` was just executed: one instruction more */
        avr->interrupt_state = -1;
    else if (avr->interrupt_state == -1)
        avr->interrupt_state = avr_has_pending_interrupts(avr) ? 1 : 0;
    if (avr->interrupt_state > 0) {
        const uint8_t running = avr->interrupts.running_ptr;
        avr_service_interrupts(avr);
        if (avr->interrupts.running_ptr != running) {
            note_closed(board, avr->pc); /* the vector */
            avr->cycle += asleep ? 2 * TO_INTERRUPT : TO_INTERRUPT;
            return;
        }
    }
    avr->pc = avr_run_one(avr);
    note_closed(board, before);
}

/* Runs to the first instruction's end at or after cycle `until`, at most 3 cycles behind it; or only until a byte of
 * the value `pause_at` (-1: none), or the `pause_after`th byte that nobody has taken (0: any number), has left the chip.
 */
FOR_PYTHON int board_run(struct board *board, uint64_t until, int pause_at, size_t pause_after)
{
    avr_t *avr = board->avr;
    if (avr->cycle >= until)
        return RAN;
    forget_complaint();
    board->paused = false;
    board->pause_at = pause_at;
    board->pause_after = pause_after;
    board->stop = until;
    call_at(board, until, on_stop);
    while (avr->cycle < until && !board->paused) {
        step(board);
        const char *why = last_complaint();
        if (why[0] || avr->state == cpu_Crashed) {
            (void)snprintf(board->problem, sizeof board->problem, "the program left its code at pc 0x%04x: %s",
                           (unsigned)avr->pc, why);
            return CRASHED;
        }
    }
    avr_cycle_timer_cancel(avr, on_stop, board);
    return board->paused ? PAUSED : RAN;
}

static bool has_changed(const struct pins *pins, size_t from, uint32_t watched)
{
    for (size_t i = from; i < pins->change_count; i++) {
        if (watched >> pins->changes[i].pin & 1U)
            return true;
    }
    return false;
}

/* Runs to cycle `until`, `every` cycles at a time, or only to the end of a step in which a `watched` output (bits) changed
 * or which ends at `rests_until` or later; or, where bytes are counted (`pause_after`, as in board_run), in which one left.
 */
FOR_PYTHON int board_run_to_change(struct board *board, uint64_t until, uint64_t every, uint64_t rests_until,
                                   uint32_t watched, int pause_at, size_t pause_after)
{
    int ran = RAN;
    size_t seen;
    do {
        seen = board->pins.change_count;
        board->step_began = board->avr->cycle;
        const uint64_t next = board->step_began + every;
        ran = board_run(board, next < until ? next : until, pause_at, pause_after);
    } while (ran == RAN && board->avr->cycle < until && board->avr->cycle < rests_until &&
             !has_changed(&board->pins, seen, watched) && !(pause_after && board->uart.sent_count));
    return ran;
}

/* The key of the sources that this was made of (firmware/emulator.mk): Python calls no other. */
FOR_PYTHON const char *board_sources(void)
{
    return SOURCES;
}

/* When the last step of board_run_to_change began. */
FOR_PYTHON uint64_t board_step_began(const struct board *board)
{
    return board->step_began;
}

/* The longest time with interrupts off since the last call, in cycles, and the address of the instruction that began it. */
FOR_PYTHON uint64_t board_longest_closed(struct board *board, uint32_t *from)
{
    const uint64_t longest = board->closed.longest;
    *from = board->closed.longest_from;
    board->closed.longest = 0;
    return longest;
}
