/* A whole board that is fuzzed: the core, a kind and the test port, in virtual time, with somebody at every side of it who
 * knows what must be.
 *
 *     script.c   what happens: read from the fuzzer's bytes (LLVMFuzzerTestOneInput)
 *     life.c     the board's power: its memory is as after a reset each time, its EEPROM as a cut leaves it
 *     host.c     what was asked of the board, and so what it may do and answer
 *     guard.c    its outputs: who wanted them on, and for how long
 *     edges.c    its edges: each that the port saw is reported, or reported as lost
 *     told.c     what it sends: frames, their numbers, their fields
 *     memory.c   what it must not forget
 *     world.c    what hangs on its pins
 *     wire.c     frames, made and taken apart by other code than the board's
 *
 * hooks.c, between the core, the kind and the port, reports to them what the board does. */
#ifndef FELTWIRE_FUZZ_H
#define FELTWIRE_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kind.h"
#include "machine.h"
#include "messages.h"
#include "wire.h"

/* Ends the program, and prints what does not hold. */
#define MUST(holds, ...)                       \
    do {                                       \
        if (!(holds)) {                        \
            (void)fprintf(stderr, __VA_ARGS__); \
            wrong(__FILE__, __LINE__, #holds); \
        }                                      \
    } while (0)

void wrong(const char *file, int line, const char *what) __attribute__((noreturn));

/* Milliseconds in ticks. */
#define MS(count) ((uint64_t)(count) * TICKS_A_MS)

/* Ticks in 64 bits of a time that is not far from now. */
uint64_t whole_ticks(uint32_t ticks);

/* --- life.c --------------------------------------------------------------------------------------------------------- */

/* The first power-on of a script; the memory is erased. `with_fram`: where the kind may have a FRAM it has one, erased too. */
void life_first(bool with_fram);

/* The power fails, or a reset occurs, and the board restarts. */
void life_again(uint8_t cause, uint32_t seed);

/* What is in the memory at the next start, if somebody else writes there. */
void life_spoil(uint16_t at, uint8_t byte);
uint8_t life_spoilt(uint16_t at);

/* --- host.c --------------------------------------------------------------------------------------------------------- */

void host_begin(void);

/* The core took a byte of the line. */
void host_heard(uint8_t byte, uint32_t ticks);

/* The frame that the core may act on now, or null. */
const struct wire_frame *host_frame(void);

/* The command that it may carry out now, or null. */
const struct wire_frame *host_command(void);
void host_turn_ends(void);
void host_answered(const struct wire_frame *answer);

bool host_session(void);
uint8_t host_next_number(void);

/* When the last frame arrived that shows that the host is there. */
uint64_t host_there(void);

/* --- guard.c -------------------------------------------------------------------------------------------------------- */

void guard_begin(void);
void guard_wanted(const struct wire_frame *command);
void guard_all_safe(void);
void guard_set(uint8_t number, uint8_t before, uint8_t value, uint32_t for_ms);
void guard_pin(uint8_t pin, uint8_t value);
void guard_stalled(void);
void guard_turn_begins(void);

/* --- edges.c -------------------------------------------------------------------------------------------------------- */

void edges_model_begin(void);
void edges_model_watch(uint8_t inputs);
void edges_model_watching(void);
void edges_model_listen(const struct port_snapshot *found);
void edges_model_snapshot(const struct port_snapshot *snapshot);
void edges_model_clear(uint32_t now);
void edges_model_add(uint8_t line, bool level, uint32_t ticks, bool kept);
void edges_model_lose(uint8_t more);
void edges_model_turn_ends(void);
void edges_model_told(const struct wire_frame *report);
void edges_model_held(const struct wire_frame *answer);
void edges_model_state(uint32_t time, uint32_t next, uint16_t lost);

/* --- told.c --------------------------------------------------------------------------------------------------------- */

void told_begin(void);

/* The board has found its counts. */
void told_found(void);
void told_session(void);
void told_byte(uint8_t byte);

/* --- memory.c ------------------------------------------------------------------------------------------------------- */

/* Before a cut, and after the start that follows; `spoilt`: somebody else wrote into the memory meanwhile. */
void memory_cut(void);
void memory_found(bool spoilt);
void memory_noted(const uint8_t *note);
void memory_named(uint32_t serial);

/* The board reported that it keeps the number that it was last asked for. */
void memory_named_kept(void);
void memory_turn_ends(void);
void memory_first(void);

/* --- world.c -------------------------------------------------------------------------------------------------------- */

enum { WORLD_TURNS = 1, WORLD_HOMES = 2, WORLD_COINS = 4 };
void world_begin(uint8_t does);

/* Each millisecond. */
void world_look(void);
void world_step(uint8_t pin);

#endif
