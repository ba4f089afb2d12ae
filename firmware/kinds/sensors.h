/* The self-test of the sensors. One switch feeds them all; a sensor pulls its line low while it is fed and at rest. So with
 * the feed off every line must be high: one that stays low is shorted, or lit from elsewhere. With the feed on again each must
 * be as it was: one that stays high is cut, dead or blocked.
 *
 * The feed is off until every line is high, and the test ends when every line is low again: where all is well that takes as
 * long as the sensors take to follow, some 0.2 ms; where a line does not follow, SENSORS_SETTLE_MS for each half. What the
 * lines do meanwhile is not the world's: the devices get the levels as they are afterwards, in the order in which they came:
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

/* The kind gives: a sensor's line has come to this level, 1 at rest, 0 active. */
void sensors_heard(uint8_t input, uint8_t level, uint32_t ticks);

/* At start: the feed is off, and a test of these inputs is under way (bit i: input i + 1). Their levels count from its end
 * on; what is active then counts as such. */
void sensors_begin(uint8_t inputs);

/* An edge of a tested input, as the core has it. */
void sensors_edge(uint8_t input, uint8_t level, uint32_t ticks);

/* Asks for a test: it begins when `quiet` inputs are all at rest, so that it hides the end of no pulse, or after 300 ms. */
void sensors_test(uint8_t quiet);

/* Forgets a test that was asked for and has not begun. False: one is under way. */
bool sensors_put_off(void);

/* True: a test has just ended. */
bool sensors_poll(uint32_t now);

/* A test is asked for, or under way. */
bool sensors_testing(void);

/* The first test has ended: the levels are known. */
bool sensors_known(void);

/* Of the last test, by inputs: those that stayed low without the feed; those that were high with it. The rest is proven. */
uint8_t sensors_shorted(void);
uint8_t sensors_dark(void);

/* Sends the report when it is due: after each test that found another result, and when a session opens. */
void sensors_opened(void);
void sensors_report(void);

#endif
