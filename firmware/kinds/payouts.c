#include "payouts.h"

#include "board.h"
#include "hopper.h"
#include "messages.h"
#include "outputs.h"
#include "store.h"

#define REARM_MS 10000UL /* a motor that has run for so long, and just paid a token, may run on (ours; see outputs_set) */

_Static_assert(HOPPER_NOTE == STORE_NOTE, "the store keeps what the hopper notes");

static struct hopper hopper;
static uint8_t output;
static uint8_t counter;
static uint32_t began_ms; /* the motor */
static bool note_due;     /* the payout is to be handed to the store */
static bool report_due;

void payouts_begin(uint8_t its_output, uint8_t its_counter, uint8_t level)
{
    uint8_t note[STORE_NOTE];
    output = its_output;
    counter = its_counter;
    store_read_note(note);
    hopper_begin(&hopper, level, note, (uint16_t)store_count(counter));
    note_due = false;
    report_due = false;
}

void payouts_opened(void)
{
    report_due = true; /* which was the last, and what is left of it */
}

uint8_t payouts_command(const uint8_t *fields, uint8_t may)
{
    struct command_pay told;
    command_pay_read(&told, fields);
    if (may != 0U)
        return may;
    switch (hopper_pay(&hopper, told.payout, told.tokens, board_now())) {
    case HOPPER_WRONG:
        return REFUSED_WRONG_VALUE;
    case HOPPER_BUSY:
        return REFUSED_BUSY;
    case HOPPER_RUNS_AWAY:
        return REFUSED_NOT_SAFE;
    case HOPPER_NOTES:
        note_due = true;
        break;
    default:
        break;
    }
    report_due = true;
    return 0;
}

uint8_t payouts_set(uint8_t value)
{
    if (value != 0U)
        return REFUSED_WRONG_VALUE;
    hopper_stop(&hopper, board_now());
    hopper_clear(&hopper);
    report_due = true;
    return 0;
}

void payouts_safe(void)
{
    report_due = report_due || hopper.state == HOPPER_PAYING;
    hopper_stop(&hopper, board_now());
}

void payouts_stop(void)
{
    payouts_safe();
    (void)outputs_set(output, 0, 0);
}

void payouts_output_ended(void)
{
    hopper_give_up(&hopper, board_now());
    report_due = true;
}

/* A payout is kept before its motor starts. What cannot be kept must not be paid. */
static void keep(uint32_t now)
{
    if (hopper.state == HOPPER_PAYING && store_failed()) {
        hopper_give_up(&hopper, now);
    } else if (note_due) {
        uint8_t note[STORE_NOTE];
        hopper_note(&hopper, note);
        note_due = !store_note(note);
    } else if (hopper.noting && store_note_kept()) {
        hopper_noted(&hopper, now);
    }
}

/* The motor follows what the payout wants of it. */
static void turn(uint32_t now)
{
    bool on = outputs_value(output) != 0U;
    if (on == hopper.motor)
        return;
    (void)outputs_set(output, 0, 0);
    if (!hopper.motor)
        return;
    began_ms = board_ms();
    if (outputs_set(output, UINT8_MAX, 0) != 0U)
        hopper_give_up(&hopper, now);
}

static void token_came(uint32_t now)
{
    store_add(counter);
    report_due = true;
    if (hopper.motor && board_ms() - began_ms > REARM_MS)
        (void)outputs_set(output, 0, 0); /* and on again, by `turn` */
    turn(now);
}

void payouts_edge(uint8_t level, uint32_t ticks)
{
    if (hopper_edge(&hopper, level, ticks))
        token_came(board_now());
}

static void report(void)
{
    uint8_t *fields = board_report(REPORT_HOPPER, REPORT_HOPPER_SIZE);
    if (!fields)
        return;
    struct report_hopper said = {
        .payout = hopper.payout,
        .paid = (uint8_t)(hopper.paid < UINT8_MAX ? hopper.paid : UINT8_MAX),
        .left = hopper_left(&hopper),
        .state = (uint8_t)hopper.state,
    };
    report_hopper_write(fields, &said);
    board_send();
    report_due = false;
}

void payouts_poll(uint32_t now)
{
    enum hopper_state before = hopper.state;
    keep(now);
    if (hopper_poll(&hopper, now))
        token_came(now);
    turn(now);
    report_due = report_due || hopper.state != before;
    if (report_due)
        report();
}

bool payouts_fault(void)
{
    return hopper.state == HOPPER_EMPTY || hopper.state == HOPPER_RUNAWAY;
}
