/* The hopper of this board: the command `pay`, its motor, its counter, its report. */
#ifndef FELTWIRE_PAYOUTS_H
#define FELTWIRE_PAYOUTS_H

#include <stdbool.h>
#include <stdint.h>

/* The output of its motor, the store's counter of its tokens, and the level of its sensor. After the store. */
void payouts_begin(uint8_t its_output, uint8_t its_counter, uint8_t level);
void payouts_opened(void);

/* The command `pay`: 0 or a REFUSED_ code. `may`: the interlocks of the board, as such a code. */
uint8_t payouts_command(const uint8_t *fields, uint8_t may);

/* May the host put the motor on this by `set`? Only on 0: that stops it, and says that somebody saw to a runaway. */
uint8_t payouts_set(uint8_t value);

/* All outputs were just made safe. */
void payouts_safe(void);

/* The supply fails: stops, with the motor. */
void payouts_stop(void);

/* The motor's output was ended by the board. */
void payouts_output_ended(void);

/* The sensor. */
void payouts_edge(uint8_t level, uint32_t ticks);

void payouts_poll(uint32_t now);

/* Empty, jammed, or running away. */
bool payouts_fault(void);

#endif
