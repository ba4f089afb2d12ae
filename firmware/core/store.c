#include "store.h"

#include "cells.h"
#include "kind.h"
#include "store_bank.h"
#include "store_byte.h"
#include "store_move.h"
#include "store_note.h"

#define STORE_WORN_MOVES 80000UL /* 80 % of what a cell of the EEPROM bears: the hottest is written twice in every second bank */
#define RESERVE 16U /* slots left in a log when the next bank is begun: events go on while it is written (ours) */

/* What the byte under way is for. */
enum task { TASK_NONE, TASK_EVENT, TASK_NOTE, TASK_MOVE };
static uint32_t kept[BANK_LOGS];
static uint8_t waiting[BANK_LOGS]; /* events that came, and are not kept yet */
static bool changed; /* kept counters */

static uint8_t bank; /* the one that counts; BANK_NOWHERE: none that events of this board could go into */
static uint8_t next; /* the one that is written next */
static uint32_t sequence; /* how many banks were written */
static uint8_t slots[BANK_LOGS]; /* used */

static bool note_moves; /* the new note is in the next bank's base */
static uint32_t serial;
static uint32_t new_serial;
static uint32_t moved_serial; /* in the next bank's base */

static bool began;   /* this start is not in a bank of its own yet */
static bool failing; /* the power */
static bool failed;  /* the memory */

static enum task task;
static uint8_t task_log; /* TASK_EVENT: which */

/* --- start ---------------------------------------------------------------------------------------------------------- */

static void take_bank(const uint8_t base[BASE_SIZE])
{
    struct bank_use use;
    bank_read_logs(bank, base, &use);
    sequence = wire_get32(base + BASE_SEQUENCE);
    serial = wire_get32(base + BASE_SERIAL);
    for (uint8_t log = 0; log < BANK_LOGS; log++) {
        kept[log] = use.counts[log];
        slots[log] = use.slots[log];
    }
    note_begin(use.note, use.notes);
    failed = failed || use.spoiled;
}

/* A board of another kind counted other things; the serial number and the starts are the board's own. */
static void forget_other_kind(void)
{
    for (uint8_t log = 0; log < STORE_COUNTERS; log++)
        kept[log] = 0;
    note_forget();
    bank = BANK_NOWHERE;
}

void store_begin(void)
{
    uint8_t base[BASE_SIZE];
    enum cells cells = cells_begin();
    failed = cells == CELLS_LOST;
    for (uint8_t log = 0; log < BANK_LOGS; log++) {
        kept[log] = 0;
        waiting[log] = 0;
    }
    waiting[BANK_LOG_OF_BOOTS] = 1;
    serial = 0;
    sequence = 0;
    note_forget();
    bool spoiled = false;
    bank = bank_find(base, &spoiled);
    if (bank == BANK_NOWHERE && !spoiled && cells == CELLS_FRAM) { /* a new FRAM */
        failed = cells_marked(); /* and not the first: what the one before had is not here */
        cells_use(CELLS_EEPROM);
        bank = bank_find(base, &spoiled);
    }
    failed = failed || spoiled;
    if (bank != BANK_NOWHERE) {
        take_bank(base);
        if (base[BASE_KIND] != kind_facts.id)
            forget_other_kind();
    }
    if (cells == CELLS_FRAM && !cells_are_fram()) { /* it begins with what the EEPROM had */
        cells_use(CELLS_FRAM);
        bank = BANK_NOWHERE;
    }
    next = bank == 0U ? 1U : 0U;
    new_serial = serial;
    changed = false;
    move_forget();
    task = TASK_NONE;
    failing = false;
    began = true;
}

static void begin(enum task what, uint16_t at, uint8_t byte)
{
    task = what;
    byte_begin(at, byte);
}

/* --- events --------------------------------------------------------------------------------------------------------- */

static bool events_wait(void)
{
    for (uint8_t log = 0; log < BANK_LOGS; log++) {
        if (waiting[log] != 0U)
            return true;
    }
    return false;
}

static bool write_event(void)
{
    if (bank == BANK_NOWHERE)
        return false;
    for (uint8_t log = 0; log < BANK_LOGS; log++) {
        if (waiting[log] == 0U || slots[log] == bank_log_room(bank, log))
            continue;
        task_log = log;
        begin(TASK_EVENT, bank_at(bank, (uint16_t)(bank_log(log) + slots[log])), bank_mark(sequence));
        return true;
    }
    return false;
}

static void event_kept(void)
{
    kept[task_log]++;
    waiting[task_log]--;
    slots[task_log]++;
    move_event(task_log);
    changed = changed || task_log != BANK_LOG_OF_BOOTS;
}

/* --- the move to the next bank --------------------------------------------------------------------------------------- */

