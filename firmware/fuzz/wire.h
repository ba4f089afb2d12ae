/* Frames, by docs/wire.md alone: what the board's own frame.c makes and takes is compared with this. */
#ifndef FELTWIRE_FUZZ_WIRE_H
#define FELTWIRE_FUZZ_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WIRE_MOST_FIELDS = 59,
    WIRE_MOST_CODED = 66, /* with the 0x00 */
};

struct wire_frame {
    uint8_t number;
    uint8_t id;
    uint8_t size;
    uint8_t fields[WIRE_MOST_FIELDS];
};

/* Returns how many bytes were written. */
size_t wire_encode(const struct wire_frame *frame, uint8_t to[WIRE_MOST_CODED]);

/* What is between two zeros; false: it is not a frame. */
bool wire_decode(const uint8_t *piece, size_t size, struct wire_frame *to);

#endif
