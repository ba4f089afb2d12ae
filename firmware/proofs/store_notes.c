/* A note whose writing a power cut ends is the new one or the one before, whole, and the memory is not taken for spoiled: for any
 * memory, any notes, a cut at any of its bytes, and any value that the cut leaves in that byte.
 *
 * Assumed: the memory was not spoiled before, and the bank has a record left (store.c asks note_has_room). */
#include "proof.h"

#include "memory.h"
#include "store_bank.c"
#define copy copy_note
#include "store_note.c"
#undef copy

static void looks_at(uint16_t at)
{
    (void)at;
}

static void read_notes(uint8_t bank, uint8_t mark, struct bank_use *use)
{
    use->notes = 0;
    use->spoiled = false;
    for (uint8_t record = 0; record < BANK_NOTES_ROOM; record++)
        read_note(bank, record, mark, use);
}

int main(void)
{
    uint8_t bank = 1;
    uint8_t mark = bank_mark(nondet_u32());
    struct bank_use before, after;
    uint8_t base[STORE_NOTE], note[STORE_NOTE];
    copy(before.note, base, STORE_NOTE);
    copy(after.note, base, STORE_NOTE);
    read_notes(bank, mark, &before);
    ASSUME(!before.spoiled);
    note_begin(before.note, before.notes);
    ASSUME(note_has_room());
    note_take(note);
    uint8_t cut = nondet_u8(); /* the byte that is torn; NOTE_SIZE: none */
    ASSUME(cut <= NOTE_SIZE);
    for (uint8_t at = 0; at < NOTE_SIZE; at++) {
        struct store_byte byte = note_byte(bank, mark);
        CLAIM(byte.at >= bank_at(bank, BANK_NOTES) && byte.at < bank_at(bank, BANK_BOOTS), "a note's byte is among the notes");
        if (at < cut)
            memory[byte.at] = byte.byte;
        else if (at == cut)
            memory[byte.at] = nondet_u8();
        note_byte_kept();
    }
    CLAIM(!note_waits(), "a note is kept when its mark is");
    read_notes(bank, mark, &after);
    CLAIM(!after.spoiled, "no cut spoils a note");
    bool is_new = true, is_old = true;
    for (uint8_t at = 0; at < STORE_NOTE; at++) {
        is_new = is_new && after.note[at] == note[at];
        is_old = is_old && after.note[at] == before.note[at];
    }
    CLAIM(is_new || is_old, "it is the new note or the one before");
    CLAIM(cut != NOTE_SIZE || is_new, "without a cut it is the new one");
    CLAIM(after.notes == before.notes || is_new, "a record counts only with its note");
    return 0;
}
