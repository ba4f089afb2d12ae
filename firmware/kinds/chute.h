/* The win chute: a token that falls through darkens beam A, then both, then only B, then none. That way round it is won;
 * the other way round, or half way and back, it is nothing.
 *
 * The beams are nearer to each other than a token is wide, and tokens further from each other than the beams: the chute's
 * mechanics see to that. So every passage shows all four steps, and one that leaves a step out is a hand or a fault. */
#ifndef FELTWIRE_CHUTE_H
#define FELTWIRE_CHUTE_H

#include <stdbool.h>
#include <stdint.h>

#define CHUTE_LEAST_MS 4U      /* a passage that is shorter is none (ours): 30 mm at 7 m/s */
#define CHUTE_BLOCKED_MS 3000U /* a beam that is dark for this long is blocked (ours) */

enum chute_beam { CHUTE_A = 1, CHUTE_B = 2 };

enum chute_passage { CHUTE_NONE, CHUTE_WON, CHUTE_BACK };

struct chute {
    uint8_t dark; /* beams */
    int8_t place; /* steps of a passage, 4 are all; less than 0: backwards */
    bool doubtful; /* two beams changed at one time: their order is not known */
    bool blocked;
    uint32_t began;
    uint32_t last;
};

void chute_begin(struct chute *chute, uint8_t dark);
enum chute_passage chute_edge(struct chute *chute, enum chute_beam beam, bool dark, uint32_t ticks);
void chute_poll(struct chute *chute, uint32_t now);

#endif
