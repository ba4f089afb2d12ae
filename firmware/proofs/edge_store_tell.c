/* The store of edges, with its ring of 256 records (edge_ring.h): what the host receives of it, and when a report is due. Its
 * loop is cut: one turn of it is proven, from every state that the loop's invariant allows.
 *
 * Assumed: what is read are records as edge_store_add.c claims them, and `waiting` edges are not sent yet (claimed again at the end).
 * Of a wait: an edge is dated at most 20 ms after the time at which that is asked. */
#include "proof.h"

struct place;
static void cut_put_skipped(void);
static void cut_edge_begin(const struct place *place);
static void cut_edge(struct place *place, uint8_t until);
static void cut_first(void);

#include "edge_ring.h"
#include "edge_step.h"

#define LATER_MOST_TICKS TICKS_OF_MS(20)

static void cut_first(void)
{
    CLAIM(unsent.at != end && is_edge(unsent.at), "where one must wait, one does");
}

static void stand(void)
{
    struct levels were = told;
    struct edge_stand stand;
    uint32_t now = nondet_u32();
    uint8_t levels = nondet_u8();
    skips_are_put = false;
    edge_store_stand(&stand, now, levels);
    bool waits = unsent.at != end;
    CLAIM(stand.next == unsent.number && stand.levels == told.inputs && stand.keys == told.keys, "the state has what was sent");
    CLAIM(waits ? stand.time + 1U == unsent.time + values[unsent.at] : stand.time == now, "up to the first edge that waits, or to now");
    CLAIM(waits ? told.inputs == were.inputs && told.keys == were.keys : told.inputs == levels && told.keys == keys,
          "the levels are those that the edges left, or where none waits those of now");
    CLAIM((int32_t)(stand.time - not_before) < 0, "and what comes is dated after that");
    CLAIM(waits == (waiting != 0U), "an edge waits where one is counted");
}

static void wait(void)
{
    uint32_t now = nondet_u32();
    skips_are_put = true;
    uint16_t ticks = edge_store_wait(now);
    uint32_t age = now - (unsent.time + values[unsent.at]);
    bool is_due = repeating() || waiting >= EDGES_A_REPORT;
    ASSUME(waiting == 0U || (int32_t)age >= -(int32_t)LATER_MOST_TICKS);
    if (is_due || waiting == 0U)
        CLAIM(ticks == (is_due ? 0U : UINT16_MAX), "a full report is due at once, and none where no edge waits");
    else
        CLAIM(ticks == ((int32_t)age >= (int32_t)EDGES_OLDEST_TICKS ? 0U : EDGES_OLDEST_TICKS - age), "the oldest edge waits for 5 ms at most");
}

int main(void)
{
    any_ring();
    remember_spot();
    ASSUME(waiting == edges_ahead && edges_ahead <= distance(unsent.at, end));
    repeats = false;
    switch (nondet_u8()) {
    case 0:
        stand();
        break;
    default:
        wait();
        break;
    }
    CLAIM(waiting == edges_ahead, "as many wait as there are edges that were not sent");
    claim_ring();
    return 0;
}
