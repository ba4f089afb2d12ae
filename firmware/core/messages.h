/* Made from firmware/wire/messages.toml by generate.py: change that table, not this file. */
#ifndef FELTWIRE_MESSAGES_H
#define FELTWIRE_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#define WIRE_PROTOCOL 3U
#define WIRE_DICTIONARY UINT32_C(0x475C882B)
#define WIRE_TICK_HZ UINT32_C(2000000)
#define WIRE_BAUD UINT32_C(250000)
#define WIRE_LONGEST 64U
#define WIRE_OVERHEAD 5U
#define WIRE_DEADMAN_MS 500U

#define KIND_WHEEL 1U
#define KIND_WHEEL_OLDEST 1U
#define KIND_WHEEL_INPUTS 8U
#define KIND_WHEEL_OUTPUTS 4U
#define KIND_WHEEL_ANALOGUES 4U
#define KIND_WHEEL_COUNTERS 0U
#define WHEEL_IN_IN_1 1U
#define WHEEL_IN_IN_1_PIN 0xD2U
#define WHEEL_IN_IN_2 2U
#define WHEEL_IN_IN_2_PIN 0xD3U
#define WHEEL_IN_IN_3 3U
#define WHEEL_IN_IN_3_PIN 0xD4U
#define WHEEL_IN_IN_4 4U
#define WHEEL_IN_IN_4_PIN 0xD5U
#define WHEEL_IN_IN_5 5U
#define WHEEL_IN_IN_5_PIN 0xD6U
#define WHEEL_IN_IN_6 6U
#define WHEEL_IN_IN_6_PIN 0xD7U
#define WHEEL_IN_IN_7 7U
#define WHEEL_IN_IN_7_PIN 0xC0U
#define WHEEL_IN_IN_8 8U
#define WHEEL_IN_IN_8_PIN 0xC1U
#define KIND_WHEEL_ACTIVE_HIGH 0x00U
#define KIND_WHEEL_ACTIVE_LOW 0x00U
#define WHEEL_OUT_LAMP_1 1U
#define WHEEL_OUT_LAMP_1_PIN 0xB0U
#define WHEEL_OUT_LAMP_1_LONGEST_MS UINT32_C(600000)
#define WHEEL_OUT_LAMP_2 2U
#define WHEEL_OUT_LAMP_2_PIN 0xB1U
#define WHEEL_OUT_LAMP_2_LONGEST_MS UINT32_C(600000)
#define WHEEL_OUT_LAMP_3 3U
#define WHEEL_OUT_LAMP_3_PIN 0xB2U
#define WHEEL_OUT_LAMP_3_LONGEST_MS UINT32_C(600000)
#define WHEEL_OUT_LAMP_4 4U
#define WHEEL_OUT_LAMP_4_PIN 0xB3U
#define WHEEL_OUT_LAMP_4_LONGEST_MS UINT32_C(600000)
#define KIND_WHEEL_OUTPUT_TABLE {{0xB0U, UINT32_C(600000)}, {0xB1U, UINT32_C(600000)}, {0xB2U, UINT32_C(600000)}, {0xB3U, UINT32_C(600000)}}
#define KIND_WHEEL_ANALOGUE_PINS {0xC2U, 0xC3U, 0xC4U, 0xC5U}

#define KIND_TABLE 2U
#define KIND_TABLE_OLDEST 2U
#define KIND_TABLE_INPUTS 8U
#define KIND_TABLE_OUTPUTS 2U
#define KIND_TABLE_ANALOGUES 0U
#define KIND_TABLE_COUNTERS 0U
#define TABLE_IN_SHAFT 1U
#define TABLE_IN_SHAFT_PIN 0xD2U
#define TABLE_IN_HOME 2U
#define TABLE_IN_HOME_PIN 0xD3U
#define TABLE_IN_BEAM_1 3U
#define TABLE_IN_BEAM_1_PIN 0xD4U
#define TABLE_IN_BEAM_2 4U
#define TABLE_IN_BEAM_2_PIN 0xD5U
#define TABLE_IN_BEAM_3 5U
#define TABLE_IN_BEAM_3_PIN 0xD6U
#define TABLE_IN_BEAM_4 6U
#define TABLE_IN_BEAM_4_PIN 0xD7U
#define TABLE_IN_SHAKE 7U
#define TABLE_IN_SHAKE_PIN 0xC0U
#define TABLE_IN_TURN 8U
#define TABLE_IN_TURN_PIN 0xC1U
#define KIND_TABLE_ACTIVE_HIGH 0x00U
#define KIND_TABLE_ACTIVE_LOW 0x03U
#define TABLE_OUT_MOTOR 1U
#define TABLE_OUT_MOTOR_PIN 0xB3U
#define TABLE_OUT_MOTOR_LONGEST_MS UINT32_C(60000)
#define TABLE_OUT_MOTOR_BACK 2U
#define TABLE_OUT_MOTOR_BACK_PIN 0xB0U
#define TABLE_OUT_MOTOR_BACK_LONGEST_MS UINT32_C(60000)
#define KIND_TABLE_OUTPUT_TABLE {{0xB3U, UINT32_C(60000)}, {0xB0U, UINT32_C(60000)}}
#define KIND_TABLE_ANALOGUE_PINS {0}
#define TABLE_KEYS 9U
#define TABLE_KEYS_FIRST_LINE 9U
#define TABLE_KEYS_COLUMN_1_PIN 0xB1U
#define TABLE_KEYS_COLUMN_2_PIN 0xB2U
#define TABLE_KEYS_COLUMN_3_PIN 0xB5U
#define TABLE_KEYS_ROW_1_PIN 0xC2U
#define TABLE_KEYS_ROW_2_PIN 0xC3U
#define TABLE_KEYS_ROW_3_PIN 0xC4U
#define TABLE_LAMPS 56U
#define TABLE_LAMPS_DATA_PIN 0xB1U
#define TABLE_LAMPS_CLOCK_PIN 0xB2U
#define TABLE_LAMPS_LATCH_PIN 0xB4U
#define TABLE_LAMPS_READ_BACK_PIN 0xC5U
#define TABLE_MOTOR_CURRENT_PIN 0xA6U

