/* The pulses of a token acceptor: active (level 0) for a time that means "a token".
 *
 * Acceptors give 25 to 500 ms, within 20 %. Until the host sets one, a pulse shorter than 20 ms, or longer than 250 ms (ours),
 * is not a token. What breaks the line for less than 5 ms (ours) is a bounce. */
#ifndef FELTWIRE_TOKENS_H
#define FELTWIRE_TOKENS_H

#include "debounce.h"

#define TOKENS_LEAST_MS 20U  /* of any acceptor: what is shorter is noise */
#define TOKENS_MOST_MS 600U  /* of any acceptor: 500 ms and 20 % */
#define TOKENS_USUAL_MS 250U /* the longest until the host sets the width of pulses */
#define TOKENS_BOUNCE_MS 5U

struct tokens {
    struct debounce line;
    uint32_t fell;
    bool in_pulse;
    bool blocked;      /* active for longer than any pulse: jammed, or held by a hand */
    uint32_t least;    /* ticks of a token's pulse */
    uint32_t most;
    uint16_t rejected; /* pulses of a wrong width, modulo 65536 */
};

void tokens_begin(struct tokens *tokens, uint8_t level);

/* From now on a token's pulse is so wide, within 20 %; 0: as at the beginning. */
void tokens_width(struct tokens *tokens, uint16_t ms);

/* Each returns whether a token has come; before an edge it may be one that ended earlier. */
bool tokens_edge(struct tokens *tokens, uint8_t level, uint32_t ticks);
bool tokens_poll(struct tokens *tokens, uint32_t now);

#endif
