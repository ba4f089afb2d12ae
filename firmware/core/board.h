/* The board: the core's parts put together, and what a kind may ask of them. */
#ifndef FELTWIRE_BOARD_H
#define FELTWIRE_BOARD_H

#include <stdbool.h>
#include <stdint.h>

/* --- for a port ---------------------------------------------------------------------------------------------------- */

/* Once, after reset. */
void board_begin(void);

/* One turn of the main loop. Returns for how many ticks there is nothing to do; 0: call it again at once. */
uint16_t board_poll(void);

/* --- for a kind ---------------------------------------------------------------------------------------------------- */

/* Milliseconds since the board began, for what is longer than ticks can count (17 minutes). Begins again after 49 days. */
uint32_t board_ms(void);

/* Ticks since that millisecond began: 0 to 1999. */
uint16_t board_ms_ticks(void);

/* The time of this turn of the main loop: what kind_poll was given. */
uint32_t board_now(void);

/* The levels of all inputs as the edges have reported them so far: bit i is input i + 1. */
uint8_t board_levels(void);

/* Whether a host has a session open. Without one nothing may move, and reports are not sent. */
bool board_session_open(void);

/* Reports an edge of a line that no pin has (a key): `line` from 9 to 24, as in messages.h. It gets a number, and is kept
 * and sent as other edges are, dated with board_now(). While the host does not watch, only its level is noted: the report
 * `state` reports it. Report every change, and none twice. */
void board_virtual_edge(uint8_t line, uint8_t level);

/* Begins a report with this many bytes of fields. Returns where to write them, or null: no session, or no room now; try
 * again at a later kind_poll. What was begun must be sent, by board_send, before anything else is done:
 *
 *     uint8_t *fields = board_report(REPORT_MOTOR, REPORT_MOTOR_SIZE);
 *     if (fields) {
 *         report_motor_write(fields, &motor);
 *         board_send();
 *     }
 */
uint8_t *board_report(uint8_t id, uint8_t size);
void board_send(void);

#endif
