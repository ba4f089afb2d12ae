/* The store of edges, with its ring of 256 records (edge_ring.h): an edge, or edges that were lost, and the records that this appends.
 *
 * Assumed of the callers: lines are those of inputs and keys, 0 to 23. */
#include "edge_ring.h"

/* What the call appended. */
static uint32_t numbers, ticks_added;
static uint8_t edges;

static void look_at_appended(uint8_t from)
{
    numbers = 0;
    ticks_added = 0;
    edges = 0;
    CLAIM(distance(from, end) <= MOST_RECORDS_AN_EDGE, "as many records as there was room for");
    for (uint8_t at = from; at != end; at++) {
        CLAIM(well_formed(at), "a record is one that can be read");
        numbers += numbers_of(at);
        ticks_added += ticks_of(at);
        edges = (uint8_t)(edges + is_edge(at));
    }
}

/* Where nothing can be forgotten to make room. */
static bool is_full(void)
{
    return room_from(unsent.at) < MOST_RECORDS_AN_EDGE;
}

static void add(void)
{
    uint8_t line = nondet_u8();
    ASSUME(line < LINES);
    bool level = any_bool();
    uint16_t were_lost = lost;
    uint8_t waited = waiting;
    uint16_t skip = unskipped;
    uint8_t was_end = end;
    uint32_t was_time = end_time;
    uint32_t earliest = not_before;
    uint8_t room = room_from(unsent.at);
    uint32_t ticks = nondet_u32();
    edge_store_add(line, level, ticks);
    look_at_appended(was_end);
    uint8_t last = (uint8_t)(end - 1U);
    bool kept = lost == were_lost;
    CLAIM(!kept || (end != was_end && whats[last] == (line | (level ? WHAT_LEVEL : 0U))), "what is kept is the last one");
    CLAIM(kept || lost == (uint16_t)(were_lost + 1U), "what is not kept is counted as lost");
    CLAIM(kept || room < ROOM_AGAIN, "an edge is lost only where there is little room");
    CLAIM(numbers + unskipped == skip + 1UL || (!kept && is_full() && skip == UINT16_MAX), "an edge has a number of its own, kept or lost");
    CLAIM(edges == kept && waiting == (uint8_t)(waited + kept), "and waits where it is kept");
    CLAIM(end_time == was_time + ticks_added, "the time of the last edge is what the records add up to");
    CLAIM(!kept || end_time == ((int32_t)(ticks - earliest) < 0 ? earliest : ticks), "it is dated as it came, or as the one before");
    CLAIM(!kept || not_before == end_time, "and what follows is not dated before it");
}

static void lose(void)
{
    uint8_t count = nondet_u8();
    uint16_t were_lost = lost;
    uint8_t waited = waiting;
    uint16_t skip = unskipped;
    uint8_t was_end = end;
    uint32_t was_time = end_time;
    edge_store_lose(count);
    look_at_appended(was_end);
    CLAIM(lost == (uint16_t)(were_lost + count), "each is counted");
    CLAIM(numbers + unskipped == (uint32_t)skip + count || (is_full() && skip > UINT16_MAX - count && unskipped == skip), "and has a number");
    CLAIM(edges == 0U && waiting == waited && ticks_added == 0U && end_time == was_time, "and no edge comes of it");
}

int main(void)
{
    any_ring();
    switch (nondet_u8()) {
    case 0:
        add();
        break;
    default:
        lose();
        break;
    }
    return 0;
}
