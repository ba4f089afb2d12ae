/* The inputs D2 … D7 (1 to 6) and C0, C1 (7, 8): each interrupt of a pin leaves a raw snapshot, and nothing more. */
#include "avr.h"

#include "port.h"

#define PORTD_INPUTS 0x3FU
#define PORTC_INPUTS 0xC0U
#define PORTD_PINS 0xFCU
#define PORTC_PINS 0x03U

/* From the edge to the reading of the timer: synchroniser 2 cycles, interrupt 4 (8 from sleep), vector 3, prologue and the
 * way to the reading 30. */
#define LATENCY_TICKS 5U

/* A pull-up of 20 to 50 kΩ loads some 100 pF of cable within 20 µs (ours). */
#define PULL_UP_TICKS 40U

/* A ring of 64 raw snapshots. The index is a byte and counts bytes, so it begins again by itself. One stays free.
 *
 * What finds no room is counted. Then nothing more is let in until the main loop has taken all there is, so that
 * the loss has one place in the order; after it stands a snapshot that the main loop takes itself.
 */
struct raw {
    uint8_t pins; /* bit 0 set: port D as it is; clear: port C, moved up by one */
    struct stamp stamp;
};
#define RAW_SIZE 4U
_Static_assert(sizeof(struct raw) == RAW_SIZE, "the ring counts on it");

static uint8_t ring[256];
static volatile uint8_t ring_tail;
volatile uint8_t ring_dropped;

uint8_t ring_taken; /* as far as the main loop has come; ring_tail follows, unless something was dropped */

static inline __attribute__((always_inline)) struct raw *raw_at(uint8_t index)
{
    return (struct raw *)(void *)(ring + index);
}

static inline __attribute__((always_inline)) void push(uint8_t pins)
{
    uint8_t head = ring_head;
    struct raw *at = raw_at(head); /* this place is free, room or not: it is the one that stays free */
    at->pins = pins;
    at->stamp = stamp_now();
    head = (uint8_t)(head + RAW_SIZE);
    if (head != ring_tail)
        ring_head = head;
    else if (ring_dropped != UINT8_MAX)
        ring_dropped++;
}

ISR(PCINT2_vect)
{
    push(PIND | 1U);
}

ISR(PCINT1_vect)
{
    push((uint8_t)(PINC << 1));
}

static uint8_t port_d(uint8_t pins)
{
    return (uint8_t)(pins >> 2);
}

static uint8_t port_c(uint8_t pins)
{
    return (uint8_t)(pins << 6);
}

void inputs_begin(void)
{
    ring_head = 0;
    PCICR = _BV(PCIE2) | _BV(PCIE1);
}

uint8_t port_levels(void)
{
    return (uint8_t)(port_d(PIND) | port_c(PINC));
}

void port_listen(uint8_t inputs, uint8_t pull_ups, struct port_snapshot *found)
{
    uint32_t now = port_ticks();
    struct stamp stamp;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        DDRD &= (uint8_t)~PORTD_PINS;
        DDRC &= (uint8_t)~PORTC_PINS;
        PORTD = (uint8_t)((PORTD & (uint8_t)~PORTD_PINS) | (uint8_t)(pull_ups << 2));
        PORTC = (uint8_t)((PORTC & (uint8_t)~PORTC_PINS) | (uint8_t)(pull_ups >> 6));
    }
    if (pull_ups != 0U) { /* a line rises in some microseconds */
        while (port_ticks() - now < PULL_UP_TICKS) {
        }
    }
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        uint8_t waited = (uint8_t)((uint8_t)(ring_head - ring_taken) / RAW_SIZE);
        found->missed = (uint8_t)(ring_dropped > UINT8_MAX - waited ? UINT8_MAX : waited + ring_dropped);
        ring_dropped = 0;
        ring_taken = ring_head;
        ring_tail = ring_taken;
        PCMSK2 = (uint8_t)(inputs << 2);
        PCMSK1 = (uint8_t)(inputs >> 6);
        stamp = stamp_now();
        found->levels = port_levels();
    }
    found->ticks = stamp_ticks(stamp);
    found->covers = PORTD_INPUTS | PORTC_INPUTS;
}

bool port_snapshot_take(struct port_snapshot *to)
{
    struct stamp stamp;
    to->missed = 0;
    if (ring_head != ring_taken) {
        const volatile struct raw *from = raw_at(ring_taken);
        uint8_t pins = from->pins;
        stamp.ticks = from->stamp.ticks;
        stamp.turn = from->stamp.turn;
        ring_taken = (uint8_t)(ring_taken + RAW_SIZE);
        ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
        {
            if (ring_dropped == 0U)
                ring_tail = ring_taken;
        }
        stamp.ticks = (uint16_t)(stamp.ticks - LATENCY_TICKS);
        if (stamp.ticks >= (uint16_t)(0U - LATENCY_TICKS))
            stamp.turn--;
        if (pins & 1U) {
            to->levels = port_d(pins);
            to->covers = PORTD_INPUTS;
        } else {
            to->levels = port_c((uint8_t)(pins >> 1));
            to->covers = PORTC_INPUTS;
        }
    } else if (ring_dropped != 0U) {
        ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
        {
            to->missed = ring_dropped;
            ring_dropped = 0;
            ring_tail = ring_taken;
            stamp = stamp_now();
            to->levels = port_levels();
        }
        to->covers = PORTD_INPUTS | PORTC_INPUTS;
    } else {
        return false;
    }
    to->ticks = stamp_ticks(stamp);
    return true;
}
