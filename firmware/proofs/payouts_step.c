/* The payouts of a board, for any history: any state that the invariant allows, and then any one call, with any arguments, of
 * what the board calls; hopper.c, debounce.c, overload.c and outputs.c are the real ones.
 *
 * Induction as in hopper_step.c, whose assumptions about its caller are claimed here. The pin of the motor is claimed at the moment
 * it is turned on: what the store keeps then is this payout.
 * Assumed of the store (store_notes.c): a note that it takes is kept at some time later, or never, whole; it can fail at any time.
 * Nothing is assumed of times, levels, the converter, the fields of commands, or of when the outputs' times are over. */
#include "proof.h"

#include "debounce.c"
#define token_came hopper_token_came
#include "hopper.c"
#undef token_came
#include "hopper_state.h"
#include "outputs.c"
#include "overload.c"
#include "payouts.c"

const struct kind_facts kind_facts = {
    .id = KIND_PUSHER, .outputs = KIND_PUSHER_OUTPUTS, .output = KIND_PUSHER_OUTPUT_TABLE};

static bool strayed;

/* --- the store, as its own proofs have it ---------------------------------------------------------------------------- */

static uint8_t kept_note[STORE_NOTE];
static uint8_t new_note[STORE_NOTE];
static bool waits;
static bool lost;

bool store_failed(void)
{
    return lost;
}

bool store_note_kept(void)
{
    return !waits;
}

bool store_note(const uint8_t bytes[STORE_NOTE])
{
    if (lost || waits)
        return false;
    for (uint8_t at = 0; at < STORE_NOTE; at++)
        new_note[at] = bytes[at];
    waits = true;
    return true;
}

void store_read_note(uint8_t to[STORE_NOTE])
{
    for (uint8_t at = 0; at < STORE_NOTE; at++)
        to[at] = kept_note[at];
}

void store_add(uint8_t which)
{
    CLAIM(which == PUSHER_COUNTER_PAID_OUT, "tokens go to their counter");
}

uint32_t store_count(uint8_t which)
{
    (void)which;
    return nondet_u32();
}

static void the_store_goes_on(void)
{
    lost = lost || any_bool();
    if (waits && !lost && any_bool()) {
        for (uint8_t at = 0; at < STORE_NOTE; at++)
            kept_note[at] = new_note[at];
        waits = false;
    }
}

/* --- the board ------------------------------------------------------------------------------------------------------- */

#define FIELDS (WIRE_LONGEST - WIRE_OVERHEAD)
static uint8_t fields[FIELDS];

uint32_t board_now(void)
{
    return nondet_u32();
}

uint32_t board_ms(void)
{
    return nondet_u32();
}

uint16_t board_ms_ticks(void)
{
    uint16_t ticks = nondet_u16();
    ASSUME(ticks < TICKS_A_MS);
    return ticks;
}

uint8_t *board_report(uint8_t id, uint8_t size)
{
    CLAIM(id == REPORT_HOPPER && size <= FIELDS, "only its own report");
    return any_bool() ? fields : (uint8_t *)0;
}

void board_send(void)
{
}

bool port_adc_take(uint16_t *value)
{
    *value = nondet_u16();
    ASSUME(*value <= 1023U);
    return any_bool();
}

void port_adc_start(uint8_t pin)
{
    (void)pin;
}

bool port_dims(uint8_t pin)
{
    return pin == 0xB3U;
}

void port_pin_output(uint8_t pin)
{
    (void)pin;
}

void port_pin_input(uint8_t pin, bool pull_up)
{
    (void)pin;
    (void)pull_up;
}

uint8_t port_pin_read(uint8_t pin)
{
    (void)pin;
    return any_bool() ? 1U : 0U;
}

static bool is_payout(const uint8_t note[STORE_NOTE])
{
    return wire_get16(note) == hopper.payout && note[2] == hopper.tokens && wire_get16(note + 3) == hopper.start;
}

/* What is kept is this payout, and whatever is kept next is, too. */
static bool noted(void)
{
    if (!is_payout(kept_note) || (waits && !is_payout(new_note)))
        return false;
    return strayed || (kept_note[5] == NOTE_UNDER_WAY && !waits);
}

void port_pin_write(uint8_t pin, uint8_t level)
{
    (void)level;
    CLAIM(pin != PUSHER_HOPPER_BACK_PIN || outputs_value(PUSHER_OUT_HOPPER) == 0U, "the way round changes only while the motor is off");
}

