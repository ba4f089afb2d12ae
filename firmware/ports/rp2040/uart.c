/* The serial line: UART0 on GP0 (out) and GP1 (in), 1,000,000 baud, 8N1. Without the queues of the chip: each byte that comes
 * makes an interrupt, which dates it. */
#include "pico.h"

#include "messages.h"
#include "out_ring.h"
#include "port.h"

#define DATA REG(UART0 + 0x00U)
#define FLAGS REG(UART0 + 0x18U)
#define DIVISOR REG(UART0 + 0x24U)
#define DIVISOR_64THS REG(UART0 + 0x28U)
#define FORMAT REG(UART0 + 0x2CU)
#define CONTROL REG(UART0 + 0x30U)
#define INTERRUPTS REG(UART0 + 0x38U)
#define PENDING REG(UART0 + 0x40U)
#define FLAG_BUSY (1U << 3)
#define FLAG_NOTHING_CAME (1U << 4)
#define FLAG_FULL (1U << 5)
#define CAME (1U << 4)
#define HAS_ROOM (1U << 5)
#define EIGHT_BITS (3U << 5)
#define ON (1U << 0)
#define SENDS (1U << 8)
#define RECEIVES (1U << 9)

#define BAUD 1000000U /* hal/board/chips.py has it too */
#define SIXTEENTH_64THS (SYSTEM_HZ * 4U / BAUD)
_Static_assert(SIXTEENTH_64THS * BAUD == SYSTEM_HZ * 4U, "the baud rate is exact");

#define RX_SIZE 256U
#define STAMPS 16U

static uint8_t rx_ring[RX_SIZE];
volatile uint32_t rx_head;
volatile uint32_t rx_tail;

/* When each 0x00 in the ring came, in their order. */
static uint32_t ended[STAMPS];
static volatile uint32_t ended_head;
static volatile uint32_t ended_tail;

void line_begin(void)
{
    pin_begin(0, FUNCTION_UART, PAD_PLAIN);
    pin_begin(1, FUNCTION_UART, PAD_PLAIN | PAD_PULL_UP); /* not left open without a host */
    DIVISOR = SIXTEENTH_64THS / 64U;
    DIVISOR_64THS = SIXTEENTH_64THS % 64U;
    FORMAT = EIGHT_BITS;
    CONTROL = ON | SENDS | RECEIVES;
    INTERRUPTS = CAME;
    interrupt_begin(IRQ_LINE, SECOND);
}

/* --- out ------------------------------------------------------------------------------------------------------------ */

/* With the interrupt off. It comes when a byte that waited begins to be sent; so it is wanted where one waits behind that. */
static void send(void)
{
    uint32_t tail = tx_tail;
    while (tail != tx_head && (FLAGS & FLAG_FULL) == 0U) {
        DATA = tx_ring[tail];
        tail = (tail + 1U) % TX_SIZE;
    }
    tx_tail = tail;
    INTERRUPTS = tail != tx_head ? CAME | HAS_ROOM : CAME;
}

void port_tx_go(void)
{
    PORT_ATOMIC
    {
        tx_head = tx_queued;
        send();
    }
}

bool port_tx_silent(void)
{
    return tx_tail == tx_queued && (FLAGS & FLAG_BUSY) == 0U;
}

/* --- in ------------------------------------------------------------------------------------------------------------- */

/* A byte that finds no room is lost, and with it its frame: the CRC tells, and the host sends it again. */
static void take(uint8_t byte, uint32_t ticks)
{
    uint32_t next = (rx_head + 1U) % RX_SIZE;
    if (next == rx_tail)
        return;
    if (byte == 0U) {
        uint32_t after = (ended_head + 1U) % STAMPS;
        if (after == ended_tail)
            return;
        ended[ended_head] = ticks;
        ended_head = after;
    }
    rx_ring[rx_head] = byte;
    rx_head = next;
}

void on_line(void)
{
    uint32_t ticks = now_ticks();
    while ((FLAGS & FLAG_NOTHING_CAME) == 0U)
        take((uint8_t)DATA, ticks);
    if ((PENDING & HAS_ROOM) != 0U)
        send();
}

bool port_rx(uint8_t *byte, uint32_t *ticks)
{
    uint32_t tail = rx_tail;
    if (tail == rx_head)
        return false;
    *byte = rx_ring[tail];
    if (*byte == 0U) {
        *ticks = ended[ended_tail];
        ended_tail = (ended_tail + 1U) % STAMPS;
    }
    rx_tail = (tail + 1U) % RX_SIZE;
    return true;
}
