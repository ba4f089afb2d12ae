/* The lamps of this board: the command `lamps`, and the report of what was read back. */
#ifndef FELTWIRE_LAMPS_H
#define FELTWIRE_LAMPS_H

#include "lamp_chain.h"

void lamps_begin(uint8_t count, uint8_t control);

/* The command `lamps`: 0 or a REFUSED_ code. */
uint8_t lamps_command(const uint8_t *fields);

/* All dark. */
void lamps_safe(void);

/* The control outputs behind the lamps, at once; what they are on. */
void lamps_control(uint8_t levels);
uint8_t lamps_controlled(void);

/* What was read back last of the control outputs is not what they were put on. */
bool lamps_control_fails(void);

void lamps_poll(uint32_t now);

#endif
