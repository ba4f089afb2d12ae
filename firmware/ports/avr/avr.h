/* What the files of this port share. ATmega328P at 16 MHz; timer 1 counts ticks of 8 cycles and is never written. */
#ifndef FELTWIRE_AVR_H
#define FELTWIRE_AVR_H

#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdbool.h>
#include <stdint.h>
#include <util/atomic.h>

#if F_CPU != 16000000UL
#error "the ticks of this port are those of 16 MHz"
#endif

/* How often timer 1 began again, low byte. Written only by its interrupt; this register is one cycle away. */
#define timer_turn GPIOR1

/* A time as an interrupt takes it: the low 24 bits of it. */
struct stamp {
    uint16_t ticks;
    uint8_t turn;
};

/* With interrupts off. An overflow that was not served yet shows in TOV1, and in a timer that has just begun again. */
static inline __attribute__((always_inline)) struct stamp stamp_now(void)
{
    struct stamp stamp;
    stamp.ticks = TCNT1;
    stamp.turn = timer_turn;
    if ((TIFR1 & _BV(TOV1)) != 0U && (stamp.ticks & 0x8000U) == 0U)
        stamp.turn++;
    return stamp;
}

extern uint16_t timer_turns; /* how often timer 1 began again, when the main loop read the time last */

/* The full time of a stamp. The main loop reads the time in each of its turns, so the stamp is within 4 s of that. */
static inline __attribute__((always_inline)) uint32_t stamp_ticks(struct stamp stamp)
{
    uint8_t later = (uint8_t)(stamp.turn - (uint8_t)timer_turns);
    uint16_t turns = (uint16_t)(timer_turns + later - (later & 0x80U ? 0x100U : 0U));
    return ((uint32_t)turns << 16) | stamp.ticks;
}

void time_begin(void);
void uart_begin(void);
void inputs_begin(void);

/* What waits to be taken; here so that port_idle can ask in a few cycles, with interrupts off. */
#define ring_head GPIOR0 /* of the raw snapshots; written by the interrupts; this register is one cycle away */
extern uint8_t ring_taken;
extern volatile uint8_t ring_dropped;
extern volatile uint8_t rx_head;
extern volatile uint8_t rx_tail;

static inline bool something_waits(void)
{
    return ring_head != ring_taken || ring_dropped != 0U || rx_head != rx_tail;
}

#endif
