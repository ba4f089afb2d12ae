/* The store of edges, with its ring of 256 records (edge_ring.h): a report that is built. Its loops are cut: one turn of each is
 * proven, from every state that the loop's invariant allows.
 *
 * Assumed: what is read are records as edge_store_add.c claims them, and `waiting` edges are not sent yet (claimed again at the end). */
#include "proof.h"

struct place;
struct levels;
static void cut_put_skipped(void);
static void cut_edge_begin(const struct place *place);
static void cut_edge(struct place *place, uint8_t until);
static void cut_pack(struct place *from, uint8_t *at, uint8_t until, uint8_t **to, uint8_t *packed, uint32_t *longer, struct levels *levels);
static void cut_packed(const struct place *from, uint8_t at, uint8_t until, const uint8_t *to, uint8_t packed);

#include "edge_ring.h"
#include "edge_step.h"

static uint8_t frame[FRAME_MOST_FIELDS];
static uint8_t spot_byte; /* a byte of the frame, of which each is claimed the same */
static uint8_t spot_was;
static bool built;
static uint8_t size;       /* of the fields, as the frame is shortened */
static struct place first; /* where the report begins: at an edge */
static struct cut pack_cut;
static uint8_t pack_left; /* records before the end of pack's loop */
static struct place was;  /* pack's, where the turn begins */
static struct levels was_told;
static uint8_t was_packed, was_size;
static uint32_t was_longer;

static struct place *from_of(void)
{
    return repeats ? &again : &unsent;
}

uint8_t *frame_out(uint8_t number, uint8_t id, uint8_t most)
{
    (void)number;
    CLAIM(id == REPORT_EDGES && most <= sizeof frame, "a report is no longer than a frame");
    built = true;
    first = *from_of();
    return frame;
}

void frame_shorten(uint8_t to)
{
    size = to;
}

static uint8_t size_of(const uint8_t *to)
{
    return (uint8_t)(to - frame);
}

/* Between the place and where pack reads there is nothing but the high half of a time. */
static bool packs(const struct place *from, uint8_t at, uint8_t until, const uint8_t *to, uint8_t packed, uint32_t longer)
{
    bool passed_longer = at != from->at;
    return size_of(to) >= REPORT_EDGES_SIZE + packed * PACKED_SHORT_SIZE && size_of(to) <= sizeof frame &&
           between(first.at, from->at, at) && between(first.at, at, until) &&
           (!passed_longer || ((uint8_t)(from->at + 1U) == at && whats[from->at] == WHAT_LONGER)) &&
           longer == (passed_longer ? ticks_of(from->at) : 0U) &&
           (packed != 0U || (size_of(to) == REPORT_EDGES_SIZE && at == first.at && from->time == first.time && is_edge(at)));
}

/* The edge that a turn packed, as a host reads it (docs/wire.md). */
static void look_at_packed(const struct place *from, uint8_t at, const uint8_t *to, const struct levels *levels)
{
    uint8_t last = (uint8_t)(at - 1U);
    const uint8_t *bytes = frame + was_size;
    uint8_t line = (bytes[0] >> 4) & 7U;
    uint32_t since = ((uint32_t)(bytes[0] & 0xFU) << 8) | bytes[1];
    bool is_long = since == 4095U;
    if (is_long) {
        line = bytes[2];
        since = wire_get32(bytes + 3);
    }
    uint32_t ticks = was_longer + values[last];
    CLAIM(size_of(to) == was_size + (is_long ? 7U : 2U), "a packed edge has its size");
    CLAIM(is_edge(last) && line == (whats[last] & WHAT_LINE), "its line is the one that was kept");
    CLAIM((bytes[0] & 0x80U) == (whats[last] & WHAT_LEVEL), "and its level");
    CLAIM(since == (was_packed == 0U ? 0U : ticks), "its distance is that from the edge before");
    CLAIM(from->at == at && from->time == was.time + ticks, "the place is after it, with its time");
    uint8_t bit = nondet_u8();
    ASSUME(bit < LINES);
    bool were = bit < 8U ? (was_told.inputs >> bit & 1U) != 0U : (was_told.keys >> (bit - 8U) & 1U) != 0U;
    bool are = bit < 8U ? (levels->inputs >> bit & 1U) != 0U : (levels->keys >> (bit - 8U) & 1U) != 0U;
    CLAIM(are == (bit == line ? (whats[last] & WHAT_LEVEL) != 0U : were), "and the levels are as it left them");
}

