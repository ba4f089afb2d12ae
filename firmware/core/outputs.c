#include "outputs.h"

#include "kind.h"

static struct output {
    uint8_t value;
    bool held;
    bool asked;         /* the time is the host's, not the board's longest */
    uint32_t since_ms;  /* when it left 0 */
    uint32_t until_ms;  /* when it ends, and how many ticks later */
    uint16_t until_ticks;
} outputs[KIND_MOST_OUTPUTS];

static bool pin_takes(uint8_t index, uint8_t value)
{
    uint8_t bit = (uint8_t)(1U << index);
    return value == UINT8_MAX || (kind_facts.turns_outputs & bit) != 0U || port_dims(kind_facts.output[index].pin);
}

static void make_safe(uint8_t index)
{
    outputs[index].value = 0;
    port_output(kind_facts.output[index].pin, 0);
}

void outputs_begin(void)
{
    for (uint8_t index = 0; index < kind_facts.outputs; index++) {
        outputs[index] = (struct output){0};
        port_pin_output(kind_facts.output[index].pin);
        make_safe(index);
    }
}

uint8_t outputs_set(uint8_t number, uint8_t value, uint32_t for_ms)
{
    if (number == 0U || number > kind_facts.outputs)
        return REFUSED_WRONG_VALUE;
    uint8_t index = (uint8_t)(number - 1U);
    struct output *output = &outputs[index];
    if (value == 0U) {
        output->held = false;
        make_safe(index);
        return 0;
    }
    if (!pin_takes(index, value))
        return REFUSED_WRONG_VALUE;
    if (output->held)
        return REFUSED_HELD_SAFE;
    uint32_t now_ms = board_ms();
    uint32_t longest_ms = kind_facts.output[index].longest_ms;
    if (output->value == 0U)
        output->since_ms = now_ms;
    uint32_t on_ms = now_ms - output->since_ms; /* a late turn of the main loop: more than the longest, and not ended yet */
    output->asked = for_ms != 0U && on_ms < longest_ms && for_ms < longest_ms - on_ms;
    output->until_ms = output->asked ? now_ms + for_ms : output->since_ms + longest_ms;
    output->until_ticks = output->asked ? board_ms_ticks() : 0U;
    output->value = value;
    if ((kind_facts.turns_outputs & (uint8_t)(1U << index)) == 0U)
        port_output(kind_facts.output[index].pin, value);
    return 0;
}

void outputs_hold(uint8_t number)
{
    if (number == 0U || number > kind_facts.outputs)
        return;
    make_safe((uint8_t)(number - 1U));
    outputs[number - 1U].held = true;
}

uint8_t outputs_value(uint8_t number)
{
    return number == 0U || number > kind_facts.outputs ? 0U : outputs[number - 1U].value;
}

uint16_t outputs_on(void)
{
    uint16_t on = 0;
    for (uint8_t index = 0; index < kind_facts.outputs; index++) {
        if (outputs[index].value != 0U)
            on = (uint16_t)(on | (uint16_t)(1U << index));
    }
    return on;
}

void outputs_all_safe(enum safe_why why)
{
    for (uint8_t index = 0; index < kind_facts.outputs; index++)
        make_safe(index);
    kind_safe(why);
}

void outputs_poll(void)
{
    for (uint8_t index = 0; index < kind_facts.outputs; index++) {
        struct output *output = &outputs[index];
        if (output->value == 0U)
            continue;
        int32_t over_ms = (int32_t)(board_ms() - output->until_ms);
        if (over_ms < 0 || (over_ms == 0 && board_ms_ticks() < output->until_ticks))
            continue;
        make_safe(index);
        output->held = !output->asked;
        kind_output_ended((uint8_t)(index + 1U), output->asked ? OVER_ASKED : OVER_LONGEST);
    }
}

uint16_t outputs_wait(void)
{
    uint16_t wait = UINT16_MAX;
    for (uint8_t index = 0; index < kind_facts.outputs; index++) {
        if (outputs[index].value == 0U)
            continue;
        int32_t left_ms = (int32_t)(outputs[index].until_ms - board_ms());
        if (left_ms >= (int32_t)(UINT16_MAX / TICKS_A_MS))
            continue;
        int32_t left = left_ms * (int32_t)TICKS_A_MS + outputs[index].until_ticks - board_ms_ticks();
        if (left < (int32_t)wait)
            wait = left < 0 ? 0U : (uint16_t)left;
    }
    return wait;
}
