/* The tilt contact: a bob that touches when the machine is shaken. It swings on for a while, so touches that follow one
 * another within 3 s (ours) are one tilt, and until then the machine is tilted. */
#ifndef FELTWIRE_TILT_H
#define FELTWIRE_TILT_H

#include "debounce.h"

#define TILT_TOUCH_MS 2U    /* shorter is a spike (ours) */
#define TILT_QUIET_MS 3000U /* (ours) */

struct tilt {
    struct debounce contact;
    bool tilted;
    uint32_t touched; /* when the contact was last closed */
};

void tilt_begin(struct tilt *tilt, uint8_t level);

/* Each returns whether a tilt has just begun. */
bool tilt_edge(struct tilt *tilt, uint8_t level, uint32_t ticks);
bool tilt_poll(struct tilt *tilt, uint32_t now);

#endif
