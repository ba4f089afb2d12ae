/* The level of one input, by its number in messages.h. */
#ifndef FELTWIRE_LEVELS_H
#define FELTWIRE_LEVELS_H

#include "board.h"

#define INPUT_BIT(input) ((uint8_t)(1U << ((input) - 1U)))

static inline uint8_t level_of(uint8_t input)
{
    return (board_levels() & INPUT_BIT(input)) != 0U ? 1U : 0U;
}

#endif
