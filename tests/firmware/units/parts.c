/* One of each part of the kinds, for tests that call it through ctypes; and a chain of lamps for the one that shifts. */
#include "chute.h"
#include "hopper.h"
#include "keypad.h"
#include "lamp_chain.h"
#include "stepper.h"
#include "tilt.h"
#include "tokens.h"

uint8_t unit_pins[256];
uint8_t unit_outputs[256];

struct tokens tokens;
struct chute chute;
struct tilt tilt;
struct hopper hopper;
struct keypad keypad;
struct stepper stepper;
struct lamp_chain lamps;

uint16_t tokens_rejected(void);
uint16_t tokens_rejected(void)
{
    return tokens.rejected;
}

bool tokens_blocked(void);
bool tokens_blocked(void)
{
    return tokens.blocked;
}

struct hopper_view {
    uint8_t state;
    uint8_t motor;
    uint8_t stage;
    uint8_t tokens;
    uint8_t at_most;
    uint16_t payout;
    uint16_t paid;
};

void hopper_look(struct hopper_view *view);
void hopper_look(struct hopper_view *view)
{
    *view = (struct hopper_view){
        .state = (uint8_t)hopper.state,
        .motor = hopper.motor,
        .stage = (uint8_t)hopper.stage,
        .tokens = hopper.tokens,
        .at_most = hopper_at_most(&hopper),
        .payout = hopper.payout,
        .paid = hopper.paid,
    };
}

uint16_t keypad_pressed(void);
uint16_t keypad_pressed(void)
{
    return keypad.pressed;
}

bool stepper_is_on(void);
bool stepper_is_on(void)
{
    return stepper.on;
}

void stepper_go(void);
void stepper_go(void)
{
    stepper.on = true;
}

uint16_t stepper_slips(void);
uint16_t stepper_slips(void)
{
    return stepper.slips;
}

uint8_t stepper_level(void);
uint8_t stepper_level(void)
{
    return stepper.level;
}

/* --- the chain ------------------------------------------------------------------------------------------------------ */

uint64_t chain_register;
uint64_t chain_sense;
uint64_t chain_lit;   /* what is on the lamps */
uint64_t chain_dead;
uint64_t chain_stuck;
uint8_t chain_count;

static uint64_t all(void)
{
    return chain_count == 64U ? UINT64_MAX : (UINT64_C(1) << chain_count) - 1U;
}

uint8_t lamp_pins_shift(uint8_t bit)
{
    uint8_t came = (uint8_t)(chain_sense >> (chain_count - 1U) & 1U);
    chain_register = ((chain_register << 1) | bit) & all();
    chain_sense = (chain_sense << 1) & all();
    return came;
}

void lamp_pins_latch(void)
{
    chain_sense = (chain_lit | chain_stuck) & ~chain_dead & all();
    chain_lit = chain_register;
}

void lamps_told(uint8_t told[LAMP_BYTES], uint8_t lit[LAMP_BYTES]);
void lamps_told(uint8_t told[LAMP_BYTES], uint8_t lit[LAMP_BYTES])
{
    for (uint8_t byte = 0; byte < LAMP_BYTES; byte++) {
        told[byte] = lamps.told[byte];
        lit[byte] = lamps.lit[byte];
    }
}
