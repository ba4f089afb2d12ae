/* What is sealed is whole, and has the head and the fields that it was begun with: for 0 to FRAME_MOST_FIELDS bytes of any
 * values. The buffer reaches the decoder as it is (frame_line.c).
 *
 * The loop over the bytes of a CRC is cut: `crcs` are the CRCs of the first bytes of what is sealed, by how many these are, and
 * both sides come to them. That a step is one of CRC-16/CCITT-FALSE: crc16.c. Assumed: nothing but what defines `crcs`. */
#include "proof.h"

#define CUTS_CRC
static void cut_crc(uint16_t *crc, const uint8_t **bytes, uint8_t *size);
#include "frame.c"

static uint16_t crcs[WIRE_LONGEST + 1U];
static const uint8_t *start; /* of what a CRC is made of, and how many bytes these are */
static uint8_t count;
static struct cut steps;

static void cut_crc(uint16_t *crc, const uint8_t **bytes, uint8_t *size)
{
    uint8_t at = (uint8_t)(*bytes - start);
    CLAIM(*bytes >= start && at <= count && *size == count - at && *crc == crcs[at], "it is the CRC of the bytes before");
    CUT(steps);
    at = nondet_u8();
    ASSUME(at <= count);
    *bytes = start + at;
    *size = (uint8_t)(count - at);
    *crc = crcs[at];
    ASSUME(at == count || crcs[at + 1U] == crc16_add(crcs[at], out.bytes[at])); /* by which `crcs` is defined */
}

uint8_t port_tx_room(void)
{
    return nondet_u8();
}

void port_tx(uint8_t byte)
{
    (void)byte;
}

void port_tx_go(void)
{
}

static void begin_crc(const uint8_t *bytes)
{
    start = bytes;
    CUT_BEGIN(steps);
}

int main(void)
{
    uint8_t number = nondet_u8();
    uint8_t id = nondet_u8();
    uint8_t size = nondet_u8();
    uint8_t most = nondet_u8();
    uint8_t place = nondet_u8();
    ASSUME(size <= most && most <= FRAME_MOST_FIELDS && place < size + (size == 0U));
    ASSUME(crcs[0] == CRC16_BEGIN);
    uint8_t *fields = frame_out(number, id, most);
    CLAIM(fields == out.bytes + HEAD, "the fields begin behind the head");
    uint8_t value = fields[place];
    if (size < most || any_bool())
        frame_shorten(size);
    count = (uint8_t)(HEAD + size);
    begin_crc(out.bytes);
    frame_seal();
    CLAIM(out.size == size + WIRE_OVERHEAD && out.size <= WIRE_LONGEST, "a size that frame_line.c knows");

    struct frame frame;
    frame_begin();
    in.begun = true;
    in.used = out.size;
    for (uint8_t at = 0; at < WIRE_LONGEST; at++)
        in.bytes[at] = out.bytes[at];
    begin_crc(in.bytes);
    CLAIM(frame_in(0, &frame), "it is whole");
    CLAIM(frame.number == number && frame.id == id && frame.size == size, "it has the head that it was begun with");
    CLAIM(size == 0U || frame.fields[place] == value, "it has the fields that were put into it");
    return 0;
}
