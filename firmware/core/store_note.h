/* The note and its records in a bank: its content, a check byte, and last the mark that makes it count. */
#ifndef FELTWIRE_STORE_NOTE_H
#define FELTWIRE_STORE_NOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "store_bank.h"

/* At start: there is none; or there is one, and this many records of the bank are used. */
void note_forget(void);
void note_begin(const uint8_t note[STORE_NOTE], uint8_t used);

/* A new one, to be kept in its place. */
void note_take(const uint8_t note[STORE_NOTE]);
bool note_waits(void);

const uint8_t *note_kept(void);
const uint8_t *note_new(void);

/* Whether the bank has a record left. */
bool note_has_room(void);

/* The next byte of the new note's record. */
struct store_byte note_byte(uint8_t bank, uint8_t mark);

/* That byte is written and read back. */
void note_byte_kept(void);

/* A byte of its record does not keep what is written: the next record takes its place. */
void note_retire(void);

/* There is a new bank, which begins with the new note, or with the one that was kept. */
void note_moved(bool with_new);

#endif
