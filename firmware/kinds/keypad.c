#include "keypad.h"

#include "port.h"

#define BOUNCE_TICKS TICKS_OF_MS(KEYPAD_BOUNCE_MS)

void keypad_begin(struct keypad *keypad)
{
    *keypad = (struct keypad){.pressed = 0};
}

static bool two_or_more(uint8_t bits)
{
    return (bits & (uint8_t)(bits - 1U)) != 0U;
}

/* Whether two columns have two rows in common. */
static bool ambiguous(const uint8_t seen[KEYPAD_COLUMNS])
{
    return two_or_more(seen[0] & seen[1]) || two_or_more(seen[0] & seen[2]) || two_or_more(seen[1] & seen[2]);
}

static uint16_t keys(const uint8_t seen[KEYPAD_COLUMNS])
{
    uint16_t keys = 0;
    uint16_t key = 1;
    for (uint8_t row = 0; row < KEYPAD_ROWS; row++) {
        for (uint8_t column = 0; column < KEYPAD_COLUMNS; column++) {
            if ((seen[column] & (uint8_t)(1U << row)) != 0U)
                keys |= key;
            key = (uint16_t)(key << 1);
        }
    }
    return keys;
}

bool keypad_column(struct keypad *keypad, uint8_t column, uint8_t low_rows, uint32_t now)
{
    keypad->seen[column] = low_rows;
    if (column != KEYPAD_COLUMNS - 1U)
        return false;
    keypad->ambiguous = ambiguous(keypad->seen);
    uint16_t found = keypad->ambiguous ? keypad->pressed : keys(keypad->seen);
    if (found != keypad->candidate) {
        keypad->candidate = found;
        keypad->since = now;
    }
    if (found == keypad->pressed || (int32_t)(now - keypad->since) < (int32_t)BOUNCE_TICKS)
        return false;
    keypad->pressed = found;
    return true;
}
