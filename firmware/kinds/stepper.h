/* A stepping motor behind a driver with the inputs STEP, DIR and ENABLE, which turns one reel: it starts slowly, grows faster by
 * a ramp, and stops by the same ramp backwards, so it loses no step. It learns where home is at every turn:
 *
 *     home    ______/‾‾‾‾‾‾\______________      dark while the tab is in the slot
 *     step    198 199 0 1 2 3 4 5 6 ...         0 is where it became dark, once it has been so for `least` steps;
 *                   |<----->|                   its width; above `most` the sensor is blocked
 *
 * A step is a pulse of the driver: a full step, or with its MODE pins a half or smaller one.
 *
 * stepper_step runs in the interrupt, once for each step; all else in the main loop. What both touch is volatile, and the
 * main loop touches it under PORT_ATOMIC. */
#ifndef FELTWIRE_STEPPER_H
#define FELTWIRE_STEPPER_H

#include <stdbool.h>
#include <stdint.h>

#define STEPPER_USUAL_STEPS 200U  /* a turn: full steps of 1.8 degrees */
#define STEPPER_STEPS_LEAST 20U
#define STEPPER_STEPS_MOST 3200U  /* 200 full steps in sixteenths */
#define STEPPER_LEAST 62U         /* steps a second, slowest: its ticks fit 15 bits */
#define STEPPER_MOST 2000U        /* fastest (ours): three reels so fast leave the main loop 85 % of the time */
#define STEPPER_RAMP 64U          /* steps from the fastest to rest, at most */
#define STEPPER_USUAL_LEAST 1U    /* steps that home is dark for */
#define STEPPER_USUAL_MOST 50U
#define STEPPER_UNKNOWN 0xFFFFU   /* no step */
#define STEPPER_ENDLESS 0xFFFFU

enum stepper_fault { STEPPER_WELL, STEPPER_NO_HOME, STEPPER_BLOCKED };

struct stepper {
    /* set while at rest */
    uint16_t steps; /* a turn */
    uint16_t slip;  /* home further than this from its place is a slip */
    uint16_t most;  /* steps that home is dark for */
    uint8_t least;
    /* the interrupt's, while `on` */
    volatile bool on;
    volatile bool begun_dark;  /* home was dark when the turn began: where it had become so is not known */
    volatile uint8_t level;    /* of the ramp: steps that it takes to stop */
    volatile uint8_t top;      /* the level of the commanded speed */
    volatile uint16_t period;  /* ticks a step at that level */
    volatile uint16_t togo;    /* steps until it is at rest, or STEPPER_ENDLESS */
    volatile uint16_t step;    /* from home */
    volatile uint16_t dark;    /* steps that home has been dark for */
    volatile uint16_t rose;    /* what `step` was when it became so */
    volatile uint16_t width;   /* steps that it was dark for last; 0: not known */
    volatile uint16_t home_at; /* what `step` was where home was taken last */
    volatile uint8_t laps;     /* times that `step` began again since home was taken */
    volatile uint8_t homes;    /* times that home was taken, modulo 256 */
    /* the main loop's */
    bool known; /* where home is */
    uint8_t homes_taken;
    uint16_t aim;   /* the step to stop at, or STEPPER_UNKNOWN */
    int16_t off;    /* steps from where home was expected to where it came last */
    uint16_t slips; /* modulo 65536 */
};

/* The ramp of all steppers: ticks until the next step, at each step from rest; none longer than the one before.
 * stepper_ramp_usual: 80 to 402 steps a second, by 2,000 steps a second, a second (ours). */
void stepper_ramp_usual(void);

/* Appends this many parts of a ramp from `first` on, which is 0 or where it ended; a 0 ends it. `ticks` as on the wire, two bytes
 * each. Only while none turns. False: it is not a ramp, or it is too long. */
bool stepper_ramp(uint8_t first, const uint8_t *ticks, uint8_t count);

/* Whether the ramp goes as fast as this, and how long it takes to stop from there, in ms. */
bool stepper_reaches(uint16_t steps_per_s);
uint16_t stepper_brake_ms(uint16_t steps_per_s);

void stepper_begin(struct stepper *stepper);

/* Its turn and its home; while at rest. Another count of steps forgets where home is. */
void stepper_configure(struct stepper *stepper, uint16_t steps, uint8_t symbols, uint8_t least, uint16_t most);

/* Makes ready to turn from rest; then set `on`, and the first step is due. `steps_per_s` from STEPPER_LEAST to
 * STEPPER_MOST; `home`: the sensor sees home now. */
void stepper_spin(struct stepper *stepper, uint16_t steps_per_s, bool home);

/* INTERRUPT. A step is due: the ticks until the next one is, or 0: it is at rest, do not make this one. `home`: the sensor sees
 * home. */
uint16_t stepper_step(struct stepper *stepper, bool home);

/* Stops at a step of its turn, at its next coming; while home is not known, when it is. */
void stepper_stop_at(struct stepper *stepper, uint16_t step);

/* Stops by the ramp, from now on. False: it is at rest, or about to be. */
bool stepper_stop(struct stepper *stepper);

/* Stops at the next symbol of this many that the ramp reaches. False: it is at rest, about to be, or home is not known. */
bool stepper_stop_at_symbol(struct stepper *stepper, uint8_t symbols);

/* Steps that such a stop takes at most from this speed. */
uint16_t stepper_symbol_steps(const struct stepper *stepper, uint16_t steps_per_s, uint8_t symbols);

/* Stops without a ramp: it may slide on, so home is not known any more. */
void stepper_halt(struct stepper *stepper);

/* Looks at what the interrupt found. Two turns without home, or home that stays dark, halt it. */
enum stepper_fault stepper_poll(struct stepper *stepper);

/* Where it is: steps from home, or STEPPER_UNKNOWN. */
uint16_t stepper_place(const struct stepper *stepper);

#endif
