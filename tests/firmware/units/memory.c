/* The non-volatile memory for tests of the store: a write ends when the test says so, torn or whole. */
#include "kind.h"

#ifndef UNIT_KIND
#define UNIT_KIND KIND_PUSHER
#endif

const struct kind_facts kind_facts = {.id = UNIT_KIND, .counters = KIND_PUSHER_COUNTERS};

uint8_t memory[PORT_EEPROM_SIZE];
uint8_t stuck_high[PORT_EEPROM_SIZE]; /* bits that cannot be written to 0 */
uint32_t memory_writes[PORT_EEPROM_SIZE];
uint16_t writing_at;
uint8_t writing_byte;
bool writing_now;

bool port_eeprom_ready(void)
{
    return !writing_now;
}

uint8_t port_eeprom_read(uint16_t at)
{
    return memory[at];
}

void port_eeprom_write(uint16_t at, uint8_t byte)
{
    writing_now = true;
    writing_at = at;
    writing_byte = byte;
}

void end_write(void);
void end_write(void)
{
    memory[writing_at] = (uint8_t)(writing_byte | stuck_high[writing_at]);
    memory_writes[writing_at]++;
    writing_now = false;
}
