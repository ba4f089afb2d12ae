/* From the boot ROM or the second-stage boot loader to main: the clocks, then the whole program into RAM.
 *
 * What is here runs in the flash, until main does. */
#include "pico.h"

extern uint32_t stack_top[];
extern const uint32_t program_in_flash[];
extern uint32_t program_in_ram[];
extern uint32_t program_in_ram_end[];
extern uint32_t variables[];
extern uint32_t variables_end[];

#define IN_FLASH __attribute__((section(".start"), noinline))

void reset(void) __attribute__((noreturn));

/* --- the table of vectors (the manuals of ARMv6-M and ARMv8-M) ------------------------------------------------------------ */

typedef void (*handler)(void);
struct vectors {
    uint32_t *stack;
    handler handlers[15 + IRQS];
};

/* One in the flash, with which the chip begins, and one in RAM. */
__attribute__((section(".vectors"), used)) const struct vectors first_vectors = {stack_top, {reset}};

__attribute__((aligned(VECTORS_ALIGNED))) static const struct vectors vectors = {
    stack_top,
    {
        [0] = reset,
        [1] = on_fault,
        [2] = on_fault,
        [10] = on_fault,
        [13] = on_fault,
        [14] = on_fault,
        [15 + IRQ_IDLE] = on_idle,
        [15 + IRQ_FAST] = on_fast,
        [15 + IRQ_HANG] = on_hang,
        [15 + IRQ_INPUTS] = on_inputs,
        [15 + IRQ_LINE] = on_line,
    },
};

/* --- clocks ------------------------------------------------------------------------------------------------------------- */

#define XOSC_1_TO_15_MHZ 0xAA0U
#define XOSC_ON (0xFABU << 12)
#define XOSC_STABLE (1U << 31)
#define XOSC_2_MS 94U
#define XOSC_MHZ 12U
#define FROM_XOSC 2U
#define FROM_AUXILIARY 1U /* which of the PLLs is 0: of clk_sys the one for it, of clk_adc that of USB */

#define PLL_CONTROL(pll) REG((pll) + 0x0U)
#define PLL_POWER_OFF(pll) REG((pll) + 0x4U)
#define PLL_FEEDBACK(pll) REG((pll) + 0x8U)
#define PLL_DIVISORS(pll) REG((pll) + 0xCU)
#define PLL_LOCKED (1U << 31)
#define PLL_ALL_OFF 0x2DU
#define PLL_OSCILLATOR_ON 0x0CU /* only its dividers, and the modulator that is never used, are off */
#define PLL_ALL_ON 0x04U

IN_FLASH static void pll_begin(uint32_t pll, uint32_t feedback, uint32_t first, uint32_t second)
{
    PLL_POWER_OFF(pll) = PLL_ALL_OFF;
    PLL_CONTROL(pll) = 1;
    PLL_FEEDBACK(pll) = feedback;
    PLL_POWER_OFF(pll) = PLL_OSCILLATOR_ON;
    while ((PLL_CONTROL(pll) & PLL_LOCKED) == 0U) {
    }
    PLL_DIVISORS(pll) = first << 16 | second << 12;
    PLL_POWER_OFF(pll) = PLL_ALL_ON;
}

IN_FLASH static void leave_reset(uint32_t parts)
{
    RESETS_CLEAR = parts;
    while ((RESETS_DONE & parts) != parts) {
    }
}

IN_FLASH static void clocks_begin(void)
{
    XOSC_STARTUP = XOSC_2_MS;
    XOSC_CONTROL = XOSC_ON | XOSC_1_TO_15_MHZ;
    while ((XOSC_STATUS & XOSC_STABLE) == 0U) {
    }
    CLOCK_REF_CONTROL = FROM_XOSC;
    while ((CLOCK_REF_SELECTED & 1U << FROM_XOSC) == 0U) {
    }
    leave_reset(RESET_PLL_SYS | RESET_PLL_USB);
    pll_begin(PLL_SYS, 125, 6, 2);  /* 12 MHz · 125 / 12: 125 MHz */
    pll_begin(PLL_USB, 100, 5, 5);  /* 12 MHz · 100 / 25: 48 MHz, for the converter */
    CLOCK_SYS_CONTROL = FROM_AUXILIARY;
    while ((CLOCK_SYS_SELECTED & 1U << FROM_AUXILIARY) == 0U) {
    }
    CLOCK_PERI_CONTROL = CLOCK_ENABLE;
    CLOCK_ADC_CONTROL = CLOCK_ENABLE;
    TICKS_BEGIN(XOSC_MHZ);
    leave_reset(RESET_IO_BANK0 | RESET_PADS_BANK0 | RESET_ADC | RESET_PWM | RESET_TIMER | RESET_UART0);
}

IN_FLASH void reset(void)
{
    __asm__ volatile("cpsid i" : : : "memory");
    CORE_BEGIN();
    WATCHDOG_CONTROL = 0; /* it runs on after a reset of its own */
    clocks_begin();
    const uint32_t *from = program_in_flash;
    for (uint32_t *to = program_in_ram; to != program_in_ram_end; to++)
        *to = *from++;
    for (uint32_t *to = variables; to != variables_end; to++)
        *to = 0;
    VECTOR_TABLE = (uint32_t)(uintptr_t)&vectors;
    int (*volatile go)(void) = main; /* too far for a branch */
    (void)go();
    for (;;) {
    }
}

/* --- what the compiler calls ---------------------------------------------------------------------------------------------- */

void *memcpy(void *to, const void *from, uint32_t count);
void *memset(void *to, int value, uint32_t count);

void *memcpy(void *to, const void *from, uint32_t count)
{
    uint8_t *at = to;
    const uint8_t *bytes = from;
    while (count-- != 0U)
        *at++ = *bytes++;
    return to;
}

void *memset(void *to, int value, uint32_t count)
{
    uint8_t *at = to;
    while (count-- != 0U)
        *at++ = (uint8_t)value;
    return to;
}
