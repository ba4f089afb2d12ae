/* What a kind of board gives the core, and what the core gives a kind.
 *
 * A firmware holds one kind: kinds/<kind>.c defines everything under "the kind gives", even where it does nothing.
 * All but kind_fast is called from the main loop, one after the other. Nothing may wait: a function returns within
 * some 200 µs, or edges pile up; the watchdog ends what takes 120 ms. No allocation, no recursion.
 *
 * The order in one turn of the main loop: frames from the host (kind_command, kind_set, kind_safe), edges (kind_edge,
 * kind_missed), outputs whose time is over (kind_output_ended), the store, kind_poll, reports.
 */
#ifndef FELTWIRE_KIND_H
#define FELTWIRE_KIND_H

#include "board.h"
#include "messages.h"
#include "outputs.h"
#include "port.h"
#include "store.h"

#define KIND_MOST_OUTPUTS 4U
#define KIND_MOST_ANALOGUES 4U

/* --- the kind gives: facts ------------------------------------------------------------------------------------------ */

struct kind_output {
    uint8_t pin;
    uint32_t longest_ms; /* the board makes it safe after this long, whatever the host sends */
};

struct kind_chain {
    uint8_t data;
    uint8_t clock;
    uint8_t latch;
    uint8_t read_back;
    uint8_t count;
    uint8_t sense; /* which of them feeds the sensors, from 1 */
};

struct kind_facts {
    uint8_t id;
    uint8_t inputs;
    uint8_t outputs;
    uint8_t analogues;
    uint8_t counters;
    uint8_t own_inputs;   /* inputs that the kind receives even when the host does not watch: bit i is input i + 1 */
    uint8_t own_pull_ups; /* of those, with the resistor to + inside the chip, whatever the host sends */
    uint8_t turns_outputs; /* outputs whose pin the kind writes itself while they are not safe (steps): bit i, output i + 1 */
    uint8_t active_high;   /* inputs whose sensors pull the line low at rest: bit i is input i + 1 */
    uint8_t fed;           /* those of them that pull only while the pin `sense`, or that output of the chain, is high */
    uint8_t sense;         /* 0: the chain has it */
    struct kind_chain chain; /* of lamps and control outputs, where the sensors' feed is one of these */
    bool fram;             /* it may have a FRAM on the two-wire bus */
    uint8_t wake_ms;      /* longest time between two calls of kind_poll, 1 to 16; 0 for 16 */
    struct kind_output output[KIND_MOST_OUTPUTS];      /* KIND_<NAME>_OUTPUT_TABLE of messages.h */
    uint8_t analogue[KIND_MOST_ANALOGUES];             /* pins: KIND_<NAME>_ANALOGUE_PINS of messages.h */
};

extern const PORT_ROM struct kind_facts kind_facts;

/* --- the kind gives: what it does ----------------------------------------------------------------------------------- */

/* Once, at start, after the store and the outputs: makes its own pins what they must be, everything at rest. */
void kind_begin(void);

/* A new session is open (kind_safe was called before): counts "since the start of the session" begin at 0. */
void kind_opened(void);

/* A command of this kind (ids from 20). Its size is right already: read it with command_<name>_read.
 * Returns 0 when it is done (the answer is ok), or a REFUSED_ code; then nothing may have changed.
 * It is called once for each command, however often the host must send it. */
uint8_t kind_command(uint8_t id, const uint8_t *fields);

/* May the host set this output (from 1) to this value by the plain command `set`? 0, or a REFUSED_ code. */
uint8_t kind_set(uint8_t output, uint8_t value);

/* All outputs were just made safe, for this reason: stop everything that moves or pays, and forget what was wanted. */
void kind_safe(enum safe_why why);

/* The time of an output (from 1) is over, and it is safe: its own for_ms (OVER_ASKED), or the board's (OVER_LONGEST). */
void kind_output_ended(uint8_t output, enum over_why why);

/* An edge of an input (its number from 1, as in messages.h), watched by the host or one of own_inputs.
 * At the start there is no call for the levels found: read board_levels().
 * Right after kind_missed, `ticks` is not when it changed, but when it was found changed. */
void kind_edge(uint8_t input, uint8_t level, uint32_t ticks);

/* Edges were missed just now, of inputs that nobody knows: a lower bound of how many. Counts are in doubt. */
void kind_missed(uint8_t edges);

/* Each turn of the main loop, at least every wake_ms: debounce, scan, look for stalls, send reports. */
void kind_poll(uint32_t now);

/* What the report `state` has of this board's devices: FLAG_FAULT, FLAG_KEYS_AMBIGUOUS. */
uint8_t kind_flags(void);

/* INTERRUPT. Called when the time of port_fast_in is over: steps, pulses. Returns the ticks until the next call, at
 * least 40, at most 65535; or 0 for no more. Counted from when this call was due, so steps do not drift.
 * Keep it short: edges are dated late by as long as it takes, and `closed_cycles` in wire/messages.toml has the limit
 * at most; the tests measure it. Share with it only what is volatile, and
 * under PORT_ATOMIC where it is wider than a byte. */
uint16_t kind_fast(void);

#endif
