#include "cells.h"

#include "kind.h"

#define MARK_AT 512U /* the byte of the second bank that no bank uses, see store_bank.h */
#define MARK 0x5AU

static enum cells used;
static bool lost;

enum cells cells_begin(void)
{
    uint8_t byte;
    while (!port_eeprom_ready())
        ;
    lost = false;
    used = CELLS_EEPROM;
    if (!kind_facts.fram)
        return used;
    port_fram_begin();
    if (port_fram_read(0, &byte))
        used = CELLS_FRAM;
    else if (cells_marked())
        used = CELLS_LOST;
    return used;
}

void cells_use(enum cells which)
{
    used = which;
}

bool cells_are_fram(void)
{
    return used == CELLS_FRAM;
}

bool cells_marked(void)
{
    return port_eeprom_read(MARK_AT) == MARK;
}

void cells_mark(void)
{
    if (used == CELLS_FRAM && port_eeprom_ready() && !cells_marked())
        port_eeprom_write(MARK_AT, MARK);
}

bool cells_ready(void)
{
    return used == CELLS_FRAM || port_eeprom_ready();
}

uint8_t cells_read(uint16_t at)
{
    if (used != CELLS_FRAM)
        return port_eeprom_read(at);
    uint8_t byte = 0;
    if (!port_fram_read(at, &byte))
        lost = true;
    return byte;
}

void cells_write(uint16_t at, uint8_t byte)
{
    if (used != CELLS_FRAM)
        port_eeprom_write(at, byte);
    else if (!port_fram_write(at, byte))
        lost = true;
}

bool cells_lost(void)
{
    return lost || used == CELLS_LOST;
}
