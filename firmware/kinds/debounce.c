#include "debounce.h"

void debounce_begin(struct debounce *line, uint8_t level)
{
    line->level = level;
    line->raw = level;
}

bool debounce_settled(struct debounce *line, uint16_t hold_ticks, uint32_t now)
{
    /* An edge can be later than this turn of the main loop began: then the difference is negative. */
    if (line->raw == line->level || (int32_t)(now - line->since) < (int32_t)hold_ticks)
        return false;
    line->level = line->raw;
    return true;
}

void debounce_edge(struct debounce *line, uint8_t level, uint32_t ticks)
{
    if (level == line->raw)
        return;
    line->raw = level;
    line->since = ticks;
}