static void cut_pack(struct place *from, uint8_t *at, uint8_t until, uint8_t **to, uint8_t *packed, uint32_t *longer, struct levels *levels)
{
    if (!pack_cut.passed) {
        CLAIM(*at != until && *packed == 0U, "it begins with an edge");
    } else {
        CLAIM(distance(*at, until) < pack_left, "each turn comes nearer to the last");
        CLAIM(spot_byte >= was_size || frame[spot_byte] == spot_was, "what is packed stays as it is");
        if (*packed != was_packed) {
            look_at_packed(from, *at, *to, levels);
            CLAIM(*packed == was_packed + 1U, "edges are packed one by one");
        } else {
            CLAIM(size_of(*to) == was_size && from->at == was.at, "no edge is passed that is not packed");
        }
    }
    CLAIM(size_of(*to) <= sizeof frame, "what is packed fits the frame");
    CLAIM(packs(from, *at, until, *to, *packed, *longer), "the edges are packed in order, none is left out");
    CUT(pack_cut);
    uint8_t begun = edges_ahead;
    from->at = nondet_u8();
    from->time = nondet_u32();
    *at = nondet_u8();
    was_size = nondet_u8();
    ASSUME(was_size <= sizeof frame);
    *to = frame + was_size;
    *packed = nondet_u8();
    *longer = nondet_u32();
    levels->inputs = nondet_u8();
    levels->keys = nondet_u16();
    ASSUME(packs(from, *at, until, *to, *packed, *longer));
    edges_ahead = (uint8_t)(begun - *packed);
    ASSUME(repeats || *packed <= begun);
    pack_left = distance(*at, until);
    if (*at != from->at)
        read(from->at);
    if (pack_left != 0U)
        read(*at);
    was = *from;
    was_packed = *packed;
    was_longer = *longer;
    was_told = *levels;
    spot_was = frame[spot_byte];
}

static void cut_packed(const struct place *from, uint8_t at, uint8_t until, const uint8_t *to, uint8_t packed)
{
    CLAIM(packed != 0U, "a report has an edge");
    CLAIM(from->at == was.at && packed == was_packed && size_of(to) == was_size, "what is not packed is not passed");
    CLAIM(at == until || whats[(uint8_t)(at - 1U)] == WHAT_SKIPPED || sizeof frame - was_size < PACKED_LONG_SIZE,
          "it ends where a number is missing, or the frame is full");
    ASSUME(repeats || edges_ahead <= distance(from->at, end));
}

int main(void)
{
    any_ring();
    remember_spot();
    ASSUME(spot_byte < sizeof frame);
    ASSUME(waiting == edges_ahead && edges_ahead <= distance(unsent.at, end));
    struct levels were = told;
    uint8_t waited = waiting;
    uint32_t was_next = unsent.number;
    uint8_t was_unsent = unsent.at;
    built = false;
    pack_cut.passed = false;
    repeats = repeating();
    skips_are_put = false;
    bool is_told = edge_store_report(nondet_u8());
    CLAIM(is_told == built, "without an edge no report is built");
    if (is_told) {
        CLAIM(wire_get32(frame) == first.number, "it has the number of its first edge");
        CLAIM(wire_get32(frame + 4) == first.time + values[first.at], "and when that was");
        CLAIM(frame[8] == was_packed && size == was_size, "and how many there are");
        CLAIM(spot_byte < REPORT_EDGES_SIZE || spot_byte >= size || frame[spot_byte] == spot_was, "and leaves them as they are packed");
        CLAIM(from_of()->number == first.number + was_packed, "the next one has the number after the last");
    }
    CLAIM(!repeats || (unsent.at == was_unsent && unsent.number == was_next && waiting == waited), "what is sent again passes nothing that waits");
    CLAIM(!repeats || (told.inputs == were.inputs && told.keys == were.keys), "and leaves the levels as what was sent left them");
    CLAIM(repeats || waiting == edges_ahead, "as many wait as there are edges that were not sent");
    claim_ring();
    return 0;
}
