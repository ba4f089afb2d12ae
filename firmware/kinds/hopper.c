#include "hopper.h"

#include "messages.h"
#include "port.h"

#define COIN_TICKS TICKS_OF_MS(HOPPER_COIN_MS)
#define JAM_TICKS TICKS_OF_MS(HOPPER_JAM_MS)
#define COASTING_TICKS TICKS_OF_MS(HOPPER_COASTING_MS)

void hopper_begin(struct hopper *hopper, uint8_t level, const uint8_t note[HOPPER_NOTE], uint16_t paid_out)
{
    *hopper = (struct hopper){
        .state = HOPPER_IDLE,
        .payout = wire_get16(note),
        .tokens = note[2],
        .start = wire_get16(note + 3),
        .paid_out = paid_out,
    };
    debounce_begin(&hopper->sensor, level);
    hopper->paid = (uint16_t)(paid_out - hopper->start);
}

void hopper_note(const struct hopper *hopper, uint8_t note[HOPPER_NOTE])
{
    wire_put16(note, hopper->payout);
    note[2] = hopper->tokens;
    wire_put16(note + 3, hopper->start);
}

uint8_t hopper_left(const struct hopper *hopper)
{
    return hopper->paid < hopper->tokens ? (uint8_t)(hopper->tokens - hopper->paid) : 0U;
}

static void motor(struct hopper *hopper, bool on, uint32_t now)
{
    hopper->coasting = hopper->motor && !on;
    hopper->motor = on;
    hopper->since = now;
}

static void run(struct hopper *hopper, uint32_t now)
{
    motor(hopper, true, now);
}

enum hopper_answer hopper_pay(struct hopper *hopper, uint16_t payout, uint8_t tokens, uint32_t now)
{
    bool same = hopper->tokens != 0U && payout == hopper->payout;
    bool earlier = hopper->tokens != 0U && (int16_t)(payout - hopper->payout) < 0;
    if (payout == 0U || tokens == 0U || earlier || (same && tokens != hopper->tokens))
        return HOPPER_WRONG;
    if (same && (hopper_left(hopper) == 0U || hopper->state == HOPPER_PAYING))
        return HOPPER_HAS_PAID;
    if (hopper->state == HOPPER_PAYING || (hopper->noting && !same))
        return HOPPER_BUSY;
    if (hopper->state == HOPPER_RUNAWAY)
        return HOPPER_RUNS_AWAY;
    if (same) {
        hopper->state = HOPPER_PAYING;
        if (!hopper->noting)
            run(hopper, now);
        return HOPPER_PAYS;
    }
    hopper->state = HOPPER_PAYING;
    hopper->noting = true;
    hopper->payout = payout;
    hopper->tokens = tokens;
    hopper->start = hopper->paid_out;
    hopper->paid = 0;
    return HOPPER_NOTES;
}

void hopper_noted(struct hopper *hopper, uint32_t now)
{
    if (!hopper->noting)
        return;
    hopper->noting = false;
    if (hopper->state == HOPPER_PAYING)
        run(hopper, now);
}

void hopper_stop(struct hopper *hopper, uint32_t now)
{
    if (hopper->state == HOPPER_PAYING)
        hopper->state = HOPPER_IDLE;
    if (hopper->motor)
        motor(hopper, false, now);
}

void hopper_give_up(struct hopper *hopper, uint32_t now)
{
    hopper_stop(hopper, now);
    hopper->state = HOPPER_EMPTY;
}

void hopper_clear(struct hopper *hopper)
{
    if (hopper->state == HOPPER_RUNAWAY)
        hopper->state = HOPPER_IDLE;
}

static void token_came(struct hopper *hopper, uint32_t ticks)
{
    hopper->paid_out++;
    hopper->paid++;
    if (hopper->motor) {
        hopper->since = ticks;
        if (hopper_left(hopper) == 0U)
            hopper_stop(hopper, ticks);
    } else if (hopper->coasting && (int32_t)(ticks - hopper->since) <= (int32_t)COASTING_TICKS) {
        hopper->coasting = false; /* one may still fall; not two */
    } else {
        hopper->state = HOPPER_RUNAWAY;
    }
}

static bool sensed(struct hopper *hopper, uint32_t now)
{
    if (!debounce_settled(&hopper->sensor, COIN_TICKS, now) || hopper->sensor.level != 0U)
        return false;
    token_came(hopper, hopper->sensor.since);
    return true;
}

bool hopper_poll(struct hopper *hopper, uint32_t now)
{
    bool token = sensed(hopper, now);
    if (hopper->motor && (int32_t)(now - hopper->since) > (int32_t)JAM_TICKS)
        hopper_give_up(hopper, now);
    if (hopper->coasting && (int32_t)(now - hopper->since) > (int32_t)(COASTING_TICKS + COIN_TICKS))
        hopper->coasting = false;
    return token;
}

bool hopper_edge(struct hopper *hopper, uint8_t level, uint32_t ticks)
{
    bool token = sensed(hopper, ticks);
    debounce_edge(&hopper->sensor, level, ticks);
    return token;
}