static bool must_move(void)
{
    if (bank == BANK_NOWHERE || began || new_serial != serial || (note_waits() && !note_has_room()))
        return true;
    for (uint8_t log = 0; log < STORE_COUNTERS; log++) {
        if (slots[log] + RESERVE > bank_log_room(bank, log))
            return true;
    }
    return false;
}

static void begin_move(void)
{
    note_moves = note_waits();
    moved_serial = new_serial;
    move_begin(next);
}

static void write_moved(void)
{
    struct store_head head = {
        .sequence = sequence + 1U, .serial = moved_serial, .note = note_moves ? note_new() : note_kept()};
    struct store_byte byte;
    if (move_next(&head, kept, &byte))
        begin(TASK_MOVE, byte.at, byte.byte);
}

static void take_moved(void)
{
    bank = next;
    next = bank == 0U ? 1U : 0U;
    sequence++;
    serial = moved_serial;
    for (uint8_t log = 0; log < BANK_LOGS; log++)
        slots[log] = move_slots(log);
    note_moved(note_moves);
    began = false;
}

/* --- one thing after the other --------------------------------------------------------------------------------------- */

static void take_written(void)
{
    enum task written = task;
    task = TASK_NONE;
    if (written == TASK_EVENT)
        event_kept();
    else if (written == TASK_NOTE)
        note_byte_kept();
    else if (move_kept())
        take_moved();
}

static void write_next(void)
{
    if (write_event() || (failing && !events_wait()))
        return;
    if (!moving() && note_waits() && !failing && bank != BANK_NOWHERE && note_has_room()) {
        struct store_byte byte = note_byte(bank, bank_mark(sequence));
        begin(TASK_NOTE, byte.at, byte.byte);
        return;
    }
    if (!moving() && must_move())
        begin_move();
    write_moved();
}

/* A cell that does not keep what is written is left out: the next one takes its place, and for a byte of a base the spare base of
 * the bank. Where that fails too nothing more can be kept. */
static bool retired(void)
{
    if (task == TASK_EVENT) {
        slots[task_log]++;
        return true;
    }
    if (task == TASK_NOTE) {
        note_retire();
        return true;
    }
    return move_retire();
}

void store_poll(void)
{
    if (failed || !cells_ready())
        return;
    if (task != TASK_NONE) {
        enum byte_state state = byte_look();
        failed = cells_lost() || (state == BYTE_FAILED && !retired());
        if (failed || state == BYTE_AGAIN)
            return;
        if (state == BYTE_KEPT)
            take_written();
        task = TASK_NONE;
    }
    if (bank != BANK_NOWHERE)
        cells_mark();
    if (cells_ready())
        write_next();
    failed = failed || cells_lost();
}

bool store_busy(void)
{
    bool rest = !failing && (moving() || note_waits() || must_move());
    return !failed && (task != TASK_NONE || events_wait() || rest);
}

/* --- what is asked --------------------------------------------------------------------------------------------------- */

void store_add(uint8_t counter)
{
    if (++waiting[counter] == 0U) {
        waiting[counter]--;
        failed = true; /* 255 events wait: it does not keep up, and must not lose one in silence */
    }
}

uint32_t store_count(uint8_t counter)
{
    return kept[counter] + waiting[counter];
}

void store_counts(uint32_t to[STORE_COUNTERS])
{
    for (uint8_t counter = 0; counter < STORE_COUNTERS; counter++)
        to[counter] = kept[counter];
}

bool store_take_kept(void)
{
    bool taken = changed;
    changed = false;
    return taken;
}

bool store_note(const uint8_t bytes[STORE_NOTE])
{
    if (failed || note_waits())
        return false;
    note_take(bytes);
    return true;
}

bool store_note_kept(void)
{
    return !note_waits();
}

void store_read_note(uint8_t to[STORE_NOTE])
{
    const uint8_t *note = note_kept();
    for (uint8_t at = 0; at < STORE_NOTE; at++)
        to[at] = note[at];
}

void store_power_fail(void)
{
    failing = true;
}

void store_power_back(void)
{
    failing = false;
}

uint32_t store_serial(void)
{
    return serial;
}

bool store_set_serial(uint32_t number)
{
    if (failed)
        return false;
    new_serial = number;
    return true;
}

/* The next bank may have been begun with a number that was asked for before this one. */
bool store_serial_kept(void)
{
    return serial == new_serial && (!moving() || moved_serial == new_serial);
}

uint16_t store_boots(void)
{
    return (uint16_t)store_count(BANK_LOG_OF_BOOTS);
}

bool store_failed(void)
{
    return failed;
}

bool store_worn(void)
{
    return !cells_are_fram() && sequence >= STORE_WORN_MOVES;
}

bool store_ready(void)
{
    return bank != BANK_NOWHERE && !failed;
}
