#include "store_move.h"

#include "cells.h"
#include "kind.h"

#define CLEARED_A_TURN 32U /* bytes looked at in one turn of the main loop (ours) */
#define ERASED 0xFFU

static enum { STILL, UNCOMMIT, BASE, CLEAR, EVENTS, COMMIT } stage;
static uint16_t step; /* in the stage */
static uint8_t target;
static uint8_t came[BANK_LOGS];  /* events since the move began */
static uint8_t slots[BANK_LOGS]; /* of them entered */
static uint8_t left_out[BANK_LOGS]; /* and slots that do not keep what is written */
static uint8_t last_log;         /* of the event under way */
static uint8_t sought;           /* the old mark that is cleared */

/* From the beginning, in the base's place that the target has. */
static void begin_anew(void)
{
    stage = UNCOMMIT;
    for (uint8_t log = 0; log < BANK_LOGS; log++) {
        slots[log] = 0;
        left_out[log] = 0;
    }
}

void move_begin(uint8_t bank)
{
    target = bank;
    for (uint8_t log = 0; log < BANK_LOGS; log++)
        came[log] = 0;
    begin_anew();
}

void move_forget(void)
{
    stage = STILL;
}

bool moving(void)
{
    return stage != STILL;
}

void move_event(uint8_t log)
{
    came[log]++;
}

uint8_t move_slots(uint8_t log)
{
    return (uint8_t)(slots[log] + left_out[log]);
}

/* The base is as things were when the move began. It is made again for each of its bytes, and so needs no room. */
static uint8_t base_byte(const struct store_head *head, const uint32_t counts[BANK_LOGS])
{
    uint8_t base[BASE_SIZE];
    wire_put32(base + BASE_SEQUENCE, head->sequence);
    base[BASE_KIND] = kind_facts.id;
    for (uint8_t log = 0; log < BANK_LOGS; log++)
        wire_put32(base + BASE_COUNT(log), counts[log] - came[log]);
    wire_put32(base + BASE_SERIAL, head->serial);
    for (uint8_t at = 0; at < STORE_NOTE; at++)
        base[BASE_NOTE + at] = head->note[at];
    base_seal(base);
    return base[step];
}

static bool write(struct store_byte *next, uint16_t offset, uint8_t byte)
{
    next->at = bank_at(target, offset);
    next->byte = byte;
    return true;
}

/* Old marks that look like the new ones, some bytes a turn. */
static bool clear(uint8_t mark, struct store_byte *next)
{
    sought = mark;
    for (uint8_t left = cells_are_fram() ? 1U : CLEARED_A_TURN; left != 0U; left--) { /* a FRAM is read slowly */
        uint16_t offset = (uint16_t)(BANK_NOTES + step);
        if (offset >= bank_end(target)) {
            stage = EVENTS;
            step = 0;
            return false;
        }
        if (cells_read(bank_at(target, offset)) == mark)
            return write(next, offset, ERASED);
        step++;
    }
    return false;
}

/* Only what is committed is destroyed: a cut while another byte becomes 0 can leave what looks like a commit. */
static bool uncommit(struct store_byte *next)
{
    for (step = BANK_COMMIT; step < BANK_SIZE; step += BANK_SPARE_COMMIT + 1U - BANK_COMMIT) {
        if (cells_read(bank_at(target, step)) == BANK_COMMITTED)
            return write(next, step, 0);
    }
    stage = BASE;
    step = 0;
    return false;
}

static bool commit(struct store_byte *next)
{
    if (!bank_is_spare(target))
        return write(next, BANK_COMMIT, BANK_COMMITTED);
    return write(next, (uint16_t)(BANK_SPARE_COMMIT + step), step == 0U ? BANK_COMMITTED_FIRST : BANK_COMMITTED);
}

static bool enter_events(uint8_t mark, struct store_byte *next)
{
    for (uint8_t log = 0; log < BANK_LOGS; log++) {
        if (slots[log] == came[log])
            continue;
        last_log = log;
        return write(next, (uint16_t)(bank_log(log) + slots[log] + left_out[log]), mark);
    }
    stage = COMMIT; /* at once: an event that comes before it is not in this bank */
    return commit(next);
}

bool move_next(const struct store_head *head, const uint32_t counts[BANK_LOGS], struct store_byte *next)
{
    switch (stage) {
    case UNCOMMIT:
        return uncommit(next);
    case BASE:
        return write(next, (uint16_t)(bank_base(target) + step), base_byte(head, counts));
    case CLEAR:
        return clear(bank_mark(head->sequence), next);
    case EVENTS:
        return enter_events(bank_mark(head->sequence), next);
    default:
        return false;
    }
}

bool move_retire(void)
{
    if (stage == UNCOMMIT) /* what still seems whole must not be written over */
        return cells_read(bank_at(target, step)) != BANK_COMMITTED;
    if (stage == BASE || stage == COMMIT) {
        bool other = !bank_is_spare(target);
        bank_make_spare(target, true);
        begin_anew();
        return other;
    }

    if (stage == CLEAR) /* what is left there must not be taken for an event that never was */
        return cells_read(bank_at(target, (uint16_t)(BANK_NOTES + step))) != sought;
    if (stage != EVENTS)
        return false;
    left_out[last_log]++;
    return true;
}

bool move_kept(void)
{
    switch (stage) {
    case UNCOMMIT:
        break; /* and the other place, if need be */
    case BASE:
        if (++step < BASE_SIZE)
            break;
        stage = CLEAR;
        step = 0;
        break;
    case CLEAR:
        step++;
        break;
    case EVENTS:
        slots[last_log]++;
        break;
    default:
        if (!bank_is_spare(target) || step++ != 0U) {
            stage = STILL;
            return true;
        }
        stage = EVENTS; /* what has come since goes in before the second byte */
    }
    return false;
}