void port_output(uint8_t pin, uint8_t value)
{
    if (pin != PUSHER_OUT_HOPPER_PIN || value == 0U)
        return;
    CLAIM(is_payout(kept_note), "a payout is kept before its motor runs");
    CLAIM(noted(), "as one that is under way");
    CLAIM(hopper.motor && (hopper_due(&hopper) || strayed), "the motor is turned on only for a payout that is due");
    CLAIM(!strayed, "a token that comes before the motor starts keeps it off");
}

void kind_safe(enum safe_why why)
{
    (void)why;
    payouts_safe();
}

void kind_output_ended(uint8_t number, enum over_why why)
{
    (void)why;
    if (number == PUSHER_OUT_HOPPER)
        payouts_output_ended();
}

/* --------------------------------------------------------------------------------------------------------------------- */

static void any_state(void)
{
    any_hopper(&hopper);
    ANY_BOOL(strayed);
    ANY_BOOL(waits);
    ANY_BOOL(lost);
    ANY_BOOL(report_due);
    ANY_BOOL(overload.over);
    ANY_BOOL(hears_errors);
    ASSUME(error_level <= 1U);
    converting = any_bool() ? &overload : (const struct overload *)0;
    for (uint8_t at = 0; at < KIND_MOST_OUTPUTS; at++) {
        ANY_BOOL(outputs[at].held);
        ANY_BOOL(outputs[at].asked);
    }
    output = PUSHER_OUT_HOPPER;
    counter = PUSHER_COUNTER_PAID_OUT;
}

static bool made_by_hopper_note(const uint8_t note[STORE_NOTE])
{
    return note[5] == NOTE_UNDER_WAY || note[5] >> NOTE_STATE_SHIFT <= HOPPER_JAMMED;
}

static bool sound(void)
{
    return hopper_sound(&hopper, noted(), strayed) && overload.limit <= CURRENT_MOST && made_by_hopper_note(kept_note) &&
           made_by_hopper_note(new_note);
}

static void command(void)
{
    uint16_t payout = hopper.payout;
    uint8_t tokens = hopper.tokens;
    enum hopper_stage stage = hopper.stage;
    uint8_t refused = payouts_command(fields, nondet_u8());
    uint16_t above = (uint16_t)(hopper.payout - payout);
    bool begins = refused == 0U && hopper.stage == HOPPER_NOTING && stage != HOPPER_NOTING;
    CLAIM(!begins || tokens == 0U || (above >= 1U && above <= 32767U), "no number is carried out twice");
    CLAIM(begins || (hopper.payout == payout && hopper.tokens == tokens && hopper.stage == stage), "what is not begun changes nothing");
    if (begins)
        strayed = false;
}

int main(void)
{
    any_state();
    ASSUME(sound());
    the_store_goes_on();
    bool waited = hopper_waits(&hopper);
    uint16_t paid_out = hopper.paid_out;
    switch (nondet_u8()) {
    case 0:
        payouts_begin(PUSHER_OUT_HOPPER, PUSHER_COUNTER_PAID_OUT);
        waited = false;
        break;
    case 1:
        payouts_opened();
        break;
    case 2:
        command();
        break;
    case 3:
        (void)payouts_configure(fields);
        break;
    case 4:
        (void)payouts_set(nondet_u8());
        break;
    case 5:
        outputs_all_safe(SAFE_DEADMAN);
        CLAIM(outputs_value(PUSHER_OUT_HOPPER) == 0U && !hopper.motor, "all safe is safe");
        break;
    case 6:
        payouts_stop();
        CLAIM(outputs_value(PUSHER_OUT_HOPPER) == 0U && !hopper.motor, "a stop turns the motor off");
        break;
    case 7:
        outputs_poll();
        break;
    case 8:
        payouts_edge(any_bool() ? 1U : 0U, nondet_u32());
        break;
    case 9:
        payouts_tested(any_bool());
        break;
    default:
        payouts_poll(nondet_u32());
        CLAIM(outputs_value(PUSHER_OUT_HOPPER) == 0U || hopper.motor, "after each turn of the main loop the pin is off where no payout is due");
        CLAIM(outputs_value(PUSHER_OUT_HOPPER) == 0U || hopper_due(&hopper) || strayed, "and on only for a payout that is due");
        break;
    }
    strayed = strayed || (waited && hopper.paid_out != paid_out);
    CLAIM(!hopper_under_way(&hopper) || hopper.stage == HOPPER_NOTING || is_payout(kept_note), "a payout is kept before its motor runs");
    CLAIM(sound(), "the invariant is kept");
    CLAIM(hopper.token_ms >= 40U && hopper.token_ms <= 1000U, "the pace is one that hopper.c can divide by");
    return 0;
}
