#include "motor.h"

#include "port.h"

#define STALL_TICKS TICKS_OF_MS(MOTOR_STALL_MS)
#define REST_TICKS TICKS_OF_MS(MOTOR_REST_MS)
#define HOME_TICKS TICKS_OF_MS(MOTOR_HOME_MS)

void motor_begin(struct motor *motor)
{
    *motor = (struct motor){.why = MOTOR_TOLD};
}

void motor_opened(struct motor *motor)
{
    motor->turns = 0;
    motor->pulses = 0;
}

bool motor_may(const struct motor *motor, int8_t speed)
{
    bool other_way = (speed < 0) != (motor->last_speed < 0);
    return speed == 0 || !other_way || (motor->speed == 0 && !motor->resting);
}

void motor_start(struct motor *motor, int8_t speed, bool stop_at_home, uint32_t now)
{
    if (motor->speed == 0) {
        motor->pulse_ticks = now;
        motor->was_home = false;
    }
    motor->speed = speed;
    motor->last_speed = speed;
    motor->stop_at_home = stop_at_home;
}

void motor_stop(struct motor *motor, enum motor_why why, uint32_t now)
{
    if (motor->speed != 0) {
        motor->resting = true;
        motor->stopped = now;
    }
    motor->speed = 0;
    motor->why = why;
}

void motor_pulse(struct motor *motor, uint32_t ticks)
{
    motor->pulses++;
    motor->pulse_ticks = ticks;
}

bool motor_home(struct motor *motor, uint32_t ticks)
{
    if (motor->was_home && ticks - motor->home_ticks < HOME_TICKS)
        return false;
    motor->was_home = true;
    motor->home_ticks = ticks;
    motor->turns++;
    return motor->speed != 0 && motor->stop_at_home;
}

bool motor_stalled(struct motor *motor, uint32_t now)
{
    if (motor->resting && (int32_t)(now - motor->stopped) > (int32_t)REST_TICKS)
        motor->resting = false;
    if (motor->was_home && (int32_t)(now - motor->home_ticks) > (int32_t)HOME_TICKS)
        motor->was_home = false; /* before the clock of ticks comes round */
    return motor->speed != 0 && (int32_t)(now - motor->pulse_ticks) > (int32_t)STALL_TICKS;
}
