/* Timer 1: ticks, waiting, and the call of kind_fast. */
#include "avr.h"

#include <avr/sleep.h>

#include "kind.h"
#include "port.h"

#define IDLE_LEAST_TICKS 20U /* less is not worth sleeping, and must not pass before the compare register is set */
#define FAST_LEAST_TICKS 12U /* from reading the timer until a compare is sure to be seen */

static volatile uint8_t timer_turn_high;
uint16_t timer_turns;

enum fast { FAST_OFF, FAST_ON, FAST_NOT_THIS };
static volatile uint8_t fast;

void time_begin(void)
{
    timer_turn = 0;
    TCCR1A = 0;
    TCCR1B = _BV(CS11);
    /* Both compares interrupt always: so neither flag is ever old when its time is set, and TIFR1 is never written. */
    TIMSK1 = _BV(TOIE1) | _BV(OCIE1A) | _BV(OCIE1B);
    SMCR = 0; /* sleep is idle: timers and the serial line go on */
}

ISR(TIMER1_OVF_vect)
{
    uint8_t turn = (uint8_t)(timer_turn + 1U);
    timer_turn = turn;
    if (turn == 0U)
        timer_turn_high++;
}

uint32_t port_ticks(void)
{
    struct stamp stamp;
    uint8_t turn;
    uint8_t high;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        stamp = stamp_now();
        turn = timer_turn;
        high = timer_turn_high;
    }
    if (stamp.turn < turn) /* the overflow that was not served yet ends a whole round of the low byte */
        high++;
    timer_turns = (uint16_t)((uint16_t)((uint16_t)high << 8) | stamp.turn);
    return ((uint32_t)timer_turns << 16) | stamp.ticks;
}

/* --- waiting -------------------------------------------------------------------------------------------------------- */

EMPTY_INTERRUPT(TIMER1_COMPB_vect)

void port_idle(uint16_t ticks)
{
    if (ticks < IDLE_LEAST_TICKS)
        return;
    cli();
    OCR1B = (uint16_t)(TCNT1 + ticks);
    if (!something_waits()) {
        SMCR = _BV(SE);
        sei(); /* takes effect after the next instruction: no interrupt can slip in before the sleep */
        sleep_cpu();
        SMCR = 0;
    }
    sei();
}

/* --- the fast call -------------------------------------------------------------------------------------------------- */

ISR(TIMER1_COMPA_vect)
{
    if (fast != FAST_ON) {
        if (fast == FAST_NOT_THIS)
            fast = FAST_ON;
        return;
    }
    uint16_t ticks = kind_fast();
    if (ticks == 0U) {
        fast = FAST_OFF;
        return;
    }
    uint16_t due = OCR1A;
    uint16_t passed = (uint16_t)(TCNT1 - due + FAST_LEAST_TICKS);
    OCR1A = (uint16_t)(due + (passed > ticks ? passed : ticks));
}

void port_fast_in(uint16_t ticks)
{
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        OCR1A = (uint16_t)(TCNT1 + ticks);
        /* A compare with the former time, while this block held interrupts off, is not the one asked for. */
        fast = (TIFR1 & _BV(OCF1A)) != 0U ? FAST_NOT_THIS : FAST_ON;
    }
}
