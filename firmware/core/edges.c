#include "edges.h"

#include "edge_store.h"
#include "kind.h"
#include "quadrature.h"

/* An interrupt that finds no change reveals a pulse that was not seen: two edges at least are lost.
 *
 * But an interrupt takes some 5 µs, and what changes after it began and before it has read the pins is seen, and makes
 * another one on its heels, which was paid for already: if that finds nothing new, it reveals no loss. Whether one more is
 * to come is known for each port by itself: after one that found two changes; after one that was paid for and found any;
 * after one that revealed a pulse, of which each edge may make its own. */
#define ON_THE_HEELS_TICKS 20U /* with what the main loop does with interrupts off */

#define MOST_A_TURN 64U /* snapshots */
#define MOST_RESTS 4U

static uint8_t watched;  /* by the host */
static uint8_t pull_ups; /* that the host wants */
static uint8_t listened; /* by anyone */
static uint8_t levels;

static uint8_t crowded; /* inputs of whose port an interrupt more is to come that was paid for */
static uint32_t snapshot_ticks;

static void missed(uint8_t edges)
{
    if (watched != 0U)
        edge_store_lose(edges);
    quadrature_missed();
    kind_missed(edges);
}

/* `dated`: these are edges, and the time is theirs. Otherwise the levels are reported, not edges: their time is unknown. */
static void take_changes(uint8_t changed, uint8_t to, uint32_t ticks, bool dated)
{
    levels = (uint8_t)((levels & (uint8_t)~changed) | (to & changed));
    if (changed & quadrature_inputs())
        quadrature_take(levels);
    uint8_t bit = 1U;
    for (uint8_t line = 0; changed != 0U; line++) {
        if (changed & bit) {
            bool level = (to & bit) != 0U;
            if (dated && (watched & bit) != 0U)
                edge_store_add(line, level, ticks);
            kind_edge((uint8_t)(line + 1U), level ? 1U : 0U, ticks);
            changed = (uint8_t)(changed & (uint8_t)~bit);
        }
        bit = (uint8_t)(bit << 1);
    }
}

static void take(const struct port_snapshot *snapshot)
{
    uint8_t changed = (snapshot->levels ^ levels) & snapshot->covers & listened;
    if (snapshot->missed != 0U) {
        crowded = 0;
        missed(snapshot->missed);
        take_changes(changed, snapshot->levels, snapshot->ticks, false);
        return;
    }
    if (snapshot->ticks - snapshot_ticks > ON_THE_HEELS_TICKS)
        crowded = 0;
    snapshot_ticks = snapshot->ticks;
    bool paid_for = (crowded & snapshot->covers) != 0U;
    crowded = (uint8_t)(crowded & (uint8_t)~snapshot->covers);
    bool pulse = changed == 0U && !paid_for;
    bool found_more = changed != 0U && (paid_for || (changed & (uint8_t)(changed - 1U)) != 0U);
    if (pulse || found_more)
        crowded |= snapshot->covers;
    if (pulse)
        missed(2);
    take_changes(changed, snapshot->levels, snapshot->ticks, true);
}

bool edges_take(void)
{
    struct port_snapshot snapshot;
    for (uint8_t most = MOST_A_TURN; most != 0U; most--) {
        if (!port_snapshot_take(&snapshot))
            return true;
        take(&snapshot);
    }
    return false;
}

/* What waits before the inputs change. Should more come than can be taken, port_listen counts what it forgets. */
static void take_rest(void)
{
    for (uint8_t most = MOST_RESTS; most != 0U && !edges_take(); most--) {
    }
}

static uint8_t wanted(void)
{
    return watched | kind_facts.own_inputs | quadrature_inputs();
}

static void listen(struct port_snapshot *found)
{
    listened = wanted();
    port_listen(listened, pull_ups | kind_facts.own_pull_ups, found);
    crowded = 0;
}

void edges_begin(void)
{
    edges_watch(0, 0);
}

void edges_watch(uint8_t inputs, uint8_t with_pull_ups)
{
    struct port_snapshot found;
    uint8_t before = listened;
    take_rest();
    watched = inputs;
    pull_ups = with_pull_ups;
    edge_store_clear(port_ticks());
    listen(&found);
    if (found.missed != 0U) {
        quadrature_missed();
        kind_missed(found.missed);
    }
    take_changes((found.levels ^ levels) & before & listened, found.levels, found.ticks, false);
    levels = found.levels;
    quadrature_levels(levels);
    for (uint8_t line = 0; line < 8U; line++) {
        uint8_t bit = (uint8_t)(1U << line);
        if (watched & bit)
            edge_store_add(line, (levels & bit) != 0U, found.ticks);
    }
}

uint8_t edges_watched(void)
{
    return watched;
}

void edges_listen(void)
{
    struct port_snapshot found;
    uint8_t before = listened;
    if (wanted() == before)
        return;
    take_rest();
    listen(&found);
    if (found.missed != 0U)
        missed(found.missed);
    take_changes((found.levels ^ levels) & before & listened, found.levels, found.ticks, found.missed == 0U);
    levels = found.levels;
    quadrature_levels(levels);
}

uint8_t edges_levels(void)
{
    return levels;
}
