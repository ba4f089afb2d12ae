/* A small program with which the emulated board itself is tried: it does one thing for each byte that it is sent.
 *
 *   E            from now on every byte is sent back as it came
 *   e X          X
 *   t            the count of timer 1, two bytes, high one first: 0.5 us a tick
 *   p            how many changes of D2 to D7 were seen, then of each its time (as above) and PIND; each toggles B5
 *   r H L        the byte of the EEPROM at address HL
 *   w H L V      writes V there; answers w when it is done
 *   i H L V N    writes V to N addresses from HL on, by the interrupt; answers i when all are done
 *   a C          what the converter finds on channel C, two bytes
 *   d P V        writes V to the register at address P (PORT, DDR, timers, ...)
 *   g P          the register at address P
 *   s P B        sets bit B of PINB (`sbi`; P is not used)
 *   o N          keeps interrupts off for N ms; answers o
 *   z            sleeps with interrupts off
 *   x            executes what is not an instruction
 *
 * At its start it sends B, the cause of the reset (MCUSR) and a byte of RAM that no start-up code clears. The watchdog
 * bites after 250 ms. RAM at the top of the stack is used by `o` to show how deep it goes.
 */

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <stdbool.h>
#include <stdint.h>
#include <util/delay.h>

enum { RING = 64, SEEN = 100 };

static volatile uint8_t received[RING], received_end, received_first;
static volatile uint8_t sending[RING], sending_end, sending_first;

static volatile struct {
    uint16_t time;
    uint8_t levels;
} seen[SEEN];
static volatile uint8_t seen_count;

static volatile uint16_t filling, fill_left;
static volatile uint8_t fill_value;
static volatile bool echoing;
static uint8_t kept __attribute__((section(".noinit")));

static uint8_t after(uint8_t place)
{
    return (uint8_t)((place + 1) % RING);
}

ISR(USART_RX_vect)
{
    received[received_end] = UDR0;
    received_end = after(received_end);
}

ISR(USART_UDRE_vect)
{
    if (sending_first == sending_end) {
        UCSR0B &= (uint8_t)~(1 << UDRIE0);
        return;
    }
    UDR0 = sending[sending_first];
    sending_first = after(sending_first);
}

ISR(PCINT2_vect)
{
    PINB = 1 << PINB5;
    const uint16_t now = TCNT1;
    if (seen_count == SEEN)
        return;
    seen[seen_count].time = now;
    seen[seen_count].levels = PIND;
    seen_count++;
}

ISR(EE_READY_vect)
{
    if (fill_left == 0) {
        EECR &= (uint8_t)~(1 << EERIE);
        return;
    }
    EEAR = filling++;
    EEDR = fill_value;
    fill_left--;
    EECR |= 1 << EEMPE;
    EECR |= 1 << EEPE;
}

EMPTY_INTERRUPT(TIMER1_OVF_vect)

static void rest(void)
{
    wdt_reset();
    cli();
    if (received_first == received_end) {
        sleep_enable();
        sei();
        sleep_cpu();
        sleep_disable();
    }
    sei();
}

static uint8_t next(void)
{
    while (received_first == received_end)
        rest();
    const uint8_t byte = received[received_first];
    received_first = after(received_first);
    return byte;
}

static void send(uint8_t byte)
{
    const uint8_t end = after(sending_end);
    while (end == sending_first)
        wdt_reset();
    sending[sending_end] = byte;
    sending_end = end;
    UCSR0B |= 1 << UDRIE0;
}

static void send_word(uint16_t word)
{
    send((uint8_t)(word >> 8));
    send((uint8_t)word);
}

static uint16_t word(void)
{
    const uint8_t high = next();
    return (uint16_t)(high << 8 | next());
}

static void send_seen(void)
{
    PCICR &= (uint8_t)~(1 << PCIE2);
    send(seen_count);
    for (uint8_t i = 0; i < seen_count; i++) {
        send_word(seen[i].time);
        send(seen[i].levels);
    }
    seen_count = 0;
    PCIFR = 1 << PCIF2;
    PCICR |= 1 << PCIE2;
}

static void write_cell(uint16_t address, uint8_t value)
{
    EEAR = address;
    EEDR = value;
    cli();
    EECR |= 1 << EEMPE;
    EECR |= 1 << EEPE;
    sei();
    while (EECR & (1 << EEPE))
        wdt_reset();
}

static uint16_t convert(uint8_t channel)
{
    ADMUX = (uint8_t)(1 << REFS0 | channel);
    ADCSRA = 1 << ADEN | 1 << ADSC | 7;
    while (ADCSRA & (1 << ADSC))
        ;
    return ADC;
}

static void be_deaf(uint8_t ms)
{
    cli();
    for (; ms; ms--) {
        _delay_ms(1);
        wdt_reset();
    }
    sei();
    send('o');
}

static void obey(uint8_t what)
{
    uint16_t address;
    switch (what) {
    case 'E': echoing = true; break;
    case 'e': send(next()); break;
    case 't': send_word(TCNT1); break;
    case 'p': send_seen(); break;
    case 'r':
        EEAR = word();
        EECR |= 1 << EERE;
        send(EEDR);
        break;
    case 'w':
        address = word();
        write_cell(address, next());
        send('w');
        break;
    case 'i':
        filling = word();
        fill_value = next();
        fill_left = next();
        EECR |= 1 << EERIE;
        while (fill_left || (EECR & (1 << EEPE)))
            wdt_reset();
        send('i');
        break;
    case 'a': send_word(convert(next())); break;
    case 'd':
        address = next();
        *(volatile uint8_t *)address = next();
        break;
    case 'g': send(*(volatile uint8_t *)(uint16_t)next()); break;
    case 's': PINB |= 1 << 1; break;
    case 'o': be_deaf(next()); break;
    case 'z':
        cli();
        sleep_enable();
        sleep_cpu();
        send('z');
        break;
    case 'x': __asm__ volatile(".word 0x9404"); break;
    default: send('?');
    }
}

int main(void)
{
    const uint8_t cause = MCUSR;
    MCUSR = 0;
    wdt_enable(WDTO_250MS);
    UCSR0A = 1 << U2X0;
    UBRR0 = 7;
    UCSR0B = 1 << RXEN0 | 1 << TXEN0 | 1 << RXCIE0;
    TCCR1B = 1 << CS11;
    TIMSK1 = 1 << TOIE1;
    PCMSK2 = 0xFC;
    PCICR = 1 << PCIE2;
    sei();
    send('B');
    send(cause);
    send(kept);
    kept = cause;
    for (;;) {
        const uint8_t byte = next();
        if (echoing)
            send(byte);
        else
            obey(byte);
    }
}
