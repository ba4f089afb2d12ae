/* A stepping motor that turns one reel: it starts slowly, grows faster by a ramp, and stops by the same ramp backwards, so
 * it loses no step. Where home is, it learns anew at every turn.
 *
 * stepper_step runs in the interrupt, once for each step; all else in the main loop. What both touch is volatile, and the
 * main loop touches it under PORT_ATOMIC. */
#ifndef FELTWIRE_STEPPER_H
#define FELTWIRE_STEPPER_H

#include <stdbool.h>
#include <stdint.h>

#define STEPPER_STEPS 200U        /* a turn */
#define STEPPER_START 80U         /* steps a second that it can begin and end with (ours) */
#define STEPPER_LEAST 62U         /* slowest (ours) */
#define STEPPER_MOST 400U         /* fastest: 120 turns a minute (ours) */
#define STEPPER_ACCELERATION 2000U /* steps a second, a second (ours) */
#define STEPPER_RAMP 40U          /* steps from the fastest to a stand */
#define STEPPER_SLIP 5U           /* half a symbol of twenty: home further from its place is a slip (ours) */
#define STEPPER_UNKNOWN 0xFFU     /* no step */
#define STEPPER_ENDLESS 0xFFFFU

struct stepper {
    /* the interrupt's, while `on` */
    volatile bool on;
    volatile bool was_home;
    volatile uint8_t level;    /* of the ramp: so many steps it takes to stop */
    volatile uint8_t top;      /* the level of the speed it was told */
    volatile uint16_t period;  /* ticks a step at that level */
    volatile uint16_t togo;    /* steps until it stands, or STEPPER_ENDLESS */
    volatile uint8_t step;     /* from home */
    volatile uint8_t laps;     /* times that `step` began again since home was seen */
    volatile uint8_t homes;    /* times that home was seen, modulo 256 */
    volatile uint8_t home_at;  /* what `step` was there */
    /* the main loop's */
    bool known; /* where home is */
    uint8_t homes_taken;
    uint8_t aim;    /* the step to stop at, or STEPPER_UNKNOWN */
    uint16_t slips; /* modulo 65536 */
};

void stepper_begin(struct stepper *stepper);

/* Makes ready to turn from a stand; then set `on`, and the first step is due. `steps_per_s` from STEPPER_LEAST to
 * STEPPER_MOST; `home`: the sensor sees home now. */
void stepper_spin(struct stepper *stepper, uint16_t steps_per_s, bool home);

/* INTERRUPT. A step is due: the ticks until the next one is, or 0: it stands, do not make this one. `home`: the sensor sees
 * home. */
uint16_t stepper_step(struct stepper *stepper, bool home);

/* Stops at a step below STEPPER_STEPS, at its next coming; while home is not known, when it is. */
void stepper_stop_at(struct stepper *stepper, uint8_t step);

/* Stops by the ramp, from now on. False: it stands, or is doing so. */
bool stepper_stop(struct stepper *stepper);

/* Stops at the next of so many symbols that the ramp reaches. False: it stands, is doing so, or home is not known. */
bool stepper_stop_at_symbol(struct stepper *stepper, uint8_t symbols);

/* Steps that such a stop takes at most from this speed. */
uint16_t stepper_symbol_steps(uint16_t steps_per_s, uint8_t symbols);

/* Stops without a ramp: it may slide on, so home is not known any more. */
void stepper_halt(struct stepper *stepper);

/* Looks at what the interrupt found. True: two turns without home, and it was halted. */
bool stepper_poll(struct stepper *stepper);

/* Where it is: steps from home, or STEPPER_UNKNOWN. */
uint8_t stepper_place(const struct stepper *stepper);

#endif
