/* A keypad of three columns and three rows: a key joins its column to its row.
 *
 * One column at a time is pulled low, the others pull nothing, and the rows are pulled up: a row that is low is a key. Where
 * three keys at the corners of a rectangle are pressed, the fourth seems pressed too. So while two rows have two columns in
 * common, it is not known which keys they are: the keypad stays as it was, and is ambiguous until they are let go. */
#ifndef FELTWIRE_KEYPAD_H
#define FELTWIRE_KEYPAD_H

#include <stdbool.h>
#include <stdint.h>

#define KEYPAD_COLUMNS 3U
#define KEYPAD_ROWS 3U
#define KEYPAD_BOUNCE_MS 20U /* (ours) */

struct keypad {
    uint8_t seen[KEYPAD_COLUMNS]; /* rows that are low, in this scan: bit i is row i */
    uint16_t pressed;             /* keys that have settled: bit KEYPAD_COLUMNS * row + column */
    uint16_t candidate;
    uint32_t since;
    bool ambiguous; /* in the last whole scan */
};

void keypad_begin(struct keypad *keypad);

/* What one column showed; after the last column a scan is whole. True: `pressed` has changed. */
bool keypad_column(struct keypad *keypad, uint8_t column, uint8_t low_rows, uint32_t now);

#endif
