#include "hopper.h"

#include "messages.h"
#include "port.h"

#define COIN_TICKS TICKS_OF_MS(HOPPER_COIN_MS)
#define COIN_MOST_TICKS TICKS_OF_MS(HOPPER_COIN_MOST_MS)
#define COASTING_TICKS TICKS_OF_MS(HOPPER_COASTING_MS)

#define NOTE_UNDER_WAY 0xFFU /* of a payout: paying, or all paid */
#define NOTE_UNSEEN 0x1FU    /* else its state, and in these bits what nobody saw */
#define NOTE_STATE_SHIFT 5U

static uint8_t left(const struct hopper *hopper)
{
    return hopper->paid < hopper->tokens ? (uint8_t)(hopper->tokens - hopper->paid) : 0U;
}

void hopper_begin(struct hopper *hopper, const uint8_t note[HOPPER_NOTE], uint16_t paid_out)
{
    *hopper = (struct hopper){
        .payout = wire_get16(note),
        .tokens = note[2],
        .start = wire_get16(note + 3),
        .paid_out = paid_out,
        .token_ms = HOPPER_TOKEN_MS,
    };
    debounce_begin(&hopper->sensor, 1);
    hopper->paid = (uint16_t)(paid_out - hopper->start);
    if (hopper->tokens == 0U)
        return;
    if (note[5] != NOTE_UNDER_WAY) {
        hopper->state = (enum hopper_state)(note[5] >> NOTE_STATE_SHIFT);
        hopper->unseen = note[5] & NOTE_UNSEEN;
    } else if (left(hopper) != 0U) {
        hopper->state = HOPPER_CUT_SHORT;
        hopper->unseen = HOPPER_LOST;
    }
}

void hopper_note(const struct hopper *hopper, uint8_t note[HOPPER_NOTE])
{
    bool under_way = hopper->state == HOPPER_PAYING || (hopper->state == HOPPER_IDLE && left(hopper) == 0U);
    wire_put16(note, hopper->payout);
    note[2] = hopper->tokens;
    wire_put16(note + 3, hopper->start);
    note[5] = NOTE_UNDER_WAY;
    if (hopper->tokens == 0U)
        note[5] = 0;
    else if (!under_way)
        note[5] = (uint8_t)((uint8_t)((uint8_t)hopper->state << NOTE_STATE_SHIFT) |
                            (uint8_t)(hopper->unseen < NOTE_UNSEEN ? hopper->unseen : NOTE_UNSEEN));
}

static void go(struct hopper *hopper, enum hopper_stage stage, bool motor, uint32_t now)
{
    hopper->stage = stage;
    hopper->motor = motor;
    hopper->since = now;
}

enum hopper_answer hopper_pay(struct hopper *hopper, uint16_t payout, uint8_t tokens)
{
    bool same = hopper->tokens != 0U && payout == hopper->payout;
    bool earlier = hopper->tokens != 0U && (int16_t)(payout - hopper->payout) < 0;
    if (payout == 0U || tokens == 0U || earlier || (same && tokens != hopper->tokens))
        return HOPPER_WRONG;
    if (same)
        return HOPPER_HAD;
    if (hopper->stage != HOPPER_RESTS && !(hopper->stage == HOPPER_COASTING && hopper->state == HOPPER_IDLE))
        return HOPPER_BUSY;
    if (hopper->state == HOPPER_RUNAWAY)
        return HOPPER_RUNS_AWAY;
    hopper->state = HOPPER_PAYING;
    hopper->stage = HOPPER_NOTING;
    hopper->payout = payout;
    hopper->tokens = tokens;
    hopper->start = hopper->paid_out;
    hopper->paid = 0;
    hopper->unseen = 0;
    hopper->backs = 0;
    hopper->first = true;
    return HOPPER_NOTES;
}

void hopper_noted(struct hopper *hopper)
{
    if (hopper->stage == HOPPER_NOTING)
        hopper->stage = HOPPER_TESTING;
}

bool hopper_wants_test(const struct hopper *hopper)
{
    return hopper->stage == HOPPER_TESTING || hopper->stage == HOPPER_PROVING;
}

void hopper_tested(struct hopper *hopper, bool proven, uint32_t now)
{
    if (hopper->stage == HOPPER_TESTING) {
        if (!proven)
            hopper->state = HOPPER_UNPROVEN;
        go(hopper, proven ? HOPPER_RUNNING : HOPPER_RESTS, proven, now);
    } else if (hopper->stage == HOPPER_PROVING) {
        hopper->stage = HOPPER_RESTS;
        if (!proven)
            hopper->state = HOPPER_UNPROVEN;
        else if (hopper->state != HOPPER_UNPROVEN)
            hopper->unseen = 0; /* proven before and after: what it saw is what was paid */
    }
}

static uint32_t jam_ticks(const struct hopper *hopper)
{
    uint32_t ms = (uint32_t)hopper->token_ms * HOPPER_JAM_TOKENS;
    return TICKS_OF_MS(hopper->first ? ms + HOPPER_SPIN_UP_MS : ms);
}

/* Tokens that a sensor can have missed since the last: at a pace a quarter above what the hopper has, and one that falls. */
static void add_unseen(struct hopper *hopper, uint32_t now)
{
    uint32_t ms = (now - hopper->since) / TICKS_A_MS;
    uint32_t most = 2U + ms * 5U / (4U * (uint32_t)hopper->token_ms) + hopper->unseen;
    hopper->unseen = (uint8_t)(most < UINT8_MAX ? most : UINT8_MAX);
}

