/* The inline half of port.h for a computer. Interrupts are simulated between the core's steps, so nothing splits them. */
#ifndef FELTWIRE_HOST_PORT_INLINE_H
#define FELTWIRE_HOST_PORT_INLINE_H

#include <stdbool.h>
#include <stdint.h>

#define PORT_ROM
#define PORT_ATOMIC for (bool once = true; once; once = false)
#define PORT_EEPROM_SIZE 1024U

void port_pin_output(uint8_t pin);
void port_pin_output_high(uint8_t pin);
void port_pin_input(uint8_t pin, bool pull_up);
void port_pin_write(uint8_t pin, uint8_t level);
uint8_t port_pin_read(uint8_t pin);

static inline void port_pin_hold(void)
{
}

#endif