#define KIND_REEL 3U
#define KIND_REEL_OLDEST 2U
#define KIND_REEL_INPUTS 8U
#define KIND_REEL_OUTPUTS 4U
#define KIND_REEL_ANALOGUES 0U
#define KIND_REEL_COUNTERS 1U
#define REEL_IN_HOME_1 1U
#define REEL_IN_HOME_1_PIN 0xD2U
#define REEL_IN_HOME_2 2U
#define REEL_IN_HOME_2_PIN 0xD3U
#define REEL_IN_HOME_3 3U
#define REEL_IN_HOME_3_PIN 0xD4U
#define REEL_IN_STOP_1 4U
#define REEL_IN_STOP_1_PIN 0xD5U
#define REEL_IN_STOP_2 5U
#define REEL_IN_STOP_2_PIN 0xD6U
#define REEL_IN_STOP_3 6U
#define REEL_IN_STOP_3_PIN 0xD7U
#define REEL_IN_TOKEN 7U
#define REEL_IN_TOKEN_PIN 0xC0U
#define REEL_IN_POWER_FAIL 8U
#define REEL_IN_POWER_FAIL_PIN 0xC1U
#define KIND_REEL_ACTIVE_HIGH 0xFFU
#define KIND_REEL_ACTIVE_LOW 0x00U
#define REEL_OUT_REEL_1 1U
#define REEL_OUT_REEL_1_PIN 0xB0U
#define REEL_OUT_REEL_1_LONGEST_MS UINT32_C(30000)
#define REEL_OUT_REEL_2 2U
#define REEL_OUT_REEL_2_PIN 0xB1U
#define REEL_OUT_REEL_2_LONGEST_MS UINT32_C(30000)
#define REEL_OUT_REEL_3 3U
#define REEL_OUT_REEL_3_PIN 0xB2U
#define REEL_OUT_REEL_3_LONGEST_MS UINT32_C(30000)
#define REEL_OUT_ACCEPT 4U
#define REEL_OUT_ACCEPT_PIN 0xB3U
#define REEL_OUT_ACCEPT_LONGEST_MS UINT32_C(86400000)
#define KIND_REEL_OUTPUT_TABLE {{0xB0U, UINT32_C(30000)}, {0xB1U, UINT32_C(30000)}, {0xB2U, UINT32_C(30000)}, {0xB3U, UINT32_C(86400000)}}
#define KIND_REEL_ANALOGUE_PINS {0}
#define REEL_COUNTER_TOKENS_IN 0U
#define REEL_LAMPS 16U
#define REEL_LAMPS_DATA_PIN 0xB4U
#define REEL_LAMPS_CLOCK_PIN 0xB5U
#define REEL_LAMPS_LATCH_PIN 0xC2U
#define REEL_LAMPS_READ_BACK_PIN 0xC3U
#define REEL_CONTROL 8U
#define REEL_CONTROL_DIRECTION_1 0x01U
#define REEL_CONTROL_DIRECTION_2 0x02U
#define REEL_CONTROL_DIRECTION_3 0x04U
#define REEL_CONTROL_DISABLE_1 0x08U
#define REEL_CONTROL_DISABLE_2 0x10U
#define REEL_CONTROL_DISABLE_3 0x20U
#define REEL_CONTROL_SENSE 0x40U
#define REEL_CONTROL_SPARE 0x80U
#define REEL_REELS 3U

