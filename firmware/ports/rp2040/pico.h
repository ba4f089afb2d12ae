/* What the files of this port share: the registers that both chips have alike, and the rings that port_idle looks at. Where they
 * are, and what differs, is in rp2040.h and rp2350.h.
 *
 * The chip runs at 125 MHz, all of the program in its RAM: no access to the flash delays an interrupt. The timer counts
 * microseconds, which are two ticks each. */
#ifndef FELTWIRE_PICO_H
#define FELTWIRE_PICO_H

#include <stdbool.h>
#include <stdint.h>

#include "port_inline.h"

#define TICKS_A_US 2U

/* --- clocks -------------------------------------------------------------------------------------------------------------- */

#define RESETS_CLEAR REG(RESETS + 0x3000U) /* the alias that clears bits */
#define RESETS_DONE REG(RESETS + 0x8U)

#define CLOCK_REF_CONTROL REG(CLOCKS + 0x30U)
#define CLOCK_REF_SELECTED REG(CLOCKS + 0x38U)
#define CLOCK_SYS_CONTROL REG(CLOCKS + 0x3CU)
#define CLOCK_SYS_SELECTED REG(CLOCKS + 0x44U)
#define CLOCK_PERI_CONTROL REG(CLOCKS + 0x48U)
#define CLOCK_ENABLE (1U << 11)

#define XOSC_CONTROL REG(XOSC + 0x0U)
#define XOSC_STATUS REG(XOSC + 0x4U)
#define XOSC_STARTUP REG(XOSC + 0xCU)

/* --- pins --------------------------------------------------------------------------------------------------------------- */

#define IO_CONTROL(gpio) REG(IO_BANK0 + 8U * (gpio) + 4U)
#define FUNCTION_UART 2U
#define FUNCTION_PWM 4U
#define FUNCTION_SIO 5U

/* Of the pins 8 to 15 four bits each: is low, is high, fell, rose. */
#define ALL_HIGH 0x22222222U
#define ALL_FELL 0x44444444U
#define ALL_ROSE 0x88888888U
#define ALL_EDGES (ALL_FELL | ALL_ROSE)
#define BITS_A_PIN 4U

/* --- timer and watchdog ------------------------------------------------------------------------------------------------- */

#define TIMER_ALARM(number) REG(TIMER + 0x10U + 4U * (number))
#define TIMER_NOW REG(TIMER + 0x28U)
#define ALARM_IDLE 0U
#define ALARM_FAST 1U
#define ALARM_HANG 2U

#define WATCHDOG_CONTROL REG(WATCHDOG + 0x0U)
#define WATCHDOG_LOAD REG(WATCHDOG + 0x4U)
#define WATCHDOG_REASON REG(WATCHDOG + 0x8U)
#define WATCHDOG_SCRATCH(number) REG(WATCHDOG + 0xCU + 4U * (number))
#define WATCHDOG_ENABLE (1U << 30)
#define WATCHDOG_TRIGGER (1U << 31)

/* --- interrupts --------------------------------------------------------------------------------------------------------- */

#define IRQ_IDLE ALARM_IDLE
#define IRQ_FAST ALARM_FAST
#define IRQ_HANG ALARM_HANG
#ifdef PORT_USB
#define IRQ_LINE IRQ_USB
#else
#define IRQ_LINE IRQ_UART
#endif

#define NVIC_ENABLE(word) REG(0xE000E100U + 4U * (word))
#define NVIC_DISABLE(word) REG(0xE000E180U + 4U * (word))
#define NVIC_PRIORITY(word) REG(0xE000E400U + 4U * (word))
#define VECTOR_TABLE REG(0xE000ED08U)

/* The inputs come first, or their edges would be dated late. */
enum priority { FIRST = 0, SECOND = 1, THIRD = 2, LAST = 3 };

static inline void interrupt_begin(uint32_t irq, enum priority priority)
{
    uint32_t shift = 8U * (irq & 3U) + 6U;
    NVIC_PRIORITY(irq >> 2) = (NVIC_PRIORITY(irq >> 2) & ~(3U << shift)) | (uint32_t)priority << shift;
    NVIC_ENABLE(irq >> 5) = 1U << (irq & 31U);
}

/* A pin of the chip is what this says: its pad, and which part of the chip it is. */
#define PAD_PLAIN (PAD_INPUT | PAD_SCHMITT | PAD_4_MA)

static inline void pin_begin(uint32_t gpio, uint32_t function, uint32_t pad)
{
    PAD(gpio) = pad;
    IO_CONTROL(gpio) = function;
}

/* --- the parts of this port ---------------------------------------------------------------------------------------------- */

/* As port_fram_read, of many bytes. */
bool fram_read(uint16_t at, uint8_t *to, uint32_t count);
void time_begin(void);
void line_begin(void); /* in uart.c, or usb.c */
void inputs_begin(void);
void on_idle(void);
void on_fast(void);
void on_hang(void);
void on_inputs(void);
void on_line(void);
void on_fault(void);
int main(void);

static inline uint32_t now_ticks(void)
{
    return TIMER_NOW * TICKS_A_US;
}

/* What waits to be taken; here so that port_idle can ask with interrupts off. */
extern volatile uint32_t ring_head; /* of the snapshots */
extern volatile uint32_t ring_tail;
extern volatile uint32_t ring_dropped;
extern volatile uint32_t rx_head;
extern volatile uint32_t rx_tail;
extern bool converting; /* the converter takes 2 µs: not worth sleeping */

static inline bool something_waits(void)
{
    return ring_head != ring_tail || ring_dropped != 0U || rx_head != rx_tail || converting;
}

#endif
