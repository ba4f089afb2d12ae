#include "reels.h"

#include "kind.h"
#include "levels.h"
#include "stepper.h"

#define PRESS_TICKS TICKS_A_MS /* (ours) */
#define REPORT_MS 100U
#define HELD_MS 5000U          /* nobody presses a button for this long (ours) */
#define OFF_MS 250U            /* after the last step, where a reel is not held */
#define SOON_TICKS 64U         /* steps that are due within this are due together; a call of kind_fast takes less */
#define USUAL_SYMBOLS 20U      /* of a reel (ours) */
#define USUAL_SLIP 6U          /* symbols from the press of a button to the stop at most (ours): the fastest takes 53 steps */
#define USUAL_SPIN_MS 500U     /* before a button stops it (ours) */
#define NO_STEP STEPPER_UNKNOWN /* as the messages have it */

static struct reel {
    struct stepper stepper;
    bool waits : 1;     /* it was spun, and begins when it may */
    bool turning : 1;   /* until its standing still is seen */
    bool driven : 1;    /* its driver is on */
    bool held : 1;      /* and stays so */
    bool turned_round : 1;
    bool by_button : 1;
    bool down : 1;      /* its button */
    bool pressing : 1;  /* since `pressed`, and what that does is not decided */
    bool brakes : 1;    /* by itself at `brake_ms` */
    bool report_due : 1;
    bool armed : 1;     /* its button may stop it */
    bool long_enough : 1; /* it has turned for its time */
    bool button_held : 1; /* for longer than anybody presses it */
    uint8_t fault;        /* enum stepper_fault: until its output is set to 0 */
    uint8_t symbols;
    uint16_t steps_per_s;
    uint16_t stood_ms;    /* board_ms(), low half */
    uint8_t slip;         /* symbols */
    uint16_t spin_ms;     /* it must turn for this long before */
    uint16_t began_ms;    /* board_ms(), low half */
    uint16_t pressed;     /* ticks, low half */
    uint16_t pressed_ms;  /* board_ms(), low half */
    uint16_t brake_ms;    /* board_ms(), low half */
    uint16_t reported_ms; /* the same */
} reels[REEL_REELS];

/* --- steps: the interrupt -------------------------------------------------------------------------------------------
 *
 * kind_fast and what it calls take at most `closed_cycles` of this kind in wire/messages.toml: an edge of this
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

/* Sets the drivers. Directions first: both are latched at once, and the first step follows. */
static void drive(void)
{
    uint8_t turned_round = 0;
    uint8_t off = 0;
    for (uint8_t index = 0; index < REEL_REELS; index++) {
        uint8_t bit = (uint8_t)(1U << index);
        if (reels[index].turned_round)
            turned_round = (uint8_t)(turned_round | bit);
        if (!reels[index].driven)
            off = (uint8_t)(off | bit);
    }
    reels_drivers(turned_round, off);
}

static void switch_driver(struct reel *reel, bool on)
{
    if (reel->driven == on)
        return;
    reel->driven = on;
    drive();
}

