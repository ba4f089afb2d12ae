/* The edges that the board keeps: numbered, packed into reports, and sent again when the host asks for them.
 *
 * Numbers count up by one from 0, for each edge that was kept or lost: a number that no edge has is an edge that was lost.
 */
#ifndef FELTWIRE_EDGE_STORE_H
#define FELTWIRE_EDGE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "port.h"

#define EDGES_A_REPORT 24U                /* a report is due when this many wait, */
#define EDGES_OLDEST_TICKS TICKS_OF_MS(5) /* or when the oldest has waited for this long (ours) */
#define EDGES_FIRST_KEY 8U                /* lines from here on are keys, 16 at most */

/* Once, at start: no key is pressed. */
void edge_store_begin(void);

/* Forgets all edges, and begins again with number 0. */
void edge_store_clear(uint32_t now);

/* Notes the level of a key: a line from EDGES_FIRST_KEY on. Its edge, if the host is to receive it, is added after that. */
void edge_store_key(uint8_t line, bool level);

/* Keeps an edge of a line (from 0). One that is dated before what was kept or sent last is dated like that. */
void edge_store_add(uint8_t line, bool level, uint32_t ticks);

/* Skips the numbers of edges that were lost. */
void edge_store_lose(uint8_t edges);

/* Edges lost since edge_store_clear, modulo 65536. */
uint16_t edge_store_lost(void);

/* What the host has received, including what is in the line: each edge up to `time` has a number below `next` and was
 * sent; `levels` are those at that time, bit i for line i: after a loss, not always those after the edges that were sent.
 * `keys` are those of the keys, bit i for line EDGES_FIRST_KEY + i.
 * Edges that come later are dated after `time`. Give it the levels as far as edges were added up to `now`. */
struct edge_stand {
    uint32_t time;
    uint32_t next;
    uint8_t levels;
    uint16_t keys;
};
void edge_store_stand(struct edge_stand *to, uint32_t now, uint8_t levels);

/* Begins to send again what is still kept from this number on; `first` is the first number that is sent again, or comes
 * next: those before it are lost for good. False if `number` is beyond what was sent. */
bool edge_store_again(uint32_t number, uint32_t *first);

/* Whether a report should be sent now. */
bool edge_store_due(uint32_t now);

/* For how many ticks there is no report to send, if no edge comes. */
uint16_t edge_store_wait(uint32_t now);

/* Builds the next report (see frame_out): what is asked for again, otherwise what was not sent yet. False if there is
 * neither: then nothing was built. */
bool edge_store_report(uint8_t number);

#endif
