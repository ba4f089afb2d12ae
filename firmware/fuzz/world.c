/* What hangs on the pins, where a script wants it: a shaft that turns with its motor, reels that show home, a hopper that pays. */
#include "fuzz.h"

enum { SHAFT_MS = 20, COIN_EVERY_MS = 100, COIN_MS = 20, HOME_STEPS = 4, TURN_STEPS = 200 };

static const uint8_t homes[REEL_REELS] = {REEL_IN_HOME_1_PIN, REEL_IN_HOME_2_PIN, REEL_IN_HOME_3_PIN};
static uint8_t steps[REEL_REELS];
static uint8_t doing;
static uint32_t looked; /* milliseconds */

void world_begin(uint8_t does)
{
    doing = does;
}

static void drive(uint8_t pin, bool level)
{
    (void)machine_drive(machine_ticks(), pin, level ? 1U : 0U);
}

void world_look(void)
{
    looked++;
    bool table = kind_facts.id == KIND_TABLE;
    bool pusher = kind_facts.id == KIND_PUSHER;
    bool turns = outputs_value(table ? TABLE_OUT_MOTOR : PUSHER_OUT_MOTOR) != 0U;
    if ((doing & WORLD_TURNS) != 0U && (table || pusher) && turns && looked % SHAFT_MS == 0U)
        drive(table ? TABLE_IN_SHAFT_PIN : PUSHER_IN_SHAFT_PIN, looked / SHAFT_MS % 2U == 0U);
    if ((doing & WORLD_COINS) != 0U && pusher && outputs_value(PUSHER_OUT_HOPPER) != 0U && looked % COIN_EVERY_MS == 0U) {
        uint64_t now = machine_ticks();
        (void)machine_drive(now, PUSHER_IN_HOPPER_COIN_PIN, 1);
        (void)machine_drive(now + MS(COIN_MS), PUSHER_IN_HOPPER_COIN_PIN, 0);
    }
}

void world_step(uint8_t pin)
{
    if (kind_facts.id != KIND_REEL || (doing & WORLD_HOMES) == 0U)
        return;
    for (uint8_t i = 0; i < REEL_REELS; i++) {
        if (kind_facts.output[i].pin != pin)
            continue;
        steps[i] = (uint8_t)((steps[i] + 1U) % TURN_STEPS);
        if (steps[i] == 0U || steps[i] == HOME_STEPS)
            drive(homes[i], steps[i] == 0U);
    }
}
