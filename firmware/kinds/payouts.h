/* The hopper of this board: the command `pay`, its motor, its counter, its report. */
#ifndef FELTWIRE_PAYOUTS_H
#define FELTWIRE_PAYOUTS_H

#include <stdbool.h>
#include <stdint.h>

/* The output of its motor, and the store's counter of its tokens. After the store; its sensor is taken to be at rest. */
void payouts_begin(uint8_t its_output, uint8_t its_counter);
void payouts_opened(void);

/* The command `pay`: 0 or a REFUSED_ code. `may`: the interlocks of the board, as such a code. */
uint8_t payouts_command(const uint8_t *fields, uint8_t may);

/* The command `hopper`: 0 or a REFUSED_ code. */
uint8_t payouts_configure(const uint8_t *fields);

/* May the host put the motor on this by `set`? Only on 0: that stops it, and acknowledges its fault. */
uint8_t payouts_set(uint8_t value);

/* All outputs were just made safe. */
void payouts_safe(void);

/* The supply fails: stops, with the motor. */
void payouts_stop(void);

/* The motor's output was ended by the board. */
void payouts_output_ended(void);

/* The sensor: 1 at rest, 0 for a token. */
void payouts_edge(uint8_t level, uint32_t ticks);

/* The sensor is to be tested; it was. */
bool payouts_want_test(void);
void payouts_tested(bool proven);

void payouts_poll(uint32_t now);

/* Empty, jammed, running away, cut short, or with a sensor that is not proven. */
bool payouts_fault(void);

#endif
