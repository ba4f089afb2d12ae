/* A token pusher: token acceptor, win chute with two beams, shelf motor with shaft pulses, tilt, hopper.
 *
 * All sensors pull their line low while they are at rest, and are fed through one switch. A line that is high is active: a
 * token in the acceptor, a dark beam, a shaft pulse, an open tilt contact, a token in the hopper's sensor, home, a supply that
 * fails; and just so a wire that is cut. The devices get a level of 1 at rest, and 0 when active. */
#include "acceptor.h"
#include "chute.h"
#include "drive.h"
#include "kind.h"
#include "levels.h"
#include "payouts.h"
#include "sensors.h"
#include "supply.h"
#include "tilt.h"

#define TESTED (KIND_PUSHER_ACTIVE_HIGH & (uint8_t)~INPUT_BIT(PUSHER_IN_POWER_FAIL))

const PORT_ROM struct kind_facts kind_facts = {
    .id = KIND_PUSHER,
    .inputs = KIND_PUSHER_INPUTS,
    .outputs = KIND_PUSHER_OUTPUTS,
    .analogues = KIND_PUSHER_ANALOGUES,
    .counters = KIND_PUSHER_COUNTERS,
    .own_inputs = 0xFFU,
    .own_pull_ups = 0xFFU,
    .turns_outputs = 0,
    .active_high = KIND_PUSHER_ACTIVE_HIGH,
    .fed = TESTED,
    .sense = PUSHER_SENSE_PIN,
    .fram = true,
    .wake_ms = 1,
    .output = KIND_PUSHER_OUTPUT_TABLE,
    .analogue = KIND_PUSHER_ANALOGUE_PINS,
};

static struct chute chute;
static struct tilt tilt;

/* After the first test the devices begin with the levels that it found. power_fail has no feed, and counts at once. */
static bool begun;

static bool blocked; /* the shelf's motor, when it was last looked at */
static bool rings;   /* the alarm is on for that, and not because the host wants it */

#define COUNTING (INPUT_BIT(PUSHER_IN_TOKEN) | INPUT_BIT(PUSHER_IN_WIN_A) | INPUT_BIT(PUSHER_IN_WIN_B) | \
                  INPUT_BIT(PUSHER_IN_HOPPER_COIN) | INPUT_BIT(PUSHER_IN_TILT))
_Static_assert(KIND_PUSHER_ACTIVE_HIGH == 0xFFU, "a level of 1 is active at every input");

void sensors_feed(bool on)
{
    port_pin_write(PUSHER_SENSE_PIN, on ? 1U : 0U);
}

static uint8_t at_rest(uint8_t input)
{
    return level_of(input) == 0U ? 1U : 0U;
}

static void begin_devices(void)
{
    acceptor_begin(PUSHER_OUT_ACCEPT, PUSHER_COUNTER_TOKENS_IN, at_rest(PUSHER_IN_TOKEN));
    chute_begin(&chute, (uint8_t)((at_rest(PUSHER_IN_WIN_A) ? 0U : CHUTE_A) | (at_rest(PUSHER_IN_WIN_B) ? 0U : CHUTE_B)));
    tilt_begin(&tilt, at_rest(PUSHER_IN_TILT));
    begun = true;
}

void kind_begin(void)
{
    port_pin_output(PUSHER_SENSE_PIN);
    supply_begin();
    drive_begin(PUSHER_OUT_MOTOR, 0, PUSHER_MOTOR_CURRENT_PIN);
    payouts_begin(PUSHER_OUT_HOPPER, PUSHER_COUNTER_PAID_OUT);
    acceptor_begin(PUSHER_OUT_ACCEPT, PUSHER_COUNTER_TOKENS_IN, 1);
    chute_begin(&chute, 0);
    tilt_begin(&tilt, 1);
    begun = false;
    blocked = false;
    rings = false;
    sensors_begin(TESTED);
}

