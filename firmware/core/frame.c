#include "frame.h"

#include "crc16.h"
#include "port.h"

#define HEAD 3U /* length, number, id */
#define CRC 2U
#define NO_ZERO_OWED 0xFFU

/* COBS: a code byte n, then n - 1 bytes that are not 0, then a 0 which is not sent; the last 0 is not meant. A code of
 * 255 is a block of 254 without a 0: longer than any of our frames, but taken apart rightly all the same. */
static struct {
    uint8_t bytes[WIRE_LONGEST];
    uint8_t used;
    uint8_t code; /* of the block at hand; NO_ZERO_OWED before the first */
    uint8_t left; /* bytes of the block still to come */
    bool begun;
    bool broken;
    uint16_t bad;
} in;

static struct {
    uint8_t bytes[WIRE_LONGEST];
    uint8_t size;
} out;

static uint16_t crc_of(const uint8_t *bytes, uint8_t size)
{
    uint16_t crc = CRC16_BEGIN;
    while (size-- != 0U)
        crc = crc16_add(crc, *bytes++);
    return crc;
}

/* --- in ------------------------------------------------------------------------------------------------------------- */

static void await_first(void)
{
    in.used = 0;
    in.code = NO_ZERO_OWED;
    in.left = 0;
    in.begun = false;
    in.broken = false;
}

void frame_begin(void)
{
    await_first();
    in.bad = 0;
}

static void append(uint8_t byte)
{
    if (in.used == WIRE_LONGEST)
        in.broken = true;
    else
        in.bytes[in.used++] = byte;
}

static bool whole(void)
{
    if (in.broken || in.left != 0U || in.used < HEAD + CRC || in.bytes[0] != in.used)
        return false;
    uint8_t body = (uint8_t)(in.used - CRC);
    uint16_t crc = (uint16_t)((uint16_t)((uint16_t)in.bytes[body] << 8) | in.bytes[body + 1U]);
    return crc == crc_of(in.bytes, body);
}

bool frame_in(uint8_t byte, struct frame *to)
{
    if (byte != 0U) {
        in.begun = true;
        if (in.broken)
            return false;
        if (in.left != 0U) {
            in.left--;
            append(byte);
        } else {
            if (in.code != NO_ZERO_OWED)
                append(0);
            in.code = byte;
            in.left = (uint8_t)(byte - 1U);
        }
        return false;
    }
    bool good = in.begun && whole();
    if (good) {
        to->number = in.bytes[1];
        to->id = in.bytes[2];
        to->size = (uint8_t)(in.used - HEAD - CRC);
        to->fields = in.bytes + HEAD;
    } else if (in.begun) { /* a lone 0x00 is nothing */
        in.bad++;
    }
    await_first();
    return good;
}

void frame_in_extend(const struct frame *frame, uint8_t size)
{
    for (uint8_t at = frame->size; at < size; at++)
        in.bytes[HEAD + at] = 0;
}

uint16_t frame_bad(void)
{
    return in.bad;
}

/* --- out ------------------------------------------------------------------------------------------------------------ */

bool frame_has_room(uint8_t size)
{
    return port_tx_room() >= size + WIRE_OVERHEAD + 2U; /* a code byte and the 0x00 */
}

uint8_t *frame_out(uint8_t number, uint8_t id, uint8_t size)
{
    out.bytes[1] = number;
    out.bytes[2] = id;
    frame_shorten(size);
    return out.bytes + HEAD;
}

void frame_shorten(uint8_t size)
{
    out.size = (uint8_t)(HEAD + size);
    out.bytes[0] = (uint8_t)(size + WIRE_OVERHEAD);
}

void frame_seal(void)
{
    uint16_t crc = crc_of(out.bytes, out.size);
    out.bytes[out.size++] = (uint8_t)(crc >> 8);
    out.bytes[out.size++] = (uint8_t)crc;
}

void frame_queue(void)
{
    const uint8_t *at = out.bytes;
    const uint8_t *end = out.bytes + out.size;
    for (;;) {
        const uint8_t *zero = at;
        while (zero != end && *zero != 0U)
            zero++;
        port_tx((uint8_t)(zero - at + 1)); /* at most 65: no block of ours needs a second code */
        while (at != zero)
            port_tx(*at++);
        if (zero == end)
            break;
        at = zero + 1;
    }
    port_tx(0);
}

void frame_send(void)
{
    frame_seal();
    frame_queue();
    port_tx_go();
}
