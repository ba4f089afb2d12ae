/* avr-libc in words that cppcheck knows: it takes none of the real headers' attributes, and so would take every byte for an
 * int. Included before each file of ports/avr in its place; the sizes of types are those of cppcheck's platform avr8. */
#ifndef FELTWIRE_LINT_AVR_H
#define FELTWIRE_LINT_AVR_H

#include <stdbool.h>
#include <stdint.h>

#define __flash
#define _BV(bit) (1U << (bit))
#define ISR(vector, ...) void vector(void)
#define EMPTY_INTERRUPT(vector) \
    void vector(void)           \
    {                           \
    }
#define ATOMIC_BLOCK(how) for (how; once; once = false)
#define ATOMIC_RESTORESTATE bool once = true
#define WDTO_250MS 4

void cli(void);
void sei(void);
void sleep_cpu(void);
void wdt_enable(uint8_t timeout);
void wdt_disable(void);
void wdt_reset(void);

extern volatile uint8_t ADCSRA, ADMUX, DDRB, DDRC, DDRD, DIDR0, EECR, EEDR, GPIOR0, GPIOR1, MCUSR, OCR2A, PCICR, PCMSK1, PCMSK2,
    PINB, PINC, PIND, PORTB, PORTC, PORTD, SMCR, TCCR1A, TCCR1B, TCCR2A, TCCR2B, TCNT1L, TIFR1, TIMSK1, UCSR0A, UCSR0B, UCSR0C,
    UDR0;
extern volatile uint16_t ADC, EEAR, OCR1A, OCR1B, TCNT1, UBRR0;

enum {
    ADPS0 = 0, ADPS1 = 1, ADPS2 = 2, ADIE = 3, ADSC = 6, ADEN = 7, REFS0 = 6,
    EERE = 0, EEPE = 1, EEMPE = 2,
    SE = 0,
    CS11 = 1, TOV1 = 0, OCF1A = 1, TOIE1 = 0, OCIE1A = 1, OCIE1B = 2,
    CS21 = 1, WGM20 = 0, COM2A1 = 7,
    PCIE1 = 1, PCIE2 = 2,
    PORTD0 = 0,
    UCSZ00 = 1, UCSZ01 = 2, TXEN0 = 3, RXEN0 = 4, UDRIE0 = 5, RXCIE0 = 7,
};

#endif
