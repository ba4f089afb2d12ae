#include "edge_store.h"

#include <stddef.h>

#include "frame.h"

/* A ring of records in the order of time. An edge has the ticks since the edge before it; where they are more than 16 bits
 * hold, a record LONGER with their high half precedes it. A record SKIPPED represents numbers that no edge has.
 *
 *     oldest ........ again ........ unsent ........ end
 *     sent, kept      to be sent     not sent yet    free
 *                     once more
 *
 * Room for a new edge is made by forgetting the oldest that was sent. What was not sent is never forgotten: where there is
 * no room left the new edge is lost.
 */
#ifndef EDGE_RECORDS /* a power of two, at most 256; boards whose inputs are slow have fewer, see the Makefile */
#define EDGE_RECORDS 256U
#endif
#define RECORDS EDGE_RECORDS /* an index is a byte, and begins again by itself; one record stays free */
#define MOST_RECORDS_AN_EDGE 3U
#define ROOM_AGAIN 64U /* after a loss: to lose many in a row leaves longer reports than to lose every other (ours) */

#define WHAT_LEVEL 0x80U
#define WHAT_MARK 0x40U
#define WHAT_LONGER (WHAT_MARK | 1U)
#define WHAT_SKIPPED (WHAT_MARK | 2U)
#define WHAT_LINE 0x1FU

static uint8_t whats[RECORDS]; /* an edge: WHAT_LEVEL and the line; or a mark */
static uint16_t values[RECORDS];

static inline uint8_t slot(uint8_t at)
{
    return (uint8_t)(at & (RECORDS - 1U));
}

struct place {
    uint8_t at;
    uint32_t number; /* of the next edge from there on */
    uint32_t time;   /* of the edge before, and of what LONGER records before `at` add */
};

static uint8_t oldest;
static uint8_t end;

/* Records that are free behind `end`, were `from` the oldest. */
static inline uint8_t room_from(uint8_t from)
{
    return (uint8_t)(RECORDS - 1U - (uint8_t)(end - from));
}

static uint32_t end_time; /* of the last edge */
static struct place unsent;
static struct place again;
static uint8_t again_until; /* nothing is asked for again when again.at is this */

static uint8_t waiting;     /* edges not sent yet */
static bool losing;         /* there was no room, and is not yet enough again */
static uint16_t unskipped;  /* numbers to skip for which there was no room yet */
static uint16_t lost;
static uint32_t not_before; /* edges from now on are not earlier than this */
static uint16_t keys; /* that are pressed, bit i for line EDGES_FIRST_KEY + i */
static struct levels {
    uint8_t inputs;
    uint16_t keys;
} told; /* as the edges that were sent left them */

/* Packed edges, see docs/wire.md. */
#define PACKED_MOST (FRAME_MOST_FIELDS - REPORT_EDGES_SIZE)
#define PACKED_SHORT_SIZE 2U
#define PACKED_LONG_SIZE 7U
#define PACKED_LONG 4095U /* this many ticks and more do not fit the short form */
#define PACKED_LINES EDGES_FIRST_KEY /* nor do other lines */

static void step(struct place *place)
{
    uint8_t what = whats[slot(place->at)];
    uint16_t value = values[slot(place->at)];
    place->at++;
    if (what == WHAT_SKIPPED) {
        place->number += value;
    } else if (what == WHAT_LONGER) {
        place->time += (uint32_t)value << 16;
    } else {
        place->time += value;
        place->number++;
    }
}

static void step_back(struct place *place)
{
    place->at--;
    uint8_t what = whats[slot(place->at)];
    uint16_t value = values[slot(place->at)];
    if (what == WHAT_SKIPPED) {
        place->number -= value;
    } else if (what == WHAT_LONGER) {
        place->time -= (uint32_t)value << 16;
    } else {
        place->time -= value;
        place->number--;
    }
}

