/* The non-volatile memory of a proof: any bytes. */
#ifndef FELTWIRE_PROOF_MEMORY_H
#define FELTWIRE_PROOF_MEMORY_H

#include "cells.h"
#include "kind.h"
#include "proof.h"
#include "store_bank.h"

static uint8_t memory[BANKS * BANK_SIZE];

static void looks_at(uint16_t at);

uint8_t cells_read(uint16_t at)
{
    CLAIM(at < sizeof memory, "what is read is in the memory");
    looks_at(at);
    return memory[at];
}

#endif
