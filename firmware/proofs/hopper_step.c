/* A hopper, for any history: any state that the invariant allows, and then any one of its functions with any arguments.
 *
 * Induction: hopper_begin establishes the invariant, and each call keeps it. Any time may pass between two calls, except where the
 * length of a run is claimed: there hopper_poll is called at least every POLLS_APART_MS, for what has been over for 2^31 ticks
 * (1,073 s) seems to be still to come; and a token is later than the `now` of a poll by at most TOKEN_LATER_MS (its edge came after
 * the turn of the main loop began). So a run without a token has lasted for no more than a jam when a poll ends, and than
 * JAM_MOST_MS and POLLS_APART_MS when the next begins. Only a token or a new run begins that time anew: that is claimed, too.
 * A number is refused while the last one is the same or up to 32,768 above it: it can be carried out again when they have come
 * round. One whose note was not kept when the board was reset was not begun, and can be sent again.
 * Assumed of the callers, and claimed of payouts.c by payouts_step.c: token_ms is from 40 to 1000; hopper_end is asked for a
 * state that hopper.h names; hopper_noted is called only when what hopper_note made is kept. Levels are 0 or 1.
 * Assumed of the note that hopper_begin gets: hopper_note made it (the store keeps it whole or not at all), or it is zeros (a new
 * memory, which knows no number). */
#include "proof.h"

#include "debounce.c"
#include "hopper.c"
#include "hopper_state.h"

#define POLLS_APART_MS 900000U
#define TOKEN_LATER_MS 60000U
#define JAM_MOST_MS (1000U * HOPPER_JAM_TOKENS + HOPPER_SPIN_UP_MS)

static struct hopper hopper;
static struct hopper before;
static bool noted;   /* the payout that is under way */
static bool strayed; /* a token came between its command and the start of the motor */
static bool counted; /* a token, in this call */
static bool began;   /* a payout or the board, in this call */

static void begins_again(void)
{
    uint8_t note[HOPPER_NOTE];
    began = true;
    hopper_note(&hopper, note);
    if (any_bool()) {
        for (uint8_t at = 0; at < HOPPER_NOTE; at++)
            note[at] = 0;
    }
    hopper_begin(&hopper, note, nondet_u16());
    CLAIM(!hopper.motor && hopper.stage == HOPPER_RESTS, "a board that begins pays nothing");
    CLAIM(hopper.tokens == 0U || (hopper.tokens == before.tokens && hopper.payout == before.payout), "the payout is the one that was noted");
    CLAIM(hopper.tokens == 0U || note[5] != NOTE_UNDER_WAY || left(&hopper) == 0U || hopper.state == HOPPER_CUT_SHORT,
          "a payout that a power cut ended is reported as cut short");
    CLAIM(hopper.tokens == 0U || hopper_pay(&hopper, before.payout, before.tokens) != HOPPER_NOTES, "and not carried out again");
}

/* By 1 to 32,767, where 0 follows 65,535. */
static bool is_above(uint16_t number, uint16_t last)
{
    uint16_t by = (uint16_t)(number - last);
    return by >= 1U && by <= 32767U;
}

static void pay(void)
{
    uint16_t payout = nondet_u16();
    uint8_t tokens = nondet_u8();
    enum hopper_answer answer = hopper_pay(&hopper, payout, tokens);
    if (answer == HOPPER_NOTES) {
        noted = false;
        strayed = false;
        began = true;
    }
    CLAIM(answer == HOPPER_NOTES || (hopper.motor == before.motor && hopper.payout == before.payout && hopper.tokens == before.tokens),
          "what is not begun changes nothing");
    CLAIM(answer != HOPPER_NOTES || before.tokens == 0U || is_above(payout, before.payout), "no number is carried out twice");
    CLAIM(answer != HOPPER_NOTES || (hopper.payout == payout && hopper.tokens == tokens), "the last number is the one that is carried out");
    CLAIM(answer != HOPPER_NOTES || !hopper.back, "a payout begins with the motor the right way round");
    CLAIM(answer != HOPPER_NOTES || (!before.motor && !hopper.motor && tokens != 0U), "a payout begins with the motor off");
}

static void note(void)
{
    if (!noted && hopper.stage == HOPPER_NOTING)
        noted = true;
    hopper_noted(&hopper);
}

