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

void move_begin(uint8_t bank)
{
    target = bank;
    stage = UNCOMMIT;
    for (uint8_t log = 0; log < BANK_LOGS; log++) {
        came[log] = 0;
        slots[log] = 0;
        left_out[log] = 0;
    }
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

/* The base is as things were when the move began. It is made for each of its bytes anew, and so needs no room. */
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
        if (offset == BANK_SIZE) {
            stage = EVENTS;
            return false;
        }
        if (cells_read(bank_at(target, offset)) == mark)
            return write(next, offset, ERASED);
        step++;
    }
    return false;
}

static bool enter_events(uint8_t mark, struct store_byte *next)
{
    for (uint8_t log = 0; log < BANK_LOGS; log++) {
        if (slots[log] == came[log])
            continue;
        last_log = log;
        return write(next, (uint16_t)(bank_log(log) + slots[log] + left_out[log]), mark);
    }
    stage = COMMIT;
    return write(next, BANK_COMMIT, BANK_COMMITTED);
}

bool move_next(const struct store_head *head, const uint32_t counts[BANK_LOGS], struct store_byte *next)
{
    switch (stage) {
    case UNCOMMIT:
        /* Only what is committed: a cut while another byte becomes 0 can leave what looks like a commit. */
        if (cells_read(bank_at(target, BANK_COMMIT)) == BANK_COMMITTED)
            return write(next, BANK_COMMIT, 0);
        stage = BASE;
        step = 0;
        return false;
    case BASE:
        return write(next, (uint16_t)(BANK_BASE + step), base_byte(head, counts));
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
        stage = BASE;
        step = 0;
        break;
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
        stage = STILL;
        return true;
    }
    return false;
}
