/* The states of a hopper that its invariant allows. To be included behind hopper.c. */
#ifndef FELTWIRE_PROOF_HOPPER_STATE_H
#define FELTWIRE_PROOF_HOPPER_STATE_H

#include "hopper.h"
#include "proof.h"

static bool hopper_under_way(const struct hopper *hopper)
{
    return hopper->stage >= HOPPER_NOTING && hopper->stage <= HOPPER_STARTS;
}

static bool hopper_due(const struct hopper *hopper)
{
    return hopper->state == HOPPER_PAYING && hopper->tokens != 0U && left(hopper) != 0U;
}

static bool hopper_waits(const struct hopper *hopper)
{
    return hopper->stage == HOPPER_NOTING || hopper->stage == HOPPER_TESTING;
}

/* `noted`: the payout under way is kept. `strayed`: a token came between the command and the start of the motor. */
static bool hopper_sound(const struct hopper *hopper, bool noted, bool strayed)
{
    bool turns_now = hopper->stage == HOPPER_RUNNING || hopper->stage == HOPPER_TURNS_BACK;
    bool begun = hopper_under_way(hopper) && hopper->stage != HOPPER_NOTING;
    return hopper->motor == turns_now && (!hopper_under_way(hopper) || hopper_due(hopper) || strayed) && (!begun || noted) &&
           (hopper->stage != HOPPER_TURNS_BACK || hopper->back) && hopper->backs <= HOPPER_BACKS;
}

static void any_hopper(struct hopper *hopper)
{
    uint8_t state = nondet_u8();
    uint8_t stage = nondet_u8();
    ANY_BOOL(hopper->motor);
    ANY_BOOL(hopper->back);
    ANY_BOOL(hopper->reverses);
    ANY_BOOL(hopper->first);
    ANY_BOOL(hopper->inside);
    ASSUME(state <= HOPPER_JAMMED && stage <= HOPPER_PROVING);
    hopper->state = (enum hopper_state)state;
    hopper->stage = (enum hopper_stage)stage;
    ASSUME(hopper->sensor.level <= 1U && hopper->sensor.raw <= 1U);
    ASSUME(hopper->token_ms >= 40U && hopper->token_ms <= 1000U);
}

#endif
