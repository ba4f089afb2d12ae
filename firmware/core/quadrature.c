#include "quadrature.h"

#include "frame.h"
#include "kind.h"

#define TURNING_TICKS TICKS_OF_MS(100)
#define RESTING_TICKS TICKS_OF_MS(1000) /* ours */

static uint8_t mask_a; /* 0: not counting */
static uint8_t mask_b;
static uint8_t mask_index;
static uint8_t before; /* the levels of these */
static struct report_count counted;
static bool changed;
static uint32_t reported_ticks;

void quadrature_begin(void)
{
    (void)quadrature_count(0, 0, 0);
}

static uint8_t mask_of(uint8_t input)
{
    return input == 0U ? 0U : (uint8_t)(1U << (input - 1U));
}

bool quadrature_count(uint8_t a, uint8_t b, uint8_t index)
{
    bool off = a == 0U && b == 0U && index == 0U;
    uint8_t most = kind_facts.inputs;
    if (a > most || b > most || index > most)
        return false;
    if (!off && (a == 0U || b == 0U || a == b || a == index || b == index))
        return false;
    mask_a = mask_of(a);
    mask_b = mask_of(b);
    mask_index = mask_of(index);
    counted = (struct report_count){0};
    changed = !off;
    reported_ticks = board_now() - TURNING_TICKS;
    quadrature_levels(board_levels());
    return true;
}

uint8_t quadrature_inputs(void)
{
    return (uint8_t)(mask_a | mask_b | mask_index);
}

void quadrature_levels(uint8_t levels)
{
    before = (uint8_t)(levels & quadrature_inputs());
}

/* Modulo 2^32: a wheel that turns for weeks comes round. */
static void turned(bool on)
{
    counted.count = (int32_t)((uint32_t)counted.count + (on ? 1U : UINT32_MAX));
}

void quadrature_take(uint8_t levels)
{
    uint8_t now = (uint8_t)(levels & quadrature_inputs());
    uint8_t moved = (uint8_t)(now ^ before);
    bool a = (now & mask_a) != 0U;
    bool b = (now & mask_b) != 0U;
    bool a_moved = (moved & mask_a) != 0U;
    bool b_moved = (moved & mask_b) != 0U;
    if (a_moved && b_moved)
        counted.invalid++;
    else if (a_moved) /* A rises while B is low: on */
        turned(a != b);
    else if (b_moved) /* B rises while A is high: on */
        turned(a == b);
    if ((moved & now & mask_index) != 0U) {
        counted.index_count = counted.count;
        counted.indexes++;
    }
    before = now;
    changed = true;
}

void quadrature_missed(void)
{
    if (mask_a == 0U)
        return;
    counted.invalid++;
    changed = true;
}

bool quadrature_due(uint32_t now)
{
    return quadrature_wait(now) == 0U;
}

uint16_t quadrature_wait(uint32_t now)
{
    if (mask_a == 0U)
        return UINT16_MAX;
    uint32_t since = now - reported_ticks;
    uint32_t period = changed ? TURNING_TICKS : RESTING_TICKS;
    if (since >= period)
        return 0;
    return period - since > UINT16_MAX ? UINT16_MAX : (uint16_t)(period - since);
}

void quadrature_report(uint8_t number, uint32_t now)
{
    counted.time = now;
    report_count_write(frame_out(number, REPORT_COUNT, REPORT_COUNT_SIZE), &counted);
    changed = false;
    reported_ticks = now;
}