/* Passes over what is not an edge; false if there is no edge before `until`. */
static bool to_edge(struct place *place, uint8_t until)
{
    while (place->at != until) {
        if ((whats[slot(place->at)] & WHAT_MARK) == 0U)
            return true;
        step(place);
    }
    return false;
}

/* --- keeping -------------------------------------------------------------------------------------------------------- */

void edge_store_begin(void)
{
    keys = 0;
}

void edge_store_clear(uint32_t now)
{
    oldest = 0;
    end = 0;
    end_time = now;
    unsent = (struct place){.at = 0, .number = 0, .time = now};
    again.at = 0;
    again_until = 0;
    waiting = 0;
    losing = false;
    unskipped = 0;
    lost = 0;
    not_before = now;
    told = (struct levels){.inputs = 0, .keys = keys}; /* the first edges are the levels found, but of keys there are none */
}

/* Whether an edge and its marks find room, after forgetting what may be forgotten. */
static bool make_room(void)
{
    while (room_from(oldest) < MOST_RECORDS_AN_EDGE) {
        if (oldest == unsent.at)
            return false;
        if (again.at == oldest && again.at != again_until)
            step(&again); /* asked for too late: its number stays missing */
        oldest++;
    }
    return true;
}

static uint16_t with_key(uint16_t pressed, uint8_t line, bool level)
{
    uint16_t bit = (uint16_t)(1U << (line - EDGES_FIRST_KEY));
    return (uint16_t)(level ? pressed | bit : pressed & (uint16_t)~bit);
}

void edge_store_key(uint8_t line, bool level)
{
    keys = with_key(keys, line, level);
}

static void put(uint8_t what, uint16_t value)
{
    whats[slot(end)] = what;
    values[slot(end)] = value;
    end++;
}

static void put_skipped(void)
{
    if (unskipped != 0U && make_room()) {
        put(WHAT_SKIPPED, unskipped);
        unskipped = 0;
    }
}

void edge_store_lose(uint8_t edges)
{
    lost = (uint16_t)(lost + edges);
    if (unskipped > UINT16_MAX - edges)
        put_skipped();
    if (unskipped <= UINT16_MAX - edges) /* should 65,535 be lost in one go, the numbers show that many */
        unskipped = (uint16_t)(unskipped + edges);
}

uint16_t edge_store_lost(void)
{
    return lost;
}

void edge_store_add(uint8_t line, bool level, uint32_t ticks)
{
    if (losing && room_from(unsent.at) >= ROOM_AGAIN)
        losing = false;
    if (losing || !make_room()) {
        losing = true;
        edge_store_lose(1);
        return;
    }
    put_skipped();
    if ((int32_t)(ticks - not_before) < 0)
        ticks = not_before;
    not_before = ticks;
    uint32_t since = ticks - end_time;
    end_time = ticks;
    if (since > UINT16_MAX)
        put(WHAT_LONGER, (uint16_t)(since >> 16));
    put((uint8_t)(line | (level ? WHAT_LEVEL : 0U)), (uint16_t)since);
    waiting++;
}

/* --- telling -------------------------------------------------------------------------------------------------------- */

/* There must be one. */
static uint32_t first_unsent(void)
{
    (void)to_edge(&unsent, end);
    return unsent.time + values[slot(unsent.at)];
}

void edge_store_stand(struct edge_stand *to, uint32_t now, uint8_t levels)
{
    put_skipped();
    if (to_edge(&unsent, end)) {
        to->time = first_unsent() - 1U;
    } else {
        to->time = now;
        told = (struct levels){.inputs = levels, .keys = keys};
    }
    to->next = unsent.number;
    to->levels = told.inputs;
    to->keys = told.keys;
    if ((int32_t)(to->time - not_before) >= 0)
        not_before = to->time + 1U;
}

