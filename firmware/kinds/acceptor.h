/* The token acceptor of this board: the command `accept`, and the counter of its tokens. */
#ifndef FELTWIRE_ACCEPTOR_H
#define FELTWIRE_ACCEPTOR_H

#include <stdbool.h>
#include <stdint.h>

/* The output that lets it take tokens, the store's counter of them, and the level of its line. */
void acceptor_begin(uint8_t its_output, uint8_t its_counter, uint8_t level);

/* The command `accept`: 0 or a REFUSED_ code. `may`: the interlocks of the board, as such a code. */
uint8_t acceptor_command(const uint8_t *fields, uint8_t may);

/* The command `acceptor`: 0 or a REFUSED_ code. And a session is open: as without that command. */
uint8_t acceptor_configure(const uint8_t *fields);
void acceptor_opened(void);

/* No more tokens from now on. */
void acceptor_inhibit(void);

void acceptor_edge(uint8_t level, uint32_t ticks);
void acceptor_poll(uint32_t now);

/* Whether its line stays active. */
bool acceptor_fault(void);

#endif
