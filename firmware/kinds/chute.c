#include "chute.h"

#include "port.h"

#define LEAST_TICKS TICKS_OF_MS(CHUTE_LEAST_MS)
#define BLOCKED_TICKS TICKS_OF_MS(CHUTE_BLOCKED_MS)
#define WHOLE 4

void chute_begin(struct chute *chute, uint8_t dark)
{
    /* What is in the chute now came from nobody knows where. */
    *chute = (struct chute){.dark = dark, .doubtful = dark != 0U};
}

/* Where in a passage these beams are dark: 0 none, 1 A, 2 both, 3 B. */
static uint8_t place_of(uint8_t dark)
{
    return dark == (uint8_t)(CHUTE_A | CHUTE_B) ? 2U : dark == (uint8_t)CHUTE_B ? 3U : dark;
}

static enum chute_passage passage_ended(struct chute *chute, uint32_t ticks)
{
    int8_t place = chute->place;
    bool clear = !chute->doubtful && (ticks - chute->began >= LEAST_TICKS || chute->blocked);
    chute->place = 0;
    chute->doubtful = false;
    chute->blocked = false;
    if (!clear)
        return CHUTE_NONE;
    return place == WHOLE ? CHUTE_WON : place == -WHOLE ? CHUTE_BACK : CHUTE_NONE;
}

enum chute_passage chute_edge(struct chute *chute, enum chute_beam beam, bool dark, uint32_t ticks)
{
    uint8_t now_dark = (uint8_t)(dark ? chute->dark | beam : chute->dark & (uint8_t)~(uint8_t)beam);
    if (now_dark == chute->dark)
        return CHUTE_NONE;
    if (chute->dark == 0U)
        chute->began = ticks;
    else if (ticks == chute->last)
        chute->doubtful = true;
    bool forwards = ((place_of(now_dark) - place_of(chute->dark)) & 3) == 1;
    chute->place = (int8_t)(chute->place + (forwards ? 1 : -1));
    chute->dark = now_dark;
    chute->last = ticks;
    return now_dark == 0U ? passage_ended(chute, ticks) : CHUTE_NONE;
}

void chute_poll(struct chute *chute, uint32_t now)
{
    if (chute->dark != 0U && (int32_t)(now - chute->last) > (int32_t)BLOCKED_TICKS)
        chute->blocked = true;
}
