/* The bytes that wait to be sent. What sends them is in uart.c, or usb.c. */
#ifndef FELTWIRE_RP2040_OUT_RING_H
#define FELTWIRE_RP2040_OUT_RING_H

#include <stdint.h>

#define TX_SIZE 256U

extern uint8_t tx_ring[TX_SIZE];
extern uint32_t tx_queued;        /* as far as the main loop has written */
extern volatile uint32_t tx_head; /* as far as may be sent */
extern volatile uint32_t tx_tail; /* as far as it is sent, or the host has taken it */

#endif
