/* The supply's own warning: `power_fail` becomes active while the board can still run for a while on what its capacitors hold.
 *
 * Hold-up that the board needs from there on, everything counted exactly: SUPPLY_HOLD_UP_MS. A token's pulse that has begun may
 * last 600 ms and 5 ms of bounce, tokens of the hopper may fall for 500 ms, and then the store needs SUPPLY_STORE_MS. With an
 * acceptor of 200 ms and no hopper 300 ms are enough. All outputs are off meanwhile; the sensors are fed. */
#ifndef FELTWIRE_SUPPLY_H
#define FELTWIRE_SUPPLY_H

#include <stdbool.h>
#include <stdint.h>

#define SUPPLY_STORE_MS 30U      /* 6 things that wait, 5 ms each in the EEPROM (store.h) */
#define SUPPLY_STORE_FRAM_MS 6U  /* and 1 ms each in a FRAM */
#define SUPPLY_HOLD_UP_MS 650U   /* TOKENS_MOST_MS, its bounce, SUPPLY_STORE_MS, and a margin */
#define SUPPLY_BACK_MS 100U /* good for this long, and it is good again (ours) */

void supply_begin(void);

/* The input's level (1: the supply is good, 0: it fails), at each edge and at each poll. True: it has just begun to fail. Then stop all that draws current. */
bool supply_level(uint8_t level, uint32_t ticks);

/* May something be turned on? 0, or a REFUSED_ code while the supply fails. */
uint8_t supply_may_turn(void);

/* And something that is counted? 0, or a REFUSED_ code while the supply fails or the store cannot keep counters. */
uint8_t supply_may_count(void);

#endif
