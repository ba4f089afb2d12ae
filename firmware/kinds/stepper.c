#include "stepper.h"

#include <stddef.h>

#include "messages.h"
#include "port.h"

#define AIM_AHEAD 3U /* steps that may be made while an aim is reckoned */
#define RAMP_LEAST (WIRE_TICK_HZ / STEPPER_MOST)
#define RAMP_MOST (WIRE_TICK_HZ / STEPPER_LEAST)
#define USUAL 40U

/* WIRE_TICK_HZ / sqrt(80^2 + 2 * 2000 * (level - 1)). */
static const PORT_ROM uint16_t usual[USUAL] = {
    25000U, 19612U, 16667U, 14744U, 13363U, 12309U, 11471U, 10783U, 10206U, 9713U,
    9285U, 8909U, 8575U, 8276U, 8006U, 7762U, 7538U, 7332U, 7143U, 6967U,
    6804U, 6652U, 6509U, 6376U, 6250U, 6131U, 6019U, 5913U, 5812U, 5717U,
    5625U, 5538U, 5455U, 5376U, 5300U, 5227U, 5157U, 5090U, 5025U, 4963U,
};

/* The interrupt reads it while a stepper turns; it is changed only while none does. */
static uint16_t ramp[STEPPER_RAMP];
static uint8_t ramp_steps;

void stepper_ramp_usual(void)
{
    for (uint8_t level = 0; level < USUAL; level++)
        ramp[level] = usual[level];
    ramp_steps = USUAL;
}

static uint16_t told_at(const uint8_t *ticks, uint8_t each)
{
    return wire_get16(ticks + (size_t)each * 2U);
}

bool stepper_ramp(uint8_t first, const uint8_t *ticks, uint8_t count)
{
    if (first != 0U && first != ramp_steps)
        return false;
    uint16_t before = first != 0U ? ramp[first - 1U] : (uint16_t)RAMP_MOST;
    uint8_t given = 0;
    for (uint8_t each = 0; each < count; each++) {
        uint16_t next = told_at(ticks, each);
        if (next == 0U)
            continue;
        if (given != each || next < RAMP_LEAST || next > before || first + given >= (int)STEPPER_RAMP)
            return false;
        before = next;
        given++;
    }
    if (first + given == 0)
        return false;
    for (uint8_t each = 0; each < given; each++)
        ramp[first + each] = told_at(ticks, each);
    ramp_steps = (uint8_t)(first + given);
    return true;
}

static uint16_t period_of(uint16_t steps_per_s)
{
    return (uint16_t)(WIRE_TICK_HZ / steps_per_s);
}

bool stepper_reaches(uint16_t steps_per_s)
{
    return steps_per_s >= STEPPER_LEAST && steps_per_s <= STEPPER_MOST && ramp[ramp_steps - 1U] <= period_of(steps_per_s);
}

static uint8_t top_of(uint16_t period)
{
    uint8_t top = 1;
    while (top < ramp_steps && ramp[top - 1U] > period)
        top++;
    return top;
}

uint16_t stepper_brake_ms(uint16_t steps_per_s)
{
    uint32_t ticks = 2UL * ramp[0];
    uint8_t top = top_of(period_of(steps_per_s));
    for (uint8_t level = 0; level < top; level++)
        ticks += ramp[level];
    return (uint16_t)(ticks / TICKS_A_MS + 1U);
}

void stepper_begin(struct stepper *stepper)
{
    *stepper = (struct stepper){.aim = STEPPER_UNKNOWN};
    stepper_configure(stepper, STEPPER_USUAL_STEPS, 20U, STEPPER_USUAL_LEAST, STEPPER_USUAL_MOST);
}

void stepper_configure(struct stepper *stepper, uint16_t steps, uint8_t symbols, uint8_t least, uint16_t most)
{
    if (steps != stepper->steps)
        stepper->known = false;
    stepper->steps = steps;
    stepper->slip = (uint16_t)(steps / (2U * symbols));
    stepper->least = least;
    stepper->most = most;
}

static inline __attribute__((always_inline)) uint16_t look_at_home(struct stepper *stepper, bool home, uint16_t step)
{
    uint16_t dark = stepper->dark;
    if (!home) {
        if (dark != 0U) {
            if (dark >= stepper->least && !stepper->begun_dark)
                stepper->width = dark;
            stepper->dark = 0;
            stepper->begun_dark = false;
        }
        return step;
    }
    if (dark == 0U)
        stepper->rose = step;
    if (dark != UINT16_MAX)
        dark++;
    stepper->dark = dark;
    if (dark != stepper->least || stepper->begun_dark)
        return step;
    uint16_t rose = stepper->rose;
    stepper->home_at = rose;
    stepper->homes++;
    stepper->laps = 0;
    return (uint16_t)(step >= rose ? step - rose : step + stepper->steps - rose);
}

