/* What the board must not forget over a cut: every event that it called kept, and none that did not happen. */
#include <string.h>

#include "fuzz.h"

static struct {
    bool known; /* nobody else wrote into the memory */
    uint32_t kept[STORE_COUNTERS];
    uint32_t came[STORE_COUNTERS];
    uint8_t note[STORE_NOTE];
    uint32_t serial;
    uint16_t boots;
} before;
static uint8_t new_note[STORE_NOTE];
static bool note_waits;
static uint32_t new_serial;
static bool serial_waits;
static bool known;

static void forget_asked(void)
{
    note_waits = false;
    serial_waits = false;
}

void memory_first(void)
{
    known = true;
    forget_asked();
}

void memory_noted(const uint8_t *note)
{
    memcpy(new_note, note, sizeof new_note);
    note_waits = true;
}

void memory_named(uint32_t serial)
{
    new_serial = serial;
    serial_waits = true;
}

void memory_turn_ends(void)
{
    MUST(!known || !store_failed(), "the memory is said to have failed, and has not");
    if (store_note_kept())
        note_waits = false;
    if (serial_waits && store_serial() == new_serial)
        serial_waits = false;
}

void memory_cut(void)
{
    before.known = known;
    store_counts(before.kept);
    for (uint8_t i = 0; i < STORE_COUNTERS; i++)
        before.came[i] = store_count(i);
    store_read_note(before.note);
    before.serial = store_serial();
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
        MUST(store_serial() == before.serial || (serial_waits && store_serial() == new_serial),
             "number %u, and it was %u", store_serial(), before.serial);
        MUST((uint16_t)(store_boots() - before.boots) <= 1U, "start %u after %u", store_boots(), before.boots);
    }
    forget_asked();
}
