/* How the non-volatile memory is laid out: two banks, of which the newer one that is whole counts.
 *
 *     offset   bytes
 *          0   1        unused: in the first bank it is address 0, which a falling supply spoils most often; in the second bank
 *                       of an EEPROM it is the mark of a board that has a FRAM (cells.c)
 *          1   37       base: what was kept when the bank was begun, and a CRC
 *         38   1        commit: BANK_COMMITTED, written after all the rest; without it there is no bank
 *         39   13 x 8   notes: the note, a check byte, a mark
 *        143   25       log of boots
 *        168   4 x 86   a log for each counter
 *
 * Where a cell of the base or the commit does not keep what is written, a bank of an EEPROM has these in a spare place at its
 * end, and the last log has that many slots less; a power cut in one byte leaves no such bank, for its commit is two bytes:
 *
 *        473   37       base
 *        510   2        commit: BANK_COMMITTED_FIRST, BANK_COMMITTED
 *
 * A log has one slot for each event: the event is kept when its slot holds the bank's mark. So an event is one byte, and
 * that byte can mean nothing but this one event: whatever a power cut leaves in it is "came" or "did not come", never
 * another event. Each bank's mark is another than that of the 127 banks before it, so old marks mean nothing.
 */
#ifndef FELTWIRE_STORE_BANK_H
#define FELTWIRE_STORE_BANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "port.h"
#include "store.h"

#define BANKS 2U
#define BANK_SIZE 512U
#define BANK_NOWHERE BANKS
#define BANK_COMMITTED 0xA5U       /* neither is ever a mark, or what an erased byte is */
#define BANK_COMMITTED_FIRST 0xC3U
#define BANK_LOGS (STORE_COUNTERS + 1U)
#define BANK_LOG_OF_BOOTS STORE_COUNTERS /* the log behind those of the counters */

/* Bytes of a base. */
#define BASE_SEQUENCE 0U
#define BASE_KIND 4U
#define BASE_COUNT(log) (5U + 4U * (size_t)(log))
#define BASE_SERIAL 25U
#define BASE_NOTE 29U
#define BASE_CRC (BASE_NOTE + STORE_NOTE)
#define BASE_SIZE (BASE_CRC + 2U)

/* Bytes of a note's record: the note, and then */
#define NOTE_CHECK STORE_NOTE
#define NOTE_MARK (NOTE_CHECK + 1U)
#define NOTE_SIZE (NOTE_MARK + 1U)

/* Offsets in a bank. */
#define BANK_BASE 1U
#define BANK_COMMIT (BANK_BASE + BASE_SIZE)
#define BANK_NOTES (BANK_COMMIT + 1U)
#define BANK_NOTES_ROOM 13U
#define BANK_BOOTS (BANK_NOTES + BANK_NOTES_ROOM * NOTE_SIZE)
#define BANK_BOOTS_ROOM 25U
#define BANK_COUNTERS (BANK_BOOTS + BANK_BOOTS_ROOM)
#define BANK_COUNTER_ROOM 86U
#define BANK_SPARE_COMMIT (BANK_SIZE - 2U)
#define BANK_SPARE_BASE (BANK_SPARE_COMMIT - BASE_SIZE)

/* A byte to be written. */
struct store_byte {
    uint16_t at;
    uint8_t byte;
};

/* What a bank holds besides its base. */
struct bank_use {
    uint32_t counts[BANK_LOGS]; /* those of its base, and the marks in its logs */
    uint8_t slots[BANK_LOGS];   /* of its logs, up to behind the last mark */
    uint8_t note[STORE_NOTE];   /* the last one */
    uint8_t notes;              /* records, up to behind the last mark */
    bool spoiled;               /* a note has its mark, and is not as it was written */
};

uint16_t bank_at(uint8_t bank, uint16_t offset);

/* Whether a bank has its base in the spare place, of those that bank_find finds. */
bool bank_is_spare(uint8_t bank);
void bank_make_spare(uint8_t bank, bool spare);

/* Offsets of a bank's base, and of the end of what follows it and is not a spare base. */
uint16_t bank_base(uint8_t bank);
uint16_t bank_end(uint8_t bank);

/* Offset of a log's first slot, and how many it has. */
uint16_t bank_log(uint8_t log);
uint8_t bank_log_room(uint8_t bank, uint8_t log);

/* What an event of a bank with this sequence number is written as; never what an erased byte is. */
uint8_t bank_mark(uint32_t sequence);

/* Puts the CRC behind a base. */
void base_seal(uint8_t base[BASE_SIZE]);

/* The check byte of a note. */
uint8_t note_check(const uint8_t note[STORE_NOTE]);

/* The bank that counts, and its base; BANK_NOWHERE for a new memory. `spoiled`: a bank was committed, and is not as it was
 * then. No power cut does that, and what was kept last cannot be known. */
uint8_t bank_find(uint8_t base[BASE_SIZE], bool *spoiled);

/* Reads the logs and the notes of a bank with this base. */
void bank_read_logs(uint8_t bank, const uint8_t base[BASE_SIZE], struct bank_use *use);

#endif
