/* A chain of lamps on the pins: TPIC6C595 or 74HC595 take what was shifted at a rising latch, 74HC165 load while it is low, and
 * both shift at a rising clock. The last outputs can be a control register, one of which feeds the sensors.
 *
 * A cycle of the chip is 62.5 ns, longer than the pulse that any of them takes (40 ns: a TPIC6C595), so none is refused here; the
 * emulated Pico refuses shorter ones (rp2040/board.mjs). */

#include "simboard.h"

static uint64_t all(const struct chain *chain)
{
    return chain->count == 64 ? UINT64_MAX : (UINT64_C(1) << chain->count) - 1;
}

static uint64_t drawn(const struct chain *chain)
{
    return ((chain->out | chain->stuck) & ~chain->dead) & all(chain);
}

/* What floats is pulled up. */
static bool level(const struct board *board, unsigned pin)
{
    return board->pins.output[pin] != 0;
}

static void put_read_back(struct board *board)
{
    const struct chain *chain = &board->chain;
    pin_driven(board, chain->read_back, (int32_t)(chain->held >> (chain->count - 1) & 1));
}

bool chain_feeds(const struct board *board)
{
    return board->chain.sense && board->chain.out >> (board->chain.sense - 1) & 1;
}

bool chain_moved(struct board *board, unsigned pin)
{
    struct chain *chain = &board->chain;
    const bool fed = chain->count && chain_feeds(board);
    if (!chain->count || (pin != chain->clock && pin != chain->latch))
        return false;
    const bool high = level(board, pin);
    bool *was = pin == chain->clock ? &chain->clock_was : &chain->latch_was;
    if (high == *was)
        return false;
    *was = high;
    if (pin == chain->latch) {
        chain->held = drawn(chain);
        if (high)
            chain->out = chain->shifted;
    } else if (high) {
        chain->shifted = (chain->shifted << 1 | level(board, chain->data)) & all(chain);
        if (chain->latch_was)
            chain->held = chain->held << 1 & all(chain);
    }
    put_read_back(board);
    return fed != chain_feeds(board);
}

void chain_off(struct board *board)
{
    board->chain.out = board->chain.shifted = board->chain.held = 0;
    pins_feed_changed(board);
}

/* --- for Python --------------------------------------------------------------------------------------------------- */

FOR_PYTHON void board_chain(struct board *board, const uint8_t *pins, unsigned count, unsigned sense)
{
    board->chain = (struct chain){.data = pins[0], .clock = pins[1], .latch = pins[2], .read_back = pins[3],
                                  .count = (uint8_t)count, .sense = (uint8_t)sense, .clock_was = true, .latch_was = true};
    put_read_back(board);
}

/* Outputs that draw no current, and that always do: bit i is output i + 1. */
FOR_PYTHON void board_chain_faults(struct board *board, uint64_t dead, uint64_t stuck)
{
    board->chain.dead = dead;
    board->chain.stuck = stuck;
}

/* The outputs whose lamps draw their current. */
FOR_PYTHON uint64_t board_chain_drawn(const struct board *board)
{
    return drawn(&board->chain);
}

FOR_PYTHON uint64_t board_chain_out(const struct board *board)
{
    return board->chain.out;
}
