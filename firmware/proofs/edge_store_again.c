/* The store of edges, with its ring of 256 records (edge_ring.h): where it begins to send again. Its loops are cut: one turn of each is
 * proven, from every state that the loop's invariant allows.
 *
 * Assumed: what is read are records as edge_store_add.c claims them. A record skips 65,535 numbers at most, and so 255 of them less than
 * half of all: that is claimed. */
#include "proof.h"

struct place;
static void cut_edge_begin(const struct place *place);
static void cut_edge(struct place *place, uint8_t until);
static void cut_back(uint32_t number);
static void cut_found(uint32_t number);

#include "edge_ring.h"
#include "edge_step.h"

static struct cut back_cut;
static struct place back; /* as the turn begins */

static bool is_after(uint32_t number, uint32_t other)
{
    return (int32_t)(number - other) > 0;
}

/* All after the place has numbers after the one that is asked for. */
static bool goes_back(uint32_t number)
{
    return between(oldest, again.at, again_until) && unsent.number - again.number <= (uint32_t)distance(again.at, again_until) << 16 &&
           (again.at == again_until || is_after(again.number + numbers_of(again.at), number));
}

static void cut_back(uint32_t number)
{
    if (back_cut.passed) {
        CLAIM(again.at == (uint8_t)(back.at - 1U), "a step back is to the record before");
        CLAIM(again.number == back.number - numbers_of(again.at), "its number is less by what the record says");
        CLAIM(again.time == back.time - ticks_of(again.at), "and its time");
        CLAIM(distance(oldest, again.at) < distance(oldest, back.at), "each turn comes nearer to the oldest");
    } else {
        CLAIM(again.at == unsent.at && again.number == unsent.number && again.time == unsent.time, "the first step is from the rest, with its time");
    }
    CLAIM(goes_back(number), "nothing is sent again that is before what is asked for");
    CUT(back_cut);
    again.at = nondet_u8();
    again.number = nondet_u32();
    again.time = nondet_u32();
    ASSUME(goes_back(number));
    if (again.at != again_until)
        read(again.at);
    if (again.at != oldest)
        read((uint8_t)(again.at - 1U));
    back = again;
}

static void cut_found(uint32_t number)
{
    CLAIM(again.at == oldest || !is_after(again.number, number), "all is sent again that is kept of what is asked for");
}

int main(void)
{
    any_ring();
    remember_spot();
    struct place was_unsent = unsent;
    uint8_t waited = waiting;
    repeats = true;
    skips_are_put = true;
    back_cut.passed = false;
    uint32_t number = nondet_u32();
    uint32_t first = nondet_u32();
    struct place was = again;
    bool is_sent = edge_store_again(number, &first);
    CLAIM(is_sent != is_after(number, unsent.number), "only what was sent is sent again");
    if (is_sent) {
        CLAIM(first == again.number, "the host receives where that begins");
        CLAIM(again.at == again_until || is_edge(again.at), "that is at an edge");
        CLAIM(again_until == unsent.at, "it ends where the rest begins");
    } else {
        CLAIM(again.at == was.at && again.number == was.number, "what is refused changes nothing");
    }
    CLAIM(unsent.at == was_unsent.at && unsent.number == was_unsent.number && waiting == waited, "what waits is not passed");
    claim_ring();
    return 0;
}
