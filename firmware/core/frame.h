/* Frames on the serial line: length, number, id, fields, CRC-16; then COBS, then a 0x00. See docs/wire.md. */
#ifndef FELTWIRE_FRAME_H
#define FELTWIRE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "messages.h"

#define FRAME_MOST_FIELDS (WIRE_LONGEST - WIRE_OVERHEAD)

/* --- in ------------------------------------------------------------------------------------------------------------- */

/* A frame that came whole. It holds until the next byte is given to frame_in. */
struct frame {
    uint8_t number;
    uint8_t id;
    uint8_t size; /* of the fields */
    const uint8_t *fields;
};

void frame_begin(void);

/* Takes the next byte of the line; true if it ended a good frame. */
bool frame_in(uint8_t byte, struct frame *to);

/* Puts zeros behind its fields, up to this size: an older host does not know the last ones. */
void frame_in_extend(const struct frame *frame, uint8_t size);

/* Frames that came broken since the start, modulo 65536: not COBS, a wrong length, a wrong CRC. */
uint16_t frame_bad(void);

/* --- out ------------------------------------------------------------------------------------------------------------ */

/* Whether the line has room for a frame with this many bytes of fields now. */
bool frame_has_room(uint8_t size);

/* Begins a frame, and returns where its fields go: at most `size` bytes. */
uint8_t *frame_out(uint8_t number, uint8_t id, uint8_t size);

/* Makes the frame shorter than it was begun. */
void frame_shorten(uint8_t size);

/* Puts the CRC to what was begun; after it the fields must not change. */
void frame_seal(void);

/* Queues what was sealed; there must be room. It is sent once port_tx_go, or port_tx_go_at, was called. */
void frame_queue(void);

/* Seals, queues and sends. */
void frame_send(void);

#endif