#define KIND_PUSHER 4U
#define KIND_PUSHER_OLDEST 2U
#define KIND_PUSHER_INPUTS 8U
#define KIND_PUSHER_OUTPUTS 4U
#define KIND_PUSHER_ANALOGUES 0U
#define KIND_PUSHER_COUNTERS 4U
#define PUSHER_IN_TOKEN 1U
#define PUSHER_IN_TOKEN_PIN 0xD2U
#define PUSHER_IN_WIN_A 2U
#define PUSHER_IN_WIN_A_PIN 0xD3U
#define PUSHER_IN_WIN_B 3U
#define PUSHER_IN_WIN_B_PIN 0xD4U
#define PUSHER_IN_SHAFT 4U
#define PUSHER_IN_SHAFT_PIN 0xD5U
#define PUSHER_IN_TILT 5U
#define PUSHER_IN_TILT_PIN 0xD6U
#define PUSHER_IN_HOPPER_COIN 6U
#define PUSHER_IN_HOPPER_COIN_PIN 0xD7U
#define PUSHER_IN_HOME 7U
#define PUSHER_IN_HOME_PIN 0xC0U
#define PUSHER_IN_POWER_FAIL 8U
#define PUSHER_IN_POWER_FAIL_PIN 0xC1U
#define KIND_PUSHER_ACTIVE_HIGH 0xFFU
#define KIND_PUSHER_ACTIVE_LOW 0x00U
#define PUSHER_OUT_MOTOR 1U
#define PUSHER_OUT_MOTOR_PIN 0xB3U
#define PUSHER_OUT_MOTOR_LONGEST_MS UINT32_C(3600000)
#define PUSHER_OUT_HOPPER 2U
#define PUSHER_OUT_HOPPER_PIN 0xB0U
#define PUSHER_OUT_HOPPER_LONGEST_MS UINT32_C(20000)
#define PUSHER_OUT_ACCEPT 3U
#define PUSHER_OUT_ACCEPT_PIN 0xB1U
#define PUSHER_OUT_ACCEPT_LONGEST_MS UINT32_C(86400000)
#define PUSHER_OUT_ALARM 4U
#define PUSHER_OUT_ALARM_PIN 0xB2U
#define PUSHER_OUT_ALARM_LONGEST_MS UINT32_C(600000)
#define KIND_PUSHER_OUTPUT_TABLE {{0xB3U, UINT32_C(3600000)}, {0xB0U, UINT32_C(20000)}, {0xB1U, UINT32_C(86400000)}, {0xB2U, UINT32_C(600000)}}
#define KIND_PUSHER_ANALOGUE_PINS {0}
#define PUSHER_COUNTER_TOKENS_IN 0U
#define PUSHER_COUNTER_PAID_OUT 1U
#define PUSHER_COUNTER_WON 2U
#define PUSHER_COUNTER_TILTS 3U
#define PUSHER_SENSE_PIN 0xB4U
#define PUSHER_MOTOR_CURRENT_PIN 0xA6U
#define PUSHER_HOPPER_BACK_PIN 0xB5U
#define PUSHER_HOPPER_CURRENT_PIN 0xC2U
#define PUSHER_HOPPER_ERROR_PIN 0xC3U

#define RESET_POWER_ON 1U
#define RESET_EXTERNAL 2U
#define RESET_BROWN_OUT 4U
#define RESET_WATCHDOG 8U
#define FLAG_SESSION_OPEN 1U
#define FLAG_DEADMAN 2U
#define FLAG_WATCHING 4U
#define FLAG_STORE_FAILED 8U
#define FLAG_FAULT 16U
#define FLAG_STORE_WORN 64U
#define FLAG_KEYS_AMBIGUOUS 32U
#define FLAG_STORM 128U
#define REFUSED_NO_SESSION 1U
#define REFUSED_UNKNOWN_COMMAND 2U
#define REFUSED_WRONG_LENGTH 3U
#define REFUSED_WRONG_VALUE 4U
#define REFUSED_BUSY 5U
#define REFUSED_HELD_SAFE 6U
#define REFUSED_NOT_SAFE 7U
#define REFUSED_STORE_FAILED 8U
#define REFUSED_SILENT 9U

static inline void wire_put16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void wire_put32(uint8_t *at, uint32_t value)
{
    wire_put16(at, (uint16_t)value);
    wire_put16(at + 2, (uint16_t)(value >> 16));
}

static inline uint16_t wire_get16(const uint8_t *at)
{
    return (uint16_t)(at[0] | (uint16_t)((uint16_t)at[1] << 8));
}

static inline uint32_t wire_get32(const uint8_t *at)
{
    return wire_get16(at) | ((uint32_t)wire_get16(at + 2) << 16);
}

/* asks what the board is; needs no session */
#define COMMAND_IDENTIFY 1U
#define COMMAND_IDENTIFY_SIZE 0

/* begins a session: makes all outputs safe, stops all reports, and makes the next command number 1; needs none before */
#define COMMAND_OPEN 2U
#define COMMAND_OPEN_SIZE 4

struct command_open {
    uint32_t session;
};

static inline void command_open_read(struct command_open *to, const uint8_t *from)
{
    to->session = wire_get32(from + 0);
}

