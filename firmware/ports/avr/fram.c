/* A FRAM on the two-wire bus, by the chip's own unit at 400 kHz: C4 is its data, C5 its clock.
 *
 * Each function waits for the bus, 120 µs for a byte that is read or written. The unit may hang for ever where the bus is
 * disturbed, so each step has its time; after it the bus is freed and the byte tried again. */
#include "avr.h"

#include <util/twi.h>

#include "port.h"

#define FRAM_WRITE 0xA0U /* address 0x50 */
#define FRAM_READ 0xA1U
#define BUS_HZ 400000UL
#define BUS_DATA _BV(PORTC4)
#define BUS_CLOCK _BV(PORTC5)
#define TRIES 3U
#define STEP_LOOPS 200U /* some 100 µs: four times what a byte takes */
#define FREEING_CLOCKS 9U

#define NOWHERE 0xFFFFU

static uint16_t follows; /* the address that the FRAM has reached: the next byte is read without saying it, in half the time */

#define DIVISOR ((F_CPU / BUS_HZ - 16UL) / 2UL)

static bool finished(uint8_t control, uint8_t status)
{
    TWCR = control | _BV(TWINT) | _BV(TWEN);
    for (uint8_t left = STEP_LOOPS; left != 0U; left--) {
        if ((TWCR & _BV(TWINT)) != 0U)
            return (TWSR & TW_STATUS_MASK) == status;
    }
    return false;
}

static bool send(uint8_t byte, uint8_t status)
{
    TWDR = byte;
    return finished(0, status);
}

static void stop(void)
{
    TWCR = _BV(TWINT) | _BV(TWSTO) | _BV(TWEN);
    for (uint8_t left = STEP_LOOPS; left != 0U && (TWCR & _BV(TWSTO)) != 0U; left--) {
    }
}

/* About 3 µs. */
static void half_clock(void)
{
    for (uint8_t left = 12; left != 0U; left--)
        __asm__ volatile("nop");
}

/* A chip that was cut off in the middle of a byte may hold the data line low until it is clocked to the byte's end. */
static void free_bus(void)
{
    follows = NOWHERE;
    TWCR = 0;
    PORTC &= (uint8_t)~(BUS_DATA | BUS_CLOCK);
    for (uint8_t left = FREEING_CLOCKS; left != 0U && (PINC & BUS_DATA) == 0U; left--) {
        DDRC |= BUS_CLOCK;
        half_clock();
        DDRC &= (uint8_t)~BUS_CLOCK;
        half_clock();
    }
    DDRC |= BUS_DATA; /* a stop: data rises while the clock is high */
    half_clock();
    DDRC &= (uint8_t)~BUS_DATA;
    half_clock();
}

static bool select_byte(uint16_t at)
{
    return finished(_BV(TWSTA), TW_START) && send(FRAM_WRITE, TW_MT_SLA_ACK) && send((uint8_t)(at >> 8), TW_MT_DATA_ACK) &&
           send((uint8_t)at, TW_MT_DATA_ACK);
}

static bool read_byte(uint16_t at, uint8_t *byte)
{
    bool started = at == follows ? finished(_BV(TWSTA), TW_START) : select_byte(at) && finished(_BV(TWSTA), TW_REP_START);
    if (!started || !send(FRAM_READ, TW_MR_SLA_ACK) || !finished(0, TW_MR_DATA_NACK))
        return false;
    *byte = TWDR;
    follows = (uint16_t)(at + 1U);
    return true;
}

void port_fram_begin(void)
{
    TWBR = (uint8_t)DIVISOR;
    TWSR = 0;
    free_bus();
}

bool port_fram_read(uint16_t at, uint8_t *byte)
{
    for (uint8_t left = TRIES; left != 0U; left--) {
        bool done = read_byte(at, byte);
        stop();
        if (done)
            return true;
        free_bus();
    }
    return false;
}

bool port_fram_write(uint16_t at, uint8_t byte)
{
    for (uint8_t left = TRIES; left != 0U; left--) {
        bool done = select_byte(at) && send(byte, TW_MT_DATA_ACK);
        follows = NOWHERE;
        stop();
        if (done)
            return true;
        free_bus();
    }
    return false;
}
