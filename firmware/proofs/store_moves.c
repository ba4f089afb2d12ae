/* The move to the next bank: whatever byte a power cut tears, with whatever it leaves there, the bank that is written counts for
 * nothing until its commit, and from then on it is whole. The bank that counts until then is not written to.
 *
 * Induction over the bytes of the move: any state that the invariant allows, and then one more byte, an event, or a look at the memory.
 * The bytes of the new bank are claimed at one place, `spot`, which is any. `made` is the base of things as they were when the move
 * began: `counts_then` are the counts of that moment. That a log whose first slots are marked counts as many events: store_event.c.
 * Assumed of the cells: they keep what is written (what does not is left out: tests/firmware/test_store_power_cuts.py).
 * Assumed of store.c: the head does not change during a move (move_next); each event of it is counted and told to move_event; these find room in
 * the new bank's logs; no count comes round. That a bank that is to be written over is not committed in both of its places. */
#include "proof.h"

#include "cells.h"
#include "kind.h"

uint8_t __CPROVER_uninterpreted_byte(uint16_t at);

static void cut_clear(uint8_t *left);
#define base_seal real_base_seal
#include "store_bank.c"
#undef base_seal
#include "store_move.c"

const struct kind_facts kind_facts = {.id = KIND_PUSHER};

static struct store_head head;
static uint32_t counts[BANK_LOGS];
static uint32_t counts_then[BANK_LOGS];
static uint8_t made[BASE_SIZE];
static uint8_t note[STORE_NOTE];
static uint8_t mark;
static uint16_t spot;

static bool wrote; /* this byte, since */
static struct store_byte byte;

uint8_t cells_read(uint16_t at)
{
    CLAIM(at < BANKS * BANK_SIZE, "what is read is in the memory");
    return wrote && at == byte.at ? byte.byte : __CPROVER_uninterpreted_byte(at);
}

static bool fram;

bool cells_are_fram(void)
{
    return fram;
}

static uint8_t of_target(uint16_t offset)
{
    return cells_read(bank_at(target, offset));
}

static bool plain(void)
{
    return of_target(BANK_COMMIT) == BANK_COMMITTED;
}

static bool spare(void)
{
    return of_target(BANK_SPARE_COMMIT) == BANK_COMMITTED_FIRST && of_target(BANK_SPARE_COMMIT + 1U) == BANK_COMMITTED;
}

static uint8_t spot_now; /* what is there */

static void look(void)
{
    spot_now = of_target(spot);
}

static void make(void)
{
    made[BASE_KIND] = KIND_PUSHER;
    for (uint8_t at = 0; at < 4U; at++) {
        made[BASE_SEQUENCE + at] = (uint8_t)(head.sequence >> (8U * at));
        made[BASE_SERIAL + at] = (uint8_t)(head.serial >> (8U * at));
        for (uint8_t log = 0; log < BANK_LOGS; log++)
            made[BASE_COUNT(log) + at] = (uint8_t)(counts_then[log] >> (8U * at));
    }
    for (uint8_t at = 0; at < STORE_NOTE; at++)
        made[BASE_NOTE + at] = note[at];
    real_base_seal(made);
}

/* The CRC is the one of `made`, whose bytes are claimed to be the same: it is made of nothing else. */
void base_seal(uint8_t base[BASE_SIZE])
{
    for (uint8_t at = 0; at < BASE_CRC; at++)
        CLAIM(base[at] == made[at], "what is sealed is as things were when the move began");
    for (uint8_t at = BASE_CRC; at < BASE_SIZE; at++)
        base[at] = made[at];
}

static bool base_is_made(uint16_t bytes)
{
    uint16_t begins = bank_base(target);
    return spot < begins || spot >= begins + bytes || spot_now == made[spot - begins];
}

/* From the notes on there is no mark up to this offset. */
static bool is_clear(uint16_t until)
{
    return spot < BANK_NOTES || spot >= until || spot >= bank_end(target) || spot_now != mark;
}

static bool has_events(void)
{
    for (uint8_t log = 0; log < BANK_LOGS; log++) {
        uint16_t begins = bank_log(log);
        if (spot >= begins && spot < begins + bank_log_room(target, log))
            return (spot_now == mark) == (spot < begins + slots[log]);
    }
    return is_clear(BANK_SIZE);
}

static bool sound(void)
{
    look();
    bool entered = true;
    for (uint8_t log = 0; log < BANK_LOGS; log++) {
        if (left_out[log] != 0U || slots[log] > came[log] || came[log] > bank_log_room(target, log) || counts[log] < came[log] ||
            counts[log] - came[log] != counts_then[log])
            return false;
        if (stage < EVENTS && slots[log] != 0U)
            return false;
        entered = entered && slots[log] == came[log];
    }
    bool uncommitted = of_target(BANK_COMMIT) != BANK_COMMITTED && of_target(BANK_SPARE_COMMIT + 1U) != BANK_COMMITTED;
    bool first = !bank_is_spare(target) || step == 0U || (step == 1U && of_target(BANK_SPARE_COMMIT) == BANK_COMMITTED_FIRST);
    switch (stage) {
    case UNCOMMIT:
        return true;
    case BASE:
        return uncommitted && step < BASE_SIZE && base_is_made(step);
    case CLEAR:
        return uncommitted && step <= BANK_SIZE - BANK_NOTES && base_is_made(BASE_SIZE) && is_clear((uint16_t)(BANK_NOTES + step));
    case EVENTS:
        return uncommitted && first && base_is_made(BASE_SIZE) && has_events();
    default:
        return uncommitted && first && base_is_made(BASE_SIZE) && has_events() && entered;
    }
}

