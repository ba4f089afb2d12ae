/* The store of edges, with its ring of 256 records: what makes room in it, and where its places are then (edge_ring.h).
 *
 * Assumed of the callers: lines are those of inputs and keys, 0 to 23. */
#include "edge_ring.h"

/* A record, of which each is claimed the same. */
static uint8_t spot;

int main(void)
{
    any_ring();
    uint8_t what = whats[spot];
    uint16_t value = values[spot];
    bool waits = distance(unsent.at, spot) < distance(unsent.at, end);
    uint32_t was_next = unsent.number;
    uint8_t was_unsent = unsent.at;
    switch (nondet_u8()) {
    case 0: {
        uint8_t line = nondet_u8();
        ASSUME(line < LINES);
        edge_store_add(line, any_bool(), nondet_u32());
        break;
    }
    case 1:
        edge_store_lose(nondet_u8());
        break;
    case 2: {
        uint32_t now = nondet_u32();
        edge_store_clear(now);
        CLAIM(unsent.number == 0U && lost == 0U && unskipped == 0U && waiting == 0U && unsent.at == end && !repeating(), "begins with number 0");
        CLAIM(unsent.time == now && end_time == now && not_before == now && in_order(), "and now");
        return 0;
    }
    default: {
        uint8_t line = nondet_u8();
        ASSUME(line >= EDGES_FIRST_KEY && line < LINES);
        bool level = any_bool();
        uint16_t were = keys;
        edge_store_key(line, level);
        uint8_t key = nondet_u8();
        ASSUME(key < 16U);
        CLAIM((keys >> key & 1U) == (key == line - EDGES_FIRST_KEY ? level : were >> key & 1U), "a key has its level, and no other changes");
        break;
    }
    }
    CLAIM(between(oldest, unsent.at, end), "the places are in order");
    CLAIM(again_in_order(), "also those of what is asked for again");
    CLAIM(waiting <= distance(unsent.at, end), "no more waits than there is");
    CLAIM(unsent.at == was_unsent && unsent.number == was_next, "what was sent is not changed");
    bool kept = distance(oldest, spot) < distance(oldest, end) && whats[spot] == what && values[spot] == value;
    CLAIM(!waits || kept, "what waits is not forgotten, and not written over");
    return 0;
}
