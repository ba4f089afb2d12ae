/* The current of a motor, as the voltage over a shunt, and for how long it has been above its limit.
 *
 * The motors of a board take turns at the converter: one conversion at a time. Only for kinds without analogue channels,
 * for those have it for their samples. */
#ifndef FELTWIRE_OVERLOAD_H
#define FELTWIRE_OVERLOAD_H

#include <stdbool.h>
#include <stdint.h>

#define OVERLOAD_SAMPLE_MS 2U /* between two readings of one motor at least (ours) */

struct overload {
    uint16_t limit; /* what the reading may reach while the motor is fully on, of 1023; 0: it is not looked at */
    uint16_t read_ms;
    uint16_t since_ms; /* while it is over */
    bool over;
};

/* After a reset: nothing is looked at. */
void overload_begin(struct overload *overload);

/* Reads the shunt at a pin. `duty`: what the motor is driven with, 0 to 255; the shunt has current only while the transistor
 * conducts, so the limit is scaled by it. True: the current has been above its limit in each reading for `most_ms`. */
bool overload_poll(struct overload *overload, uint8_t pin, uint8_t duty, uint16_t most_ms);

#endif