void kind_opened(void)
{
    acceptor_opened();
    drive_opened();
    payouts_opened();
    sensors_opened();
}

/* --- interlocks ----------------------------------------------------------------------------------------------------- */

static uint8_t may_turn(void)
{
    return tilt.tilted ? REFUSED_NOT_SAFE : supply_may_turn();
}

/* What is not proven must not count. */
static uint8_t may_take(void)
{
    bool proven = begun && ((sensors_shorted() | sensors_dark()) & INPUT_BIT(PUSHER_IN_TOKEN)) == 0U;
    return tilt.tilted || !proven ? REFUSED_NOT_SAFE : supply_may_count();
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
    case COMMAND_MOTOR_LIMIT:
        return drive_limit(fields);
    case COMMAND_ACCEPT:
        return acceptor_command(fields, may_take());
    case COMMAND_PAY:
        return payouts_command(fields, supply_may_count());
    case COMMAND_HOPPER:
        return payouts_configure(fields);
    case COMMAND_TEST:
        sensors_test(COUNTING);
        return 0;
    case COMMAND_ACCEPTOR:
        return acceptor_configure(fields);
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
    case PUSHER_OUT_ALARM:
        rings = false; /* from now on it is the host's */
        return value != 0U ? supply_may_turn() : 0U;
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

void sensors_heard(uint8_t input, uint8_t level, uint32_t ticks)
{
    if (!begun && input != PUSHER_IN_HOPPER_COIN)
        return; /* what is active from the beginning: begin_devices sees to it */
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
    default:
        if (level == 0U)
            drive_home(ticks);
        break;
    }
}

void kind_edge(uint8_t input, uint8_t level, uint32_t ticks)
{
    uint8_t rests = level == 0U ? 1U : 0U;
    if (input == PUSHER_IN_POWER_FAIL) {
        if (supply_level(rests, ticks))
            supply_fails();
        return;
    }
    sensors_edge(input, level, ticks);
}

/* A shelf that was blocked stays stopped, and the alarm on, until the motor is set to 0 by a person's command. */
static void alarm_of_shelf(void)
{
    if (drive_fault() == blocked)
        return;
    blocked = !blocked;
    if (blocked)
        rings = outputs_value(PUSHER_OUT_ALARM) == 0U && outputs_set(PUSHER_OUT_ALARM, UINT8_MAX, 0) == 0U;
    else if (rings)
        (void)outputs_set(PUSHER_OUT_ALARM, 0, 0);
}

static void poll_sensors(uint32_t now)
{
    bool just_tested = sensors_poll(now);
    if (just_tested && !begun)
        begin_devices();
    if (just_tested && payouts_want_test())
        payouts_tested(((sensors_shorted() | sensors_dark()) & INPUT_BIT(PUSHER_IN_HOPPER_COIN)) == 0U);
    else if (begun && !sensors_testing() && payouts_want_test())
        sensors_test(COUNTING);
    sensors_report();
}

/* Tokens are counted by pulses of milliseconds, which nobody misses: what is missed is shorter than 10 µs. */
void kind_missed(uint8_t edges)
{
    (void)edges;
}

void kind_poll(uint32_t now)
{
    if (supply_level(at_rest(PUSHER_IN_POWER_FAIL), now))
        supply_fails();
    poll_sensors(now);
    acceptor_poll(now);
    chute_poll(&chute, now);
    if (tilt_poll(&tilt, now))
        tilted();
    drive_poll(now);
    alarm_of_shelf();
    payouts_poll(now);
}

uint8_t kind_flags(void)
{
    bool sensors = !begun || ((sensors_shorted() & TESTED) | (sensors_dark() & COUNTING)) != 0U;
    return sensors || drive_fault() || acceptor_fault() || chute.blocked || payouts_fault() ? FLAG_FAULT : 0U;
}

uint16_t kind_fast(void)
{
    return 0;
}
