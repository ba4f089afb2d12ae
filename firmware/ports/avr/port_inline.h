/* The inline half of port.h for the ATmega328P: pins that fold into one instruction, data in flash, atomic blocks. */
#ifndef FELTWIRE_AVR_PORT_INLINE_H
#define FELTWIRE_AVR_PORT_INLINE_H

#include <avr/io.h>
#include <stdbool.h>
#include <stdint.h>
#include <util/atomic.h>

#define PORT_ROM __flash
#define PORT_ATOMIC ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
#define PORT_EEPROM_SIZE 1024U

/* A pin is 0xB0 … 0xD7: the port's letter and the bit. The registers of a port lie together: PIN, DDR, PORT. */
static inline volatile uint8_t *port_pin_register(uint8_t pin)
{
    switch (pin >> 4) {
    case 0xB:
        return &PINB;
    case 0xC:
        return &PINC;
    default:
        return &PIND;
    }
}

static inline uint8_t port_pin_bit(uint8_t pin)
{
    return (uint8_t)(1U << (pin & 7U));
}

/* Where pin and level are constants each of these is one sbi or cbi, which no interrupt can split. Where they are not, the
 * block is needed: an interrupt may change another pin of the same port. */
#define PORT_PIN_CHANGE(pin, offset, on)                                                                               \
    do {                                                                                                               \
        volatile uint8_t *at = port_pin_register(pin) + (offset);                                                      \
        if (__builtin_constant_p(pin) && __builtin_constant_p(on)) {                                                   \
            *at = (uint8_t)((on) ? *at | port_pin_bit(pin) : *at & (uint8_t)~port_pin_bit(pin));                       \
        } else {                                                                                                       \
            PORT_ATOMIC                                                                                                \
            {                                                                                                          \
                *at = (uint8_t)((on) ? *at | port_pin_bit(pin) : *at & (uint8_t)~port_pin_bit(pin));                   \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

#define PORT_PIN_DDR 1
#define PORT_PIN_PORT 2

static inline __attribute__((always_inline)) void port_pin_write(uint8_t pin, uint8_t level)
{
    PORT_PIN_CHANGE(pin, PORT_PIN_PORT, level != 0U);
}

static inline __attribute__((always_inline)) uint8_t port_pin_read(uint8_t pin)
{
    return (*port_pin_register(pin) & port_pin_bit(pin)) != 0U ? 1U : 0U;
}

static inline __attribute__((always_inline)) void port_pin_output(uint8_t pin)
{
    PORT_PIN_CHANGE(pin, PORT_PIN_PORT, false);
    PORT_PIN_CHANGE(pin, PORT_PIN_DDR, true);
}

static inline __attribute__((always_inline)) void port_pin_output_high(uint8_t pin)
{
    PORT_PIN_CHANGE(pin, PORT_PIN_PORT, true);
    PORT_PIN_CHANGE(pin, PORT_PIN_DDR, true);
}

static inline __attribute__((always_inline)) void port_pin_input(uint8_t pin, bool pull_up)
{
    PORT_PIN_CHANGE(pin, PORT_PIN_DDR, false);
    PORT_PIN_CHANGE(pin, PORT_PIN_PORT, pull_up);
}

/* Two writes are 125 ns apart, which is long enough. */
static inline __attribute__((always_inline)) void port_pin_hold(void)
{
}

#endif
