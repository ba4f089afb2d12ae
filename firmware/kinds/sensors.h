/* The self-test of the sensors. One switch feeds them all; a sensor pulls its line low while it is fed and at rest. So with
 * the feed off every line must be high: one that stays low is shorted, or lit from elsewhere. With the feed on again each must
 * be as it was: one that stays high is cut, dead or blocked.
 *
 * A test lasts 4 ms. What the lines do meanwhile is not the world's: sensors_hide says so of each edge, and the kind tells its
 * devices the levels as they are afterwards. */
#ifndef FELTWIRE_SENSORS_H
#define FELTWIRE_SENSORS_H

#include <stdbool.h>
#include <stdint.h>

#define SENSORS_WAIT_MS 300U /* for pulses to end before a test: longer than most (ours) */
#define SENSORS_SETTLE_MS 2U /* from the feed's switching until the lines must follow (ours) */

/* The kind gives: the switch. */
void sensors_feed(bool on);

/* At start: the feed is off, and a test of these inputs is under way (bit i: input i + 1). */
void sensors_begin(uint8_t inputs);

/* Asks for a test: it begins when `quiet` inputs are all at rest, so that it hides the end of no pulse, or after 300 ms. */
void sensors_test(uint8_t quiet);
bool sensors_testing(void);

/* True: a test has just ended. */
bool sensors_poll(uint32_t now);

/* Whether an edge of that time is of a test. */
bool sensors_hide(uint32_t ticks);

/* When the last test began: what has become active while it hid it is dated so, no later than it was. */
uint32_t sensors_began(void);

/* Of the last test, by inputs: those that stayed low without the feed; those that were high with it. The rest is proven. */
uint8_t sensors_shorted(void);
uint8_t sensors_dark(void);

/* Sends the report when it is due: after each test that found another result, and when a session opens. */
void sensors_opened(void);
void sensors_report(void);

#endif