static void begin_turning(uint8_t index)
{
    struct reel *reel = &reels[index];
    reel->waits = false;
    reel->turning = true;
    reel->began_ms = (uint16_t)board_ms();
    switch_driver(reel, true);
    stepper_spin(&reel->stepper, reel->steps_per_s, level_of((uint8_t)(REEL_IN_HOME_1 + index)) != 0U);
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

static struct reel *reel_of(uint8_t number)
{
    return number == 0U || number > REEL_REELS ? 0 : &reels[number - 1U];
}

uint8_t reels_spin(const uint8_t *fields, uint8_t may)
{
    struct command_spin told;
    command_spin_read(&told, fields);
    struct reel *reel = reel_of(told.reel);
    if (!reel || !stepper_reaches(told.steps_per_s))
        return REFUSED_WRONG_VALUE;
    uint8_t index = (uint8_t)(told.reel - 1U);
    if (may != 0U)
        return may;
    uint32_t slip = stepper_symbol_steps(&reel->stepper, told.steps_per_s, reel->symbols) * (uint32_t)reel->symbols;
    if (slip > (uint32_t)reel->slip * reel->stepper.steps)
        return REFUSED_WRONG_VALUE;
    if (reel->waits || reel->stepper.on)
        return REFUSED_BUSY;
    if (reel->fault != (uint8_t)STEPPER_WELL)
        return REFUSED_HELD_SAFE;
    if (!reels_home_proven(index))
        return REFUSED_NOT_SAFE;
    uint8_t output = output_of(index);
    uint8_t why = outputs_set(output, UINT8_MAX, told.for_ms);
    if (why != 0U)
        return why;
    uint32_t for_ms = kind_facts.output[output - 1U].longest_ms;
    if (told.for_ms != 0U && told.for_ms < for_ms)
        for_ms = told.for_ms;
    uint16_t brake_ms = stepper_brake_ms(told.steps_per_s);
    reel->brakes = for_ms > brake_ms;
    reel->brake_ms = (uint16_t)(board_ms() + for_ms - brake_ms);
    reel->steps_per_s = told.steps_per_s;
    reel->by_button = false;
    reel->armed = false;
    reel->long_enough = false;
    reel->report_due = true;
    reel->waits = true;
    reel->began_ms = (uint16_t)board_ms();
    return 0;
}

/* At the next symbol; where home is not known, by the ramp. */
static void stop_soon(struct reel *reel)
{
    if (!stepper_stop_at_symbol(&reel->stepper, reel->symbols))
        (void)stepper_stop(&reel->stepper);
}

uint8_t reels_stop(const uint8_t *fields)
{
    struct command_stop told;
    command_stop_read(&told, fields);
    struct reel *reel = reel_of(told.reel);
    if (!reel || (told.step >= reel->stepper.steps && told.step != NO_STEP))
        return REFUSED_WRONG_VALUE;
    if (told.step == NO_STEP)
        stop_soon(reel);
    else if (reel->stepper.on)
        stepper_stop_at(&reel->stepper, told.step);
    return 0;
}

uint8_t reels_configure(const uint8_t *fields)
{
    struct command_reel told;
    command_reel_read(&told, fields);
    struct reel *reel = reel_of(told.reel);
    bool steps = told.steps >= STEPPER_STEPS_LEAST && told.steps <= STEPPER_STEPS_MOST;
    bool symbols = told.symbols != 0U && told.symbols <= 100U && told.symbols <= told.steps / 2U;
    bool slips = told.slip != 0U && told.slip <= told.symbols;
    bool home = told.home_least != 0U && told.home_least <= told.home_most && told.home_most < told.steps;
    if (!reel || !steps || !symbols || !slips || !home || told.turned_round > 1U || told.held > 1U)
        return REFUSED_WRONG_VALUE;
    if (reel->waits || reel->turning)
        return REFUSED_BUSY;
    reel->symbols = told.symbols;
    reel->slip = told.slip;
    reel->spin_ms = told.spin_ms;
    reel->turned_round = told.turned_round != 0U;
    reel->held = told.held != 0U;
    stepper_configure(&reel->stepper, told.steps, told.symbols, told.home_least, told.home_most);
    reel->stood_ms = (uint16_t)board_ms();
    drive();
    return 0;
}

uint8_t reels_ramp(const uint8_t *fields)
{
    if (!reels_stand())
        return REFUSED_BUSY;
    return stepper_ramp(fields[0], fields + 1, (COMMAND_RAMP_SIZE - 1U) / 2U) ? 0U : REFUSED_WRONG_VALUE;
}

uint8_t reels_arm(const uint8_t *fields)
{
    struct command_arm told;
    command_arm_read(&told, fields);
    struct reel *reel = reel_of(told.reel);
    if (!reel || told.on > 1U)
        return REFUSED_WRONG_VALUE;
    bool may = (reel->turning || reel->waits) && reels_button_proven((uint8_t)(told.reel - 1U));
    if (told.on != 0U && !may)
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
    struct report_reel said = {
        .time = now,
        .reel = (uint8_t)(index + 1U),
        .moving = reel->turning || reel->waits ? 1U : 0U,
        .step = stepper_place(&reel->stepper),
        .slips = reel->stepper.slips,
        .button = reel->by_button ? 1U : 0U,
        .off = reel->stepper.off,
        .home = reel->stepper.width,
        .why = reel->fault,
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

static void poll_turning(uint8_t index, uint16_t now_ms)
{
    struct reel *reel = &reels[index];
    uint8_t output = output_of(index);
    if (reel->turning && (uint16_t)(now_ms - reel->began_ms) >= reel->spin_ms)
        reel->long_enough = true;
    enum stepper_fault fault = stepper_poll(&reel->stepper);
    if (fault != STEPPER_WELL) {
        outputs_hold(output);
        reel->fault = (uint8_t)fault;
    }
    if (reel->brakes && (int16_t)(now_ms - reel->brake_ms) >= 0) {
        reel->brakes = false;
        (void)stepper_stop(&reel->stepper);
    }
    if (reel->turning && !reel->stepper.on) {
        reel->turning = false;
        reel->brakes = false;
        reel->stood_ms = now_ms;
        reel->report_due = true;
        if (outputs_value(output) != 0U)
            (void)outputs_set(output, 0, 0);
    }
    bool stands = !reel->turning && !reel->waits;
    if (stands && reel->driven && !reel->held && (uint16_t)(now_ms - reel->stood_ms) >= OFF_MS)
        switch_driver(reel, false);
}

static void poll_reel(uint8_t index, uint32_t now, bool may_start)
{
    struct reel *reel = &reels[index];
    uint16_t now_ms = (uint16_t)board_ms();
    if (reel->waits && may_start)
        begin_turning(index);
    poll_button(reel, now);
    reel->button_held = reel->down && (reel->button_held || (uint16_t)(now_ms - reel->pressed_ms) >= HELD_MS);
    poll_turning(index, now_ms);
    if (reel->report_due || (reel->turning && (uint16_t)(now_ms - reel->reported_ms) >= REPORT_MS))
        report(index, now);
}

/* --- what the kind asks --------------------------------------------------------------------------------------------- */

static void usual(struct reel *reel)
{
    reel->symbols = USUAL_SYMBOLS;
    reel->slip = USUAL_SLIP;
    reel->spin_ms = USUAL_SPIN_MS;
    reel->turned_round = false;
    reel->held = true;
    stepper_configure(&reel->stepper, STEPPER_USUAL_STEPS, USUAL_SYMBOLS, STEPPER_USUAL_LEAST, STEPPER_USUAL_MOST);
}

void reels_begin(void)
{
    ticking = false;
    for (uint8_t index = 0; index < REEL_REELS; index++) {
        reels[index] = (struct reel){.turning = false};
        stepper_begin(&reels[index].stepper);
        usual(&reels[index]);
    }
    stepper_ramp_usual();
    drive();
}

void reels_opened(void)
{
    for (uint8_t index = 0; index < REEL_REELS; index++) {
        usual(&reels[index]);
        reels[index].report_due = true; /* where it is */
    }
    stepper_ramp_usual();
    drive();
}

/* Without a ramp: its position is not known, and its driver goes off. */
static void halt(struct reel *reel)
{
    reel->report_due = reel->report_due || reel->waits;
    reel->waits = false;
    stepper_halt(&reel->stepper);
    reel->driven = false;
}

uint8_t reels_set(uint8_t index, uint8_t value)
{
    if (value != 0U)
        return REFUSED_WRONG_VALUE;
    reels_halt(index);
    reels[index].fault = (uint8_t)STEPPER_WELL;
    return 0;
}

void reels_halt(uint8_t index)
{
    halt(&reels[index]);
    drive();
}

void reels_halt_all(void)
{
    for (uint8_t index = 0; index < REEL_REELS; index++)
        halt(&reels[index]);
    drive();
}

void reels_button(uint8_t index, uint8_t level, uint32_t ticks)
{
    struct reel *reel = &reels[index];
    poll_button(reel, ticks);
    reel->down = level == 0U;
    reel->pressing = level == 0U;
    reel->pressed = (uint16_t)ticks;
    reel->pressed_ms = (uint16_t)board_ms();
}

void reels_poll(uint32_t now, bool may_start)
{
    for (uint8_t index = 0; index < REEL_REELS; index++)
        poll_reel(index, now, may_start);
}

bool reels_stand(void)
{
    for (uint8_t index = 0; index < REEL_REELS; index++) {
        if (reels[index].waits || reels[index].turning)
            return false;
    }
    return true;
}

uint8_t reels_held_buttons(void)
{
    uint8_t held = 0;
    for (uint8_t index = 0; index < REEL_REELS; index++) {
        if (reels[index].button_held)
            held = (uint8_t)(held | (1U << index));
    }
    return held;
}

bool reels_fault(void)
{
    bool fault = false;
    for (uint8_t index = 0; index < REEL_REELS; index++)
        fault = fault || reels[index].fault != (uint8_t)STEPPER_WELL || reels[index].button_held;
    return fault;
}
