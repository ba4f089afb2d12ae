#include "samples.h"

#include "frame.h"
#include "kind.h"

static uint8_t sampled; /* channels: bit i is channel i + 1; 0: nothing is */
static uint32_t period_ticks;
static uint32_t next_ticks;
static uint8_t converting; /* the channel at the converter, from 1; 0: none is */
static bool stale;         /* the conversion under way was begun before samples_begin */

static struct report_sample ready; /* its values are those of `values`, once `waits` */
static uint16_t values[KIND_MOST_ANALOGUES];
static bool waits;

bool samples_begin(uint8_t channels, uint16_t period_ms)
{
    if ((uint8_t)(channels >> kind_facts.analogues) != 0U)
        return false;
    sampled = period_ms == 0U ? 0U : channels;
    period_ticks = (uint32_t)period_ms * TICKS_A_MS;
    next_ticks = board_now();
    stale = converting != 0U;
    waits = false;
    ready = (struct report_sample){.number = UINT16_MAX, .time = 0, .channels = sampled};
    return true;
}

/* Begins the next channel after the one given (from 0); false if that was the last. */
static bool convert_after(uint8_t channel)
{
    for (uint8_t next = channel; next < kind_facts.analogues; next++) {
        if (sampled & (uint8_t)(1U << next)) {
            converting = (uint8_t)(next + 1U);
            port_adc_start(kind_facts.analogue[next]);
            return true;
        }
    }
    converting = 0;
    return false;
}

static void begin_sample(uint32_t now)
{
    waits = false; /* one that was not sent by now is lost: its number is missing */
    ready.number++;
    ready.time = now;
    next_ticks += period_ticks;
    if ((int32_t)(now - next_ticks) >= 0)
        next_ticks = now + period_ticks; /* the loop was late by a whole period: no burst to catch up */
    (void)convert_after(0);
}

void samples_poll(uint32_t now)
{
    if (converting != 0U) {
        uint16_t value;
        if (!port_adc_take(&value))
            return;
        uint8_t channel = converting;
        if (stale) {
            stale = false;
            converting = 0;
        } else {
            values[channel - 1U] = value;
            waits = !convert_after(channel);
        }
    }
    if (converting == 0U && sampled != 0U && (int32_t)(now - next_ticks) >= 0)
        begin_sample(now);
}

uint16_t samples_wait(uint32_t now)
{
    if (sampled == 0U)
        return UINT16_MAX;
    if (converting != 0U) /* the converter wakes the board; but it may be done before the board sleeps */
        return TICKS_A_MS;
    int32_t left = (int32_t)(next_ticks - now);
    return left <= 0 ? 0U : left > UINT16_MAX ? UINT16_MAX : (uint16_t)left;
}

bool samples_due(void)
{
    return waits;
}

void samples_report(uint8_t number)
{
    uint8_t *fields = frame_out(number, REPORT_SAMPLE, REPORT_SAMPLE_SIZE + 2U * KIND_MOST_ANALOGUES);
    uint8_t size = REPORT_SAMPLE_SIZE;
    report_sample_write(fields, &ready);
    for (uint8_t channel = 0; channel < kind_facts.analogues; channel++) {
        if (sampled & (uint8_t)(1U << channel)) {
            wire_put16(fields + size, values[channel]);
            size = (uint8_t)(size + 2U);
        }
    }
    frame_shorten(size);
    waits = false;
}
