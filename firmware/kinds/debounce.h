/* A level that counts only when it has lasted for a time: what is shorter is a bounce. Each edge brings its own time, so it
 * does not matter how late the main loop looks. */
#ifndef FELTWIRE_DEBOUNCE_H
#define FELTWIRE_DEBOUNCE_H

#include <stdbool.h>
#include <stdint.h>

struct debounce {
    uint8_t level; /* that has lasted long enough */
    uint8_t raw;
    uint32_t since; /* ticks: the last edge */
};

void debounce_begin(struct debounce *line, uint8_t level);

/* Whether the level has changed by `now`; then `since` is when it did. Ask before each edge, and at each poll. */
bool debounce_settled(struct debounce *line, uint16_t hold_ticks, uint32_t now);

void debounce_edge(struct debounce *line, uint8_t level, uint32_t ticks);

#endif
