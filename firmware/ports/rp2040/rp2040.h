/* What an RP2040 (a Pico) has otherwise than an RP2350: rp2350.h has the same names. RP2040 Datasheet, by chapter. */
#ifndef FELTWIRE_RP2040_H
#define FELTWIRE_RP2040_H

/* --- where its parts are (2.2) ------------------------------------------------------------------------------------------ */

#define CLOCKS 0x40008000U
#define RESETS 0x4000C000U
#define POWER_ON_MACHINE 0x40010000U
#define IO_BANK0 0x40014000U
#define PADS_BANK0 0x4001C000U
#define XOSC 0x40024000U
#define PLL_SYS 0x40028000U
#define PLL_USB 0x4002C000U
#define UART0 0x40034000U
#define ADC 0x4004C000U
#define PWM 0x40050000U
#define TIMER 0x40054000U
#define WATCHDOG 0x40058000U
#define USB_MEMORY 0x50100000U
#define USB 0x50110000U

/* --- what is reset, and the clocks (2.14, 2.15, 2.8.1) ------------------------------------------------------------------ */

#define RESET_ADC (1U << 0)
#define RESET_IO_BANK0 (1U << 5)
#define RESET_PADS_BANK0 (1U << 8)
#define RESET_PLL_SYS (1U << 12)
#define RESET_PLL_USB (1U << 13)
#define RESET_PWM (1U << 14)
#define RESET_TIMER (1U << 21)
#define RESET_UART0 (1U << 22)
#define RESET_USB (1U << 24)

#define CLOCK_USB_CONTROL REG(CLOCKS + 0x54U)
#define CLOCK_ADC_CONTROL REG(CLOCKS + 0x60U)

#define ALL_BUT_OSCILLATORS 0x0001FFFCU /* of what the watchdog resets */
#define CHIP_RESET REG(0x40064008)
#define WAS_POWER_ON (1U << 8)
#define WAS_RUN_PIN (1U << 16)

#define WATCHDOG_STEPS_A_US 2U /* it counts down by two each microsecond (erratum E1) */

/* The microseconds of timer and watchdog, from as many MHz. */
#define TICKS_BEGIN(mhz) (REG(WATCHDOG + 0x2CU) = 1U << 9 | (mhz))

/* --- pins: SIO (2.3.1.7), their interrupts (2.19.6.1) ------------------------------------------------------------------- */

#define SIO_IN REG(0xD0000004)
#define SIO_HIGH REG(0xD0000014)
#define SIO_LOW REG(0xD0000018)
#define SIO_OUTPUT REG(0xD0000024)
#define SIO_INPUT REG(0xD0000028)

#define INPUTS_RAW REG(IO_BANK0 + 0x0F4U)
#define INPUTS_ENABLE REG(IO_BANK0 + 0x104U)

#define PAD_UNUSED (PAD_INPUT | PAD_SCHMITT | PAD_4_MA | PAD_PULL_DOWN)

/* --- timer, interrupts, and the core (4.6, 2.3.2, 2.4) ------------------------------------------------------------------ */

#define TIMER_INTERRUPTS REG(TIMER + 0x34U)
#define TIMER_ENABLE REG(TIMER + 0x38U)

#define IRQ_USB 5U
#define IRQ_INPUTS 13U
#define IRQ_UART 20U
#define IRQS 26U
#define VECTORS_ALIGNED 256

#define LOOP_CYCLES 3U  /* of a loop that only counts, at the least */
#define CORE_BEGIN()    /* nothing is left over from the boot ROM */
#define SETTLE()        /* what was written is there */

#endif