/* asks for the board's time */
#define COMMAND_CLOCK 3U
#define COMMAND_CLOCK_SIZE 0

/* the host is there; any other good frame has the same effect */
#define COMMAND_ALIVE 4U
#define COMMAND_ALIVE_SIZE 0

/* reports the edges of these inputs from now on; the levels found are the first report */
#define COMMAND_WATCH 5U
#define COMMAND_WATCH_SIZE 2

struct command_watch {
    uint8_t inputs;
    uint8_t pull_ups;
};

static inline void command_watch_read(struct command_watch *to, const uint8_t *from)
{
    to->inputs = from[0];
    to->pull_ups = from[1];
}

/* asks for edges again, from this number on, as far as the board still has them */
#define COMMAND_EDGES_FROM 6U
#define COMMAND_EDGES_FROM_SIZE 4

struct command_edges_from {
    uint32_t number;
};

static inline void command_edges_from_read(struct command_edges_from *to, const uint8_t *from)
{
    to->number = wire_get32(from + 0);
}

/* counts a quadrature on the board: three of the watched inputs, numbered from 1; 0 for no index; all 0 stops it */
#define COMMAND_COUNT 7U
#define COMMAND_COUNT_SIZE 3

struct command_count {
    uint8_t a;
    uint8_t b;
    uint8_t index;
};

static inline void command_count_read(struct command_count *to, const uint8_t *from)
{
    to->a = from[0];
    to->b = from[1];
    to->index = from[2];
}

/* samples analogue channels from now on; a period of 0 stops it */
#define COMMAND_SAMPLE 8U
#define COMMAND_SAMPLE_SIZE 3

struct command_sample {
    uint8_t channels;
    uint16_t period_ms;
};

static inline void command_sample_read(struct command_sample *to, const uint8_t *from)
{
    to->channels = from[0];
    to->period_ms = wire_get16(from + 1);
}

/* sets an output to a value, for at most this long; the board limits the time of each output itself */
#define COMMAND_SET 9U
#define COMMAND_SET_SIZE 4

struct command_set {
    uint8_t output;
    uint8_t value;
    uint16_t for_ms;
};

static inline void command_set_read(struct command_set *to, const uint8_t *from)
{
    to->output = from[0];
    to->value = from[1];
    to->for_ms = wire_get16(from + 2);
}

/* makes all outputs safe and stops all that moves */
#define COMMAND_ALL_SAFE 10U
#define COMMAND_ALL_SAFE_SIZE 0

/* asks for the counters */
#define COMMAND_COUNTS 11U
#define COMMAND_COUNTS_SIZE 0

/* gives this board a serial number, kept over power cuts */
#define COMMAND_NAME_BOARD 12U
#define COMMAND_NAME_BOARD_SIZE 4

struct command_name_board {
    uint32_t serial;
};

static inline void command_name_board_read(struct command_name_board *to, const uint8_t *from)
{
    to->serial = wire_get32(from + 0);
}

/* turns the motor; it stops at its longest time, at a stall (shaft pulses stay away), at an over-current and with the dead-man */
#define COMMAND_MOTOR 20U
#define COMMAND_MOTOR_SIZE 4

struct command_motor {
    int8_t speed;
    uint16_t for_ms;
    uint8_t home;
};

static inline void command_motor_read(struct command_motor *to, const uint8_t *from)
{
    to->speed = (int8_t)from[0];
    to->for_ms = wire_get16(from + 1);
    to->home = from[3];
}

/* puts lamps of the chain on and off, then reads them back */
#define COMMAND_LAMPS 21U
#define COMMAND_LAMPS_SIZE 8

struct command_lamps {
    uint8_t lit[8];
};

static inline void command_lamps_read(struct command_lamps *to, const uint8_t *from)
{
    for (uint8_t i = 0; i < 8U; i++)
        to->lit[i] = from[0U + i];
}

/* spins a reel up and keeps it turning, for at most this long */
#define COMMAND_SPIN 22U
#define COMMAND_SPIN_SIZE 5

struct command_spin {
    uint8_t reel;
    uint16_t steps_per_s;
    uint16_t for_ms;
};

static inline void command_spin_read(struct command_spin *to, const uint8_t *from)
{
    to->reel = from[0];
    to->steps_per_s = wire_get16(from + 1);
    to->for_ms = wire_get16(from + 3);
}

/* stops a reel at a step counted from home, at its next coming; 65535 stops it at the next symbol that it can reach, or where home is not known as soon as it can */
#define COMMAND_STOP 23U
#define COMMAND_STOP_SIZE 3

struct command_stop {
    uint8_t reel;
    uint16_t step;
};

static inline void command_stop_read(struct command_stop *to, const uint8_t *from)
{
    to->reel = from[0];
    to->step = wire_get16(from + 1);
}

/* pays these tokens under this number, once: sent again, it does nothing, whatever the outcome; 'hopper' reports it */
#define COMMAND_PAY 24U
#define COMMAND_PAY_SIZE 3

