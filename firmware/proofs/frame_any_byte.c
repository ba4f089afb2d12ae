/* The decoder, for any line: any state that the invariant allows, and then any byte.
 *
 * Induction: frame_begin establishes the invariant, and each byte keeps it; so it holds after any number of bytes. A byte
 * changes at most the place behind those that are used, which is what frame_line.c relies on besides.
 * Assumed of board.c, which claims it of no proof: frame_in_extend is asked for at most FRAME_MOST_FIELDS bytes. */
#include "proof.h"

#include "frame.c"

uint8_t port_tx_room(void)
{
    return nondet_u8();
}

int main(void)
{
    struct frame frame;
    ANY_BOOL(in.begun);
    ANY_BOOL(in.broken);
    if (any_bool())
        frame_begin();
    ASSUME(in.used <= WIRE_LONGEST);
    uint16_t bad = frame_bad();
    uint8_t size = nondet_u8();
    bool begun = in.begun;
    uint8_t byte = nondet_u8();
    bool good = frame_in(byte, &frame);
    CLAIM(in.used <= WIRE_LONGEST, "no more is used than there is");
    CLAIM(byte != 0U || (in.used == 0U && !in.begun && !in.broken && in.left == 0U && in.code == NO_ZERO_OWED), "a 0x00 begins anew");
    CLAIM(!good || byte == 0U, "only a 0x00 ends a frame");
    CLAIM(frame_bad() == (uint16_t)(bad + (byte == 0U && begun && !good ? 1U : 0U)), "each frame is good or counted as bad");
    if (good) {
        CLAIM(frame.size <= FRAME_MOST_FIELDS && frame.fields == in.bytes + HEAD, "its fields are inside the buffer");
        CLAIM(frame.number == in.bytes[1] && frame.id == in.bytes[2], "its head is that of the buffer");
        ASSUME(size <= FRAME_MOST_FIELDS);
        frame_in_extend(&frame, size);
    }
    return 0;
}
