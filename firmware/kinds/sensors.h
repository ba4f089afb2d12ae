/* The self-test of the sensors. One switch feeds them all; a sensor pulls its line low while it is fed and at rest. So with
 * the feed off every line must be high: one that stays low is shorted, or lit from elsewhere. With the feed on again each must
 * be as it was: one that stays high is cut, dead or blocked.
 *
 * The feed is off until every line is high, and the test ends when every line is low again: where all is well that takes as
 * long as the sensors take to follow, some 0.2 ms; where a line does not follow, SENSORS_SETTLE_MS for each half. What the
 * lines do meanwhile is not the world's: sensors_hide tells that of each edge, and the kind gives its devices the levels as
 * they are afterwards, in the order of sensors_changed:
 *
 *     feed    ‾‾‾\_____/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾
 *     line a  ___/‾‾‾‾‾‾\__________/‾‾‾‾‾   at rest; became active after it had followed: that edge's own time
 *     line b  ___/‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾   active since some time of the feed's pause: when the test began, no later than it was
 *     test       |      ...          |
 */
#ifndef FELTWIRE_SENSORS_H
#define FELTWIRE_SENSORS_H

#include <stdbool.h>
#include <stdint.h>

#define SENSORS_WAIT_MS 300U /* for pulses to end before a test: longer than most (ours) */
#define SENSORS_SETTLE_MS 2U /* from the feed's switching until the lines must follow (ours) */
#define SENSORS_INPUTS 8U

/* The kind gives: the switch. */
void sensors_feed(bool on);

/* At start: the feed is off, and a test of these inputs is under way (bit i: input i + 1). */
void sensors_begin(uint8_t inputs);

/* Asks for a test: it begins when `quiet` inputs are all at rest, so that it hides the end of no pulse, or after 300 ms. */
void sensors_test(uint8_t quiet);
bool sensors_testing(void);

/* True: a test has just ended. */
bool sensors_poll(uint32_t now);

/* Whether an edge of that input (from 1) and time is of a test. Ask for each. */
bool sensors_hide(uint8_t input, uint32_t ticks);

/* When that input came to the level that it has at the end of a test which hid it. */
uint32_t sensors_changed(uint8_t input);

/* Of the last test, by inputs: those that stayed low without the feed; those that were high with it. The rest is proven. */
uint8_t sensors_shorted(void);
uint8_t sensors_dark(void);

/* Sends the report when it is due: after each test that found another result, and when a session opens. */
void sensors_opened(void);
void sensors_report(void);

#endif
