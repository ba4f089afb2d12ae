/* The reference board's hardware in virtual time: what the port of a computer drives the core with.
 *
 * Time does not pass until machine_run. It is ticks in 64 bits; the core sees the low 32. One turn of the core's main loop
 * takes MACHINE_TURN_TICKS; interrupts cost nothing. Bytes take their time on the line, 80 ticks each, both ways.
 */
#ifndef FELTWIRE_MACHINE_H
#define FELTWIRE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "port.h"

#define MACHINE_TURN_TICKS 60U /* about what a turn takes on the ATmega328P */
#define MACHINE_BYTE_TICKS 80U

/* What left the board, or an output that changed. */
struct machine_sent {
    uint64_t ticks; /* when the stop bit ended */
    uint8_t byte;
};
struct machine_change {
    uint64_t ticks;
    uint8_t pin;
    uint8_t value; /* 0 to 255 */
};

/* Powers the board on: `kept` are PORT_EEPROM_SIZE bytes, or null for an erased one; `why` are bits RESET_ of
 * messages.h. A program that calls it again has a core whose variables are not as C made them: what its begin functions set
 * again is all that is as after a reset. */
void machine_begin(uint64_t ticks, const uint8_t *kept, uint8_t why);

/* Before that: the board has a FRAM with these PORT_EEPROM_SIZE bytes, or none (null, as at first). A byte of it is written at
 * once. `machine_fram`: what it holds. */
void machine_fit_fram(const uint8_t *bytes);
void machine_fram(uint8_t to[PORT_EEPROM_SIZE]);

/* Lets time pass. `machine_stall` lets it pass without the main loop: interrupts run, nothing else does. */
void machine_run(uint64_t until);
void machine_stall(uint64_t until);
uint64_t machine_ticks(void);

/* The earliest time at which something is to be done, if nothing comes. */
uint64_t machine_next(void);

/* The world: a level on a pin, a supply on an analogue pin (0 to 1023), a byte whose start bit comes at that time, or when
 * the byte before it is over. Times must not go back; one that has passed means now. False: too much waits already. */
bool machine_drive(uint64_t ticks, uint8_t pin, uint8_t level);
void machine_supply(uint8_t pin, uint16_t value);
bool machine_receive(uint64_t ticks, uint8_t byte);

/* The oldest that was not taken yet; false if there is none. */
bool machine_take_sent(struct machine_sent *to);
bool machine_take_change(struct machine_change *to);

/* What a pin of the board is now: driven by the board, or by the world, or pulled up. */
uint8_t machine_pin(uint8_t pin);

/* The non-volatile memory as a power cut now leaves it: a byte that is being written is torn, as `seed` has it. */
void machine_eeprom(uint8_t to[PORT_EEPROM_SIZE], uint32_t seed);
bool machine_eeprom_busy(void);

/* Ticks since the watchdog was patted last; the board would restart after 250 ms. */
uint64_t machine_unpatted(void);

#endif
