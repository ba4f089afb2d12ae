#include "store_byte.h"

#include "port.h"

static struct {
    uint16_t at;
    uint8_t byte;
    uint8_t tries;
} writing;

void byte_begin(uint16_t at, uint8_t byte)
{
    writing.at = at;
    writing.byte = byte;
    writing.tries = 1;
    port_eeprom_write(at, byte);
}

enum byte_state byte_look(void)
{
    if (port_eeprom_read(writing.at) == writing.byte)
        return BYTE_KEPT;
    if (writing.tries++ == BYTE_TRIES)
        return BYTE_FAILED;
    port_eeprom_write(writing.at, writing.byte);
    return BYTE_AGAIN;
}
