#include "store_byte.h"

#include "cells.h"

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
    cells_write(at, byte);
}

enum byte_state byte_look(void)
{
    if (cells_read(writing.at) == writing.byte)
        return BYTE_KEPT;
    if (writing.tries++ == BYTE_TRIES)
        return BYTE_FAILED;
    cells_write(writing.at, writing.byte);
    return BYTE_AGAIN;
}
