#include "store_bank.h"

#include "cells.h"
#include "crc16.h"
#include "messages.h"

_Static_assert(BASE_COUNT(BANK_LOGS) == BASE_SERIAL, "the counts are between kind and serial number");
_Static_assert(BANK_COUNTERS + STORE_COUNTERS * BANK_COUNTER_ROOM == BANK_SIZE, "the layout fills a bank");
_Static_assert(BANKS * BANK_SIZE <= PORT_EEPROM_SIZE, "the memory holds the banks");

static bool spares[BANKS];

bool bank_is_spare(uint8_t bank)
{
    return spares[bank];
}

void bank_make_spare(uint8_t bank, bool spare)
{
    spares[bank] = spare;
}

uint16_t bank_base(uint8_t bank)
{
    return spares[bank] ? (uint16_t)BANK_SPARE_BASE : BANK_BASE;
}

uint16_t bank_end(uint8_t bank)
{
    return spares[bank] ? (uint16_t)BANK_SPARE_BASE : BANK_SIZE;
}

uint16_t bank_at(uint8_t bank, uint16_t offset)
{
    return (uint16_t)(bank * BANK_SIZE + offset);
}

uint16_t bank_log(uint8_t log)
{
    return (uint16_t)(log == BANK_LOG_OF_BOOTS ? BANK_BOOTS : BANK_COUNTERS + log * BANK_COUNTER_ROOM);
}

uint8_t bank_log_room(uint8_t bank, uint8_t log)
{
    if (log == BANK_LOG_OF_BOOTS)
        return BANK_BOOTS_ROOM;
    if (log == STORE_COUNTERS - 1U)
        return (uint8_t)(bank_end(bank) - bank_log(log));
    return BANK_COUNTER_ROOM;
}

uint8_t bank_mark(uint32_t sequence)
{
    return (uint8_t)((sequence & 0x7FU) + 1U);
}

static uint16_t base_crc(const uint8_t base[BASE_SIZE])
{
    uint16_t crc = CRC16_BEGIN;
    for (uint8_t at = 0; at < BASE_CRC; at++)
        crc = crc16_add(crc, base[at]);
    return crc;
}

void base_seal(uint8_t base[BASE_SIZE])
{
    wire_put16(base + BASE_CRC, base_crc(base));
}

uint8_t note_check(const uint8_t note[STORE_NOTE])
{
    uint16_t crc = CRC16_BEGIN;
    for (uint8_t at = 0; at < STORE_NOTE; at++)
        crc = crc16_add(crc, note[at]);
    return (uint8_t)crc;
}

static void read_bytes(uint16_t at, uint8_t *to, uint8_t count)
{
    while (count-- != 0U)
        *to++ = cells_read(at++);
}

enum state {
    NONE,    /* never committed, or given up */
    WHOLE,
    SPOILED, /* committed, and not as it was then: no power cut does that */
};

static enum state read_base(uint8_t bank, uint8_t base[BASE_SIZE])
{
    bool plain = cells_read(bank_at(bank, BANK_COMMIT)) == BANK_COMMITTED;
    bool spare = cells_read(bank_at(bank, BANK_SPARE_COMMIT)) == BANK_COMMITTED_FIRST &&
                 cells_read(bank_at(bank, BANK_SPARE_COMMIT + 1U)) == BANK_COMMITTED;
    bank_make_spare(bank, !plain && spare);
    if (!plain && !spare)
        return NONE;
    read_bytes(bank_at(bank, bank_base(bank)), base, BASE_SIZE);
    return wire_get16(base + BASE_CRC) == base_crc(base) ? WHOLE : SPOILED;
}

uint8_t bank_find(uint8_t base[BASE_SIZE], bool *spoiled)
{
    enum state first = read_base(0, base);
    uint32_t first_sequence = wire_get32(base + BASE_SEQUENCE);
    enum state second = read_base(1, base);
    uint32_t second_sequence = wire_get32(base + BASE_SEQUENCE);
    *spoiled = first == SPOILED || second == SPOILED;
    if (second == WHOLE && (first != WHOLE || (int32_t)(second_sequence - first_sequence) > 0))
        return 1;
    return read_base(0, base) == WHOLE ? 0U : BANK_NOWHERE;
}

static void copy(uint8_t *to, const uint8_t *from, uint8_t count)
{
    while (count-- != 0U)
        *to++ = *from++;
}

static void read_log(uint8_t bank, uint8_t log, uint8_t mark, struct bank_use *use)
{
    uint16_t at = bank_at(bank, bank_log(log));
    uint8_t room = bank_log_room(bank, log);
    use->slots[log] = 0;
    for (uint8_t slot = 0; slot < room; slot++) {
        if (cells_read(at++) != mark)
            continue;
        use->slots[log] = (uint8_t)(slot + 1U);
        use->counts[log]++;
    }
}

static void read_note(uint8_t bank, uint8_t record, uint8_t mark, struct bank_use *use)
{
    uint8_t bytes[NOTE_SIZE];
    read_bytes(bank_at(bank, (uint16_t)(BANK_NOTES + record * NOTE_SIZE)), bytes, NOTE_SIZE);
    if (bytes[NOTE_MARK] != mark)
        return;
    use->notes = (uint8_t)(record + 1U);
    if (bytes[NOTE_CHECK] == note_check(bytes))
        copy(use->note, bytes, STORE_NOTE);
    else
        use->spoiled = true;
}

void bank_read_logs(uint8_t bank, const uint8_t base[BASE_SIZE], struct bank_use *use)
{
    uint8_t mark = bank_mark(wire_get32(base + BASE_SEQUENCE));
    for (uint8_t log = 0; log < BANK_LOGS; log++) {
        use->counts[log] = wire_get32(base + BASE_COUNT(log));
        read_log(bank, log, mark, use);
    }
    copy(use->note, base + BASE_NOTE, STORE_NOTE);
    use->notes = 0;
    use->spoiled = false;
    for (uint8_t record = 0; record < BANK_NOTES_ROOM; record++)
        read_note(bank, record, mark, use);
}
