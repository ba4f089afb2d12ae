#include "reels.h"

#include "kind.h"
#include "levels.h"
#include "stepper.h"

#define PRESS_TICKS TICKS_A_MS /* (ours) */
#define REPORT_MS 100U
#define BRAKE_MS 250U          /* more than the ramp and the last step take */
#define SOON_TICKS 64U         /* steps that are due within this are due together; a call of kind_fast takes less */
#define USUAL_SYMBOLS 20U      /* of a reel (ours) */
#define USUAL_SLIP 6U          /* symbols from the press of a button to the stand at most (ours): the fastest takes 53 steps */
#define USUAL_SPIN_MS 500U     /* before a button stops it (ours) */
#define NO_STEP 0xFFFFU        /* as the messages have it */

_Static_assert(STEPPER_STEPS == REEL_REEL_STEPS, "one count of steps");

static struct reel {
    struct stepper stepper;
    bool turning : 1;   /* until its standing still is seen */
    bool lost : 1;      /* home did not come: a fault until its output is set to 0 */
    bool by_button : 1;
    bool pressing : 1;  /* the button is low since `pressed` */
    bool brakes : 1;    /* by itself at `brake_ms` */
    bool report_due : 1;
    bool armed : 1;     /* its button may stop it */
    bool long_enough : 1; /* it has turned for its time */
    uint8_t symbols;
    uint8_t slip;         /* symbols */
    uint16_t spin_ms;     /* it must turn for so long before */
    uint16_t began_ms;    /* board_ms(), low half */
    uint16_t pressed;     /* ticks, low half */
    uint16_t brake_ms;    /* board_ms(), low half */
    uint16_t reported_ms; /* the same */
} reels[REEL_REELS];

/* --- steps: the interrupt -------------------------------------------------------------------------------------------
 *
 * kind_fast and what it calls take what `closed_cycles` of this kind says in wire/messages.toml, and no more: an edge of this
 * board may be dated later by so much. None of its inputs needs it better. All here is the interrupt's while `ticking`, and the main loop's under PORT_ATOMIC. */
static uint16_t clock;           /* ticks when kind_fast is called next */
static uint16_t due[REEL_REELS]; /* ticks when a reel makes its next step */
static volatile bool ticking;    /* kind_fast will be called */

/* One reel. At most one makes a step in a call, so that a call stays short; another that is due at the same time follows in
 * the next, and its step after that is not late any more. */
static inline __attribute__((always_inline)) void turn(uint8_t index, uint8_t step_pin, uint8_t home_pin, bool *stepped,
                                                       int16_t *nearest)
{
    struct stepper *stepper = &reels[index].stepper;
    if (!stepper->on)
        return;
    int16_t left = (int16_t)(due[index] - clock);
    if (left < (int16_t)SOON_TICKS && !*stepped) {
        uint16_t next = stepper_step(stepper, port_pin_read(home_pin) != 0U);
        if (next == 0U)
            return;
        port_pin_write(step_pin, 1);
        *stepped = true;
        due[index] = (uint16_t)(due[index] + next);
        left = (int16_t)(left + (int16_t)next);
    }
    if (left < *nearest)
        *nearest = left;
}

/* A step's pulse ends when the next call begins. */
uint16_t kind_fast(void)
{
    int16_t nearest = INT16_MAX;
    bool stepped = false;
    port_pin_write(REEL_OUT_REEL_1_PIN, 0);
    port_pin_write(REEL_OUT_REEL_2_PIN, 0);
    port_pin_write(REEL_OUT_REEL_3_PIN, 0);
    turn(0, REEL_OUT_REEL_1_PIN, REEL_IN_HOME_1_PIN, &stepped, &nearest);
    turn(1, REEL_OUT_REEL_2_PIN, REEL_IN_HOME_2_PIN, &stepped, &nearest);
    turn(2, REEL_OUT_REEL_3_PIN, REEL_IN_HOME_3_PIN, &stepped, &nearest);
    if (nearest == INT16_MAX) {
        ticking = false;
        return 0;
    }
    uint16_t wait = nearest < (int16_t)SOON_TICKS ? SOON_TICKS : (uint16_t)nearest;
    clock = (uint16_t)(clock + wait);
    return wait;
}

