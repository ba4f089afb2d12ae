/* Skill-stop reels: three steppers with home sensors, a stop button each, a token acceptor, lamps.
 *
 * All sensors pull their line low while they are at rest, and are fed through one switch: a line that is high is home, a pressed
 * button, a token, a supply that fails, or a wire that is cut. The devices get a level of 1 at rest, and 0 when active. An output
 * reel_<n> is the input STEP of its motor's driver: a rising edge is a step. Its inputs DIR and ENABLE, and the switch of the
 * sensors, are the control register behind the last lamp of the chain. */
#include "acceptor.h"
#include "kind.h"
#include "lamps.h"
#include "levels.h"
#include "reels.h"
#include "sensors.h"
#include "supply.h"

#define ALL_REELS ((1U << REEL_REELS) - 1U)
#define TESTED (KIND_REEL_ACTIVE_HIGH & (uint8_t)~INPUT_BIT(REEL_IN_POWER_FAIL))
#define BUTTONS (INPUT_BIT(REEL_IN_STOP_1) | INPUT_BIT(REEL_IN_STOP_2) | INPUT_BIT(REEL_IN_STOP_3))
#define STOOD_MS 200U /* after the last reel has stopped, and before the sensors are tested (ours) */
_Static_assert(REEL_CONTROL_DIRECTION_3 == REEL_CONTROL_DIRECTION_1 << 2, "directions side by side");
_Static_assert(REEL_CONTROL_DISABLE_3 == REEL_CONTROL_DISABLE_1 << 2, "and what disables the drivers");

const PORT_ROM struct kind_facts kind_facts = {
    .id = KIND_REEL,
    .inputs = KIND_REEL_INPUTS,
    .outputs = KIND_REEL_OUTPUTS,
    .analogues = KIND_REEL_ANALOGUES,
    .counters = KIND_REEL_COUNTERS,
    .own_inputs = 0xFFU,
    .own_pull_ups = 0xFFU,
    .turns_outputs = ALL_REELS,
    .active_high = KIND_REEL_ACTIVE_HIGH,
    .fed = TESTED,
    .chain = {REEL_LAMPS_DATA_PIN, REEL_LAMPS_CLOCK_PIN, REEL_LAMPS_LATCH_PIN, REEL_LAMPS_READ_BACK_PIN,
              REEL_LAMPS + REEL_CONTROL, REEL_LAMPS + 7U},
    .fram = true,
    .wake_ms = 1,
    .output = KIND_REEL_OUTPUT_TABLE,
    .analogue = KIND_REEL_ANALOGUE_PINS,
};

/* --- lamps ---------------------------------------------------------------------------------------------------------- */

uint8_t lamp_pins_shift(uint8_t bit)
{
    port_pin_write(REEL_LAMPS_CLOCK_PIN, 0);
    port_pin_write(REEL_LAMPS_DATA_PIN, bit);
    port_pin_hold();
    uint8_t came = port_pin_read(REEL_LAMPS_READ_BACK_PIN);
    port_pin_write(REEL_LAMPS_CLOCK_PIN, 1);
    port_pin_hold();
    return came;
}

void lamp_pins_latch(void)
{
    port_pin_write(REEL_LAMPS_LATCH_PIN, 0);
    port_pin_hold();
    port_pin_write(REEL_LAMPS_LATCH_PIN, 1);
}

/* --- the control register ------------------------------------------------------------------------------------------- */

static void put_control(uint8_t bits, bool on)
{
    uint8_t levels = lamps_controlled();
    levels = (uint8_t)(on ? levels | bits : levels & (uint8_t)~bits);
    lamps_control(levels);
}

void sensors_feed(bool on)
{
    put_control(REEL_CONTROL_SENSE, on);
}

void reels_drivers(uint8_t turned_round, uint8_t off)
{
    uint8_t others = lamps_controlled() & (uint8_t)~(ALL_REELS * (REEL_CONTROL_DIRECTION_1 | REEL_CONTROL_DISABLE_1));
    lamps_control((uint8_t)(others | turned_round * REEL_CONTROL_DIRECTION_1 | off * REEL_CONTROL_DISABLE_1));
}

static bool proven(uint8_t input)
{
    return sensors_known() && (sensors_shorted() & INPUT_BIT(input)) == 0U;
}

/* A tab that rests in the slot is dark, and sound. */
bool reels_home_proven(uint8_t index)
{
    return proven((uint8_t)(REEL_IN_HOME_1 + index));
}

bool reels_button_proven(uint8_t index)
{
    return proven((uint8_t)(REEL_IN_STOP_1 + index));
}

/* --- interlocks ----------------------------------------------------------------------------------------------------- */

static bool begun;           /* the first test of the sensors has ended */
static bool test_due;        /* reels have turned since the last */
static uint16_t turned_ms;   /* board_ms(), low half: when one did last */
static uint8_t held_buttons; /* at the last look */

_Static_assert(KIND_REEL_ACTIVE_HIGH == 0xFFU, "a level of 1 is active at every input");

static uint8_t at_rest(uint8_t input)
{
    return level_of(input) == 0U ? 1U : 0U;
}

static uint8_t may_turn(void)
{
    return lamps_control_fails() ? REFUSED_NOT_SAFE : supply_may_turn();
}

