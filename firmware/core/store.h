/* What survives a power cut: up to four counters, a note, the serial number, and how often the board began.
 *
 * An event is kept when one byte of it is written and read back, and no cut can leave half an event: 3.4 ms in the EEPROM, a
 * quarter of one in a FRAM (cells.h), which does not wear. In the EEPROM what is kept is spread over the memory
 * (store_bank.h): each cell bears 100,000 writes, which are 7 million events of a counter, or 1.3 million notes, or 100,000
 * starts; from 80 % of that on it is worn. A cell of a log that does not keep what is written is left out, and for one of
 * a base the bank has a spare base.
 *
 * The fuses of the chip must be set: brown-out detection on (a falling supply else writes anything anywhere), and EESAVE
 * (flashing else erases this memory).
 *
 * Hold-up: when the power fails, the board must run on until what has just come is kept: for each event waiting 5 ms (a
 * byte is 3.4 ms, and the main loop comes by within 1 ms), and 5 ms for a byte of something else that is under way.
 */
#ifndef FELTWIRE_STORE_H
#define FELTWIRE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#define STORE_COUNTERS 4U
#define STORE_NOTE 6U /* bytes */

/* Once, at start: finds what was kept, and counts this start. Waits only for a byte that is being written. */
void store_begin(void);

/* Each turn of the main loop: continues with writing, one byte at a time. Never waits. */
void store_poll(void);

/* Counts one event, now in memory and as soon as can be in the non-volatile one. */
void store_add(uint8_t counter);

/* A counter as it will be kept when nothing waits any more. */
uint32_t store_count(uint8_t counter);

/* The counters as they are kept: what a power cut now would leave. */
void store_counts(uint32_t to[STORE_COUNTERS]);

/* True once after each time that changed counters were kept. */
bool store_take_kept(void);

/* Begins to keep a note in place of the one before. What was counted until then is kept first. False: one is being kept, or
 * the memory has failed. */
bool store_note(const uint8_t note[STORE_NOTE]);

/* Whether the note that was begun is kept. */
bool store_note_kept(void);

/* The note as it is kept; zeros for none. */
void store_read_note(uint8_t to[STORE_NOTE]);

/* The power is going: events are still kept, and nothing else is begun. Or it is back. */
void store_power_fail(void);
void store_power_back(void);

/* The serial number that a technician gave, as it is kept; 0 for none. */
uint32_t store_serial(void);

/* Begins to keep a new serial number; false when the memory has failed. Until store_serial_kept a power cut leaves the one
 * before, this one, or one that was asked for since the one before. */
bool store_set_serial(uint32_t serial);

/* Whether the number that was asked for last is kept, and no other can take its place. */
bool store_serial_kept(void);

/* How often the board began, this time included, modulo 65536. */
uint16_t store_boots(void);

/* Whether the memory does not keep what is written: a byte of a base and of its spare read back and found wrong three times, a FRAM that does
 * not answer, or a bank found spoiled at start. Then nothing more is written, so that what is there can be looked at. */
bool store_failed(void);

/* Whether the EEPROM has had 80 % of the writes that it bears. */
bool store_worn(void);

/* Whether events can be kept now. False for the first 0.3 s of a new board, and when the memory has failed. */
bool store_ready(void);

/* Whether something waits to be written. */
bool store_busy(void);

#endif
