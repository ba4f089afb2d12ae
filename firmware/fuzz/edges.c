/* Every change of a watched input that the port shows to the core becomes a number: of an edge that is reported with line,
 * level and time, once it is sent before anything later, or of an edge that is reported as lost. */
#include <string.h>

#include "fuzz.h"

enum { MOST_EDGES = 65536, MOST_EXPECTED = 1024, LONG_FORM = 4095, LONG_SIZE = 7 };
#define LINES 8U

struct edge {
    uint32_t ticks;
    uint8_t line;
    bool level;
    bool kept;
};

static struct edge edges[MOST_EDGES]; /* by their numbers */
static uint32_t count;                /* the next number */
static uint32_t sent;                 /* all before it were sent, or are lost */
static uint32_t lost;
static uint32_t not_before; /* of the next edge */
static uint32_t told_time;
static bool told;
static uint32_t held; /* the first number that was announced to be sent again */
static bool too_many; /* to know them all */

/* Changes that the port showed, and that the core has not taken yet. */
static struct edge expected[MOST_EXPECTED];
static size_t expected_count;
static uint8_t watched;
static uint8_t levels;
static bool beginning; /* to watch: the levels found are the first edges */
static uint8_t to_watch;

void edges_model_begin(void)
{
    watched = 0;
    levels = 0;
    beginning = false;
    edges_model_clear(0);
}

void edges_model_clear(uint32_t now)
{
    count = 0;
    sent = 0;
    lost = 0;
    not_before = now;
    told = false;
    held = 0;
    too_many = false;
    expected_count = 0;
}

/* --- from the port to the core -------------------------------------------------------------------------------------- */

static void expect(uint8_t changed, uint8_t to, uint32_t ticks)
{
    for (uint8_t line = 0; line < LINES; line++) {
        uint8_t bit = (uint8_t)(1U << line);
        if ((changed & bit) == 0U)
            continue;
        MUST(expected_count < MOST_EXPECTED, "%zu changes of inputs were not taken", expected_count);
        expected[expected_count++] = (struct edge){.ticks = ticks, .line = line, .level = (to & bit) != 0U, .kept = true};
    }
}

void edges_model_snapshot(const struct port_snapshot *snapshot)
{
    uint8_t changed = (snapshot->levels ^ levels) & snapshot->covers;
    levels ^= changed;
    if (snapshot->missed == 0U)
        expect(changed & watched, levels, snapshot->ticks);
}

void edges_model_watch(uint8_t inputs)
{
    to_watch = inputs;
    beginning = true;
}

/* The core begins to listen to other inputs. What changed meanwhile is edges, if none was missed; but not where it begins to
 * watch: there the levels found are the first edges. */
void edges_model_listen(const struct port_snapshot *found)
{
    uint8_t changed = found->levels ^ levels;
    levels = found->levels;
    if (!beginning) {
        if (found->missed == 0U)
            expect(changed & watched, levels, found->ticks);
        return;
    }
    expected_count = 0;
    watched = to_watch;
    expect(watched, levels, found->ticks);
}

void edges_model_watching(void)
{
    beginning = false;
}

void edges_model_add(uint8_t line, bool level, uint32_t ticks, bool kept)
{
    if (line < LINES) {
        MUST(expected_count != 0U, "an edge of line %u that the port did not show", line);
        MUST(expected[0].line == line && expected[0].level == level && expected[0].ticks == ticks,
             "the port showed line %u on %d at %u, and not line %u on %d at %u", expected[0].line, expected[0].level,
             expected[0].ticks, line, level, ticks);
        memmove(expected, expected + 1, --expected_count * sizeof expected[0]);
    }
    if (count >= MOST_EDGES) {
        too_many = true;
        return;
    }
    if (kept && (int32_t)(ticks - not_before) < 0)
        ticks = not_before;
    if (kept)
        not_before = ticks;
    else
        lost++;
    edges[count++] = (struct edge){.ticks = ticks, .line = line, .level = level, .kept = kept};
}

