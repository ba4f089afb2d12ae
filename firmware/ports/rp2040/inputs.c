/* The inputs GP8 to GP15 (1 to 8): each interrupt leaves the time and what the pins say of themselves, and nothing more.
 *
 * The chip keeps for each pin whether it fell and rose since the interrupt cleared that, and one register has this and the
 * levels of all pins at one time. So a pulse that was over before the interrupt began shows, and no edge is taken for another:
 * a pin that only rose is high; where it fell and rose, at least two edges were lost, and they are counted. */
#include "pico.h"

#include "port.h"

#define INPUTS 8U
#define FIRST_GPIO 8U
#define ALL_INPUTS 0xFFU

/* A pull-up of 50 to 80 kΩ loads some 100 pF of cable within 40 µs (ours). */
#define PULL_UP_TICKS 80U

/* A storm: this many interrupts without a place in the ring, which the main loop had no time to empty. The interrupt then silences
 * all inputs, or nothing else would ever run. The main loop looks for those that change in each of two windows, leaves these
 * alone, and tries again after a while. */
#define STORM_DROPPED 255U
#define STORM_WINDOW_TICKS 128U /* 64 µs: what changes less often than that does no harm (ours) */
#define STORM_TICKS TICKS_OF_MS(100)

/* One place stays free. What finds no room is counted; then nothing more is let in until the main loop has taken all there is,
 * so that the loss has one place in the order; it is followed by a snapshot that the main loop takes itself. */
#define RING 256U
static struct raw {
    uint32_t us;
    uint32_t pins;
} ring[RING];
volatile uint32_t ring_head;
volatile uint32_t ring_tail;
volatile uint32_t ring_dropped;

static uint32_t listened; /* what port_listen was asked for, four bits each */
static uint32_t masked;   /* of that: not listened to, because of a storm */
static uint32_t masked_ticks;
static uint8_t levels; /* as the snapshots that were taken left them */
static struct raw next; /* what was taken of the ring and is to be told after the pulses in it */
static bool next_waits;

/* The bits of an input become one: `at` says which of the four. */
static uint8_t narrow(uint32_t pins, uint32_t at)
{
    uint32_t bits = pins >> at & 0x11111111U;
    bits |= bits >> 3;
    bits = (bits & 0x03U) | (bits >> 6 & 0x0CU) | (bits >> 12 & 0x30U) | (bits >> 18 & 0xC0U);
    return (uint8_t)bits;
}

static uint32_t widen(uint8_t inputs)
{
    uint32_t bits = 0;
    for (uint32_t input = 0; input < INPUTS; input++)
        bits |= (uint32_t)(inputs >> input & 1U) << (BITS_A_PIN * input);
    return bits * 0xFU;
}

void on_inputs(void)
{
    uint32_t us = TIMER_NOW;
    uint32_t pins = INPUTS_RAW;
    uint32_t edges = pins & ALL_EDGES;
    INPUTS_RAW = edges;
    if ((edges & edges << 1 & ALL_ROSE) != 0U) /* what such a pin did since it was read left no trace */
        pins = edges | (INPUTS_RAW & ALL_HIGH);
    SETTLE();
    uint32_t head = ring_head;
    uint32_t after = (head + 1U) % RING;
    if (after != ring_tail && ring_dropped == 0U) {
        ring[head] = (struct raw){.us = us, .pins = pins};
        ring_head = after;
    } else if (ring_dropped < STORM_DROPPED) {
        ring_dropped++;
    } else {
        INPUTS_ENABLE = 0;
    }
}

void inputs_begin(void)
{
    for (uint32_t gpio = FIRST_GPIO; gpio < FIRST_GPIO + INPUTS; gpio++)
        pin_begin(gpio, FUNCTION_SIO, PAD_PLAIN);
    INPUTS_ENABLE = 0;
    interrupt_begin(IRQ_INPUTS, FIRST);
}

uint8_t port_levels(void)
{
    return (uint8_t)(SIO_IN >> FIRST_GPIO);
}

uint8_t port_masked(void)
{
    return narrow(masked, 0);
}

