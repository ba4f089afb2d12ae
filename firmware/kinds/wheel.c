/* The wheel board: eight inputs whose edges are dated, a quadrature, a level sensor, four lamps. The core does all of it;
 * this kind adds nothing, and is what a new one begins with. */
#include "kind.h"

const PORT_ROM struct kind_facts kind_facts = {
    .id = KIND_WHEEL,
    .inputs = KIND_WHEEL_INPUTS,
    .outputs = KIND_WHEEL_OUTPUTS,
    .analogues = KIND_WHEEL_ANALOGUES,
    .counters = KIND_WHEEL_COUNTERS,
    .own_inputs = 0,
    .own_pull_ups = 0,
    .turns_outputs = 0,
    .wake_ms = 0,
    .output = KIND_WHEEL_OUTPUT_TABLE,
    .analogue = KIND_WHEEL_ANALOGUE_PINS,
};

void kind_begin(void)
{
}

void kind_opened(void)
{
}

uint8_t kind_command(uint8_t id, const uint8_t *fields)
{
    (void)id;
    (void)fields;
    return REFUSED_UNKNOWN_COMMAND;
}

uint8_t kind_set(uint8_t output, uint8_t value)
{
    (void)output;
    (void)value;
    return 0;
}

void kind_safe(enum safe_why why)
{
    (void)why;
}

void kind_output_ended(uint8_t output, enum over_why why)
{
    (void)output;
    (void)why;
}

void kind_edge(uint8_t input, uint8_t level, uint32_t ticks)
{
    (void)input;
    (void)level;
    (void)ticks;
}

void kind_missed(uint8_t edges)
{
    (void)edges;
}

void kind_poll(uint32_t now)
{
    (void)now;
}

uint8_t kind_flags(void)
{
    return 0;
}

uint16_t kind_fast(void)
{
    return 0;
}