struct command_pay {
    uint16_t payout;
    uint8_t tokens;
};

static inline void command_pay_read(struct command_pay *to, const uint8_t *from)
{
    to->payout = wire_get16(from + 0);
    to->tokens = from[2];
}

/* lets the token acceptor take tokens, or not */
#define COMMAND_ACCEPT 25U
#define COMMAND_ACCEPT_SIZE 1

struct command_accept {
    uint8_t on;
};

static inline void command_accept_read(struct command_accept *to, const uint8_t *from)
{
    to->on = from[0];
}

/* what hangs on the hopper's terminals, for this session; without it: 143 ms, not turned back, no limit, no error line */
#define COMMAND_HOPPER 26U
#define COMMAND_HOPPER_SIZE 6

struct command_hopper {
    uint16_t token_ms;
    uint8_t turns_back;
    uint16_t current;
    uint8_t errors;
};

static inline void command_hopper_read(struct command_hopper *to, const uint8_t *from)
{
    to->token_ms = wire_get16(from + 0);
    to->turns_back = from[2];
    to->current = wire_get16(from + 3);
    to->errors = from[5];
}

/* tests the sensors, without their feed and with it; 'sensors' reports the findings when they change; busy while a reel turns */
#define COMMAND_TEST 27U
#define COMMAND_TEST_SIZE 0

/* how the acceptor's pulses are, for this session; without it: 20 to 250 ms, each pulse a coin */
#define COMMAND_ACCEPTOR 28U
#define COMMAND_ACCEPTOR_SIZE 4

struct command_acceptor {
    uint16_t width_ms;
    uint16_t gap_ms;
};

static inline void command_acceptor_read(struct command_acceptor *to, const uint8_t *from)
{
    to->width_ms = wire_get16(from + 0);
    to->gap_ms = wire_get16(from + 2);
}

/* a reel, for this session; without it: 20 symbols, 500 ms, 6 symbols, 200 steps, home 1 to 50 steps, not turned round, held */
#define COMMAND_REEL 29U
#define COMMAND_REEL_SIZE 12

struct command_reel {
    uint8_t reel;
    uint8_t symbols;
    uint16_t spin_ms;
    uint8_t slip;
    uint16_t steps;
    uint8_t home_least;
    uint16_t home_most;
    uint8_t turned_round;
    uint8_t held;
};

static inline void command_reel_read(struct command_reel *to, const uint8_t *from)
{
    to->reel = from[0];
    to->symbols = from[1];
    to->spin_ms = wire_get16(from + 2);
    to->slip = from[4];
    to->steps = wire_get16(from + 5);
    to->home_least = from[7];
    to->home_most = wire_get16(from + 8);
    to->turned_round = from[10];
    to->held = from[11];
}

/* from now on the button may stop this reel; each spin begins without */
#define COMMAND_ARM 30U
#define COMMAND_ARM_SIZE 2

struct command_arm {
    uint8_t reel;
    uint8_t on;
};

static inline void command_arm_read(struct command_arm *to, const uint8_t *from)
{
    to->reel = from[0];
    to->on = from[1];
}

/* a part of the ramp of all reels, for this session, while none turns; without it: 80 to 402 steps/s in 40 steps */
#define COMMAND_RAMP 31U
#define COMMAND_RAMP_SIZE 33

struct command_ramp {
    uint8_t first;
    uint8_t ticks[32];
};

static inline void command_ramp_read(struct command_ramp *to, const uint8_t *from)
{
    to->first = from[0];
    for (uint8_t i = 0; i < 32U; i++)
        to->ticks[i] = from[1U + i];
}

/* what the motor may draw, for this session, where its current is measured; without it: no limit. Above it for 200 ms the motor is off, and held safe until it is set to 0 */
#define COMMAND_MOTOR_LIMIT 32U
#define COMMAND_MOTOR_LIMIT_SIZE 2

struct command_motor_limit {
    uint16_t current;
};

static inline void command_motor_limit_read(struct command_motor_limit *to, const uint8_t *from)
{
    to->current = wire_get16(from + 0);
}

/* done */
#define ANSWER_OK 64U
#define ANSWER_OK_SIZE 0

/* nothing was done */
#define ANSWER_REFUSED 65U
#define ANSWER_REFUSED_SIZE 2

struct answer_refused {
    uint8_t command;
    uint8_t why;
};

static inline void answer_refused_write(uint8_t *to, const struct answer_refused *from)
{
    to[0] = from->command;
    to[1] = from->why;
}

/* what this board is */
#define ANSWER_IDENTITY 66U
#define ANSWER_IDENTITY_SIZE 57
#define ANSWER_IDENTITY_IMAGE 29U /* 28 bytes, written by hand */

