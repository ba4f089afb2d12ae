/* The serial line: 250,000 baud, 8N1. Both ways by interrupt, through a ring each. */
#include "avr.h"

#include "messages.h"
#include "port.h"

#define TX_SIZE 128U
#define RX_SIZE 64U
#define TX_MASK (TX_SIZE - 1U)
#define RX_MASK (RX_SIZE - 1U)
#define STAMPS 4U
#define STAMP_MASK (STAMPS - 1U)
#define BYTE_TICKS (10U * WIRE_TICK_HZ / WIRE_BAUD)

#define START_TICKS 7U  /* from the time waited for to the start bit: the loop, interrupt, prologue and the way to UDR0 */
#define END_TICKS 4U    /* from the end of a stop bit, which the chip does not wait for, to the reading of the timer */
#define CLOSE_TICKS 60U /* the last of the way to a time, which one byte of the timer can tell */

#define DIVISOR (F_CPU / 16UL / WIRE_BAUD)
_Static_assert(DIVISOR * 16UL * WIRE_BAUD == F_CPU, "the baud rate is exact");

static uint8_t tx_ring[TX_SIZE];
static uint8_t tx_queued;        /* as far as the main loop has written */
static volatile uint8_t tx_head; /* as far as the interrupt may go */
static volatile uint8_t tx_tail; /* written by the interrupt */
static volatile uint16_t tx_last; /* when the last byte was given to the transmitter, low half */
static volatile bool tx_settling;

static volatile uint8_t rx_ring[RX_SIZE];
volatile uint8_t rx_head; /* written by the interrupt */
volatile uint8_t rx_tail; /* written by the main loop */

/* When each 0x00 in the ring came, in their order. Bytes apart, so that an index needs no multiplication. */
static volatile struct {
    uint8_t low[STAMPS];
    uint8_t high[STAMPS];
    uint8_t turn[STAMPS];
} ended;
static volatile uint8_t ended_head; /* written by the interrupt */
static volatile uint8_t ended_tail; /* written by the main loop */

void uart_begin(void)
{
    UCSR0A = 0; /* no U2X, and before the divisor is written; 16 samples a bit bear more than 8 do */
    UBRR0 = (uint16_t)(DIVISOR - 1UL);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    PORTD |= _BV(PORTD0); /* RXD is not left open without a host */
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
}

/* --- out ------------------------------------------------------------------------------------------------------------ */

ISR(USART_UDRE_vect)
{
    uint8_t tail = tx_tail;
    UDR0 = tx_ring[tail];
    tail = (tail + 1U) & TX_MASK;
    tx_tail = tail;
    if (tail == tx_head) {
        UCSR0B &= (uint8_t)~_BV(UDRIE0);
        tx_last = TCNT1;
        tx_settling = true;
    }
}

uint8_t port_tx_room(void)
{
    return (uint8_t)(tx_tail - tx_queued - 1) & TX_MASK;
}

void port_tx(uint8_t byte)
{
    tx_ring[tx_queued] = byte;
    tx_queued = (tx_queued + 1U) & TX_MASK;
}

void port_tx_go(void)
{
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        tx_head = tx_queued;
        UCSR0B |= _BV(UDRIE0);
    }
}

bool port_tx_go_at(uint32_t ticks)
{
    ticks -= START_TICKS;
    if ((int32_t)(port_ticks() - ticks) > 0) {
        tx_queued = tx_head;
        return false;
    }
    while ((int32_t)(port_ticks() + CLOSE_TICKS - ticks) < 0) {
    }
    while ((int8_t)(TCNT1L - (uint8_t)ticks) < 0) { /* the low byte alone is read in one piece, interrupts or not */
    }
    port_tx_go();
    return true;
}

/* The last byte was given to the transmitter while the one before could still be on the line. */
bool port_tx_silent(void)
{
    bool silent;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        if (tx_settling && (uint16_t)(TCNT1 - tx_last) >= 2U * BYTE_TICKS)
            tx_settling = false;
        silent = !tx_settling && tx_tail == tx_queued;
    }
    return silent;
}

/* --- in ------------------------------------------------------------------------------------------------------------- */

/* A byte that finds no room is lost, and with it its frame: the CRC tells, and the host sends it again. */
ISR(USART_RX_vect)
{
    uint8_t byte = UDR0;
    uint8_t head = rx_head;
    uint8_t next = (head + 1U) & RX_MASK;
    if (next == rx_tail)
        return;
    if (byte == 0U) {
        uint8_t at = ended_head;
        uint8_t after = (at + 1U) & STAMP_MASK;
        if (after == ended_tail)
            return;
        struct stamp stamp = stamp_now();
        ended.low[at] = (uint8_t)stamp.ticks;
        ended.high[at] = (uint8_t)(stamp.ticks >> 8);
        ended.turn[at] = stamp.turn;
        ended_head = after;
    }
    rx_ring[head] = byte;
    rx_head = next;
}

bool port_rx(uint8_t *byte, uint32_t *ticks)
{
    uint8_t tail = rx_tail;
    if (tail == rx_head)
        return false;
    *byte = rx_ring[tail];
    if (*byte == 0U) {
        uint8_t at = ended_tail;
        struct stamp stamp;
        stamp.ticks = (uint16_t)(ended.low[at] | (uint16_t)((uint16_t)ended.high[at] << 8));
        stamp.turn = ended.turn[at];
        ended_tail = (at + 1U) & STAMP_MASK;
        *ticks = stamp_ticks(stamp) - END_TICKS;
    }
    rx_tail = (tail + 1U) & RX_MASK;
    return true;
}