/* What is not proven must not count. */
static uint8_t may_take(void)
{
    bool dark = ((sensors_shorted() | sensors_dark()) & INPUT_BIT(REEL_IN_TOKEN)) != 0U;
    return !begun || dark ? REFUSED_NOT_SAFE : supply_may_count();
}

static void supply_fails(void)
{
    acceptor_inhibit();
    reels_halt_all();
    for (uint8_t output = REEL_OUT_REEL_1; output <= REEL_OUT_REEL_3; output++)
        (void)outputs_set(output, 0, 0);
    lamps_safe();
}

/* --- what the core asks --------------------------------------------------------------------------------------------- */

void kind_begin(void)
{
    port_pin_output(REEL_LAMPS_DATA_PIN);
    port_pin_output_high(REEL_LAMPS_CLOCK_PIN);
    port_pin_output_high(REEL_LAMPS_LATCH_PIN);
    port_pin_input(REEL_LAMPS_READ_BACK_PIN, true);
    supply_begin();
    lamps_begin(REEL_LAMPS, REEL_CONTROL);
    acceptor_begin(REEL_OUT_ACCEPT, REEL_COUNTER_TOKENS_IN, 1);
    reels_begin();
    begun = false;
    test_due = false;
    held_buttons = 0;
    sensors_begin(TESTED);
}

void kind_opened(void)
{
    acceptor_opened();
    reels_opened();
    sensors_opened();
}

uint8_t kind_command(uint8_t id, const uint8_t *fields)
{
    switch (id) {
    case COMMAND_LAMPS:
        return lamps_command(fields);
    case COMMAND_SPIN:
        return reels_spin(fields, may_turn());
    case COMMAND_STOP:
        return reels_stop(fields);
    case COMMAND_REEL:
        return reels_configure(fields);
    case COMMAND_RAMP:
        return reels_ramp(fields);
    case COMMAND_TEST:
        if (!reels_stand())
            return REFUSED_BUSY;
        sensors_test(INPUT_BIT(REEL_IN_TOKEN));
        return 0;
    case COMMAND_ARM:
        return reels_arm(fields);
    case COMMAND_ACCEPT:
        return acceptor_command(fields, may_take());
    case COMMAND_ACCEPTOR:
        return acceptor_configure(fields);
    default:
        return REFUSED_UNKNOWN_COMMAND;
    }
}

uint8_t kind_set(uint8_t output, uint8_t value)
{
    if (output == REEL_OUT_ACCEPT)
        return value != 0U ? may_take() : 0U;
    return reels_set((uint8_t)(output - REEL_OUT_REEL_1), value);
}

void kind_safe(enum safe_why why)
{
    (void)why;
    reels_halt_all();
    lamps_safe();
}

void kind_output_ended(uint8_t output, enum over_why why)
{
    (void)why;
    if (output <= REEL_OUT_REEL_3)
        reels_halt((uint8_t)(output - REEL_OUT_REEL_1));
}

void sensors_heard(uint8_t input, uint8_t level, uint32_t ticks)
{
    switch (input) {
    case REEL_IN_STOP_1:
    case REEL_IN_STOP_2:
    case REEL_IN_STOP_3:
        reels_button((uint8_t)(input - REEL_IN_STOP_1), level, ticks);
        break;
    case REEL_IN_TOKEN:
        if (begun)
            acceptor_edge(level, ticks);
        break;
    default:
        break; /* home: the interrupt looks at it, step by step */
    }
}

void kind_edge(uint8_t input, uint8_t level, uint32_t ticks)
{
    if (input != REEL_IN_POWER_FAIL)
        sensors_edge(input, level, ticks);
    else if (supply_level(level == 0U ? 1U : 0U, ticks))
        supply_fails();
}

/* What is missed is shorter than 10 µs: no button, no token. Home is looked at step by step. */
void kind_missed(uint8_t edges)
{
    (void)edges;
}

/* The sensors are tested at the start, after each game, and when a button is held for longer than anybody would. */
static void poll_sensors(uint32_t now)
{
    uint8_t held = reels_held_buttons();
    bool stand = reels_stand();
    if (!stand) {
        (void)sensors_put_off();
        test_due = true;
        turned_ms = (uint16_t)board_ms();
    } else if ((test_due && (uint16_t)((uint16_t)board_ms() - turned_ms) >= STOOD_MS) || (held & (uint8_t)~held_buttons) != 0U) {
        test_due = false;
        sensors_test(INPUT_BIT(REEL_IN_TOKEN));
    }
    if (stand)
        held_buttons = held;
    if (sensors_poll(now) && !begun) {
        acceptor_begin(REEL_OUT_ACCEPT, REEL_COUNTER_TOKENS_IN, at_rest(REEL_IN_TOKEN));
        begun = true;
    }
    sensors_report();
}

void kind_poll(uint32_t now)
{
    if (supply_level(at_rest(REEL_IN_POWER_FAIL), now))
        supply_fails();
    poll_sensors(now);
    reels_poll(now, begun && !sensors_testing());
    acceptor_poll(now);
    lamps_poll(now);
}

/* A button or the acceptor that is dark in a test is at fault as long as it stays so: it may have been in use. */
uint8_t kind_flags(void)
{
    uint8_t dark = sensors_dark() & board_levels() & (BUTTONS | INPUT_BIT(REEL_IN_TOKEN));
    bool sensors = !begun || (sensors_shorted() | dark) != 0U;
    return sensors || lamps_control_fails() || acceptor_fault() || reels_fault() ? FLAG_FAULT : 0U;
}