struct answer_identity {
    uint16_t protocol;
    uint32_t dictionary;
    uint8_t kind;
    uint8_t major;
    uint8_t minor;
    uint8_t patch;
    uint32_t build;
    uint32_t serial;
    uint16_t boots;
    uint8_t cause;
    uint8_t inputs;
    uint8_t outputs;
    uint8_t analogues;
    uint8_t counters;
    uint16_t oldest;
    uint16_t hung_at;
};

static inline void answer_identity_write(uint8_t *to, const struct answer_identity *from)
{
    wire_put16(to + 0, from->protocol);
    wire_put32(to + 2, from->dictionary);
    to[6] = from->kind;
    to[7] = from->major;
    to[8] = from->minor;
    to[9] = from->patch;
    wire_put32(to + 10, from->build);
    wire_put32(to + 14, from->serial);
    wire_put16(to + 18, from->boots);
    to[20] = from->cause;
    to[21] = from->inputs;
    to[22] = from->outputs;
    to[23] = from->analogues;
    to[24] = from->counters;
    wire_put16(to + 25, from->oldest);
    wire_put16(to + 27, from->hung_at);
}

/* the board's time when the command's last byte came, and how long it kept the answer */
#define ANSWER_CLOCK 67U
#define ANSWER_CLOCK_SIZE 10

struct answer_clock {
    uint32_t received;
    uint32_t received_high;
    uint16_t kept;
};

static inline void answer_clock_write(uint8_t *to, const struct answer_clock *from)
{
    wire_put32(to + 0, from->received);
    wire_put32(to + 4, from->received_high);
    wire_put16(to + 8, from->kept);
}

/* counters that survive power cuts, as they are kept */
#define ANSWER_COUNTS 68U
#define ANSWER_COUNTS_SIZE 16

struct answer_counts {
    uint32_t first;
    uint32_t second;
    uint32_t third;
    uint32_t fourth;
};

static inline void answer_counts_write(uint8_t *to, const struct answer_counts *from)
{
    wire_put32(to + 0, from->first);
    wire_put32(to + 4, from->second);
    wire_put32(to + 8, from->third);
    wire_put32(to + 12, from->fourth);
}

/* which of the edges asked for the board still has: those before `first` are lost for good */
#define ANSWER_HELD 69U
#define ANSWER_HELD_SIZE 4

struct answer_held {
    uint32_t first;
};

static inline void answer_held_write(uint8_t *to, const struct answer_held *from)
{
    wire_put32(to + 0, from->first);
}

/* the board has just begun; no session is open */
#define REPORT_BOOT 128U
#define REPORT_BOOT_SIZE 4

struct report_boot {
    uint8_t cause;
    uint16_t boots;
    uint8_t kind;
};

static inline void report_boot_write(uint8_t *to, const struct report_boot *from)
{
    to[0] = from->cause;
    wire_put16(to + 1, from->boots);
    to[3] = from->kind;
}

/* edges in the order of time, each with its number: a number that is missing is an edge that was lost */
#define REPORT_EDGES 129U
#define REPORT_EDGES_SIZE 9

struct report_edges {
    uint32_t first;
    uint32_t time;
    uint8_t count;
};

static inline void report_edges_write(uint8_t *to, const struct report_edges *from)
{
    wire_put32(to + 0, from->first);
    wire_put32(to + 4, from->time);
    to[8] = from->count;
}

/* the state of the board; every 20 ms while it watches, otherwise every 100 ms */
#define REPORT_STATE 130U
#define REPORT_STATE_SIZE 19

struct report_state {
    uint32_t time;
    uint32_t next;
    uint8_t levels;
    uint16_t lost;
    uint16_t outputs;
    uint8_t flags;
    uint16_t bad_frames;
    uint16_t keys;
    uint8_t masked;
};

static inline void report_state_write(uint8_t *to, const struct report_state *from)
{
    wire_put32(to + 0, from->time);
    wire_put32(to + 4, from->next);
    to[8] = from->levels;
    wire_put16(to + 9, from->lost);
    wire_put16(to + 11, from->outputs);
    to[13] = from->flags;
    wire_put16(to + 14, from->bad_frames);
    wire_put16(to + 16, from->keys);
    to[18] = from->masked;
}

/* what the board counted of a quadrature, every 100 ms while it turns and once at rest */
#define REPORT_COUNT 131U
#define REPORT_COUNT_SIZE 16

struct report_count {
    uint32_t time;
    int32_t count;
    int32_t index_count;
    uint16_t indexes;
    uint16_t invalid;
};

static inline void report_count_write(uint8_t *to, const struct report_count *from)
{
    wire_put32(to + 0, from->time);
    wire_put32(to + 4, (uint32_t)from->count);
    wire_put32(to + 8, (uint32_t)from->index_count);
    wire_put16(to + 12, from->indexes);
    wire_put16(to + 14, from->invalid);
}

/* one sample of each sampled channel, in their order */
#define REPORT_SAMPLE 132U
#define REPORT_SAMPLE_SIZE 7

struct report_sample {
    uint16_t number;
    uint32_t time;
    uint8_t channels;
};

