/* CRC-16/CCITT-FALSE: polynomial 0x1021, begun with 0xFFFF, most significant bit first. */
#ifndef FELTWIRE_CRC16_H
#define FELTWIRE_CRC16_H

#include <stdint.h>

#define CRC16_BEGIN 0xFFFFU

/* A byte at a time, in byte operations only: an 8-bit machine has no shift by five of 16 bits. */
static inline uint16_t crc16_add(uint16_t crc, uint8_t byte)
{
    uint8_t x = (uint8_t)((crc >> 8) ^ byte);
    x = (uint8_t)(x ^ (x >> 4));
    uint8_t high = (uint8_t)((uint8_t)crc ^ (uint8_t)(x << 4) ^ (x >> 3));
    uint8_t low = (uint8_t)((uint8_t)(x << 5) ^ x);
    return (uint16_t)((uint16_t)((uint16_t)high << 8) | low);
}

#endif
