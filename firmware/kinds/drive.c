#include "drive.h"

#include "board.h"
#include "messages.h"
#include "overload.h"
#include "port.h"

#define REPORT_TICKS TICKS_OF_MS(100)
#define CURRENT_MOST 1022U

static struct motor motor;
static uint8_t output;
static uint8_t back;
static uint8_t current;
static struct overload overload;
static bool stuck;
static bool report_due;
static uint32_t reported;

void drive_begin(uint8_t its_output, uint8_t its_back, uint8_t its_current)
{
    output = its_output;
    back = its_back;
    current = its_current;
    stuck = false;
    report_due = false;
    motor_begin(&motor);
    overload_begin(&overload);
}

void drive_opened(void)
{
    motor_opened(&motor);
    overload.limit = 0;
    report_due = false;
}

static void stopped(enum motor_why why)
{
    if (back != 0U)
        (void)outputs_set(back, 0, 0);
    motor_stop(&motor, why, board_now());
    report_due = true;
}

static void stop(enum motor_why why)
{
    (void)outputs_set(output, 0, 0);
    stopped(why);
}

static uint8_t value_of(int8_t speed)
{
    uint8_t size = (uint8_t)(speed < 0 ? -speed : speed);
    return (uint8_t)(2U * size + 1U);
}

static uint8_t start(const struct command_motor *told)
{
    uint8_t why = told->speed < 0 ? outputs_set(back, UINT8_MAX, told->for_ms) : 0U;
    if (why == 0U)
        why = outputs_set(output, value_of(told->speed), told->for_ms);
    if (why != 0U) {
        if (back != 0U && motor.speed == 0)
            (void)outputs_set(back, 0, 0);
        return why;
    }
    motor_start(&motor, told->speed, told->home != 0U, board_now());
    report_due = true;
    return 0;
}

uint8_t drive_command(const uint8_t *fields, uint8_t may)
{
    struct command_motor told;
    command_motor_read(&told, fields);
    if (told.speed == INT8_MIN || told.home > 1U || (told.speed < 0 && back == 0U))
        return REFUSED_WRONG_VALUE;
    if (told.speed == 0) {
        stuck = false;
        stop(MOTOR_TOLD);
        return 0;
    }
    if (may != 0U)
        return may;
    return motor_may(&motor, told.speed) ? start(&told) : REFUSED_BUSY;
}

uint8_t drive_limit(const uint8_t *fields)
{
    struct command_motor_limit given;
    command_motor_limit_read(&given, fields);
    if (given.current > CURRENT_MOST)
        return REFUSED_WRONG_VALUE;
    overload.limit = given.current;
    return 0;
}

uint8_t drive_set(uint8_t number, uint8_t value, uint8_t may)
{
    if (value == 0U) {
        if (number == output)
            stuck = false;
        else if (outputs_value(number) != 0U)
            stop(MOTOR_TOLD); /* first the motor, then the way round: never while it is driven */
        return 0;
    }
    if (number != output) /* the way round is changed only by the command, which makes sure that the motor is at rest */
        return REFUSED_WRONG_VALUE;
    if (may != 0U)
        return may;
    return motor_may(&motor, 1) ? 0U : REFUSED_BUSY;
}

void drive_safe(enum safe_why why)
{
    if (motor.speed == 0)
        return;
    motor_stop(&motor, why == SAFE_DEADMAN ? MOTOR_DEADMAN : MOTOR_TOLD, board_now());
    report_due = true;
}

void drive_output_ended(uint8_t number)
{
    if (number == back && number != 0U)
        (void)outputs_set(output, 0, 0);
    if (number == output || (number == back && number != 0U))
        stopped(MOTOR_LONGEST);
}

void drive_interlock(void)
{
    if (motor.speed != 0)
        stop(MOTOR_INTERLOCK);
}

void drive_pulse(uint32_t ticks)
{
    motor_pulse(&motor, ticks);
}

void drive_home(uint32_t ticks)
{
    if (motor_home(&motor, ticks))
        stop(MOTOR_HOME);
}

/* What `set` did to the output since the last turn. */
static void follow_output(uint32_t now)
{
    uint8_t value = outputs_value(output);
    if (value != 0U && motor.speed == 0) {
        motor_start(&motor, (int8_t)(value > 2U ? value / 2U : 1U), false, now);
        report_due = true;
    } else if (value == 0U && motor.speed != 0) {
        stopped(MOTOR_TOLD);
    }
}

static void report(uint32_t now)
{
    uint8_t *fields = board_report(REPORT_MOTOR, REPORT_MOTOR_SIZE);
    if (!fields)
        return;
    struct report_motor said = {
        .time = now,
        .speed = motor.speed,
        .turns = motor.turns,
        .pulses = motor.pulses,
        .why = (uint8_t)motor.why,
    };
    report_motor_write(fields, &said);
    board_send();
    report_due = false;
    reported = now;
}

static void block(enum motor_why why)
{
    outputs_hold(output);
    stopped(why);
    stuck = true;
}

static bool overloaded(void)
{
    uint8_t duty = outputs_value(output);
    if (duty != 0U && duty < DRIVE_DUTY_LEAST)
        duty = DRIVE_DUTY_LEAST;
    return overload_poll(&overload, current, duty, DRIVE_OVER_MS);
}

void drive_poll(uint32_t now)
{
    follow_output(now);
    if (overloaded())
        block(MOTOR_OVERLOAD);
    else if (motor_stalled(&motor, now))
        block(MOTOR_STALL);
    if (report_due || (motor.speed != 0 && now - reported >= REPORT_TICKS))
        report(now);
}

bool drive_fault(void)
{
    return stuck;
}
