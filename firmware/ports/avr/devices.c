/* Outputs with a duty, the converter, the EEPROM, the watchdog, and the start. */
#include "avr.h"

#include <avr/wdt.h>

#include "board.h"
#include "build_note.h"
#include "messages.h"
#include "port.h"

/* --- outputs -------------------------------------------------------------------------------------------------------- */

#define PWM_PIN 0xB3U /* OC2A */

bool port_dims(uint8_t pin)
{
    return pin == PWM_PIN;
}

void port_output(uint8_t pin, uint8_t value)
{
    if (pin != PWM_PIN || value == 0U || value == UINT8_MAX) {
        port_pin_write(pin, value != 0U);
        if (pin == PWM_PIN)
            TCCR2A = 0; /* the timer lets go of a pin that is right already */
        return;
    }
    OCR2A = value;
    TCCR2B = _BV(CS21);                  /* 16 MHz / 8 / 510: 3.9 kHz (ours) */
    TCCR2A = _BV(COM2A1) | _BV(WGM20); /* phase correct: a new value does not glitch */
}

/* --- the converter -------------------------------------------------------------------------------------------------- */

#define FIRST_ANALOGUE_ONLY 6U /* ADC6 and ADC7 are not pins of a port */

EMPTY_INTERRUPT(ADC_vect) /* wakes the main loop */

void port_adc_start(uint8_t pin)
{
    uint8_t channel = pin & 7U;
    if (channel < FIRST_ANALOGUE_ONLY)
        DIDR0 = (uint8_t)(DIDR0 | (uint8_t)(1U << channel)); /* no digital input on it */
    ADMUX = (uint8_t)(_BV(REFS0) | channel);
    ADCSRA = _BV(ADEN) | _BV(ADSC) | _BV(ADIE) | _BV(ADPS2) | _BV(ADPS1) | _BV(ADPS0); /* 125 kHz */
}

bool port_adc_take(uint16_t *value)
{
    if ((ADCSRA & _BV(ADSC)) != 0U)
        return false;
    *value = ADC;
    return true;
}

/* --- the EEPROM ----------------------------------------------------------------------------------------------------- */

bool port_eeprom_ready(void)
{
    return (EECR & _BV(EEPE)) == 0U;
}

uint8_t port_eeprom_read(uint16_t at)
{
    EEAR = at;
    EECR |= _BV(EERE);
    return EEDR;
}

void port_eeprom_write(uint16_t at, uint8_t byte)
{
    EEAR = at;
    EEDR = byte;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) /* the second within four cycles of the first */
    {
        EECR = _BV(EEMPE);
        EECR |= _BV(EEPE);
    }
}

/* --- reset and watchdog --------------------------------------------------------------------------------------------- */

/* What the chip noted, or what is made of it; and what a bootloader left in r2. */
static uint8_t reset_cause __attribute__((section(".noinit")));
static uint8_t handed_over __attribute__((section(".noinit")));

/* Where the program hung, as an address of words: noted by the watchdog's interrupt, and kept over the reset that follows. */
#define HANG_CHECK 0xA53CU
static struct {
    uint16_t at;
    uint16_t check; /* at ^ HANG_CHECK; what RAM holds at power-on hardly ever is */
} hang __attribute__((section(".noinit")));

/* Optiboot keeps its version in the last two bytes of the flash. From 4.6 to 6.2 it clears MCUSR and hands it over in r2;
 * before that r2 is what it happens to be, and from 7 on MCUSR is left as it is. */
#define BOOTLOADER_MINOR ((const __flash uint8_t *)0x7FFEU)
#define BOOTLOADER_MAJOR ((const __flash uint8_t *)0x7FFFU)

void keep_reset_cause(void) __attribute__((naked, used, section(".init3")));

/* Before anything else: after a reset by the watchdog it goes on running, with 16 ms, until the flag is cleared. In assembly,
 * for a function without a frame may have nothing else. */
