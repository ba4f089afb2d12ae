#include "supply.h"

#include "messages.h"
#include "port.h"
#include "store.h"

#define BACK_TICKS TICKS_OF_MS(SUPPLY_BACK_MS)

static bool failing;
static uint32_t low_ticks; /* when it last failed */

void supply_begin(void)
{
    failing = false;
}

bool supply_level(uint8_t level, uint32_t ticks)
{
    if (level == 0U) {
        bool begins = !failing;
        failing = true;
        low_ticks = ticks;
        store_power_fail();
        return begins;
    }
    if (failing && (int32_t)(ticks - low_ticks) >= (int32_t)BACK_TICKS) {
        failing = false;
        store_power_back();
    }
    return false;
}

uint8_t supply_may_turn(void)
{
    return failing ? REFUSED_NOT_SAFE : 0U;
}

uint8_t supply_may_count(void)
{
    if (store_failed())
        return REFUSED_STORE_FAILED;
    return store_ready() ? supply_may_turn() : REFUSED_NOT_SAFE;
}
