/* What the files of this port share: the registers that they use (RP2040 Datasheet, by chapter), and the rings that port_idle looks at.
 *
 * The chip runs at 125 MHz, all of the program in its RAM: no access to the flash delays an interrupt. The timer counts
 * microseconds, which are two ticks each. */
#ifndef FELTWIRE_RP2040_H
#define FELTWIRE_RP2040_H

#include <stdbool.h>
#include <stdint.h>

#include "port_inline.h"

#define SYSTEM_HZ 125000000U
#define TICKS_A_US 2U

/* --- what is reset, and the clocks (2.14, 2.15) ------------------------------------------------------------------------ */

#define RESETS_CLEAR REG(0x4000F000) /* the alias that clears bits */
#define RESETS_DONE REG(0x4000C008)
#define RESET_ADC (1U << 0)
#define RESET_IO_BANK0 (1U << 5)
#define RESET_PADS_BANK0 (1U << 8)
#define RESET_PLL_SYS (1U << 12)
#define RESET_PLL_USB (1U << 13)
#define RESET_PWM (1U << 14)
#define RESET_TIMER (1U << 21)
#define RESET_UART0 (1U << 22)

#define CLOCK_REF_CONTROL REG(0x40008030)
#define CLOCK_REF_SELECTED REG(0x40008038)
#define CLOCK_SYS_CONTROL REG(0x4000803C)
#define CLOCK_SYS_SELECTED REG(0x40008044)
#define CLOCK_PERI_CONTROL REG(0x40008048)
#define CLOCK_ADC_CONTROL REG(0x40008060)
#define CLOCK_ENABLE (1U << 11)

#define XOSC_CONTROL REG(0x40024000)
#define XOSC_STATUS REG(0x40024004)
#define XOSC_STARTUP REG(0x4002400C)

#define PLL_SYS 0x40028000U
#define PLL_USB 0x4002C000U

/* --- pins (2.19) -------------------------------------------------------------------------------------------------------- */

#define IO_BANK0 0x40014000U
#define IO_CONTROL(gpio) REG(IO_BANK0 + 8U * (gpio) + 4U)
#define FUNCTION_UART 2U
#define FUNCTION_PWM 4U
#define FUNCTION_SIO 5U

/* Of the pins 8 to 15 four bits each: is low, is high, fell, rose. */
#define INPUTS_RAW REG(IO_BANK0 + 0x0F4)
#define INPUTS_ENABLE REG(IO_BANK0 + 0x104)
#define ALL_HIGH 0x22222222U
#define ALL_FELL 0x44444444U
#define ALL_ROSE 0x88888888U
#define ALL_EDGES (ALL_FELL | ALL_ROSE)
#define BITS_A_PIN 4U

/* --- timer and watchdog (4.6, 4.7) -------------------------------------------------------------------------------------- */

#define TIMER_ALARM(number) REG(0x40054010 + 4U * (number))
#define TIMER_NOW REG(0x40054028)
#define TIMER_INTERRUPTS REG(0x40054034)
#define TIMER_ENABLE REG(0x40054038)
#define ALARM_IDLE 0U
#define ALARM_FAST 1U
#define ALARM_HANG 2U

#define WATCHDOG_CONTROL REG(0x40058000)
#define WATCHDOG_LOAD REG(0x40058004)
#define WATCHDOG_REASON REG(0x40058008)
#define WATCHDOG_SCRATCH(number) REG(0x4005800C + 4U * (number))
#define WATCHDOG_TICK REG(0x4005802C)
#define WATCHDOG_ENABLE (1U << 30)
#define WATCHDOG_TRIGGER (1U << 31)

/* --- interrupts (2.3.2, 2.4.5) ------------------------------------------------------------------------------------------ */

#define IRQ_IDLE ALARM_IDLE
#define IRQ_FAST ALARM_FAST
#define IRQ_HANG ALARM_HANG
#define IRQ_INPUTS 13U
#define IRQ_UART 20U

#define NVIC_ENABLE REG(0xE000E100)
#define NVIC_PRIORITY(word) REG(0xE000E400 + 4U * (word))
#define VECTOR_TABLE REG(0xE000ED08)

/* The inputs come first, or their edges would be dated late. */
enum priority { FIRST = 0, SECOND = 1, THIRD = 2, LAST = 3 };

static inline void interrupt_begin(uint32_t irq, enum priority priority)
{
    uint32_t shift = 8U * (irq & 3U) + 6U;
    NVIC_PRIORITY(irq >> 2) = (NVIC_PRIORITY(irq >> 2) & ~(3U << shift)) | (uint32_t)priority << shift;
    NVIC_ENABLE = 1U << irq;
}

/* A pin of the chip is what this says: which part of it, and its pad. */
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
void uart_begin(void);
void inputs_begin(void);
void on_idle(void);
void on_fast(void);
void on_hang(void);
void on_inputs(void);
void on_uart(void);
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
