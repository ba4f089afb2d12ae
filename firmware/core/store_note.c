#include "store_note.h"

static uint8_t kept[STORE_NOTE];
static uint8_t new[STORE_NOTE];
static bool waits;
static uint8_t records; /* used */
static uint8_t step;    /* bytes of the next record that are written */

static void copy(uint8_t to[STORE_NOTE], const uint8_t from[STORE_NOTE])
{
    for (uint8_t at = 0; at < STORE_NOTE; at++)
        to[at] = from[at];
}

void note_forget(void)
{
    uint8_t none[STORE_NOTE] = {0};
    note_begin(none, 0);
}

void note_begin(const uint8_t note[STORE_NOTE], uint8_t used)
{
    copy(kept, note);
    waits = false;
    records = used;
    step = 0;
}

void note_take(const uint8_t note[STORE_NOTE])
{
    copy(new, note);
    waits = true;
    step = 0;
}

bool note_waits(void)
{
    return waits;
}

const uint8_t *note_kept(void)
{
    return kept;
}

const uint8_t *note_new(void)
{
    return new;
}

bool note_has_room(void)
{
    return records < BANK_NOTES_ROOM;
}

struct store_byte note_byte(uint8_t bank, uint8_t mark)
{
    uint8_t byte = step < STORE_NOTE ? new[step] : step == NOTE_CHECK ? note_check(new) : mark;
    return (struct store_byte){bank_at(bank, (uint16_t)(BANK_NOTES + records * NOTE_SIZE + step)), byte};
}

void note_byte_kept(void)
{
    if (++step < NOTE_SIZE)
        return;
    records++;
    copy(kept, new);
    waits = false;
}

void note_retire(void)
{
    records++;
    step = 0;
}

void note_moved(bool with_new)
{
    records = 0;
    step = 0;
    if (!with_new)
        return;
    copy(kept, new);
    waits = false;
}
