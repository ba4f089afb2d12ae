/* A board that can have no FRAM: its pins are other things. */
#include "port.h"

void port_fram_begin(void)
{
}

bool port_fram_read(uint16_t at, uint8_t *byte)
{
    (void)at;
    *byte = 0;
    return false;
}

bool port_fram_write(uint16_t at, uint8_t byte)
{
    (void)at;
    (void)byte;
    return false;
}
