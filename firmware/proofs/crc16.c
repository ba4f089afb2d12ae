/* crc16_add is a step of CRC-16/CCITT-FALSE, for every CRC and every byte: it does what eight shifts by one bit do.
 * Assumed: nothing. */
#include "crc16.h"

#include "proof.h"

static uint16_t by_bits(uint16_t crc, uint8_t byte)
{
    for (uint8_t bit = 0; bit < 8U; bit++) {
        bool carry = ((crc >> 15) ^ (byte >> (7U - bit) & 1U)) != 0U;
        crc = (uint16_t)(((uint32_t)crc << 1 & 0xFFFFU) ^ (carry ? 0x1021U : 0U));
    }
    return crc;
}

int main(void)
{
    uint16_t crc = nondet_u16();
    uint8_t byte = nondet_u8();
    CLAIM(crc16_add(crc, byte) == by_bits(crc, byte), "it is CRC-16/CCITT-FALSE");
    return 0;
}