uint16_t stepper_step(struct stepper *stepper, bool home)
{
    uint16_t step = look_at_home(stepper, home, stepper->step);
    uint16_t togo = stepper->togo;
    uint8_t level = stepper->level;
    if (togo == 0U) {
        stepper->step = step;
        stepper->on = false;
        return 0;
    }
    step++;
    if (step >= stepper->steps) {
        step = 0;
        stepper->laps++;
    }
    stepper->step = step;
    if (togo != STEPPER_ENDLESS)
        stepper->togo = --togo;
    if (togo < level)
        level = (uint8_t)togo;
    else if (togo > level && level < stepper->top)
        level++;
    stepper->level = level;
    if (level == stepper->top)
        return stepper->period;
    return ramp[level == 0U ? 0U : level - 1U];
}

uint16_t stepper_symbol_steps(const struct stepper *stepper, uint16_t steps_per_s, uint8_t symbols)
{
    uint8_t top = top_of(period_of(steps_per_s));
    return (uint16_t)(top + AIM_AHEAD + (stepper->steps + symbols - 1U) / symbols);
}

void stepper_spin(struct stepper *stepper, uint16_t steps_per_s, bool home)
{
    uint16_t period = period_of(steps_per_s);
    if (!stepper->known)
        stepper->step = 0; /* so that two whole turns go by before home is missed */
    stepper->begun_dark = home;
    stepper->dark = home ? 1U : 0U;
    stepper->level = 0;
    stepper->top = top_of(period);
    stepper->period = period;
    stepper->togo = STEPPER_ENDLESS;
    stepper->laps = 0;
    stepper->aim = STEPPER_UNKNOWN;
}

/* Sets how many steps are left to the aim, unless it is being braked for already. */
static void steer(struct stepper *stepper)
{
    if (!stepper->known || stepper->aim == STEPPER_UNKNOWN)
        return;
    PORT_ATOMIC
    {
        uint8_t level = stepper->level;
        uint16_t togo = stepper->togo;
        uint16_t step = stepper->step;
        uint16_t left = stepper->aim > step ? 0U : stepper->steps;
        left = (uint16_t)(left + stepper->aim - step);
        if (left < level && togo == STEPPER_ENDLESS)
            left = (uint16_t)(left + stepper->steps);
        if (togo > level && left >= level)
            stepper->togo = left;
    }
}

void stepper_stop_at(struct stepper *stepper, uint16_t step)
{
    stepper->aim = step;
    steer(stepper);
}

bool stepper_stop_at_symbol(struct stepper *stepper, uint8_t symbols)
{
    uint32_t from = 0;
    bool turns = false;
    PORT_ATOMIC
    {
        turns = stepper->on && stepper->togo > stepper->level;
        from = stepper->step + (uint32_t)stepper->level;
    }
    if (!turns || !stepper->known)
        return false;
    from += AIM_AHEAD;
    uint32_t symbol = (from * symbols + stepper->steps - 1U) / stepper->steps;
    uint32_t step = symbol * stepper->steps / symbols;
    if (step < from)
        step = (symbol + 1U) * stepper->steps / symbols;
    while (step >= stepper->steps)
        step -= stepper->steps;
    stepper_stop_at(stepper, (uint16_t)step);
    return true;
}

bool stepper_stop(struct stepper *stepper)
{
    bool stops = false;
    PORT_ATOMIC
    {
        if (stepper->on && stepper->togo > stepper->level) {
            stepper->togo = stepper->level;
            stops = true;
        }
    }
    stepper->aim = STEPPER_UNKNOWN;
    return stops;
}

void stepper_halt(struct stepper *stepper)
{
    PORT_ATOMIC
    {
        if (stepper->on && stepper->level > 1U)
            stepper->known = false;
        stepper->on = false;
    }
    stepper->aim = STEPPER_UNKNOWN;
}

static int16_t off_home(const struct stepper *stepper, uint16_t home_at)
{
    return (int16_t)(home_at <= stepper->steps / 2U ? home_at : home_at - stepper->steps);
}

enum stepper_fault stepper_poll(struct stepper *stepper)
{
    uint8_t homes = 0;
    uint8_t laps = 0;
    uint16_t home_at = 0;
    uint16_t dark = 0;
    PORT_ATOMIC
    {
        homes = stepper->homes;
        laps = stepper->laps;
        home_at = stepper->home_at;
        dark = stepper->on ? stepper->dark : 0U;
    }
    if (homes != stepper->homes_taken) {
        stepper->homes_taken = homes;
        if (stepper->known) {
            stepper->off = off_home(stepper, home_at);
            if (stepper->off > (int16_t)stepper->slip || stepper->off < -(int16_t)stepper->slip)
                stepper->slips++;
        }
        stepper->known = true;
        steer(stepper);
    }
    if (laps < 2U && dark <= stepper->most)
        return STEPPER_WELL;
    stepper_halt(stepper);
    stepper->known = false;
    stepper->slips++;
    PORT_ATOMIC
    {
        stepper->laps = 0;
    }
    return laps < 2U ? STEPPER_BLOCKED : STEPPER_NO_HOME;
}

uint16_t stepper_place(const struct stepper *stepper)
{
    return stepper->known ? stepper->step : STEPPER_UNKNOWN;
}
