/* The inline half of port.h for units that are tested alone: pins are bytes, nothing interrupts. */
#ifndef FELTWIRE_UNITS_PORT_INLINE_H
#define FELTWIRE_UNITS_PORT_INLINE_H

#include <stdbool.h>
#include <stdint.h>

#define PORT_ROM
#define PORT_ATOMIC
#define PORT_EEPROM_SIZE 1024U

extern uint8_t unit_pins[256];    /* levels, by the number of the pin */
extern uint8_t unit_outputs[256]; /* 1: it is an output */

static inline void port_pin_write(uint8_t pin, uint8_t level)
{
    unit_pins[pin] = level;
}

static inline uint8_t port_pin_read(uint8_t pin)
{
    return unit_pins[pin];
}

static inline void port_pin_output(uint8_t pin)
{
    unit_outputs[pin] = 1;
    unit_pins[pin] = 0;
}

static inline void port_pin_output_high(uint8_t pin)
{
    unit_outputs[pin] = 1;
    unit_pins[pin] = 1;
}

static inline void port_pin_input(uint8_t pin, bool pull_up)
{
    unit_outputs[pin] = 0;
    unit_pins[pin] = pull_up ? 1 : 0;
}

static inline void port_pin_hold(void)
{
}

#endif
