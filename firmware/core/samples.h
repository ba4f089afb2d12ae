/* Analogue channels, sampled in turn at regular intervals, without waiting for the converter. */
#ifndef FELTWIRE_SAMPLES_H
#define FELTWIRE_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

/* Begins to sample these channels (bit i: channel i + 1); a period of 0 or no channel stops it. False if the board has
 * not such channels; then nothing changed. */
bool samples_begin(uint8_t channels, uint16_t period_ms);

/* Goes on. */
void samples_poll(uint32_t now);

/* For how many ticks there is nothing to do, if the converter does not wake the board. */
uint16_t samples_wait(uint32_t now);

/* Whether a sample waits to be sent. The next replaces it; its number then shows that one is missing. */
bool samples_due(void);

/* Builds the report (see frame_out). */
void samples_report(uint8_t number);

#endif
