/* A motor on the outputs of this board: its command, its guards, its report. One a board. */
#ifndef FELTWIRE_DRIVE_H
#define FELTWIRE_DRIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "motor.h"
#include "outputs.h"

#define DRIVE_OVER_MS 200U  /* above its limit for this long: longer than it takes to start (ours) */
#define DRIVE_DUTY_LEAST 64U /* the limit of a motor that is driven with less is that of so much: a reading is too small (ours) */

/* The number of the output that takes the speed, and of the one that is on when it turns backwards, 0: it cannot; and the pin
 * of its current's shunt. */
void drive_begin(uint8_t its_output, uint8_t its_back, uint8_t its_current);
void drive_opened(void);

/* The command `motor`: 0 or a REFUSED_ code. `may`: the interlocks of the board, as such a code. */
uint8_t drive_command(const uint8_t *fields, uint8_t may);

/* The command `motor_limit`: 0 or a REFUSED_ code. */
uint8_t drive_limit(const uint8_t *fields);

/* May the host put one of the motor's outputs on this by `set`? It is then guarded as if the command had started it. */
uint8_t drive_set(uint8_t number, uint8_t value, uint8_t may);

void drive_safe(enum safe_why why);
void drive_output_ended(uint8_t number);

/* An interlock: stops it and reports that. */
void drive_interlock(void);

/* A sensor became active. */
void drive_pulse(uint32_t ticks);
void drive_home(uint32_t ticks);

void drive_poll(uint32_t now);

/* It was stuck or drew too much, and has not been commanded to stop since. */
bool drive_fault(void);

#endif