static inline void report_sample_write(uint8_t *to, const struct report_sample *from)
{
    wire_put16(to + 0, from->number);
    wire_put32(to + 2, from->time);
    to[6] = from->channels;
}

/* the state of the motor, at each change and every 100 ms while it turns */
#define REPORT_MOTOR 133U
#define REPORT_MOTOR_SIZE 12

struct report_motor {
    uint32_t time;
    int8_t speed;
    uint16_t turns;
    uint32_t pulses;
    uint8_t why;
};

static inline void report_motor_write(uint8_t *to, const struct report_motor *from)
{
    wire_put32(to + 0, from->time);
    to[4] = (uint8_t)from->speed;
    wire_put16(to + 5, from->turns);
    wire_put32(to + 7, from->pulses);
    to[11] = from->why;
}

/* what the lamp chain read back after the last command; on a reel board at each change of a control output that fails too: bits 17 to 24 */
#define REPORT_LAMPS 134U
#define REPORT_LAMPS_SIZE 24

struct report_lamps {
    uint8_t lit[8];
    uint8_t dead[8];
    uint8_t stuck[8];
};

static inline void report_lamps_write(uint8_t *to, const struct report_lamps *from)
{
    for (uint8_t i = 0; i < 8U; i++)
        to[0U + i] = from->lit[i];
    for (uint8_t i = 0; i < 8U; i++)
        to[8U + i] = from->dead[i];
    for (uint8_t i = 0; i < 8U; i++)
        to[16U + i] = from->stuck[i];
}

/* the state of a reel, at each change, every 100 ms while it turns, and when a session opens */
#define REPORT_REEL 135U
#define REPORT_REEL_SIZE 16

struct report_reel {
    uint32_t time;
    uint8_t reel;
    uint8_t moving;
    uint16_t step;
    uint16_t slips;
    uint8_t button;
    int16_t off;
    uint16_t home;
    uint8_t why;
};

static inline void report_reel_write(uint8_t *to, const struct report_reel *from)
{
    wire_put32(to + 0, from->time);
    to[4] = from->reel;
    to[5] = from->moving;
    wire_put16(to + 6, from->step);
    wire_put16(to + 8, from->slips);
    to[10] = from->button;
    wire_put16(to + 11, (uint16_t)from->off);
    wire_put16(to + 13, from->home);
    to[15] = from->why;
}

/* the state of the last payout, at each token, at each change, and when a session opens */
#define REPORT_HOPPER 136U
#define REPORT_HOPPER_SIZE 7

struct report_hopper {
    uint16_t payout;
    uint8_t asked;
    uint8_t seen;
    uint8_t at_most;
    uint8_t state;
    uint8_t error;
};

static inline void report_hopper_write(uint8_t *to, const struct report_hopper *from)
{
    wire_put16(to + 0, from->payout);
    to[2] = from->asked;
    to[3] = from->seen;
    to[4] = from->at_most;
    to[5] = from->state;
    to[6] = from->error;
}

/* the counters that survive power cuts, after each change that is kept */
#define REPORT_COUNTS 137U
#define REPORT_COUNTS_SIZE 16

struct report_counts {
    uint32_t first;
    uint32_t second;
    uint32_t third;
    uint32_t fourth;
};

static inline void report_counts_write(uint8_t *to, const struct report_counts *from)
{
    wire_put32(to + 0, from->first);
    wire_put32(to + 4, from->second);
    wire_put32(to + 8, from->third);
    wire_put32(to + 12, from->fourth);
}

/* what a test of the sensors found, at each other result and when a session opens; inputs that are in neither are proven */
#define REPORT_SENSORS 138U
#define REPORT_SENSORS_SIZE 3

struct report_sensors {
    uint8_t tested;
    uint8_t shorted;
    uint8_t dark;
};

static inline void report_sensors_write(uint8_t *to, const struct report_sensors *from)
{
    to[0] = from->tested;
    to[1] = from->shorted;
    to[2] = from->dark;
}

/* a coin whose value is its number of pulses; each of them is counted in tokens_in by itself */
#define REPORT_COIN 139U
#define REPORT_COIN_SIZE 3

struct report_coin {
    uint16_t number;
    uint8_t pulses;
};

static inline void report_coin_write(uint8_t *to, const struct report_coin *from)
{
    wire_put16(to + 0, from->number);
    to[2] = from->pulses;
}

