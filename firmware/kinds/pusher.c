/* A token pusher: token acceptor, win chute with two beams, shelf motor with shaft pulses, tilt, hopper.
 *
 * All sensors pull their line low: a token in the acceptor, a dark beam, a shaft pulse, the tilt contact, a token in the
 * hopper's sensor, home, and a supply that fails. */
#include "acceptor.h"
#include "chute.h"
#include "drive.h"
#include "kind.h"
#include "levels.h"
#include "payouts.h"
#include "supply.h"
#include "tilt.h"

const PORT_ROM struct kind_facts kind_facts = {
    .id = KIND_PUSHER,
    .inputs = KIND_PUSHER_INPUTS,
    .outputs = KIND_PUSHER_OUTPUTS,
    .analogues = KIND_PUSHER_ANALOGUES,
    .counters = KIND_PUSHER_COUNTERS,
    .own_inputs = 0xFFU,
    .own_pull_ups = 0xFFU,
    .turns_outputs = 0,
    .wake_ms = 2,
    .output = KIND_PUSHER_OUTPUT_TABLE,
    .analogue = KIND_PUSHER_ANALOGUE_PINS,
};

static struct chute chute;
static struct tilt tilt;

static bool low(uint8_t input)
{
    return level_of(input) == 0U;
}

void kind_begin(void)
{
    supply_begin();
    acceptor_begin(PUSHER_OUT_ACCEPT, PUSHER_COUNTER_TOKENS_IN, level_of(PUSHER_IN_TOKEN));
    drive_begin(PUSHER_OUT_MOTOR, 0);
    chute_begin(&chute, (uint8_t)((low(PUSHER_IN_WIN_A) ? CHUTE_A : 0U) | (low(PUSHER_IN_WIN_B) ? CHUTE_B : 0U)));
    tilt_begin(&tilt, level_of(PUSHER_IN_TILT));
    payouts_begin(PUSHER_OUT_HOPPER, PUSHER_COUNTER_PAID_OUT, level_of(PUSHER_IN_HOPPER_COIN));
}

void kind_opened(void)
{
    drive_opened();
    payouts_opened();
}

/* --- interlocks ----------------------------------------------------------------------------------------------------- */

static uint8_t may_turn(void)
{
    return tilt.tilted ? REFUSED_NOT_SAFE : supply_may_turn();
}

static uint8_t may_take(void)
{
    return tilt.tilted ? REFUSED_NOT_SAFE : supply_may_count();
}

static void tilted(void)
{
    store_add(PUSHER_COUNTER_TILTS);
    acceptor_inhibit();
    drive_interlock();
}

static void supply_fails(void)
{
    acceptor_inhibit();
    drive_interlock();
    payouts_stop();
    (void)outputs_set(PUSHER_OUT_ALARM, 0, 0);
}

/* --- what the core asks --------------------------------------------------------------------------------------------- */

uint8_t kind_command(uint8_t id, const uint8_t *fields)
{
    switch (id) {
    case COMMAND_MOTOR:
        return drive_command(fields, may_turn());
    case COMMAND_ACCEPT:
        return acceptor_command(fields, may_take());
    case COMMAND_PAY:
        return payouts_command(fields, supply_may_count());
    default:
        return REFUSED_UNKNOWN_COMMAND;
    }
}

uint8_t kind_set(uint8_t output, uint8_t value)
{
    switch (output) {
    case PUSHER_OUT_MOTOR:
        return drive_set(output, value, may_turn());
    case PUSHER_OUT_HOPPER:
        return payouts_set(value);
    case PUSHER_OUT_ACCEPT:
        return value != 0U ? may_take() : 0U;
    default:
        return value != 0U ? supply_may_turn() : 0U;
    }
}

void kind_safe(enum safe_why why)
{
    drive_safe(why);
    payouts_safe();
}

void kind_output_ended(uint8_t output, enum over_why why)
{
    (void)why;
    drive_output_ended(output);
    if (output == PUSHER_OUT_HOPPER)
        payouts_output_ended();
}

void kind_edge(uint8_t input, uint8_t level, uint32_t ticks)
{
    switch (input) {
    case PUSHER_IN_TOKEN:
        acceptor_edge(level, ticks);
        break;
    case PUSHER_IN_WIN_A:
    case PUSHER_IN_WIN_B:
        if (chute_edge(&chute, input == PUSHER_IN_WIN_A ? CHUTE_A : CHUTE_B, level == 0U, ticks) == CHUTE_WON)
            store_add(PUSHER_COUNTER_WON);
        break;
    case PUSHER_IN_SHAFT:
        if (level == 0U)
            drive_pulse(ticks);
        break;
    case PUSHER_IN_TILT:
        if (tilt_edge(&tilt, level, ticks))
            tilted();
        break;
    case PUSHER_IN_HOPPER_COIN:
        payouts_edge(level, ticks);
        break;
    case PUSHER_IN_HOME:
        if (level == 0U)
            drive_home(ticks);
        break;
    default:
        if (supply_level(level, ticks))
            supply_fails();
        break;
    }
}

/* Tokens are counted by pulses of milliseconds, which nobody misses: what is missed is shorter than 10 µs. */
void kind_missed(uint8_t edges)
{
    (void)edges;
}

void kind_poll(uint32_t now)
{
    if (supply_level(level_of(PUSHER_IN_POWER_FAIL), now))
        supply_fails();
    acceptor_poll(now);
    chute_poll(&chute, now);
    if (tilt_poll(&tilt, now))
        tilted();
    drive_poll(now);
    payouts_poll(now);
}

uint8_t kind_flags(void)
{
    return drive_fault() || acceptor_fault() || chute.blocked || payouts_fault() ? FLAG_FAULT : 0U;
}

uint16_t kind_fast(void)
{
    return 0;
}
