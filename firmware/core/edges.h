/* The edges of the inputs: found in snapshots, given to whoever wants them. */
#ifndef FELTWIRE_EDGES_H
#define FELTWIRE_EDGES_H

#include <stdbool.h>
#include <stdint.h>

void edges_begin(void);

/* The host watches these inputs from now on; the levels found are the first edges, from number 0. 0 ends it. */
void edges_watch(uint8_t inputs, uint8_t pull_ups);

/* What the host watches: bit i is input i + 1. */
uint8_t edges_watched(void);

/* Listens to what the host watches, the kind receives and the quadrature counts: after quadrature_count. */
void edges_listen(void);

/* Takes the snapshots that wait. False if it left some for the next turn of the main loop. */
bool edges_take(void);

/* The levels of all inputs as far as they were taken. */
uint8_t edges_levels(void);

#endif
