/* The bytes that wait to be sent, as the core puts them in the queue. */
#include "out_ring.h"

#include "port.h"

uint8_t tx_ring[TX_SIZE];
uint32_t tx_queued;
volatile uint32_t tx_head;
volatile uint32_t tx_tail;

uint8_t port_tx_room(void)
{
    return (uint8_t)((tx_tail - tx_queued - 1U) % TX_SIZE);
}

void port_tx(uint8_t byte)
{
    tx_ring[tx_queued] = byte;
    tx_queued = (tx_queued + 1U) % TX_SIZE;
}

bool port_tx_go_at(uint32_t ticks)
{
    if ((int32_t)(port_ticks() - ticks) > 0) {
        tx_queued = tx_head;
        return false;
    }
    while ((int32_t)(port_ticks() - ticks) < 0) {
    }
    port_tx_go();
    return true;
}
