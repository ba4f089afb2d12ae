/* A FRAM with two bytes of address, which are those from 8 KB on, on a two-wire bus: GP20 is its data, GP21 its clock, at some 400 kHz.
 *
 * The pins are moved by the program: no unit of the chip can hang, and an interrupt only makes a clock longer, which the bus
 * allows. Each function waits for the bus, 120 µs for a byte that is read or written. */
#include "pico.h"

#include "port.h"

#define BUS_DATA (1U << 20)
#define BUS_CLOCK (1U << 21)
#define PAD_BUS (PAD_PLAIN | PAD_PULL_UP)
#define FRAM_WRITE 0xA0U /* address 0x50 */
#define FRAM_READ 0xA1U
#define TRIES 3U
#define FREEING_CLOCKS 9U
#define NOWHERE 0x10000U

static uint32_t follows = NOWHERE; /* the address that the FRAM has reached: the next byte is read without saying it */

/* A quarter of a clock: 0.6 µs. */
static void quarter(void)
{
    cycles_pass(SYSTEM_HZ / 1600000U);
}

/* A line is let go, and the resistor pulls it up; or it is pulled low. */
static void line(uint32_t pin, bool high)
{
    if (high)
        SIO_INPUT = pin;
    else
        SIO_OUTPUT = pin;
    quarter();
}

static bool is_high(uint32_t pin)
{
    return (SIO_IN & pin) != 0U;
}

static void start(void)
{
    line(BUS_DATA, true);
    line(BUS_CLOCK, true);
    line(BUS_DATA, false);
    line(BUS_CLOCK, false);
}

static void stop(void)
{
    line(BUS_DATA, false);
    line(BUS_CLOCK, true);
    line(BUS_DATA, true);
}

static bool clock_bit(bool high)
{
    line(BUS_DATA, high);
    line(BUS_CLOCK, true);
    quarter();
    bool found = is_high(BUS_DATA);
    line(BUS_CLOCK, false);
    return found;
}

/* True: it was acknowledged. */
static bool send(uint8_t byte)
{
    for (uint32_t bit = 0x80U; bit != 0U; bit >>= 1) {
        bool high = (byte & bit) != 0U;
        if (clock_bit(high) != high)
            return false; /* somebody else holds the line */
    }
    return !clock_bit(true);
}

static uint8_t receive(bool last)
{
    uint32_t byte = 0;
    for (uint32_t bit = 0; bit < 8U; bit++)
        byte = byte << 1 | (clock_bit(true) ? 1U : 0U);
    (void)clock_bit(last);
    return (uint8_t)byte;
}

/* A chip that was cut off in the middle of a byte may hold the data line low until it is clocked to the byte's end. */
static void free_bus(void)
{
    follows = NOWHERE;
    line(BUS_DATA, true);
    for (uint32_t left = FREEING_CLOCKS; left != 0U && !is_high(BUS_DATA); left--) {
        line(BUS_CLOCK, false);
        quarter();
        line(BUS_CLOCK, true);
        quarter();
    }
    line(BUS_CLOCK, false);
    stop();
}

static bool select_byte(uint16_t at)
{
    start();
    return send(FRAM_WRITE) && send((uint8_t)(at >> 8)) && send((uint8_t)at);
}

static bool read_bytes(uint16_t at, uint8_t *to, uint32_t count)
{
    if (at != follows && !select_byte(at))
        return false;
    start();
    if (!send(FRAM_READ))
        return false;
    for (uint32_t left = count; left != 0U; left--)
        *to++ = receive(left == 1U);
    follows = at + count;
    return true;
}

void port_fram_begin(void)
{
    SIO_LOW = BUS_DATA | BUS_CLOCK;
    pin_begin(20, FUNCTION_SIO, PAD_BUS);
    pin_begin(21, FUNCTION_SIO, PAD_BUS);
    free_bus();
}

bool fram_read(uint16_t at, uint8_t *to, uint32_t count)
{
    for (uint32_t left = TRIES; left != 0U; left--) {
        bool done = read_bytes(at, to, count);
        stop();
        if (done)
            return true;
        free_bus();
    }
    return false;
}

bool port_fram_read(uint16_t at, uint8_t *byte)
{
    return fram_read(at, byte, 1);
}

bool port_fram_write(uint16_t at, uint8_t byte)
{
    for (uint32_t left = TRIES; left != 0U; left--) {
        bool done = select_byte(at) && send(byte);
        follows = NOWHERE;
        stop();
        if (done)
            return true;
        free_bus();
    }
    return false;
}
