#include "overload.h"

#include "board.h"
#include "port.h"

static const struct overload *converting; /* whose reading is at the converter */

void overload_begin(struct overload *overload)
{
    *overload = (struct overload){0};
    converting = 0;
}

/* True: the converter had a reading of this motor. */
static bool took(struct overload *overload, uint8_t duty, uint16_t now_ms)
{
    uint16_t value;
    if (converting != overload || !port_adc_take(&value))
        return false;
    converting = 0;
    bool over = (uint32_t)value * UINT8_MAX > (uint32_t)overload->limit * duty;
    if (over && !overload->over)
        overload->since_ms = now_ms;
    overload->over = over;
    return true;
}

bool overload_poll(struct overload *overload, uint8_t pin, uint8_t duty, uint16_t most_ms)
{
    uint16_t now_ms = (uint16_t)board_ms();
    bool read = took(overload, duty, now_ms);
    if (overload->limit == 0U || duty == 0U) {
        overload->over = false;
        return false;
    }
    /* Not right after its own reading: another motor may wait for the converter. */
    if (!read && converting == 0 && (uint16_t)(now_ms - overload->read_ms) >= OVERLOAD_SAMPLE_MS) {
        converting = overload;
        overload->read_ms = now_ms;
        port_adc_start(pin);
    }
    if (!overload->over || (uint16_t)(now_ms - overload->since_ms) < most_ms)
        return false;
    overload->over = false;
    return true;
}
