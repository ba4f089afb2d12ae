#include "wire.h"

#include <string.h>

enum { HEAD = 3, CRC = 2, LEAST = HEAD + CRC, MOST = 64, NO_ZERO_BEHIND = 255 };

static uint16_t crc_of(const uint8_t *bytes, size_t size)
{
    uint32_t crc = 0xFFFF;
    for (size_t i = 0; i < size; i++) {
        for (int bit = 7; bit >= 0; bit--) {
            uint32_t in = (crc >> 15 ^ (uint32_t)bytes[i] >> bit) & 1U;
            crc = (crc << 1 & 0xFFFF) ^ (in != 0U ? 0x1021U : 0U);
        }
    }
    return (uint16_t)crc;
}

size_t wire_encode(const struct wire_frame *frame, uint8_t to[WIRE_MOST_CODED])
{
    uint8_t plain[MOST] = {(uint8_t)(frame->size + LEAST), frame->number, frame->id};
    memcpy(plain + HEAD, frame->fields, frame->size);
    size_t size = (size_t)frame->size + HEAD;
    uint16_t crc = crc_of(plain, size);
    plain[size++] = (uint8_t)(crc >> 8);
    plain[size++] = (uint8_t)crc;
    size_t used = 0;
    for (size_t run = 0, end = 0; end <= size; end++) {
        if (end != size && plain[end] != 0)
            continue;
        to[used++] = (uint8_t)(end - run + 1);
        memcpy(to + used, plain + run, end - run);
        used += end - run;
        run = end + 1;
    }
    to[used++] = 0;
    return used;
}

bool wire_decode(const uint8_t *piece, size_t size, struct wire_frame *to)
{
    uint8_t plain[MOST];
    size_t used = 0;
    for (size_t at = 0; at < size;) {
        size_t code = piece[at];
        size_t end = at + code;
        if (code == 0 || end > size || used + code - 1 > MOST)
            return false;
        memcpy(plain + used, piece + at + 1, code - 1);
        used += code - 1;
        at = end;
        if (code == NO_ZERO_BEHIND || at == size)
            continue;
        if (used == MOST)
            return false;
        plain[used++] = 0;
    }
    if (used < LEAST || plain[0] != used)
        return false;
    uint16_t said = (uint16_t)(plain[used - 2] << 8 | plain[used - 1]);
    if (said != crc_of(plain, used - CRC))
        return false;
    *to = (struct wire_frame){.number = plain[1], .id = plain[2], .size = (uint8_t)(used - LEAST)};
    memcpy(to->fields, plain + HEAD, to->size);
    return true;
}
