/* The inline half of port.h for a Pico: its chip, where the dictionary's pins are, and atomic blocks. */
#ifndef FELTWIRE_RP2040_PORT_INLINE_H
#define FELTWIRE_RP2040_PORT_INLINE_H

#include <stdbool.h>
#include <stdint.h>

#define REG(address) (*(volatile uint32_t *)(uintptr_t)(address))

#ifdef RP2350
#include "rp2350.h"
#else
#include "rp2040.h"
#endif

#define SYSTEM_HZ 125000000U

#define PORT_ROM
#define PORT_EEPROM_SIZE 1024U /* of the FRAM */

static inline __attribute__((always_inline)) uint32_t port_interrupts_off(void)
{
    uint32_t were;
    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(were) : : "memory");
    return were;
}

static inline __attribute__((always_inline)) void port_interrupts_as(uint32_t were)
{
    __asm__ volatile("msr primask, %0" : : "r"(were) : "memory");
}

#define PORT_ATOMIC                                                                                                    \
    for (uint32_t port_were = port_interrupts_off(), port_once = 1U; port_once != 0U;                                  \
         port_once = 0U, port_interrupts_as(port_were))

/* A register of SIO changes a pin by one write, which no interrupt can split. */
#define PAD(gpio) REG(PADS_BANK0 + 4U + 4U * (gpio))
#define PAD_SCHMITT (1U << 1)
#define PAD_PULL_DOWN (1U << 2)
#define PAD_PULL_UP (1U << 3)
#define PAD_4_MA (1U << 4)
#define PAD_INPUT (1U << 6)

/* Where on a Pico each pin of the dictionary is: the table of docs/boards-pico.md, and hal/board/chips.py has it too. The
 * inputs D2 to D7, C0, C1 are GP8 to GP15, so that one register has them all. */
static inline __attribute__((always_inline)) uint32_t port_gpio(uint8_t pin)
{
    switch (pin) {
    case 0xB0:
    case 0xB1:
    case 0xB2:
    case 0xB3:
    case 0xB4:
    case 0xB5:
        return 2U + (pin & 7U);
    case 0xD2:
    case 0xD3:
    case 0xD4:
    case 0xD5:
    case 0xD6:
    case 0xD7:
        return 6U + (pin & 7U);
    case 0xC0:
    case 0xC1:
        return 14U + (pin & 7U);
    case 0xC2:
    case 0xC3:
        return 24U + (pin & 7U);
    case 0xC4:
        return 22U;
    default: /* C5 */
        return 18U;
    }
}

static inline __attribute__((always_inline)) void port_pin_write(uint8_t pin, uint8_t level)
{
    if (level != 0U)
        SIO_HIGH = 1U << port_gpio(pin);
    else
        SIO_LOW = 1U << port_gpio(pin);
}

static inline __attribute__((always_inline)) uint8_t port_pin_read(uint8_t pin)
{
    return (SIO_IN >> port_gpio(pin) & 1U) != 0U ? 1U : 0U;
}

static inline __attribute__((always_inline)) void port_pin_output(uint8_t pin)
{
    SIO_LOW = 1U << port_gpio(pin);
    SIO_OUTPUT = 1U << port_gpio(pin);
}

static inline __attribute__((always_inline)) void port_pin_output_high(uint8_t pin)
{
    SIO_HIGH = 1U << port_gpio(pin);
    SIO_OUTPUT = 1U << port_gpio(pin);
}

static inline __attribute__((always_inline)) void port_pin_input(uint8_t pin, bool pull_up)
{
    SIO_INPUT = 1U << port_gpio(pin);
    PAD(port_gpio(pin)) = PAD_INPUT | PAD_SCHMITT | PAD_4_MA | (pull_up ? PAD_PULL_UP : 0U);
}

/* Lasts so many cycles or more. */
static inline __attribute__((always_inline)) void cycles_pass(uint32_t cycles)
{
    for (uint32_t left = (cycles + LOOP_CYCLES - 1U) / LOOP_CYCLES; left != 0U; left--)
        __asm__ volatile("");
}

#define PIN_HOLD_NS 400U /* the carriers' figures are simulated with it (ours) */

static inline __attribute__((always_inline)) void port_pin_hold(void)
{
    cycles_pass(SYSTEM_HZ / 1000000U * PIN_HOLD_NS / 1000U);
}

#endif