/* Forgets the snapshots that wait, and begins again with these inputs; gives the levels now, and how many were forgotten. */
static void begin_anew(uint32_t inputs, struct port_snapshot *found)
{
    PORT_ATOMIC
    {
        uint32_t waited = (ring_head - ring_tail) % RING + ring_dropped + (next_waits ? 1U : 0U);
        found->missed = (uint8_t)(waited > UINT8_MAX ? UINT8_MAX : waited);
        ring_dropped = 0;
        ring_tail = ring_head;
        next_waits = false;
        INPUTS_RAW = ALL_EDGES;
        found->ticks = now_ticks();
        levels = narrow(INPUTS_RAW, 1);
        INPUTS_ENABLE = inputs & ALL_EDGES;
    }
    found->levels = levels;
    found->covers = ALL_INPUTS;
}

/* Which inputs change in each of two windows. */
static uint32_t stormy(void)
{
    uint32_t found = listened;
    for (uint32_t window = 0; window < 2U; window++) {
        INPUTS_RAW = ALL_EDGES;
        uint32_t began = port_ticks();
        while (port_ticks() - began < STORM_WINDOW_TICKS) {
        }
        uint32_t edges = INPUTS_RAW & ALL_EDGES;
        found &= widen(narrow(edges, 2) | narrow(edges, 3));
    }
    return found;
}

/* After an interrupt silenced the inputs, or when it is time to try again: true, and the levels of all inputs as they are. */
static bool weather(struct port_snapshot *to)
{
    if (ring_dropped == STORM_DROPPED && INPUTS_ENABLE == 0U && listened != 0U) {
        uint32_t found = stormy();
        masked |= found != 0U ? found : listened; /* where the storm comes in gusts all are left alone */
        masked_ticks = port_ticks();
    } else if (masked != 0U && port_ticks() - masked_ticks > STORM_TICKS) {
        masked = 0;
    } else {
        return false;
    }
    begin_anew(listened & ~masked, to);
    if (to->missed == 0U)
        to->missed = 1U; /* nobody knows what a masked input did */
    return true;
}

void port_listen(uint8_t inputs, uint8_t pull_ups, struct port_snapshot *found)
{
    uint32_t began = port_ticks();
    for (uint32_t input = 0; input < INPUTS; input++)
        PAD(FIRST_GPIO + input) = PAD_PLAIN | ((pull_ups >> input & 1U) != 0U ? PAD_PULL_UP : 0U);
    if (pull_ups != 0U) {
        while (port_ticks() - began < PULL_UP_TICKS) {
        }
    }
    listened = widen(inputs);
    masked = 0;
    begin_anew(listened, found);
}

/* How many edges of one interrupt left nothing but their traces: two for a pin that is where it was, or that changed once more. */
static uint8_t lost_in(uint32_t edges, uint8_t changed)
{
    uint8_t rose = narrow(edges, 3);
    uint8_t fell = narrow(edges, 2);
    uint8_t pulses = (uint8_t)((rose & fell) | ((rose | fell) & (uint8_t)~changed));
    uint8_t count = 0;
    for (; pulses != 0U; pulses &= (uint8_t)(pulses - 1U))
        count = (uint8_t)(count + 2U);
    return count;
}

static void tell(struct port_snapshot *to, const struct raw *from)
{
    levels = narrow(from->pins, 1);
    to->ticks = from->us * TICKS_A_US;
    to->levels = levels;
    to->covers = (uint8_t)~narrow(masked, 0);
    to->missed = 0;
}

bool port_snapshot_take(struct port_snapshot *to)
{
    if (ring_dropped == STORM_DROPPED && weather(to)) /* inputs are silenced only then */
        return true;
    if (next_waits) {
        next_waits = false;
        tell(to, &next);
        return true;
    }
    if (ring_head != ring_tail) {
        struct raw from = ring[ring_tail];
        ring_tail = (ring_tail + 1U) % RING;
        uint8_t of = narrow(listened & ~masked, 0);
        uint8_t changed = (narrow(from.pins, 1) ^ levels) & of;
        uint8_t lost = lost_in(from.pins & listened & ~masked, changed);
        if (lost == 0U) {
            tell(to, &from);
            return true;
        }
        to->ticks = from.us * TICKS_A_US;
        to->levels = levels;
        to->covers = (uint8_t)~narrow(masked, 0);
        to->missed = lost;
        next = from;
        next_waits = changed != 0U;
        return true;
    }
    if (ring_dropped != 0U) {
        begin_anew(listened & ~masked, to);
        to->covers = (uint8_t)~narrow(masked, 0);
        return true;
    }
    return masked != 0U && weather(to);
}
