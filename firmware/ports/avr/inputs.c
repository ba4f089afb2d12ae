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

/* A storm: this many interrupts of inputs (UINT8_MAX) without a place in the ring, which the main loop had no time to empty.
 * The interrupt itself then silences its port, or nothing else would ever run: the watchdog would bite. The main loop looks for
 * the inputs that change in each of two windows, leaves these alone (`masked`), and tries again after some turns of the timer. */
#define STORM_WINDOW_TICKS 128U /* 64 µs: what changes less often than that does no harm (ours) */
#define STORM_TURNS 3U          /* 98 to 131 ms (ours) */

/* A ring of 64 raw snapshots. The index is a byte and counts bytes, so it begins again by itself. One stays free.
 *
 * What finds no room is counted. Then nothing more is let in until the main loop has taken all there is, so that
 * the loss has one place in the order; it is followed by a snapshot that the main loop takes itself.
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

static uint8_t listened; /* what port_listen was asked for */
static uint8_t masked;   /* of that: not listened to, because of a storm */
static uint8_t masked_turn;

uint8_t ring_taken; /* as far as the main loop has come; ring_tail follows, unless something was dropped */

static inline __attribute__((always_inline)) struct raw *raw_at(uint8_t index)
{
    return (struct raw *)(void *)(ring + index);
}

static inline __attribute__((always_inline)) void push(uint8_t pins, volatile uint8_t *mask)
{
    uint8_t head = ring_head;
    struct raw *at = raw_at(head); /* this place is free, room or not: it is the one that stays free */
    at->pins = pins;
    at->stamp = stamp_now();
    head = (uint8_t)(head + RAW_SIZE);
    if (head != ring_tail) {
        ring_head = head;
        return;
    }
    uint8_t dropped = (uint8_t)(ring_dropped + 1U);
    /* cppcheck-suppress knownConditionTrueFalse */
    if (dropped != 0U) {
        ring_dropped = dropped;
        return;
    }
    __asm__("" : "+r"(dropped)); /* this 0 needs no register of its own, which every interrupt would save and clear */
    *mask = dropped;
}

ISR(PCINT2_vect)
{
    push(PIND | 1U, &PCMSK2);
}

ISR(PCINT1_vect)
{
    push((uint8_t)(PINC << 1), &PCMSK1);
}

static uint8_t port_d(uint8_t pins)
{
    return (uint8_t)(pins >> 2);
}

static uint8_t port_c(uint8_t pins)
{
    return (uint8_t)(pins << 6);
}

static uint8_t listening(void)
{
    return (uint8_t)((uint8_t)(PCMSK2 >> 2) | (uint8_t)(PCMSK1 << 6));
}

static void listen_to(uint8_t inputs)
{
    PCMSK2 = (uint8_t)(inputs << 2);
    PCMSK1 = (uint8_t)(inputs >> 6);
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

uint8_t port_masked(void)
{
    return masked;
}

/* Forgets the snapshots that wait, and begins again with these inputs; returns the levels now, and how many were forgotten.
 * With interrupts off. */
static struct stamp begin_anew(uint8_t inputs, struct port_snapshot *found)
{
    uint8_t waited = (uint8_t)((uint8_t)(ring_head - ring_taken) / RAW_SIZE);
    found->missed = (uint8_t)(ring_dropped > UINT8_MAX - waited ? UINT8_MAX : waited + ring_dropped);
    ring_dropped = 0;
    ring_taken = ring_head;
    ring_tail = ring_taken;
    listen_to(inputs);
    struct stamp stamp = stamp_now();
    found->levels = port_levels();
    found->covers = PORTD_INPUTS | PORTC_INPUTS;
    return stamp;
}

/* Which inputs of these change in each of two windows. */
static uint8_t stormy(uint8_t inputs)
{
    uint8_t found = 0;
    PCICR = 0; /* the flags are only looked at */
    for (uint8_t bit = 1U; bit != 0U; bit = (uint8_t)(bit << 1)) {
        uint8_t windows = (inputs & bit) != 0U ? 2U : 0U;
        for (; windows != 0U; windows--) {
            listen_to(bit);
            PCIFR = _BV(PCIF2) | _BV(PCIF1);
            uint32_t began = port_ticks();
            while (port_ticks() - began < STORM_WINDOW_TICKS) {
            }
            if (PCIFR == 0U)
                break;
            if (windows == 1U)
                found |= bit;
        }
    }
    listen_to(0);
    PCIFR = _BV(PCIF2) | _BV(PCIF1);
    PCICR = _BV(PCIE2) | _BV(PCIE1);
    return found;
}

/* After an interrupt silenced its port, or when it is time to try again: true, and the levels of all inputs as they are. */
static __attribute__((noinline)) bool weather(struct port_snapshot *to)
{
    uint8_t quiet = (uint8_t)(listened & (uint8_t)~(listening() | masked)); /* of the ports that were silenced */
    if (quiet != 0U) {
        uint8_t found = stormy((uint8_t)(listened & (uint8_t)~masked));
        masked = (uint8_t)(masked | (found != 0U ? found : quiet)); /* where the storm comes in gusts its port is left alone */
        masked_turn = timer_turn;
    } else if (masked != 0U && (uint8_t)(timer_turn - masked_turn) > STORM_TURNS) {
        masked = 0;
    } else {
        return false;
    }
    struct stamp stamp;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        stamp = begin_anew((uint8_t)(listened & (uint8_t)~masked), to);
    }
    if (to->missed == 0U)
        to->missed = 1U; /* nobody knows what a masked input did */
    to->ticks = stamp_ticks(stamp);
    return true;
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
    listened = inputs;
    masked = 0;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        stamp = begin_anew(inputs, found);
    }
    found->ticks = stamp_ticks(stamp);
}

bool port_snapshot_take(struct port_snapshot *to)
{
    struct stamp stamp;
    to->missed = 0;
    if (ring_dropped == UINT8_MAX && weather(to)) /* a port is silenced only then */
        return true;
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
        return masked != 0U && weather(to);
    }
    to->covers = (uint8_t)(to->covers & (uint8_t)~masked);
    to->ticks = stamp_ticks(stamp);
    return true;
}
