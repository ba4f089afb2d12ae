/* The guard of the outputs: each has a longest time on, and all are safe when the host falls silent. */
#ifndef FELTWIRE_OUTPUTS_H
#define FELTWIRE_OUTPUTS_H

#include <stdbool.h>
#include <stdint.h>

enum safe_why { SAFE_START, SAFE_OPENED, SAFE_TOLD, SAFE_DEADMAN };
enum over_why { OVER_ASKED, OVER_LONGEST };

void outputs_begin(void);

/* Puts an output (from 1) on a value, for at most this long (0: as long as the board allows). Returns 0 or a REFUSED_ code:
 * wrong_value: no such output, or a value that its pin cannot take; held_safe: see outputs_hold.
 * The longest time counts from when the output left 0: setting it again and again does not make it longer. When the
 * longest time is over, the output is held safe until it is set to 0 once. */
uint8_t outputs_set(uint8_t number, uint8_t value, uint32_t for_ms);

/* Makes an output (from 1) safe, and keeps it so until it is set to 0 once: it has a fault (a stall, a jam). */
void outputs_hold(uint8_t number);

/* What an output (from 1) is on. */
uint8_t outputs_value(uint8_t number);

/* The outputs that are not safe: bit i is output i + 1. */
uint16_t outputs_on(void);

/* Makes all safe; kind_safe is given the reason. Holds (held_safe) stay. */
void outputs_all_safe(enum safe_why why);

/* Ends what is over, and notifies the kind. */
void outputs_poll(void);

/* For how many ticks nothing is over. */
uint16_t outputs_wait(void);

#endif
