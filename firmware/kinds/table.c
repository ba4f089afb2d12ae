/* A dice table: a motor, beams, sensors of shaking and turning, a keypad, a chain of lamps.
 *
 * The beams and the sensors of shaking and turning are the host's alone. The motor's own sensors pull their line low.
 *
 * The keypad's first two columns are the lamps' data and clock. So they take turns: between two columns the lamps may have
 * their frames; and each frame is shifted whole before its latch, for scanning has moved what was in the register.
 *
 * Columns are driven both ways, high at rest, and reach the keypad through 1 kΩ and diodes that let them only pull low. So no
 * keys can join two outputs, or move the lamps' data and clock; and no column floats, where the lamp "L" of a Nano or a long
 * wire would decide. */
#include "drive.h"
#include "keypad.h"
#include "kind.h"
#include "lamps.h"
#include "levels.h"

#define COLUMN_TICKS TICKS_A_MS /* a column is low for this long before its rows are read (ours) */

const PORT_ROM struct kind_facts kind_facts = {
    .id = KIND_TABLE,
    .inputs = KIND_TABLE_INPUTS,
    .outputs = KIND_TABLE_OUTPUTS,
    .analogues = KIND_TABLE_ANALOGUES,
    .counters = KIND_TABLE_COUNTERS,
    .own_inputs = INPUT_BIT(TABLE_IN_SHAFT) | INPUT_BIT(TABLE_IN_HOME),
    .own_pull_ups = INPUT_BIT(TABLE_IN_SHAFT) | INPUT_BIT(TABLE_IN_HOME),
    .turns_outputs = 0,
    .wake_ms = 2,
    .output = KIND_TABLE_OUTPUT_TABLE,
    .analogue = KIND_TABLE_ANALOGUE_PINS,
};

/* --- lamps ---------------------------------------------------------------------------------------------------------- */

uint8_t lamp_pins_shift(uint8_t bit)
{
    port_pin_write(TABLE_LAMPS_CLOCK_PIN, 0);
    port_pin_write(TABLE_LAMPS_DATA_PIN, bit);
    port_pin_hold();
    uint8_t came = port_pin_read(TABLE_LAMPS_READ_BACK_PIN);
    port_pin_write(TABLE_LAMPS_CLOCK_PIN, 1);
    port_pin_hold();
    return came;
}

void lamp_pins_latch(void)
{
    port_pin_write(TABLE_LAMPS_LATCH_PIN, 0);
    port_pin_hold();
    port_pin_write(TABLE_LAMPS_LATCH_PIN, 1);
}

/* --- the keypad ----------------------------------------------------------------------------------------------------- */

static struct keypad keypad;
static uint16_t told;   /* keys that were reported as pressed */
static uint8_t column;  /* that is low */
static uint32_t chosen; /* ticks: since when */

static void choose_column(uint32_t now)
{
    if (column == 0U)
        port_pin_write(TABLE_KEYS_COLUMN_1_PIN, 0);
    else if (column == 1U)
        port_pin_write(TABLE_KEYS_COLUMN_2_PIN, 0);
    else
        port_pin_write(TABLE_KEYS_COLUMN_3_PIN, 0);
    chosen = now;
}

static void rest_columns(void)
{
    port_pin_write(TABLE_KEYS_COLUMN_1_PIN, 1);
    port_pin_write(TABLE_KEYS_COLUMN_2_PIN, 1);
    port_pin_write(TABLE_KEYS_COLUMN_3_PIN, 1);
}

static uint8_t low_rows(void)
{
    uint8_t low = 0;
    if (port_pin_read(TABLE_KEYS_ROW_1_PIN) == 0U)
        low |= 1U;
    if (port_pin_read(TABLE_KEYS_ROW_2_PIN) == 0U)
        low |= 2U;
    if (port_pin_read(TABLE_KEYS_ROW_3_PIN) == 0U)
        low |= 4U;
    return low;
}

static void tell_keys(void)
{
    uint16_t changed = told ^ keypad.pressed;
    for (uint8_t key = 0; key < TABLE_KEYS; key++) {
        uint16_t bit = (uint16_t)(1U << key);
        if ((changed & bit) != 0U)
            board_virtual_edge((uint8_t)(TABLE_KEYS_FIRST_LINE + key), (keypad.pressed & bit) != 0U ? 1U : 0U);
    }
    told = keypad.pressed;
}

static void poll_keys_and_lamps(uint32_t now)
{
    if ((int32_t)(now - chosen) < (int32_t)COLUMN_TICKS)
        return;
    bool changed = keypad_column(&keypad, column, low_rows(), now);
    rest_columns();
    if (changed)
        tell_keys();
    lamps_poll(now);
    rest_columns(); /* a frame leaves its last bit on data */
    column = column + 1U == KEYPAD_COLUMNS ? 0U : (uint8_t)(column + 1U);
    choose_column(now);
}

/* --- what the core asks --------------------------------------------------------------------------------------------- */

void kind_begin(void)
{
    port_pin_output_high(TABLE_LAMPS_LATCH_PIN);
    port_pin_input(TABLE_LAMPS_READ_BACK_PIN, true);
    port_pin_input(TABLE_KEYS_ROW_1_PIN, true);
    port_pin_input(TABLE_KEYS_ROW_2_PIN, true);
    port_pin_input(TABLE_KEYS_ROW_3_PIN, true);
    port_pin_output_high(TABLE_KEYS_COLUMN_1_PIN);
    port_pin_output_high(TABLE_KEYS_COLUMN_2_PIN);
    port_pin_output_high(TABLE_KEYS_COLUMN_3_PIN);
    keypad_begin(&keypad);
    told = 0;
    column = 0;
    choose_column(board_now());
    lamps_begin(TABLE_LAMPS, 0);
    drive_begin(TABLE_OUT_MOTOR, TABLE_OUT_MOTOR_BACK, TABLE_MOTOR_CURRENT_PIN);
}

void kind_opened(void)
{
    drive_opened();
}

uint8_t kind_command(uint8_t id, const uint8_t *fields)
{
    switch (id) {
    case COMMAND_MOTOR:
        return drive_command(fields, 0);
    case COMMAND_MOTOR_LIMIT:
        return drive_limit(fields);
    case COMMAND_LAMPS:
        return lamps_command(fields);
    default:
        return REFUSED_UNKNOWN_COMMAND;
    }
}

uint8_t kind_set(uint8_t output, uint8_t value)
{
    return drive_set(output, value, 0);
}

void kind_safe(enum safe_why why)
{
    drive_safe(why);
    lamps_safe();
}

void kind_output_ended(uint8_t output, enum over_why why)
{
    (void)why;
    drive_output_ended(output);
}

void kind_edge(uint8_t input, uint8_t level, uint32_t ticks)
{
    if (level != 0U)
        return;
    if (input == TABLE_IN_SHAFT)
        drive_pulse(ticks);
    else if (input == TABLE_IN_HOME)
        drive_home(ticks);
}

/* The shaft's pulses are looked at for a stall, which lasts 400 ms: one that is missed does no harm. */
void kind_missed(uint8_t edges)
{
    (void)edges;
}

void kind_poll(uint32_t now)
{
    drive_poll(now);
    poll_keys_and_lamps(now);
}

uint8_t kind_flags(void)
{
    return (uint8_t)((drive_fault() ? FLAG_FAULT : 0U) | (keypad.ambiguous ? FLAG_KEYS_AMBIGUOUS : 0U));
}

uint16_t kind_fast(void)
{
    return 0;
}
