/* What a port gives the core: time, inputs, a serial line, pins, a converter, non-volatile bytes, a watchdog, sleep.
 *
 * The core and the kinds name no register. A port is the one place that does. ports/avr is the reference board
 * (ATmega328P at 16 MHz); ports/rp2040 is a Raspberry Pi Pico; ports/host is the reference board as a Linux process, and as a
 * library for tests.
 *
 * Everything here is called from the main loop, unless its comment says "interrupt" or that it waits.
 *
 * Time is ticks of 0.5 µs in 32 bits, and begins again after 2,147 s: compare with (int32_t)(a - b), never with <.
 */
#ifndef FELTWIRE_PORT_H
#define FELTWIRE_PORT_H

#include <stdbool.h>
#include <stdint.h>

/* The port's own half of this file, found on its include path. It gives, inline, because they are hot or must fold:
 *   PORT_ROM                      after const: data that stays in flash
 *   PORT_ATOMIC { ... }           no interrupt runs inside; nests; do not leave it by return, break or goto
 *   PORT_EEPROM_SIZE              bytes of non-volatile memory
 *   port_pin_output(pin)          makes a pin an output, low
 *   port_pin_output_high(pin)     makes a pin an output, high, without a moment in which it is low
 *   port_pin_input(pin, pull_up)  makes a pin an input
 *   port_pin_write(pin, level)    level 0 or 1; one instruction where pin and level are constants, so fit for interrupts
 *   port_pin_read(pin)            0 or 1
 *   port_pin_hold()               waits until what was just written has been at the far end of a long wire for long enough
 * A pin is written as it is called: 0xB3 is B3. messages.h has every pin of every kind.
 */
#include "port_inline.h"

#define TICKS_A_MS 2000U
#define TICKS_OF_MS(ms) ((uint32_t)(ms) * TICKS_A_MS)

/* --- time ---------------------------------------------------------------------------------------------------------- */

uint32_t port_ticks(void);

/* Waits until an interrupt has occurred, or this many ticks have passed. Returns at once if something waits to be taken. */
void port_idle(uint16_t ticks);

/* --- inputs -------------------------------------------------------------------------------------------------------- */

/* The levels of some inputs at one time. Bit i is the input numbered i + 1. */
struct port_snapshot {
    uint32_t ticks;
    uint8_t levels;
    uint8_t covers; /* the inputs whose levels these are */
    uint8_t missed; /* 0: an interrupt took it. Otherwise the main loop did, because this many interrupts found no room, at most 255;
                     * each of them had at least one edge */
};

/* Takes interrupts of these inputs from now on; returns the levels found, and in `missed` how many snapshots that waited it
 * forgot. */
void port_listen(uint8_t inputs, uint8_t pull_ups, struct port_snapshot *found);

/* Takes the oldest snapshot that waits; false if none does. There is one for each interrupt of an input. */
bool port_snapshot_take(struct port_snapshot *to);

/* Inputs that change so fast that the port does not listen to them now; their edges are lost, and no snapshot covers them
 * until it listens again, which it tries every 100 ms. */
uint8_t port_masked(void);

/* The levels of all inputs now. */
uint8_t port_levels(void);

/* --- the serial line ----------------------------------------------------------------------------------------------- */

/* How many bytes can be sent without waiting. */
uint8_t port_tx_room(void);

/* Queues a byte; there must be room. It is sent once port_tx_go was called. */
void port_tx(uint8_t byte);
void port_tx_go(void);

/* Waits until that time, at most 1 ms, then does as port_tx_go: where the line is silent the first byte begins then. False if
 * that time has passed: what was queued since port_tx_go is forgotten. */
bool port_tx_go_at(uint32_t ticks);

/* Whether the last byte has left, so that the next begins the moment it is sent. */
bool port_tx_silent(void);

/* Takes the next byte that came; false if none did. With a byte 0 comes the time of its arrival. */
bool port_rx(uint8_t *byte, uint32_t *ticks);

/* --- outputs ------------------------------------------------------------------------------------------------------- */

/* Whether a pin takes values between off and fully on. */
bool port_dims(uint8_t pin);

/* Puts an output pin on a value: 0 off, 255 fully on, between them only where port_dims(pin). */
void port_output(uint8_t pin, uint8_t value);

/* Has kind_fast (kinds/kind.h) called in an interrupt after this many ticks, at least 40; again after what it returns. */
void port_fast_in(uint16_t ticks);

/* --- analogue ------------------------------------------------------------------------------------------------------ */

/* Begins to convert one pin; a conversion takes about 0.1 ms. */
void port_adc_start(uint8_t pin);

/* Takes what was converted, 0 to 1023 of the supply; false if it is still under way. */
bool port_adc_take(uint16_t *value);

/* --- non-volatile memory ------------------------------------------------------------------------------------------- */

/* Whether the last write is done (a write takes about 3.4 ms). Read and write only then. */
bool port_eeprom_ready(void);

uint8_t port_eeprom_read(uint16_t at);

/* Begins to write a byte. A power cut in the middle of it leaves any value there. */
void port_eeprom_write(uint16_t at, uint8_t byte);

/* A FRAM of at least 1 KB on a bus of its own. Called only where the kind allows for one. Each waits for the
 * bus: 0.2 ms where all is well, 2 ms where it must be freed and a byte tried again. False: no FRAM answers. */
void port_fram_begin(void);
bool port_fram_read(uint16_t at, uint8_t *byte);
bool port_fram_write(uint16_t at, uint8_t byte);

/* --- watchdog and reset -------------------------------------------------------------------------------------------- */

/* Begins to watch: after this long without port_watchdog_pat the board notes where it hangs and restarts; at most twice as
 * long where interrupts are off. */
#define PORT_WATCHDOG_MS 120U
void port_watchdog_begin(void);
void port_watchdog_pat(void);

/* Why the board began: bits RESET_ of messages.h; 0 where nobody knows. */
uint8_t port_reset_cause(void);

/* Where the program hung before this start: its address in the flash, halved; 0 if it did not, or nobody knows. */
uint16_t port_hung_at(void);

/* --- the image ------------------------------------------------------------------------------------------------------ */

/* A byte of the SHA-256 over the program in the flash, which names it (build_id.py); 0 where there is no flash. */
#define PORT_IMAGE_HASH 32U
uint8_t port_image_hash(uint8_t at);

#endif