bool edge_store_again(uint32_t number, uint32_t *first)
{
    if ((int32_t)(number - unsent.number) > 0)
        return false;
    again = unsent;
    again_until = unsent.at;
    while (again.at != oldest && (int32_t)(again.number - number) > 0)
        step_back(&again);
    (void)to_edge(&again, again_until);
    *first = again.number;
    return true;
}

bool edge_store_due(uint32_t now)
{
    if (again.at != again_until || waiting >= EDGES_A_REPORT)
        return true;
    return waiting != 0U && (int32_t)(now - first_unsent()) >= (int32_t)EDGES_OLDEST_TICKS;
}

uint16_t edge_store_wait(uint32_t now)
{
    if (edge_store_due(now))
        return 0;
    return waiting == 0U ? UINT16_MAX : (uint16_t)(first_unsent() + EDGES_OLDEST_TICKS - now);
}

static uint8_t *pack_long(uint8_t *to, uint8_t level, uint8_t line, uint32_t since)
{
    to[0] = (uint8_t)(level | (PACKED_LONG >> 8));
    to[1] = (uint8_t)PACKED_LONG;
    to[2] = line;
    wire_put32(to + 3, since);
    return to + PACKED_LONG_SIZE;
}

/* Packs edges from an edge on, and moves the place after the last of them: the last before `until`, or before a number that
 * is missing, or of which the frame is full. Returns where the packed bytes end. */
static uint8_t *pack(struct place *from, uint8_t until, uint8_t *to, uint8_t *count, struct levels *levels)
{
    const uint8_t *full = to + PACKED_MOST;
    uint8_t at = from->at;
    uint8_t packed = 0;
    uint32_t longer = 0;
    while (at != until) {
        uint8_t what = whats[slot(at)];
        uint16_t value = values[slot(at)];
        at++;
        if (what & WHAT_MARK) {
            if (what == WHAT_SKIPPED)
                break;
            longer = (uint32_t)value << 16;
            continue;
        }
        uint8_t line = what & WHAT_LINE;
        uint8_t level = what & WHAT_LEVEL;
        bool is_short = line < PACKED_LINES;
        if (packed == 0U) { /* its time precedes the packed ones; `from` has passed its LONGER already */
            from->time += value;
            value = 0;
        } else if (longer != 0U || value >= PACKED_LONG) {
            is_short = false;
        }
        if (full - to < (ptrdiff_t)(is_short ? PACKED_SHORT_SIZE : PACKED_LONG_SIZE))
            break;
        if (is_short) {
            *to++ = (uint8_t)(level | (uint8_t)(line << 4) | (uint8_t)(value >> 8));
            *to++ = (uint8_t)value;
        } else {
            to = pack_long(to, level, line, longer | value);
        }
        from->time += longer | value;
        from->at = at;
        longer = 0;
        packed++;
        if (line < PACKED_LINES) {
            uint8_t bit = (uint8_t)(1U << line);
            levels->inputs = (uint8_t)(level != 0U ? levels->inputs | bit : levels->inputs & (uint8_t)~bit);
        } else {
            levels->keys = with_key(levels->keys, line, level != 0U);
        }
    }
    from->number += packed;
    *count = packed;
    return to;
}

bool edge_store_report(uint8_t number)
{
    bool repeats = again.at != again_until;
    struct place *from = repeats ? &again : &unsent;
    struct levels levels_again = {0};
    put_skipped();
    uint8_t until = repeats ? again_until : end;
    if (!to_edge(from, until))
        return false;
    uint8_t *fields = frame_out(number, REPORT_EDGES, FRAME_MOST_FIELDS);
    struct report_edges head = {.first = from->number, .time = from->time + values[slot(from->at)], .count = 0};
    uint8_t *packed = fields + REPORT_EDGES_SIZE;
    const uint8_t *packed_end = pack(from, until, packed, &head.count, repeats ? &levels_again : &told);
    report_edges_write(fields, &head);
    frame_shorten((uint8_t)(packed_end - fields));
    if (!repeats)
        waiting = (uint8_t)(waiting - head.count);
    return true;
}