/* Bytes of a command's fields on a kind of board, or -1 where that kind has no such command. */
static inline int8_t wire_command_size(uint8_t id, uint8_t kind)
{
    uint8_t kinds = 0; /* bit: its id */
    int8_t size = 0;
    switch (id) {
    case COMMAND_IDENTIFY:
        kinds = 0x1EU;
        size = COMMAND_IDENTIFY_SIZE;
        break;
    case COMMAND_OPEN:
        kinds = 0x1EU;
        size = COMMAND_OPEN_SIZE;
        break;
    case COMMAND_CLOCK:
        kinds = 0x1EU;
        size = COMMAND_CLOCK_SIZE;
        break;
    case COMMAND_ALIVE:
        kinds = 0x1EU;
        size = COMMAND_ALIVE_SIZE;
        break;
    case COMMAND_WATCH:
        kinds = 0x1EU;
        size = COMMAND_WATCH_SIZE;
        break;
    case COMMAND_EDGES_FROM:
        kinds = 0x1EU;
        size = COMMAND_EDGES_FROM_SIZE;
        break;
    case COMMAND_COUNT:
        kinds = 0x1EU;
        size = COMMAND_COUNT_SIZE;
        break;
    case COMMAND_SAMPLE:
        kinds = 0x1EU;
        size = COMMAND_SAMPLE_SIZE;
        break;
    case COMMAND_SET:
        kinds = 0x1EU;
        size = COMMAND_SET_SIZE;
        break;
    case COMMAND_ALL_SAFE:
        kinds = 0x1EU;
        size = COMMAND_ALL_SAFE_SIZE;
        break;
    case COMMAND_COUNTS:
        kinds = 0x1EU;
        size = COMMAND_COUNTS_SIZE;
        break;
    case COMMAND_NAME_BOARD:
        kinds = 0x1EU;
        size = COMMAND_NAME_BOARD_SIZE;
        break;
    case COMMAND_MOTOR:
        kinds = 0x14U;
        size = COMMAND_MOTOR_SIZE;
        break;
    case COMMAND_LAMPS:
        kinds = 0x0CU;
        size = COMMAND_LAMPS_SIZE;
        break;
    case COMMAND_SPIN:
        kinds = 0x08U;
        size = COMMAND_SPIN_SIZE;
        break;
    case COMMAND_STOP:
        kinds = 0x08U;
        size = COMMAND_STOP_SIZE;
        break;
    case COMMAND_PAY:
        kinds = 0x10U;
        size = COMMAND_PAY_SIZE;
        break;
    case COMMAND_ACCEPT:
        kinds = 0x18U;
        size = COMMAND_ACCEPT_SIZE;
        break;
    case COMMAND_HOPPER:
        kinds = 0x10U;
        size = COMMAND_HOPPER_SIZE;
        break;
    case COMMAND_TEST:
        kinds = 0x18U;
        size = COMMAND_TEST_SIZE;
        break;
    case COMMAND_ACCEPTOR:
        kinds = 0x18U;
        size = COMMAND_ACCEPTOR_SIZE;
        break;
    case COMMAND_REEL:
        kinds = 0x08U;
        size = COMMAND_REEL_SIZE;
        break;
    case COMMAND_ARM:
        kinds = 0x08U;
        size = COMMAND_ARM_SIZE;
        break;
    case COMMAND_RAMP:
        kinds = 0x08U;
        size = COMMAND_RAMP_SIZE;
        break;
    case COMMAND_MOTOR_LIMIT:
        kinds = 0x14U;
        size = COMMAND_MOTOR_LIMIT_SIZE;
        break;
    default:
        return -1;
    }
    if ((kinds & (uint8_t)(1U << kind)) == 0U)
        return -1;
    return size;
}

/* The oldest protocol whose hosts work with a kind of board. */
static inline uint16_t wire_kind_oldest(uint8_t kind)
{
    switch (kind) {
    case KIND_WHEEL:
        return KIND_WHEEL_OLDEST;
    case KIND_TABLE:
        return KIND_TABLE_OLDEST;
    case KIND_REEL:
        return KIND_REEL_OLDEST;
    case KIND_PUSHER:
        return KIND_PUSHER_OLDEST;
    default:
        return WIRE_PROTOCOL;
    }
}

/* Bytes of the fields that the oldest hosts send with a command; what is missing to all of them is 0. */
static inline uint8_t wire_command_least(uint8_t id, uint8_t size)
{
    (void)id;
    return size;
}

/* Whether a command would turn something on, or make it move. Its fields are as long as they must be. */
static inline bool wire_command_starts(uint8_t id, const uint8_t *fields)
{
    uint8_t any = 0;
    switch (id) {
    case COMMAND_SET:
        for (uint8_t i = 1; i < 2U; i++)
            any |= fields[i];
        break;
    case COMMAND_MOTOR:
        for (uint8_t i = 0; i < 1U; i++)
            any |= fields[i];
        break;
    case COMMAND_LAMPS:
        for (uint8_t i = 0; i < 8U; i++)
            any |= fields[i];
        break;
    case COMMAND_SPIN:
        for (uint8_t i = 1; i < 3U; i++)
            any |= fields[i];
        break;
    case COMMAND_PAY:
        for (uint8_t i = 2; i < 3U; i++)
            any |= fields[i];
        break;
    case COMMAND_ACCEPT:
        for (uint8_t i = 0; i < 1U; i++)
            any |= fields[i];
        break;
    default:
        break;
    }
    return any != 0U;
}

#endif
