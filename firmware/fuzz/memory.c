/* What the board must not forget over a cut: every event that it called kept, and none that did not happen. And its number is
 * the one that it called kept last, or was asked for since. */
#include <string.h>

#include "fuzz.h"

#define NUMBERS_MOST 1024U /* more than a script of 4 KiB can ask for */

static struct {
    bool known; /* nobody else wrote into the memory */
    uint32_t kept[STORE_COUNTERS];
    uint32_t came[STORE_COUNTERS];
    uint8_t note[STORE_NOTE];
    uint16_t boots;
} before;
static uint8_t new_note[STORE_NOTE];
static bool note_waits;
static uint32_t numbers[NUMBERS_MOST]; /* the first is the board's, and the rest were asked for since */
static size_t numbers_known;
static bool known;

static void kept_number(uint32_t serial)
{
    numbers[0] = serial;
    numbers_known = 1;
}

/* Once it has a later one it never has an earlier one again. */
static void has_number(uint32_t serial)
{
    size_t i = 0;
    while (i < numbers_known && numbers[i] != serial)
        i++;
    MUST(i < numbers_known, "the board's number is %u; %u was kept, and %zu were asked for since", serial, numbers[0],
         numbers_known - 1U);
    numbers_known -= i;
    memmove(numbers, numbers + i, numbers_known * sizeof numbers[0]);
}

void memory_first(void)
{
    known = true;
    note_waits = false;
    kept_number(store_serial());
}

void memory_noted(const uint8_t *note)
{
    memcpy(new_note, note, sizeof new_note);
    note_waits = true;
}

void memory_named(uint32_t serial)
{
    MUST(numbers_known < NUMBERS_MOST, "a script that asks for too many numbers");
    numbers[numbers_known++] = serial;
}

void memory_named_kept(void)
{
    MUST(store_serial() == numbers[numbers_known - 1U], "number %u is called kept, and the board's is %u",
         numbers[numbers_known - 1U], store_serial());
    kept_number(store_serial());
}

void memory_turn_ends(void)
{
    MUST(!known || !store_failed(), "the memory is reported as failed, and has not failed");
    if (store_note_kept())
        note_waits = false;
    has_number(store_serial());
}

void memory_cut(void)
{
    before.known = known;
    store_counts(before.kept);
    for (uint8_t i = 0; i < STORE_COUNTERS; i++)
        before.came[i] = store_count(i);
    store_read_note(before.note);
    before.boots = store_boots();
}

void memory_found(bool spoilt)
{
    known = before.known && !spoilt;
    if (known) {
        uint8_t note[STORE_NOTE];
        store_read_note(note);
        MUST(!store_failed(), "a cut spoils the memory");
        for (uint8_t i = 0; i < STORE_COUNTERS; i++) {
            uint32_t now = store_count(i);
            MUST(now - before.kept[i] <= before.came[i] - before.kept[i],
                 "counter %u is %u after a cut; %u were kept, and %u came", i, now, before.kept[i], before.came[i]);
        }
        MUST(memcmp(note, before.note, sizeof note) == 0 || (note_waits && memcmp(note, new_note, sizeof note) == 0),
             "a note that nobody wrote");
        has_number(store_serial());
        MUST((uint16_t)(store_boots() - before.boots) <= 1U, "start %u after %u", store_boots(), before.boots);
    }
    note_waits = false;
    kept_number(store_serial());
}
