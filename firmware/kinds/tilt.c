#include "tilt.h"

#include "port.h"

#define TOUCH_TICKS TICKS_OF_MS(TILT_TOUCH_MS)
#define QUIET_TICKS TICKS_OF_MS(TILT_QUIET_MS)

void tilt_begin(struct tilt *tilt, uint8_t level)
{
    *tilt = (struct tilt){.tilted = level == 0U}; /* how it was left is not a tilt of now */
    debounce_begin(&tilt->contact, level);
}

bool tilt_poll(struct tilt *tilt, uint32_t now)
{
    bool closed = debounce_settled(&tilt->contact, TOUCH_TICKS, now) && tilt->contact.level == 0U;
    bool begun = closed && !tilt->tilted;
    if (tilt->contact.level == 0U) {
        tilt->tilted = true;
        tilt->touched = now;
    } else if (tilt->tilted && (int32_t)(now - tilt->touched) > (int32_t)QUIET_TICKS) {
        tilt->tilted = false;
    }
    return begun;
}

bool tilt_edge(struct tilt *tilt, uint8_t level, uint32_t ticks)
{
    bool begun = tilt_poll(tilt, ticks);
    debounce_edge(&tilt->contact, level, ticks);
    return begun;
}