static void tested(uint32_t now)
{
    bool proven = any_bool();
    hopper_tested(&hopper, proven, now);
    CLAIM(proven || before.motor || !hopper.motor, "the motor does not start with a sensor that is not proven");
}

static void count(bool token)
{
    CLAIM(hopper.paid_out == (uint16_t)(before.paid_out + token), "each token is counted once");
    counted = token;
    strayed = strayed || (token && hopper_waits(&before));
}

static void poll(uint32_t now)
{
    uint32_t ran = now - before.since;
    uint32_t later = before.since - now;
    bool ahead = later != 0U && later <= TICKS_OF_MS(TOKEN_LATER_MS);
    bool over = !ahead && ran > jam_ticks(&before);
    bool back_over = ran > TICKS_OF_MS(HOPPER_BACK_MS);
    ASSUME(ahead || ran <= TICKS_OF_MS(JAM_MOST_MS + POLLS_APART_MS));
    count(hopper_poll(&hopper, now));
    CLAIM(before.stage != HOPPER_RUNNING || counted || !over || !hopper.motor,
          "the motor does not run on without a token for longer than a jam lasts");
    CLAIM(before.stage != HOPPER_RUNNING || !counted || !hopper.motor || now - before.sensor.since <= jam_ticks(&hopper),
          "nor after one that is found late");
    CLAIM(before.stage != HOPPER_TURNS_BACK || ahead || !back_over || !hopper.motor, "nor does it turn back for longer than it may");
}

static void end(uint32_t now)
{
    uint8_t state = nondet_u8();
    ASSUME(state == HOPPER_IDLE || (state >= HOPPER_EMPTY && state <= HOPPER_JAMMED));
    hopper_end(&hopper, (enum hopper_state)state, now);
    CLAIM(!hopper.motor, "a hopper whose payout ended does not turn");
}

int main(void)
{
    uint32_t now = nondet_u32();
    any_hopper(&hopper);
    ANY_BOOL(noted);
    ANY_BOOL(strayed);
    counted = false;
    began = false;
    ASSUME(hopper_sound(&hopper, noted, strayed));
    before = hopper;
    switch (nondet_u8()) {
    case 0:
        begins_again();
        break;
    case 1:
        pay();
        break;
    case 2:
        note();
        break;
    case 3:
        tested(now);
        break;
    case 4:
        count(hopper_edge(&hopper, any_bool() ? 1U : 0U, now));
        break;
    case 5:
        poll(now);
        break;
    case 6:
        hopper_stop(&hopper, now);
        CLAIM(!hopper.motor, "a hopper that is stopped does not turn");
        break;
    case 7:
        end(now);
        break;
    case 8:
        hopper_overloaded(&hopper, now);
        break;
    case 9:
        hopper_clear(&hopper);
        break;
    default:
        CLAIM(hopper.paid > UINT16_MAX - UINT8_MAX || hopper_at_most(&hopper) >= (hopper.paid < UINT8_MAX ? hopper.paid : UINT8_MAX),
              "no fewer were paid at most than were seen");
        CLAIM(hopper.paid <= UINT16_MAX - UINT8_MAX || hopper_at_most(&hopper) == UINT8_MAX,
              "also where more than 65,280 came unasked since the payout");
        (void)hopper_fault(&hopper);
        CLAIM(!hopper_wants_test(&hopper) || !hopper.motor, "the sensor is tested while the motor is off");
        break;
    }
    CLAIM(began || (hopper.payout == before.payout && hopper.tokens == before.tokens), "only a payout that begins has a new number");
    if (hopper.stage == HOPPER_RUNNING) {
        CLAIM(before.stage == HOPPER_RUNNING || hopper.since == now, "the time of a jam begins with the run");
        CLAIM(before.stage != HOPPER_RUNNING || hopper.since == (counted ? before.sensor.since : before.since),
              "only a token begins the time of a jam anew, when it left the sensor");
        CLAIM(before.stage != HOPPER_RUNNING || !hopper.first || before.first, "nor is it longer again");
    }
    CLAIM(hopper_sound(&hopper, noted, strayed), "the invariant is kept");
    CLAIM(!hopper.motor || noted, "the motor is on only for a payout that is kept");
    CLAIM(!hopper.motor || hopper_due(&hopper) || strayed, "the motor is on only for a payout that is due");
    CLAIM(!hopper.motor || !strayed, "a token that comes before the motor starts keeps it off");
    return 0;
}