/* --- reels in the main loop ----------------------------------------------------------------------------------------- */

static uint8_t output_of(uint8_t index)
{
    return (uint8_t)(REEL_OUT_REEL_1 + index);
}

static void begin_turning(uint8_t index, uint16_t steps_per_s)
{
    struct reel *reel = &reels[index];
    reel->turning = true;
    reel->by_button = false;
    reel->armed = false;
    reel->long_enough = false;
    reel->began_ms = (uint16_t)board_ms();
    reel->report_due = true;
    stepper_spin(&reel->stepper, steps_per_s, level_of((uint8_t)(REEL_IN_HOME_1 + index)) != 0U);
    PORT_ATOMIC
    {
        if (!ticking) {
            ticking = true;
            port_fast_in(SOON_TICKS);
        }
        due[index] = clock;
        reel->stepper.on = true;
    }
}

uint8_t reels_spin(const uint8_t *fields, uint8_t may)
{
    struct command_spin told;
    command_spin_read(&told, fields);
    if (told.reel == 0U || told.reel > REEL_REELS || told.steps_per_s < STEPPER_LEAST || told.steps_per_s > STEPPER_MOST)
        return REFUSED_WRONG_VALUE;
    struct reel *reel = &reels[told.reel - 1U];
    if (may != 0U)
        return may;
    if (stepper_symbol_steps(told.steps_per_s, reel->symbols) * (uint32_t)reel->symbols > (uint32_t)reel->slip * REEL_REEL_STEPS)
        return REFUSED_WRONG_VALUE;
    if (reel->stepper.on)
        return REFUSED_BUSY;
    if (reel->lost)
        return REFUSED_HELD_SAFE;
    uint8_t output = output_of((uint8_t)(told.reel - 1U));
    uint8_t why = outputs_set(output, UINT8_MAX, told.for_ms);
    if (why != 0U)
        return why;
    uint32_t for_ms = kind_facts.output[output - 1U].longest_ms;
    if (told.for_ms != 0U && told.for_ms < for_ms)
        for_ms = told.for_ms;
    reel->brakes = for_ms > BRAKE_MS;
    reel->brake_ms = (uint16_t)(board_ms() + for_ms - BRAKE_MS);
    begin_turning((uint8_t)(told.reel - 1U), told.steps_per_s);
    return 0;
}

uint8_t reels_stop(const uint8_t *fields)
{
    struct command_stop told;
    command_stop_read(&told, fields);
    if (told.reel == 0U || told.reel > REEL_REELS || (told.step >= REEL_REEL_STEPS && told.step != NO_STEP))
        return REFUSED_WRONG_VALUE;
    struct stepper *stepper = &reels[told.reel - 1U].stepper;
    if (told.step == NO_STEP)
        (void)stepper_stop(stepper);
    else if (stepper->on)
        stepper_stop_at(stepper, (uint8_t)told.step);
    return 0;
}

uint8_t reels_configure(const uint8_t *fields)
{
    struct command_reel told;
    command_reel_read(&told, fields);
    bool symbols = told.symbols != 0U && told.symbols <= REEL_REEL_STEPS / 2U;
    if (told.reel == 0U || told.reel > REEL_REELS || !symbols || told.slip == 0U || told.slip > told.symbols)
        return REFUSED_WRONG_VALUE;
    struct reel *reel = &reels[told.reel - 1U];
    if (reel->turning)
        return REFUSED_BUSY;
    reel->symbols = told.symbols;
    reel->slip = told.slip;
    reel->spin_ms = told.spin_ms;
    return 0;
}

uint8_t reels_arm(const uint8_t *fields)
{
    struct command_arm told;
    command_arm_read(&told, fields);
    if (told.reel == 0U || told.reel > REEL_REELS || told.on > 1U)
        return REFUSED_WRONG_VALUE;
    struct reel *reel = &reels[told.reel - 1U];
    if (told.on != 0U && !reel->turning)
        return REFUSED_NOT_SAFE;
    reel->armed = told.on != 0U;
    return 0;
}

