/* Outputs with a duty, the converter, the EEPROM, the watchdog, and the start. */
#include "avr.h"

#include <avr/wdt.h>

#include "board.h"
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

EMPTY_INTERRUPT(ADC_vect) /* wakes the main loop */

void port_adc_start(uint8_t pin)
{
    uint8_t channel = pin & 7U;
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

static uint8_t reset_cause __attribute__((section(".noinit")));

void keep_reset_cause(void) __attribute__((naked, used, section(".init3")));

/* Before anything else: after a reset by the watchdog it goes on running, with 16 ms, until the flag is cleared. A
 * bootloader that cleared MCUSR hands it over in r2. In assembly, for a function without a frame may have nothing else. */
void keep_reset_cause(void)
{
    __asm__ volatile("in   r24, %[mcusr]          \n\t"
                     "tst  r24                    \n\t"
                     "brne 1f                     \n\t"
                     "mov  r24, r2                \n"
                     "1:                          \n\t"
                     "sts  %[cause], r24          \n\t"
                     "out  %[mcusr], __zero_reg__ \n\t"
                     "wdr                         \n\t"
                     "ldi  r24, %[change]         \n\t"
                     "sts  %[control], r24        \n\t" /* the second within four cycles of the first */
                     "sts  %[control], __zero_reg__"
                     :
                     : [mcusr] "I"(_SFR_IO_ADDR(MCUSR)), [control] "n"(_SFR_MEM_ADDR(WDTCSR)),
                       [change] "M"(_BV(WDCE) | _BV(WDE)), [cause] "i"(&reset_cause));
}

uint8_t port_reset_cause(void)
{
    return reset_cause & (RESET_POWER_ON | RESET_EXTERNAL | RESET_BROWN_OUT | RESET_WATCHDOG);
}

void port_watchdog_begin(void)
{
    wdt_enable(WDTO_250MS);
}

void port_watchdog_pat(void)
{
    wdt_reset();
}

int main(void)
{
    time_begin();
    uart_begin();
    inputs_begin();
    sei();
    board_begin();
    for (;;)
        port_idle(board_poll());
}
