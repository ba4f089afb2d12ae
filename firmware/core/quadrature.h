/* Counts a quadrature with its index: positive when A leads B, four counts a slot. */
#ifndef FELTWIRE_QUADRATURE_H
#define FELTWIRE_QUADRATURE_H

#include <stdbool.h>
#include <stdint.h>

void quadrature_begin(void);

/* Begins to count from 0 on these inputs (from 1; index 0 for none), or with all 0 stops. False if they cannot be: an input
 * that the board has not, or one for two. Then nothing changed. Call edges_listen after it. */
bool quadrature_count(uint8_t a, uint8_t b, uint8_t index);

/* The inputs that it needs: bit i is input i + 1. */
uint8_t quadrature_inputs(void);

/* The levels of all inputs, from which the next changes are counted: nothing is counted now. */
void quadrature_levels(uint8_t levels);

/* The levels of all inputs after a change of one of its. */
void quadrature_take(uint8_t levels);

/* Edges of some inputs were missed: reported as an impossible transition, for the count may be wrong from here on. */
void quadrature_missed(void);

/* Whether a report is due: every 100 ms while it turns, once at rest, and then every second, should that one be lost. */
bool quadrature_due(uint32_t now);

/* For how many ticks it is not, if nothing turns. */
uint16_t quadrature_wait(uint32_t now);

/* Builds the report (see frame_out). */
void quadrature_report(uint8_t number, uint32_t now);

#endif