void edges_model_lose(uint8_t more)
{
    lost += more;
    if (count + more > MOST_EDGES) {
        too_many = true;
        return;
    }
    for (uint8_t i = 0; i < more; i++)
        edges[count++] = (struct edge){.kept = false};
}

void edges_model_turn_ends(void)
{
    MUST(expected_count == 0U, "%zu edges that the port showed were not taken", expected_count);
}

/* --- from the core to the host -------------------------------------------------------------------------------------- */

static void take_edge(uint32_t number, const struct edge *edge, bool again)
{
    MUST(number < count, "edge %u is reported, and there are %u", number, count);
    MUST(edges[number].kept, "edge %u is reported, and was lost", number);
    MUST(edges[number].line == edge->line && edges[number].level == edge->level && edges[number].ticks == edge->ticks,
         "edge %u is line %u on %d at %u, and reported as line %u on %d at %u", number, edges[number].line, edges[number].level,
         edges[number].ticks, edge->line, edge->level, edge->ticks);
    if (again) {
        MUST(number < sent && number >= held, "edge %u is sent again, not asked for", number);
        return;
    }
    for (; sent < number; sent++)
        MUST(!edges[sent].kept, "edge %u is reported, and %u was not", number, sent);
    MUST(number == sent, "number %u after %u: they went back", number, sent);
    MUST(!told || (int32_t)(edge->ticks - told_time) > 0, "edge %u at %u; all up to %u were reported", number, edge->ticks,
         told_time);
    sent++;
}

void edges_model_told(const struct wire_frame *report)
{
    uint32_t number = wire_get32(report->fields);
    struct edge edge = {.ticks = wire_get32(report->fields + 4)};
    const uint8_t *at = report->fields + REPORT_EDGES_SIZE;
    const uint8_t *end = report->fields + report->size;
    bool again = number < sent;
    MUST(report->fields[8] != 0U, "a report of no edges");
    for (uint8_t left = report->fields[8]; left != 0U; left--, number++) {
        MUST(end - at >= 2, "%u edges are missing of report %u", left, report->number);
        uint32_t since = (uint32_t)((at[0] & 15U) << 8 | at[1]);
        edge.level = (at[0] & 0x80U) != 0U;
        edge.line = at[0] >> 4 & 7U;
        if (since == LONG_FORM) {
            MUST(end - at >= LONG_SIZE, "half an edge in report %u", report->number);
            edge.line = at[2];
            since = wire_get32(at + 3);
            at += LONG_SIZE;
        } else {
            at += 2;
        }
        edge.ticks += since;
        if (!too_many)
            take_edge(number, &edge, again);
    }
    MUST(at == end, "%td bytes behind the edges of report %u", end - at, report->number);
}

void edges_model_held(const struct wire_frame *answer)
{
    held = wire_get32(answer->fields);
    MUST(too_many || held <= count, "edges are held from %u on, and there are %u", held, count);
}

void edges_model_state(uint32_t time, uint32_t next, uint16_t lost_said)
{
    if (too_many)
        return;
    uint32_t waiting = sent;
    while (waiting < count && !edges[waiting].kept)
        waiting++;
    uint32_t until = waiting == count ? board_now() : edges[waiting].ticks - 1U;
    MUST(next == waiting, "the next edge is reported as %u, and is %u", next, waiting);
    MUST(time == until, "all edges are stated to be reported up to %u, and are up to %u", time, until);
    MUST(lost_said == (uint16_t)lost, "%u edges are reported lost, and %u are", lost_said, lost);
    MUST(!told || (int32_t)(time - told_time) >= 0, "the state went back from %u to %u", told_time, time);
    sent = waiting;
    told = true;
    told_time = time;
    if ((int32_t)(time - not_before) >= 0)
        not_before = time + 1U;
}
