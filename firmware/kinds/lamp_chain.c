#include "lamp_chain.h"

#include "port.h"

#define GLOW_TICKS TICKS_OF_MS(LAMPS_GLOW_MS)

void lamp_chain_begin(struct lamp_chain *chain, uint8_t lamps, uint8_t control)
{
    *chain = (struct lamp_chain){.lamps = lamps, .count = (uint8_t)(lamps + control), .stage = LAMPS_LATCH};
}

bool lamp_chain_takes(const struct lamp_chain *chain, const uint8_t lit[LAMP_BYTES])
{
    for (uint8_t lamp = chain->lamps; lamp < 8U * LAMP_BYTES; lamp++) {
        if ((lit[lamp >> 3] & (uint8_t)(1U << (lamp & 7U))) != 0U)
            return false;
    }
    return true;
}

void lamp_chain_light(struct lamp_chain *chain, const uint8_t lit[LAMP_BYTES])
{
    uint8_t bytes = (uint8_t)((chain->lamps + 7U) >> 3);
    for (uint8_t byte = 0; byte < bytes; byte++)
        chain->told[byte] = lit[byte];
    chain->stage = LAMPS_LATCH;
}

/* Shifts a whole frame: the lamps' command out, and what was taken at the last latch in. */
static void shift_frame(const struct lamp_chain *chain, uint8_t came[LAMP_BYTES])
{
    uint8_t lamp = chain->count;
    uint8_t at = (uint8_t)((lamp - 1U) >> 3);
    uint8_t bit = (uint8_t)(1U << ((lamp - 1U) & 7U));
    uint8_t bits = 0;
    for (;;) {
        if (lamp_pins_shift((chain->told[at] & bit) != 0U ? 1U : 0U) != 0U)
            bits |= bit;
        bit >>= 1;
        if (bit != 0U)
            continue;
        came[at] = bits;
        if (at == 0U)
            return;
        at--;
        bits = 0;
        bit = 0x80U;
    }
}

void lamp_chain_control(struct lamp_chain *chain, uint8_t levels)
{
    uint8_t came[LAMP_BYTES];
    chain->told[chain->lamps >> 3] = levels;
    shift_frame(chain, came);
    lamp_pins_latch();
}

void lamp_chain_refresh(struct lamp_chain *chain)
{
    if (chain->stage == LAMPS_STILL)
        chain->stage = LAMPS_LATCH;
}

static bool due(const struct lamp_chain *chain, uint32_t now)
{
    return chain->stage == LAMPS_LATCH ||
           (chain->stage == LAMPS_GLOW && (int32_t)(now - chain->latched) >= (int32_t)GLOW_TICKS);
}

bool lamp_chain_poll(struct lamp_chain *chain, uint32_t now)
{
    if (!due(chain, now))
        return false;
    bool glow = chain->stage == LAMPS_GLOW;
    shift_frame(chain, chain->lit);
    lamp_pins_latch();
    chain->stage = glow ? LAMPS_STILL : LAMPS_GLOW;
    chain->latched = now;
    if (glow)
        shift_frame(chain, chain->lit);
    return glow;
}