void keep_reset_cause(void)
{
    __asm__ volatile("in   r24, %[mcusr]          \n\t"
                     "sts  %[cause], r24          \n\t"
                     "sts  %[handed], r2          \n\t"
                     "out  %[mcusr], __zero_reg__ \n\t"
                     "wdr                         \n\t"
                     "ldi  r24, %[change]         \n\t"
                     "sts  %[control], r24        \n\t" /* the second within four cycles of the first */
                     "sts  %[control], __zero_reg__"
                     :
                     : [mcusr] "I"(_SFR_IO_ADDR(MCUSR)), [control] "n"(_SFR_MEM_ADDR(WDTCSR)),
                       [change] "M"(_BV(WDCE) | _BV(WDE)), [cause] "i"(&reset_cause), [handed] "i"(&handed_over));
}

static bool handed_over_in_r2(void)
{
    uint8_t major = *BOOTLOADER_MAJOR;
    return (major == 4U && *BOOTLOADER_MINOR >= 6U) || major == 5U || major == 6U;
}

/* Makes out why the board began. A bootloader that waits in vain for a new program ends with a reset by the watchdog: where it
 * is the one that reports "watchdog", that shows nothing of ours. */
static void reset_begin(void)
{
    uint8_t cause = reset_cause;
    if (cause == 0U && handed_over_in_r2() && handed_over != RESET_WATCHDOG)
        cause = handed_over;
    if (hang.at == 0U || (hang.at ^ hang.check) != HANG_CHECK)
        hang.at = 0;
    else
        cause |= RESET_WATCHDOG;
    hang.check = 0;
    reset_cause = cause & (RESET_POWER_ON | RESET_EXTERNAL | RESET_BROWN_OUT | RESET_WATCHDOG);
}

uint8_t port_reset_cause(void)
{
    return reset_cause;
}

uint16_t port_hung_at(void)
{
    return hang.at;
}

#define WATCHDOG_TIME (_BV(WDP1) | _BV(WDP0)) /* 16,384 cycles of 128 kHz: PORT_WATCHDOG_MS and some */

/* With its interrupt first, and a reset as long after it, should interrupts be off. */
void port_watchdog_begin(void)
{
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        wdt_reset();
        WDTCSR = _BV(WDCE) | _BV(WDE); /* the second within four cycles of the first */
        WDTCSR = _BV(WDIE) | _BV(WDE) | WATCHDOG_TIME;
    }
}

/* Notes where the program is, and has the watchdog reset the chip after 16 ms. */
ISR(WDT_vect, ISR_NAKED)
{
    __asm__ volatile("pop  r25                    \n\t" /* the address to return to, high byte first */
                     "pop  r24                    \n\t"
                     "sts  %[at], r24             \n\t"
                     "sts  %[at] + 1, r25         \n\t"
                     "ldi  r23, lo8(%[check])     \n\t"
                     "eor  r24, r23               \n\t"
                     "ldi  r23, hi8(%[check])     \n\t"
                     "eor  r25, r23               \n\t"
                     "sts  %[at] + 2, r24         \n\t"
                     "sts  %[at] + 3, r25         \n\t"
                     "ldi  r24, %[change]         \n\t"
                     "ldi  r25, %[reset]          \n\t"
                     "wdr                         \n\t"
                     "sts  %[control], r24        \n\t"
                     "sts  %[control], r25        \n"
                     "1:                          \n\t"
                     "rjmp 1b"
                     :
                     : [at] "i"(&hang), [check] "n"(HANG_CHECK), [control] "n"(_SFR_MEM_ADDR(WDTCSR)),
                       [change] "M"(_BV(WDCE) | _BV(WDE)), [reset] "M"(_BV(WDE)));
}

uint8_t port_image_hash(uint8_t at)
{
    return build_note.hash[at];
}

void port_watchdog_pat(void)
{
    wdt_reset();
}

int main(void)
{
    reset_begin();
    time_begin();
    uart_begin();
    inputs_begin();
    sei();
    board_begin();
    for (;;)
        port_idle(board_poll());
}
