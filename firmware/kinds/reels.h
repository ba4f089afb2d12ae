/* The reels of this board: steps, their drivers, the commands, the buttons, the reports.
 *
 * Skill stop: a button that is pressed for 1 ms without a break stops its reel on this board, whatever the host does, once the
 * host has armed it, the reel has turned for its least time, and home is known. The reel brakes by the ramp (18 steps and 0.1 s
 * from 80 turns a minute, 40 steps and 0.2 s at most with the usual ramp) to the next symbol that it can reach so. A speed from
 * which more symbols go by than the slip window has is refused.
 *
 * A driver is on from its reel's first step on; it goes off when the reel is halted, and where it is not held 250 ms after the
 * last step. */
#ifndef FELTWIRE_REELS_H
#define FELTWIRE_REELS_H

#include <stdbool.h>
#include <stdint.h>

void reels_begin(void);
void reels_opened(void);

/* The kind gives: the drivers' inputs, by reels (bit i: reel i + 1); and whether the sensors of a reel's home and button are
 * proven. */
void reels_drivers(uint8_t turned_round, uint8_t off);
bool reels_home_proven(uint8_t index);
bool reels_button_proven(uint8_t index);

/* The commands `spin` and `stop`: 0 or a REFUSED_ code. `may`: the interlocks of the board, as such a code. A reel that is spun
 * begins once reels_poll may start it. */
uint8_t reels_spin(const uint8_t *fields, uint8_t may);
uint8_t reels_stop(const uint8_t *fields);

/* The commands `reel`, `ramp` and `arm`: 0 or a REFUSED_ code. */
uint8_t reels_configure(const uint8_t *fields);
uint8_t reels_ramp(const uint8_t *fields);
uint8_t reels_arm(const uint8_t *fields);

/* May the host put a reel's output on this by `set`? Only on 0: that stops it, and ends its fault. */
uint8_t reels_set(uint8_t index, uint8_t value);

/* At once, without a ramp: the output is safe. */
void reels_halt(uint8_t index);
void reels_halt_all(void);

/* An edge of a reel's button. */
void reels_button(uint8_t index, uint8_t level, uint32_t ticks);

/* `may_start`: reels that were spun may begin, for nothing else needs their sensors. */
void reels_poll(uint32_t now, bool may_start);

/* None turns, or waits to. */
bool reels_stand(void);

/* Buttons that have been pressed for 5 s: held, stuck or cut. Bit i: reel i + 1. */
uint8_t reels_held_buttons(void);

/* A reel turned without ever coming home, or with a home that stays dark, and has not been set to 0 since. */
bool reels_fault(void);

#endif
