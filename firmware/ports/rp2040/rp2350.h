/* What an RP2350 (a Pico 2) has otherwise than an RP2040: rp2040.h has the same names. RP2350 Datasheet. Its Arm cores
 * are used, secure, as its boot ROM leaves them; nobody has yet run this. */
#ifndef FELTWIRE_RP2350_H
#define FELTWIRE_RP2350_H

/* --- where its parts are (2.2) ------------------------------------------------------------------------------------------ */

#define CLOCKS 0x40010000U
#define POWER_ON_MACHINE 0x40018000U
#define RESETS 0x40020000U
#define IO_BANK0 0x40028000U
#define PADS_BANK0 0x40038000U
#define XOSC 0x40048000U
#define PLL_SYS 0x40050000U
#define PLL_USB 0x40058000U
#define UART0 0x40070000U
#define ADC 0x400A0000U
#define PWM 0x400A8000U
#define TIMER 0x400B0000U
#define WATCHDOG 0x400D8000U

/* --- what is reset, and the clocks ---------------------------------------------------------------------------------- */

#define RESET_ADC (1U << 0)
#define RESET_IO_BANK0 (1U << 6)
#define RESET_PADS_BANK0 (1U << 9)
#define RESET_PLL_SYS (1U << 14)
#define RESET_PLL_USB (1U << 15)
#define RESET_PWM (1U << 16)
#define RESET_TIMER (1U << 23)
#define RESET_UART0 (1U << 26)

#define CLOCK_ADC_CONTROL REG(CLOCKS + 0x6CU)

#define ALL_BUT_OSCILLATORS 0x01FFFFF3U /* of what the watchdog resets */
#define CHIP_RESET REG(0x4010002C)
#define WAS_POWER_ON (3U << 16) /* or a supply that sagged */
#define WAS_RUN_PIN (1U << 18)

#define WATCHDOG_STEPS_A_US 1U

/* The microseconds of timer and watchdog, from as many MHz: each has a divider of its own. */
#define TICK_TIMER(word) REG(0x40108018U + 4U * (word))
#define TICK_WATCHDOG(word) REG(0x40108030U + 4U * (word))
#define TICKS_BEGIN(mhz)                                                                                               \
    (TICK_TIMER(1U) = (mhz), TICK_WATCHDOG(1U) = (mhz), TICK_TIMER(0U) = 1U, TICK_WATCHDOG(0U) = 1U)

/* --- pins: SIO (3.1.11), their interrupts ------------------------------------------------------------------------------- */

#define SIO_IN REG(0xD0000004)
#define SIO_HIGH REG(0xD0000018)
#define SIO_LOW REG(0xD0000020)
#define SIO_OUTPUT REG(0xD0000038)
#define SIO_INPUT REG(0xD0000040)

#define INPUTS_RAW REG(IO_BANK0 + 0x234U)
#define INPUTS_ENABLE REG(IO_BANK0 + 0x24CU)

/* Without the input: with it a pull-down may not pull a pin down that was high (erratum E9). The bit 8 of a pad isolates its pin
 * from reset on, until it is written 0: whatever is written to a pad here ends that. */
#define PAD_UNUSED (PAD_SCHMITT | PAD_4_MA | PAD_PULL_DOWN)

/* --- timer, interrupts, and the core ------------------------------------------------------------------------------------ */

#define TIMER_INTERRUPTS REG(TIMER + 0x3CU)
#define TIMER_ENABLE REG(TIMER + 0x40U)

#define IRQ_INPUTS 21U
#define IRQ_UART 33U
#define IRQS 52U
#define VECTORS_ALIGNED 512

#define LOOP_CYCLES 2U                                                  /* of a loop that only counts, at the least */
#define CORE_BEGIN() __asm__ volatile("msr msplim, %0" : : "r"(0U))     /* the boot ROM's bound of the stack */
#define SETTLE() __asm__ volatile("dsb" : : : "memory")                 /* a write that ends an interrupt waits on its way */

#endif