static void report(uint8_t index, uint32_t now)
{
    struct reel *reel = &reels[index];
    uint8_t *fields = board_report(REPORT_REEL, REPORT_REEL_SIZE);
    if (!fields)
        return;
    uint8_t step = stepper_place(&reel->stepper);
    struct report_reel said = {
        .time = now,
        .reel = (uint8_t)(index + 1U),
        .moving = reel->turning ? 1U : 0U,
        .step = step == STEPPER_UNKNOWN ? NO_STEP : step,
        .slips = reel->stepper.slips,
        .button = reel->by_button ? 1U : 0U,
    };
    report_reel_write(fields, &said);
    board_send();
    reel->report_due = false;
    reel->reported_ms = (uint16_t)board_ms();
}

static void poll_button(struct reel *reel, uint32_t ticks)
{
    if (!reel->pressing || (int16_t)((uint16_t)ticks - reel->pressed) < (int16_t)PRESS_TICKS)
        return;
    reel->pressing = false;
    bool early = !reel->long_enough;
    if (!reel->armed || early || !stepper_stop_at_symbol(&reel->stepper, reel->symbols))
        return;
    reel->by_button = true;
    reel->report_due = true;
}

static void poll_reel(uint8_t index, uint32_t now)
{
    struct reel *reel = &reels[index];
    uint8_t output = output_of(index);
    if (reel->turning && (uint16_t)((uint16_t)board_ms() - reel->began_ms) >= reel->spin_ms)
        reel->long_enough = true;
    poll_button(reel, now);
    if (stepper_poll(&reel->stepper)) {
        outputs_hold(output);
        reel->lost = true;
    }
    if (reel->brakes && (int16_t)((uint16_t)board_ms() - reel->brake_ms) >= 0) {
        reel->brakes = false;
        (void)stepper_stop(&reel->stepper);
    }
    if (reel->turning && !reel->stepper.on) {
        reel->turning = false;
        reel->brakes = false;
        reel->report_due = true;
        if (outputs_value(output) != 0U)
            (void)outputs_set(output, 0, 0);
    }
    if (reel->report_due || (reel->turning && (uint16_t)(board_ms() - reel->reported_ms) >= REPORT_MS))
        report(index, now);
}

/* --- what the kind asks --------------------------------------------------------------------------------------------- */

static void usual(struct reel *reel)
{
    reel->symbols = USUAL_SYMBOLS;
    reel->slip = USUAL_SLIP;
    reel->spin_ms = USUAL_SPIN_MS;
}

void reels_begin(void)
{
    ticking = false;
    for (uint8_t index = 0; index < REEL_REELS; index++) {
        reels[index] = (struct reel){.turning = false};
        usual(&reels[index]);
        stepper_begin(&reels[index].stepper);
    }
}

void reels_opened(void)
{
    for (uint8_t index = 0; index < REEL_REELS; index++) {
        usual(&reels[index]);
        reels[index].report_due = true; /* where it stands */
    }
}

uint8_t reels_set(uint8_t index, uint8_t value)
{
    if (value != 0U)
        return REFUSED_WRONG_VALUE;
    stepper_halt(&reels[index].stepper);
    reels[index].lost = false;
    return 0;
}

void reels_halt(uint8_t index)
{
    stepper_halt(&reels[index].stepper);
}

void reels_halt_all(void)
{
    for (uint8_t index = 0; index < REEL_REELS; index++)
        stepper_halt(&reels[index].stepper);
}

void reels_button(uint8_t index, uint8_t level, uint32_t ticks)
{
    struct reel *reel = &reels[index];
    poll_button(reel, ticks);
    reel->pressing = level == 0U;
    reel->pressed = (uint16_t)ticks;
}

void reels_poll(uint32_t now)
{
    for (uint8_t index = 0; index < REEL_REELS; index++)
        poll_reel(index, now);
}

bool reels_fault(void)
{
    bool fault = false;
    for (uint8_t index = 0; index < REEL_REELS; index++)
        fault = fault || reels[index].lost;
    return fault;
}
