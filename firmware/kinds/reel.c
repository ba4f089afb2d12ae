/* Skill-stop reels: three steppers with home sensors, a stop button each, a token acceptor, lamps.
 *
 * All sensors pull their line low while they are at rest: a line that is high is home, a pressed button, a token, a supply that
 * fails, or a wire that is cut. The devices hear a level of 1 at rest, and 0 when active. An output reel_<n> is the step input
 * of its motor's driver: a rising edge is a step. */
#include "acceptor.h"
#include "kind.h"
#include "lamps.h"
#include "levels.h"
#include "reels.h"
#include "supply.h"

#define ALL_REELS ((1U << REEL_REELS) - 1U)

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
    uint8_t came = port_pin_read(REEL_LAMPS_READ_BACK_PIN);
    port_pin_write(REEL_LAMPS_CLOCK_PIN, 1);
    return came;
}

void lamp_pins_latch(void)
{
    port_pin_write(REEL_LAMPS_LATCH_PIN, 0);
    port_pin_write(REEL_LAMPS_LATCH_PIN, 1);
}

_Static_assert(KIND_REEL_ACTIVE_HIGH == 0xFFU, "a level of 1 is active at every input");

static uint8_t at_rest(uint8_t input)
{
    return level_of(input) == 0U ? 1U : 0U;
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
    lamps_begin(REEL_LAMPS);
    acceptor_begin(REEL_OUT_ACCEPT, REEL_COUNTER_TOKENS_IN, at_rest(REEL_IN_TOKEN));
    reels_begin();
}

void kind_opened(void)
{
    acceptor_opened();
    reels_opened();
}

uint8_t kind_command(uint8_t id, const uint8_t *fields)
{
    switch (id) {
    case COMMAND_LAMPS:
        return lamps_command(fields);
    case COMMAND_SPIN:
        return reels_spin(fields, supply_may_turn());
    case COMMAND_STOP:
        return reels_stop(fields);
    case COMMAND_REEL:
        return reels_configure(fields);
    case COMMAND_ARM:
        return reels_arm(fields);
    case COMMAND_ACCEPT:
        return acceptor_command(fields, supply_may_count());
    case COMMAND_ACCEPTOR:
        return acceptor_configure(fields);
    default:
        return REFUSED_UNKNOWN_COMMAND;
    }
}

uint8_t kind_set(uint8_t output, uint8_t value)
{
    if (output == REEL_OUT_ACCEPT)
        return value != 0U ? supply_may_count() : 0U;
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

void kind_edge(uint8_t input, uint8_t level, uint32_t ticks)
{
    uint8_t rests = level == 0U ? 1U : 0U;
    switch (input) {
    case REEL_IN_HOME_1:
    case REEL_IN_HOME_2:
    case REEL_IN_HOME_3:
        break; /* the interrupt looks at it, step by step */
    case REEL_IN_STOP_1:
    case REEL_IN_STOP_2:
    case REEL_IN_STOP_3:
        reels_button((uint8_t)(input - REEL_IN_STOP_1), rests, ticks);
        break;
    case REEL_IN_TOKEN:
        acceptor_edge(rests, ticks);
        break;
    default:
        if (supply_level(rests, ticks))
            supply_fails();
        break;
    }
}

/* What is missed is shorter than 10 µs: no button, no token. Home is looked at step by step. */
void kind_missed(uint8_t edges)
{
    (void)edges;
}

void kind_poll(uint32_t now)
{
    if (supply_level(at_rest(REEL_IN_POWER_FAIL), now))
        supply_fails();
    reels_poll(now);
    acceptor_poll(now);
    lamps_poll(now);
}

uint8_t kind_flags(void)
{
    return acceptor_fault() || reels_fault() ? FLAG_FAULT : 0U;
}