void hopper_end(struct hopper *hopper, enum hopper_state state, uint32_t now)
{
    if (hopper->stage == HOPPER_RESTS || hopper->stage == HOPPER_COASTING || hopper->stage == HOPPER_PROVING)
        return;
    bool ran = hopper->stage > HOPPER_TESTING;
    hopper->state = state;
    if (ran && state != HOPPER_IDLE)
        add_unseen(hopper, now);
    go(hopper, ran ? HOPPER_COASTING : HOPPER_RESTS, false, now);
}

void hopper_stop(struct hopper *hopper, uint32_t now)
{
    hopper_end(hopper, HOPPER_CUT_SHORT, now);
}

/* What turns the motor back and forth to free it; or the end. */
static void jam(struct hopper *hopper, enum hopper_state state, uint32_t now)
{
    if (!hopper->reverses || hopper->backs == HOPPER_BACKS) {
        hopper_end(hopper, state, now);
        return;
    }
    hopper->backs++;
    add_unseen(hopper, now);
    go(hopper, HOPPER_STOPS, false, now);
}

void hopper_overloaded(struct hopper *hopper, uint32_t now)
{
    if (hopper->stage == HOPPER_RUNNING)
        jam(hopper, HOPPER_JAMMED, now);
    else if (hopper->stage == HOPPER_TURNS_BACK)
        hopper_end(hopper, HOPPER_JAMMED, now);
}

void hopper_clear(struct hopper *hopper)
{
    if (hopper->stage == HOPPER_RESTS)
        hopper->state = HOPPER_IDLE;
}

uint8_t hopper_at_most(const struct hopper *hopper)
{
    uint16_t most = (uint16_t)(hopper->paid + hopper->unseen);
    return (uint8_t)(most < UINT8_MAX ? most : UINT8_MAX);
}

bool hopper_fault(const struct hopper *hopper)
{
    return hopper->state >= HOPPER_EMPTY;
}

static bool turns(const struct hopper *hopper)
{
    return hopper->stage >= HOPPER_RUNNING && hopper->stage <= HOPPER_STARTS;
}

/* It is one when it leaves the sensor: a wire that is cut never does. */
static void token_came(struct hopper *hopper, uint32_t ticks)
{
    hopper->paid_out++;
    hopper->paid++;
    if (turns(hopper)) {
        if (hopper->stage == HOPPER_RUNNING)
            hopper->since = ticks;
        hopper->first = false;
        hopper->unseen = 0; /* it sees */
        if (left(hopper) == 0U)
            hopper_end(hopper, HOPPER_IDLE, ticks);
    } else if (hopper->stage == HOPPER_COASTING && hopper->state == HOPPER_PAYING) {
        hopper->state = HOPPER_IDLE; /* the last, for which the motor was stopped */
        hopper->unseen = 0;
    } else if (hopper->stage == HOPPER_COASTING) {
        /* one may still fall; not two */
        hopper->stage = hopper->state == HOPPER_IDLE ? HOPPER_RESTS : HOPPER_PROVING;
    } else {
        hopper->state = HOPPER_RUNAWAY;
    }
}

static bool sensed(struct hopper *hopper, uint32_t now)
{
    if (!debounce_settled(&hopper->sensor, COIN_TICKS, now))
        return false;
    uint32_t since = hopper->sensor.since;
    if (hopper->sensor.level == 0U) {
        hopper->entered = since;
        hopper->inside = true;
        if (turns(hopper) && left(hopper) == 1U)
            go(hopper, HOPPER_COASTING, false, since); /* the last is on its way: no other must follow it */
        return false;
    }
    bool token = hopper->inside && since - hopper->entered <= COIN_MOST_TICKS;
    hopper->inside = false;
    if (token)
        token_came(hopper, since);
    return token;
}

static void poll_stage(struct hopper *hopper, uint32_t now)
{
    int32_t in_stage = (int32_t)(now - hopper->since);
    bool blocked = hopper->inside && (int32_t)(now - hopper->entered) > (int32_t)(COIN_MOST_TICKS + COIN_TICKS);
    if (blocked)
        hopper->inside = false;
    switch (hopper->stage) {
    case HOPPER_RUNNING:
        if (blocked)
            hopper_end(hopper, HOPPER_UNPROVEN, now);
        else if (in_stage > (int32_t)jam_ticks(hopper))
            jam(hopper, HOPPER_EMPTY, now);
        break;
    case HOPPER_STOPS:
        if (in_stage > (int32_t)TICKS_OF_MS(HOPPER_REST_MS)) {
            go(hopper, HOPPER_TURNS_BACK, true, now);
            hopper->back = true;
        }
        break;
    case HOPPER_TURNS_BACK:
        if (in_stage > (int32_t)TICKS_OF_MS(HOPPER_BACK_MS))
            go(hopper, HOPPER_STARTS, false, now);
        break;
    case HOPPER_STARTS:
        if (in_stage > (int32_t)TICKS_OF_MS(HOPPER_REST_MS)) {
            hopper->back = false;
            go(hopper, HOPPER_RUNNING, true, now);
        }
        break;
    case HOPPER_COASTING:
        if (blocked && hopper->state == HOPPER_PAYING) {
            hopper->state = HOPPER_UNPROVEN;
            add_unseen(hopper, now);
        }
        if (in_stage > (int32_t)(COASTING_TICKS + COIN_TICKS)) {
            hopper->back = false;
            hopper->stage = hopper->state == HOPPER_IDLE ? HOPPER_RESTS : HOPPER_PROVING;
        }
        break;
    default:
        break;
    }
}

bool hopper_poll(struct hopper *hopper, uint32_t now)
{
    bool token = sensed(hopper, now);
    poll_stage(hopper, now);
    return token;
}

bool hopper_edge(struct hopper *hopper, uint8_t level, uint32_t ticks)
{
    bool token = sensed(hopper, ticks);
    debounce_edge(&hopper->sensor, level, ticks);
    return token;
}
