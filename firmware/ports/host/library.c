/* The machine as a library, libcore_<kind>.so: one board for each copy of it that a program loads. */
#include "machine.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void core_begin(uint64_t ticks, const uint8_t *eeprom, uint8_t cause);
EXPORT void core_fit_fram(const uint8_t *bytes);
EXPORT void core_fram(uint8_t *to);
EXPORT void core_run(uint64_t until);
EXPORT void core_stall(uint64_t until);
EXPORT uint64_t core_ticks(void);
EXPORT bool core_drive(uint64_t ticks, uint8_t pin, uint8_t level);
EXPORT void core_supply(uint8_t pin, uint16_t value);
EXPORT bool core_receive(uint64_t ticks, const uint8_t *bytes, size_t count);
EXPORT size_t core_take_sent(struct machine_sent *to, size_t most);
EXPORT size_t core_take_changes(struct machine_change *to, size_t most);
EXPORT uint8_t core_pin(uint8_t pin);
EXPORT void core_eeprom(uint8_t *to, uint32_t seed);
EXPORT bool core_eeprom_busy(void);
EXPORT uint64_t core_unpatted(void);

void core_begin(uint64_t ticks, const uint8_t *eeprom, uint8_t cause)
{
    machine_begin(ticks, eeprom, cause);
}

void core_fit_fram(const uint8_t *bytes)
{
    machine_fit_fram(bytes);
}

void core_fram(uint8_t *to)
{
    machine_fram(to);
}

void core_run(uint64_t until)
{
    machine_run(until);
}

void core_stall(uint64_t until)
{
    machine_stall(until);
}

uint64_t core_ticks(void)
{
    return machine_ticks();
}

bool core_drive(uint64_t ticks, uint8_t pin, uint8_t level)
{
    return machine_drive(ticks, pin, level);
}

void core_supply(uint8_t pin, uint16_t value)
{
    machine_supply(pin, value);
}

bool core_receive(uint64_t ticks, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!machine_receive(ticks, bytes[i]))
            return false;
    }
    return true;
}

size_t core_take_sent(struct machine_sent *to, size_t most)
{
    size_t count = 0;
    while (count < most && machine_take_sent(&to[count]))
        count++;
    return count;
}

size_t core_take_changes(struct machine_change *to, size_t most)
{
    size_t count = 0;
    while (count < most && machine_take_change(&to[count]))
        count++;
    return count;
}

uint8_t core_pin(uint8_t pin)
{
    return machine_pin(pin);
}

void core_eeprom(uint8_t *to, uint32_t seed)
{
    machine_eeprom(to, seed);
}

bool core_eeprom_busy(void)
{
    return machine_eeprom_busy();
}

uint64_t core_unpatted(void)
{
    return machine_unpatted();
}
