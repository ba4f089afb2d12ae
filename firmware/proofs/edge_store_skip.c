/* The store of edges, with its ring of 256 records (edge_ring.h): the record of numbers that are skipped, before edges are sent. */
#include "edge_ring.h"

/* A record, of which each is claimed the same. */
static uint8_t spot;

int main(void)
{
    any_ring();
    uint8_t what = whats[spot];
    uint16_t value = values[spot];
    bool waits = distance(unsent.at, spot) < distance(unsent.at, end);
    bool is_there = distance(oldest, spot) < distance(oldest, end);
    bool needs_room = unskipped != 0U && room_from(oldest) < MOST_RECORDS_AN_EDGE;
    struct place was_unsent = unsent;
    uint8_t was_until = again_until, was_end = end, waited = waiting;
    uint16_t skip = unskipped;
    put_skipped();
    bool kept = distance(oldest, spot) < distance(oldest, end) && whats[spot] == what && values[spot] == value;
    CLAIM(!waits || kept, "what waits is kept");
    CLAIM(!is_there || kept || needs_room, "so is what was sent, where its room is not needed");
    if (end == was_end)
        CLAIM(unskipped == skip && (skip == 0U || room_from(unsent.at) < MOST_RECORDS_AN_EDGE), "where there is room for them, numbers are skipped");
    else
        CLAIM(end == (uint8_t)(was_end + 1U) && whats[was_end] == WHAT_SKIPPED && values[was_end] == skip && skip != 0U && unskipped == 0U,
              "a record skips them once, and no edge comes of it");
    CLAIM(unsent.at == was_unsent.at && unsent.number == was_unsent.number && unsent.time == was_unsent.time && waiting == waited &&
              again_until == was_until,
          "what was sent is not changed");
    CLAIM(in_order(), "the places are in order");
    return 0;
}
