#include "stepper.h"

#include "messages.h"
#include "port.h"

#define HALF (STEPPER_STEPS / 2U)
#define AIM_AHEAD 3U /* steps that may be made while an aim is reckoned */

/* Ticks a step at each level of the ramp: WIRE_TICK_HZ / sqrt(START^2 + 2 * ACCELERATION * (level - 1)). */
static const PORT_ROM uint16_t ramp[STEPPER_RAMP] = {
    25000U, 19612U, 16667U, 14744U, 13363U, 12309U, 11471U, 10783U, 10206U, 9713U,
    9285U, 8909U, 8575U, 8276U, 8006U, 7762U, 7538U, 7332U, 7143U, 6967U,
    6804U, 6652U, 6509U, 6376U, 6250U, 6131U, 6019U, 5913U, 5812U, 5717U,
    5625U, 5538U, 5455U, 5376U, 5300U, 5227U, 5157U, 5090U, 5025U, 4963U,
};

void stepper_begin(struct stepper *stepper)
{
    *stepper = (struct stepper){.aim = STEPPER_UNKNOWN};
}

uint16_t stepper_step(struct stepper *stepper, bool home)
{
    uint8_t step = stepper->step;
    uint16_t togo = stepper->togo;
    uint8_t level = stepper->level;
    if (home && !stepper->was_home) {
        stepper->home_at = step;
        stepper->homes++;
        stepper->laps = 0;
        step = 0;
    }
    stepper->was_home = home;
    if (togo == 0U) {
        stepper->step = step;
        stepper->on = false;
        return 0;
    }
    step++;
    if (step == STEPPER_STEPS) {
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

static uint8_t top_of(uint16_t period)
{
    uint8_t top = 1;
    while (top < STEPPER_RAMP && ramp[top - 1U] > period)
        top++;
    return top;
}

uint16_t stepper_symbol_steps(uint16_t steps_per_s, uint8_t symbols)
{
    uint8_t top = top_of((uint16_t)(WIRE_TICK_HZ / steps_per_s));
    return (uint16_t)(top + AIM_AHEAD + (STEPPER_STEPS + symbols - 1U) / symbols);
}

void stepper_spin(struct stepper *stepper, uint16_t steps_per_s, bool home)
{
    uint16_t period = (uint16_t)(WIRE_TICK_HZ / steps_per_s);
    uint8_t top = top_of(period);
    if (!stepper->known)
        stepper->step = 0; /* so that two whole turns go by before home is missed */
    stepper->was_home = home;
    stepper->level = 0;
    stepper->top = top;
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
        uint8_t step = stepper->step;
        uint16_t left = stepper->aim > step ? 0U : STEPPER_STEPS;
        left = (uint16_t)(left + stepper->aim - step);
        if (left < level && togo == STEPPER_ENDLESS)
            left = (uint16_t)(left + STEPPER_STEPS);
        if (togo > level && left >= level)
            stepper->togo = left;
    }
}

void stepper_stop_at(struct stepper *stepper, uint8_t step)
{
    stepper->aim = step;
    steer(stepper);
}

bool stepper_stop_at_symbol(struct stepper *stepper, uint8_t symbols)
{
    uint16_t from = 0;
    bool turns = false;
    PORT_ATOMIC
    {
        turns = stepper->on && stepper->togo > stepper->level;
        from = (uint16_t)(stepper->step + stepper->level);
    }
    if (!turns || !stepper->known)
        return false;
    from = (uint16_t)(from + AIM_AHEAD);
    uint16_t symbol = (uint16_t)((from * symbols + STEPPER_STEPS - 1U) / STEPPER_STEPS);
    uint16_t step = (uint16_t)(symbol * STEPPER_STEPS / symbols);
    if (step < from)
        step = (uint16_t)((symbol + 1U) * STEPPER_STEPS / symbols);
    while (step >= STEPPER_STEPS)
        step = (uint16_t)(step - STEPPER_STEPS);
    stepper_stop_at(stepper, (uint8_t)step);
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

bool stepper_poll(struct stepper *stepper)
{
    uint8_t homes = 0;
    uint8_t laps = 0;
    uint8_t home_at = 0;
    PORT_ATOMIC
    {
        homes = stepper->homes;
        laps = stepper->laps;
        home_at = stepper->home_at;
    }
    if (homes != stepper->homes_taken) {
        uint8_t off = home_at < HALF ? home_at : (uint8_t)(STEPPER_STEPS - home_at);
        stepper->homes_taken = homes;
        if (stepper->known && off > STEPPER_SLIP)
            stepper->slips++;
        stepper->known = true;
        steer(stepper);
    }
    if (laps < 2U)
        return false;
    stepper_halt(stepper);
    stepper->known = false;
    stepper->slips++;
    PORT_ATOMIC
    {
        stepper->laps = 0;
    }
    return true;
}

uint8_t stepper_place(const struct stepper *stepper)
{
    return stepper->known ? stepper->step : STEPPER_UNKNOWN;
}
