/* A motor with a home sensor and pulses from its shaft: its command, how far it came, and why it stopped. */
#ifndef FELTWIRE_MOTOR_H
#define FELTWIRE_MOTOR_H

#include <stdbool.h>
#include <stdint.h>

#define MOTOR_STALL_MS 400U /* driven, and no pulse for this long: it is stuck (ours) */
#define MOTOR_REST_MS 200U  /* it rests this long before it turns the other way (ours) */
#define MOTOR_HOME_MS 20U   /* a second edge of the home sensor within this is a bounce (ours) */

enum motor_why { /* why it stopped, as reported */
    MOTOR_TOLD = 0,
    MOTOR_LONGEST = 1,
    MOTOR_HOME = 2,
    MOTOR_STALL = 3,
    MOTOR_DEADMAN = 4,
    MOTOR_INTERLOCK = 5,
    MOTOR_OVERLOAD = 6,
};

struct motor {
    int8_t speed; /* 0: at rest */
    int8_t last_speed;
    enum motor_why why;
    bool stop_at_home;
    bool was_home; /* there was a home edge at `home_ticks` */
    bool resting;  /* since `stopped` */
    uint16_t turns;
    uint32_t pulses;
    uint32_t pulse_ticks;
    uint32_t home_ticks;
    uint32_t stopped;
};

void motor_begin(struct motor *motor);

/* Counts from 0 again. */
void motor_opened(struct motor *motor);

/* Whether it may be commanded this speed now: not the other way while it turns, or has hardly stopped. */
bool motor_may(const struct motor *motor, int8_t speed);

void motor_start(struct motor *motor, int8_t speed, bool stop_at_home, uint32_t now);
void motor_stop(struct motor *motor, enum motor_why why, uint32_t now);

/* The shaft sensor became active. */
void motor_pulse(struct motor *motor, uint32_t ticks);

/* The home sensor became active. True: the motor must stop here. */
bool motor_home(struct motor *motor, uint32_t ticks);

/* True: it is driven and does not turn. */
bool motor_stalled(struct motor *motor, uint32_t now);

#endif