/* The search for old marks, 32 bytes a turn. */
static struct cut search;

static void cut_clear(uint8_t *left)
{
    CLAIM(stage == CLEAR && sound(), "what was searched has no old mark");
    CUT(search);
    *left = nondet_u8();
    ASSUME(*left <= CLEARED_A_TURN);
    step = nondet_u16();
    ASSUME(sound());
}

static void any_state(void)
{
    uint8_t any = nondet_u8();
    ASSUME(any <= COMMIT);
    stage = (__typeof__(stage))any;
    ASSUME(target < BANKS && last_log < BANK_LOGS && spot < BANK_SIZE);
    ANY_BOOL(spares[0]);
    ANY_BOOL(spares[1]);
    ANY_BOOL(fram);
    wrote = false;
    CUT_BEGIN(search);
    head.note = note;
    mark = bank_mark(head.sequence);
    make();
}

/* Whatever there was before. */
static void begin(void)
{
    uint8_t bank = nondet_u8();
    ASSUME(bank < BANKS);
    move_begin(bank);
    for (uint8_t log = 0; log < BANK_LOGS; log++)
        counts_then[log] = counts[log];
    make();
    CLAIM(moving() && stage == UNCOMMIT && target == bank, "a move begins with the commit of the bank that it writes over");
    CLAIM(sound(), "a move begins with the counts of this moment and no event");
}

static void write_one(void)
{
    struct store_byte to;
    bool was_plain = plain();
    bool was_spare = spare();
    bool destroys = stage == UNCOMMIT;
    bool in_base = stage == BASE;
    uint16_t begun = step;
    bool leftover = !bank_is_spare(target) && of_target(BANK_SPARE_COMMIT) == BANK_COMMITTED_FIRST;
    if (!move_next(&head, counts, &to)) {
        CLAIM(sound(), "a look at the memory keeps the invariant");
        return;
    }
    CLAIM(!in_base || to.byte == made[begun], "a byte of the base is one of what is sealed");
    CLAIM(to.at > bank_at(target, 0) && to.at < bank_at(target, 0) + BANK_SIZE, "only the new bank is written to");
    CLAIM(!destroys || to.at == bank_at(target, BANK_COMMIT) || to.at == bank_at(target, BANK_SPARE_COMMIT + 1U), "first its commit is destroyed");

    byte = (struct store_byte){to.at, nondet_u8()};
    wrote = true; /* the cut */
    look();
    if (destroys) {
        CLAIM((!plain() || was_plain) && (!spare() || was_spare), "nothing is committed by destroying a commit");
    } else if (spare() && leftover) {
        CLAIM(false, "also where half a commit is left of a time when the bank had its base in the other place");
    } else if (plain() || spare()) {
        CLAIM(stage == COMMIT && byte.byte == to.byte, "no cut leaves a commit before the last byte");
        CLAIM(plain() != bank_is_spare(target), "and it is that of the base that was written");
        CLAIM(base_is_made(BASE_SIZE) && has_events(), "what is committed is whole");
    }

    byte = to;
    bool commits = stage == COMMIT;
    if (move_kept()) {
        CLAIM(commits && stage == STILL, "the move ends with its commit");
        look();
        CLAIM(plain() || spare(), "and the bank is committed");
        for (uint8_t log = 0; log < BANK_LOGS; log++)
            CLAIM(move_slots(log) == came[log], "with all events that came meanwhile");
        CLAIM(base_is_made(BASE_SIZE) && has_events(), "and whole");
        return;
    }
    CLAIM(sound(), "a byte that is kept keeps the invariant");
}

static void any_sound_state(void)
{
    uint16_t any = spot;
    ASSUME(stage >= UNCOMMIT && stage <= EVENTS);
    spot = BANK_SPARE_COMMIT; /* the invariant holds for each spot: for this one, too */
    ASSUME(sound());
    spot = any;
    ASSUME(sound());
    ASSUME(!(plain() && spare()));
}

int main(void)
{
    uint8_t what = nondet_u8();
    uint8_t log = nondet_u8();
    any_state();
    if (what != 0U)
        any_sound_state();
    switch (what) {
    case 0:
        begin();
        break;
    case 1: /* store.c counts it, too */
        ASSUME(log < BANK_LOGS && came[log] < bank_log_room(target, log) && counts[log] != UINT32_MAX);
        counts[log]++;
        move_event(log);
        CLAIM(sound(), "an event keeps the invariant");
        break;
    case 2:
        move_forget();
        CLAIM(!moving(), "a board that begins moves nothing");
        break;
    default:
        write_one();
        break;
    }
    return 0;
}
