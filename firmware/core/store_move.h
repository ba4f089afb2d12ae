/* The next bank, written while the old one still counts.
 *
 * In this order: the old commit byte is destroyed; the base; old marks that look like the new ones are erased; the events
 * that came since the base was made; the commit. Until then events go on into the old bank, so none waits for a move. */
#ifndef FELTWIRE_STORE_MOVE_H
#define FELTWIRE_STORE_MOVE_H

#include <stdbool.h>
#include <stdint.h>

#include "store_bank.h"

/* What a bank begins with, besides the counts. */
struct store_head {
    uint32_t sequence;
    uint32_t serial;
    const uint8_t *note;
};

/* Begins to write a bank. */
void move_begin(uint8_t bank);

bool moving(void);

/* An event of this log was kept in the old bank: it goes into the new one too. */
void move_event(uint8_t log);

/* The byte to write next, when nothing else is being written; false: none in this turn. `head` is as it was when the move
 * began; `counts` are those of the old bank now. */
bool move_next(const struct store_head *head, const uint32_t counts[BANK_LOGS], struct store_byte *next);

/* That byte is written and read back. True: it was the commit, and the bank counts. */
bool move_kept(void);

/* That byte does not keep what is written. True: another takes its place. */
bool move_retire(void);

/* How many slots of a log are used in the new bank. */
uint8_t move_slots(uint8_t log);

/* Nothing is begun: the board has just started. */
void move_forget(void);

#endif
