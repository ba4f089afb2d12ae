/* The bytes that survive a power cut: a FRAM where the board has one, otherwise the chip's EEPROM.
 *
 * A byte of a FRAM bears 10^12 writes and more, one of the EEPROM 100,000. A board that ever kept its counters in a FRAM has a
 * mark in its EEPROM: without that FRAM, or with an empty one, it counts nothing, for what the EEPROM has is old. */
#ifndef FELTWIRE_CELLS_H
#define FELTWIRE_CELLS_H

#include <stdbool.h>
#include <stdint.h>

enum cells { CELLS_EEPROM, CELLS_FRAM, CELLS_LOST }; /* LOST: a FRAM was used, and does not answer */

/* Once, at start: which there are. */
enum cells cells_begin(void);

/* From now on the other: what an EEPROM has may be read before a new FRAM takes its place. */
void cells_use(enum cells which);
bool cells_are_fram(void);

/* Whether counters were ever kept in a FRAM; and that they are from now on. Writes nothing that is written already. */
bool cells_marked(void);
void cells_mark(void);

/* As of a port's EEPROM. A FRAM is always ready. A read or a write that its bus failed is CELLS_LOST from then on. */
bool cells_ready(void);
uint8_t cells_read(uint16_t at);
void cells_write(uint16_t at, uint8_t byte);
bool cells_lost(void);

#endif
