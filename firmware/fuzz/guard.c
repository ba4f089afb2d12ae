/* The outputs: none is on that no command of this session wanted on since all were made safe last; none is on for longer than
 * the command or the board allows; none is on while the host is silent; each pin is as the board reports. */
#include <string.h>

#include "fuzz.h"

#define DEADMAN_TICKS MS(WIRE_DEADMAN_MS)
#define LATE_TICKS 700U /* a turn of the main loop, the 500 that it waits before it answers `clock`, and some */
#define NEVER UINT64_MAX

static struct {
    bool wanted;
    uint64_t since;
    uint64_t until;
} guarded[KIND_MOST_OUTPUTS];

static bool stalled; /* since the last turn of the main loop */

void guard_begin(void)
{
    stalled = false;
    memset(guarded, 0, sizeof guarded);
}

static void want(uint8_t number)
{
    if (number != 0U && number <= kind_facts.outputs)
        guarded[number - 1U].wanted = true;
}

void guard_wanted(const struct wire_frame *command)
{
    bool table = kind_facts.id == KIND_TABLE;
    switch (command->id) {
    case COMMAND_SET:
        want(command->fields[0]);
        if (kind_facts.id == KIND_PUSHER && command->fields[0] == PUSHER_OUT_MOTOR)
            want(PUSHER_OUT_ALARM); /* it rings by itself where the shelf is blocked */
        break;
    case COMMAND_MOTOR:
        want(table ? TABLE_OUT_MOTOR : PUSHER_OUT_MOTOR);
        want(table ? TABLE_OUT_MOTOR_BACK : PUSHER_OUT_ALARM);
        break;
    case COMMAND_SPIN:
        if (command->fields[0] <= REEL_REELS)
            want(command->fields[0]);
        break;
    case COMMAND_ACCEPT:
        want(kind_facts.id == KIND_REEL ? REEL_OUT_ACCEPT : PUSHER_OUT_ACCEPT);
        break;
    case COMMAND_PAY:
        want(PUSHER_OUT_HOPPER);
        break;
    default:
        break;
    }
}

void guard_all_safe(void)
{
    for (uint8_t i = 0; i < kind_facts.outputs; i++) {
        guarded[i].wanted = false;
        MUST(outputs_value((uint8_t)(i + 1U)) == 0U, "output %u is on, and all were made safe", i + 1U);
    }
}

void guard_set(uint8_t number, uint8_t before, uint8_t value, uint32_t for_ms)
{
    if (value == 0U)
        return;
    uint64_t now = whole_ticks(board_now());
    MUST(host_session(), "output %u was put on without a session", number);
    MUST(guarded[number - 1U].wanted, "output %u was put on without a report", number);
    if (before == 0U)
        guarded[number - 1U].since = now;
    uint64_t longest = guarded[number - 1U].since + MS(kind_facts.output[number - 1U].longest_ms);
    uint64_t asked = for_ms == 0U ? NEVER : now + MS(for_ms);
    guarded[number - 1U].until = asked < longest ? asked : longest;
}

/* A relay that turns a motor's way round must not move while the motor draws current. */
void guard_pin(uint8_t pin, uint8_t value)
{
    if (kind_facts.id == KIND_TABLE && pin == TABLE_OUT_MOTOR_BACK_PIN && value != machine_pin(pin))
        MUST(machine_pin(TABLE_OUT_MOTOR_PIN) == 0U, "the way round changes while the motor is driven");
    if (kind_facts.id == KIND_PUSHER && pin == PUSHER_HOPPER_BACK_PIN && value != machine_pin(pin))
        MUST(machine_pin(PUSHER_OUT_HOPPER_PIN) == 0U, "the hopper's way round changes while it is driven");
    if (kind_facts.id != KIND_REEL || value == 0U)
        return;
    for (uint8_t i = 0; i < REEL_REELS; i++)
        MUST(pin != kind_facts.output[i].pin || outputs_value((uint8_t)(i + 1U)) != 0U, "reel %u steps, and is off", i + 1U);
}

static bool supply_fails(void)
{
    uint8_t input = kind_facts.id == KIND_REEL ? REEL_IN_POWER_FAIL : kind_facts.id == KIND_PUSHER ? PUSHER_IN_POWER_FAIL : 0U;
    return input != 0U && (board_levels() & (uint8_t)(1U << (input - 1U))) != 0U;
}

void guard_stalled(void)
{
    stalled = true;
}

/* How the turn before left the outputs. `turn` is its time; in a stalled main loop nothing is done in time. */
void guard_turn_begins(void)
{
    uint64_t turn = whole_ticks(board_now());
    uint64_t there = host_there();
    bool silent = turn >= there + DEADMAN_TICKS || (!stalled && machine_ticks() > there + DEADMAN_TICKS + LATE_TICKS);
    for (uint8_t i = 0; i < kind_facts.outputs; i++) {
        uint8_t value = outputs_value((uint8_t)(i + 1U));
        uint8_t pin = machine_pin(kind_facts.output[i].pin);
        bool turns = (kind_facts.turns_outputs & (uint8_t)(1U << i)) != 0U;
        MUST(turns || pin == value, "output %u is on %u, and its pin on %u", i + 1U, value, pin);
        if (value == 0U)
            continue;
        MUST(host_session(), "output %u is on without a session", i + 1U);
        MUST(!silent, "output %u is on, and the host is silent since tick %llu", i + 1U, (unsigned long long)there);
        MUST(turn < guarded[i].until, "output %u is on since tick %llu, and might be until %llu", i + 1U,
             (unsigned long long)guarded[i].since, (unsigned long long)guarded[i].until);
        MUST(stalled || machine_ticks() <= guarded[i].until + LATE_TICKS, 
             "output %u is on since tick %llu, might be until %llu, and nobody looks", i + 1U,
             (unsigned long long)guarded[i].since, (unsigned long long)guarded[i].until);
        MUST(!supply_fails(), "output %u is on while the supply fails", i + 1U);
    }
    stalled = false;
}
