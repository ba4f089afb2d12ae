/* The supply's own warning: `power_fail` becomes active while the board can still run for a while on what its capacitors hold.
 *
 * Hold-up that the board needs from there on, everything counted exactly: 300 ms. A token's pulse that has begun may last
 * 250 ms and 5 ms of bounce, and then the store needs 5 ms for each of at most 6 things that wait (store.h). With an
 * acceptor set to 100 ms it is 160 ms. All outputs are off meanwhile: the board draws some 20 mA. */
#ifndef FELTWIRE_SUPPLY_H
#define FELTWIRE_SUPPLY_H

#include <stdbool.h>
#include <stdint.h>

#define SUPPLY_BACK_MS 100U /* good for so long, and it is good again (ours) */

void supply_begin(void);

/* The input's level (1: the supply is good, 0: it fails), at each edge and at each poll. True: it has just begun to fail. Then stop all that draws current. */
bool supply_level(uint8_t level, uint32_t ticks);

/* May something be turned on? 0, or a REFUSED_ code while the supply fails. */
uint8_t supply_may_turn(void);

/* And something that is counted? 0, or a REFUSED_ code while the supply fails or the store cannot keep counters. */
uint8_t supply_may_count(void);

#endif
