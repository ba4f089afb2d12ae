/* One byte of the non-volatile memory, written and read back. */
#ifndef FELTWIRE_STORE_BYTE_H
#define FELTWIRE_STORE_BYTE_H

#include <stdint.h>

#define BYTE_TRIES 3U /* of writing it (ours) */

enum byte_state { BYTE_AGAIN, BYTE_KEPT, BYTE_FAILED };

/* Begins to write it. Nothing may be under way. */
void byte_begin(uint16_t at, uint8_t byte);

/* Once the memory is ready: whether what was begun is there. Where it is not it is written again (BYTE_AGAIN), or the memory
 * has failed. */
enum byte_state byte_look(void);

#endif
