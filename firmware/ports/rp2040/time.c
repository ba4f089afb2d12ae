/* The timer: ticks, waiting, and the call of kind_fast. Each alarm is the one time at which its interrupt is due. */
#include "pico.h"

#include "kind.h"
#include "port.h"

#define IDLE_LEAST_US 10U /* less is not worth sleeping */
#define FAST_LEAST_US 2U  /* from reading the timer until an alarm is sure to be ahead of it */

static volatile bool fast;

void time_begin(void)
{
    TIMER_ENABLE = 1U << ALARM_IDLE | 1U << ALARM_FAST | 1U << ALARM_HANG;
    interrupt_begin(IRQ_IDLE, LAST);
    interrupt_begin(IRQ_FAST, THIRD);
    interrupt_begin(IRQ_HANG, FIRST);
}

uint32_t port_ticks(void)
{
    return now_ticks();
}

/* --- waiting -------------------------------------------------------------------------------------------------------- */

void on_idle(void)
{
    TIMER_INTERRUPTS = 1U << ALARM_IDLE;
}

void port_idle(uint16_t ticks)
{
    uint32_t us = ticks / TICKS_A_US;
    if (us < IDLE_LEAST_US)
        return;
    uint32_t were = port_interrupts_off(); /* an interrupt that is pending ends the sleep, and runs after it */
    TIMER_ALARM(ALARM_IDLE) = TIMER_NOW + us;
    if (!something_waits())
        __asm__ volatile("wfi" : : : "memory");
    port_interrupts_as(were);
}

/* --- the fast call -------------------------------------------------------------------------------------------------- */

static uint32_t due_ticks;

/* With interrupts off: one between reading the timer and writing the alarm could let its time pass, and the alarm would ring when
 * the timer comes round, in 71 minutes. */
static void call_at(uint32_t ticks)
{
    uint32_t now_us = TIMER_NOW;
    int32_t left_us = ((int32_t)(ticks - now_us * TICKS_A_US) + 1) / (int32_t)TICKS_A_US;
    due_ticks = ticks;
    TIMER_ALARM(ALARM_FAST) = now_us + (left_us > (int32_t)FAST_LEAST_US ? (uint32_t)left_us : FAST_LEAST_US);
}

void on_fast(void)
{
    TIMER_INTERRUPTS = 1U << ALARM_FAST;
    if (!fast || (int32_t)(now_ticks() + TICKS_A_US - due_ticks) < 0) /* one that port_fast_in replaced while it was pending */
        return;
    uint16_t ticks = kind_fast();
    if (ticks == 0U) {
        fast = false;
        return;
    }
    PORT_ATOMIC
    {
        call_at(due_ticks + ticks);
    }
}

void port_fast_in(uint16_t ticks)
{
    PORT_ATOMIC
    {
        TIMER_INTERRUPTS = 1U << ALARM_FAST;
        fast = true;
        call_at(now_ticks() + ticks);
    }
}
