#include "payouts.h"

#include "board.h"
#include "hopper.h"
#include "messages.h"
#include "outputs.h"
#include "overload.h"
#include "port.h"
#include "store.h"

#define REARM_MS 10000UL /* a motor that has run for this long, and just paid a token, may run on (ours; see outputs_set) */
#define TOKEN_MS_LEAST 40U
#define TOKEN_MS_MOST 1000U
#define CURRENT_MOST 1022U
#define OVER_MS 50U                        /* above its limit for this long: longer than it takes to start (ours) */
#define BURST_ENDS_TICKS TICKS_OF_MS(60)   /* quiet for this long: the burst is over; pulses are 10 ms apart, bursts 100 */

_Static_assert(HOPPER_NOTE == STORE_NOTE, "the store keeps what the hopper notes");

static struct hopper hopper;
static uint8_t output;
static uint8_t counter;
static uint32_t began_ms; /* the motor */
static bool report_due;

static struct overload overload;

static bool hears_errors;
static uint8_t error_level;
static uint8_t pulses; /* of the burst under way */
static uint8_t error;  /* pulses of the last one */
static uint32_t pulse_ticks;

void payouts_begin(uint8_t its_output, uint8_t its_counter)
{
    uint8_t note[STORE_NOTE];
    output = its_output;
    counter = its_counter;
    store_read_note(note);
    hopper_begin(&hopper, note, (uint16_t)store_count(counter));
    report_due = false;
    overload_begin(&overload);
    hears_errors = false;
    pulses = 0;
    error = 0;
    port_pin_output(PUSHER_HOPPER_BACK_PIN);
    port_pin_input(PUSHER_HOPPER_ERROR_PIN, true);
}

void payouts_opened(void)
{
    hopper.token_ms = HOPPER_TOKEN_MS;
    hopper.reverses = false;
    overload.limit = 0;
    hears_errors = false;
    report_due = true; /* what became of the last */
}

uint8_t payouts_command(const uint8_t *fields, uint8_t may)
{
    struct command_pay told;
    command_pay_read(&told, fields);
    if (may != 0U)
        return may;
    switch (hopper_pay(&hopper, told.payout, told.tokens)) {
    case HOPPER_WRONG:
        return REFUSED_WRONG_VALUE;
    case HOPPER_BUSY:
        return REFUSED_BUSY;
    case HOPPER_RUNS_AWAY:
        return REFUSED_NOT_SAFE;
    default:
        break;
    }
    report_due = true;
    return 0;
}

uint8_t payouts_configure(const uint8_t *fields)
{
    struct command_hopper told;
    command_hopper_read(&told, fields);
    if (told.token_ms < TOKEN_MS_LEAST || told.token_ms > TOKEN_MS_MOST || told.turns_back > 1U || told.errors > 1U ||
        told.current > CURRENT_MOST)
        return REFUSED_WRONG_VALUE;
    if (hopper.state == HOPPER_PAYING)
        return REFUSED_BUSY;
    hopper.token_ms = told.token_ms;
    hopper.reverses = told.turns_back != 0U;
    overload.limit = told.current;
    hears_errors = told.errors != 0U;
    error_level = 1;
    error = 0;
    pulses = 0;
    return 0;
}

uint8_t payouts_set(uint8_t value)
{
    if (value != 0U)
        return REFUSED_WRONG_VALUE;
    hopper_stop(&hopper, board_now());
    hopper_clear(&hopper);
    error = 0;
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
    hopper_end(&hopper, HOPPER_JAMMED, board_now());
    report_due = true;
}

/* The store follows the hopper. A payout is kept before its motor starts; what cannot be kept must not be paid. */
static void keep(uint32_t now)
{
    uint8_t wanted[STORE_NOTE];
    uint8_t kept[STORE_NOTE];
    if (store_failed()) {
        hopper_stop(&hopper, now);
        return;
    }
    if (!store_note_kept())
        return;
    bool differ = false;
    hopper_note(&hopper, wanted);
    store_read_note(kept);
    for (uint8_t at = 0; at < STORE_NOTE; at++)
        differ = differ || wanted[at] != kept[at];
    if (differ)
        (void)store_note(wanted);
    else
        hopper_noted(&hopper);
}

/* The motor follows what the payout wants of it. Its way round changes only while it is off. */
static void turn(uint32_t now)
{
    bool on = outputs_value(output) != 0U;
    if (!on)
        port_pin_write(PUSHER_HOPPER_BACK_PIN, hopper.back ? 1U : 0U);
    if (on == hopper.motor)
        return;
    (void)outputs_set(output, 0, 0);
    if (!hopper.motor)
        return;
    began_ms = board_ms();
    if (outputs_set(output, UINT8_MAX, 0) != 0U)
        hopper_stop(&hopper, now);
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

bool payouts_want_test(void)
{
    return hopper_wants_test(&hopper);
}

void payouts_tested(bool proven)
{
    hopper_tested(&hopper, proven, board_now());
    report_due = true;
}

/* --- current and errors of the hopper ------------------------------------------------------------------------------- */

static void watch_current(uint32_t now)
{
    if (overload_poll(&overload, PUSHER_HOPPER_CURRENT_PIN, outputs_value(output), OVER_MS))
        hopper_overloaded(&hopper, now);
}

/* Pulses low of 10 ms, 10 ms apart; how many there are in a burst is the error. */
static void hear_errors(uint32_t now)
{
    if (!hears_errors)
        return;
    uint8_t level = port_pin_read(PUSHER_HOPPER_ERROR_PIN);
    if (level == 0U && error_level != 0U && (pulses == 0U || now - pulse_ticks > TICKS_OF_MS(5))) {
        pulses++;
        pulse_ticks = now;
    }
    error_level = level;
    if (pulses == 0U || (int32_t)(now - pulse_ticks) < (int32_t)BURST_ENDS_TICKS)
        return;
    report_due = report_due || pulses != error;
    error = pulses;
    pulses = 0;
    hopper_end(&hopper, HOPPER_JAMMED, now);
}

static uint8_t byte_of(uint16_t count)
{
    return (uint8_t)(count < UINT8_MAX ? count : UINT8_MAX);
}

static void report(void)
{
    uint8_t *fields = board_report(REPORT_HOPPER, REPORT_HOPPER_SIZE);
    if (!fields)
        return;
    struct report_hopper said = {
        .payout = hopper.payout,
        .asked = hopper.tokens,
        .seen = byte_of(hopper.paid),
        .at_most = hopper_at_most(&hopper),
        .state = (uint8_t)hopper.state,
        .error = error,
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
    watch_current(now);
    hear_errors(now);
    turn(now);
    report_due = report_due || hopper.state != before;
    if (report_due)
        report();
}

bool payouts_fault(void)
{
    return hopper_fault(&hopper);
}
