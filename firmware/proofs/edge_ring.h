/* What the harnesses of edge_store.c share: its ring of 256 records, and what is true of it between two calls: edge_store_clear
 * establishes it; what adds to the ring keeps it (edge_store_room.c), and so does what sends edges (edge_store_skip.c, edge_step.h).
 *
 * A record adds numbers, ticks and edges. The harnesses claim of each call that the next number, the last time and `waiting` change
 * by what the records that it appends add. */
#ifndef FELTWIRE_EDGE_RING_H
#define FELTWIRE_EDGE_RING_H

#include "proof.h"

#include "edge_store.c"

#define LINES (EDGES_FIRST_KEY + 16U)

static uint8_t distance(uint8_t from, uint8_t to)
{
    return (uint8_t)(to - from);
}

static bool between(uint8_t from, uint8_t at, uint8_t until)
{
    return distance(from, at) <= distance(from, until);
}

static bool is_edge(uint8_t at)
{
    return (whats[at] & WHAT_MARK) == 0U;
}

static bool well_formed(uint8_t at)
{
    if (whats[at] == WHAT_SKIPPED)
        return values[at] != 0U;
    if (whats[at] == WHAT_LONGER)
        return values[at] != 0U && (uint8_t)(at + 1U) != end && is_edge((uint8_t)(at + 1U));
    return (whats[at] & (uint8_t)~WHAT_LEVEL) < LINES;
}

static uint32_t numbers_of(uint8_t at)
{
    return whats[at] == WHAT_SKIPPED ? values[at] : is_edge(at) ? 1U : 0U;
}

static uint32_t ticks_of(uint8_t at)
{
    return whats[at] == WHAT_LONGER ? (uint32_t)values[at] << 16 : is_edge(at) ? values[at] : 0U;
}

static bool repeating(void)
{
    return again.at != again_until;
}

static bool again_in_order(void)
{
    return !repeating() || (between(oldest, again.at, again_until) && between(oldest, again_until, unsent.at));
}

/* The places are in the ring, in order, and no more waits than there is. */
static bool in_order(void)
{
    return between(oldest, unsent.at, end) && again_in_order() && waiting <= distance(unsent.at, end);
}

static void any_ring(void)
{
    ANY_BOOL(losing);
    ASSUME(in_order());
}

#endif
