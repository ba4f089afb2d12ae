/* An event whose write a power cut ends is kept or not, and nothing else changes: for any memory, either bank, with its base in
 * either place, each log, any slot behind those that are used, and any byte that the cut leaves.
 *
 * The log is read before and after, and the loop over its slots is cut: `counts_of` and `slots_of` are what a reading of the first
 * slots gives, by how many these are, before the event; afterwards it is the same, and one more behind the event where the byte is the
 * mark. Places are any: `written`, where the event goes, and `other`, where the loop is cut.
 * Assumed: nothing but what defines `counts_of` and `slots_of`. */
#include "proof.h"

/* Functions of which nothing is known: the memory before the event, and what a reading gives. */
uint8_t __CPROVER_uninterpreted_byte(uint16_t at);
uint32_t __CPROVER_uninterpreted_counts(uint8_t turns);
uint8_t __CPROVER_uninterpreted_slots(uint8_t turns);
#define counts_of __CPROVER_uninterpreted_counts
#define slots_of __CPROVER_uninterpreted_slots

static void cut_log(uint8_t *slot, uint16_t *at);
#include "store_bank.c"

static struct bank_use use;
static uint8_t log;
static uint8_t room;
static uint8_t mark;
static uint16_t begins;
static uint8_t written;
static uint8_t other;
static bool came; /* the second reading */
static bool kept;
static uint8_t used; /* slots, before the event */
static struct cut turns;

static uint8_t left; /* in the event's slot */

static bool is_marked(uint8_t slot)
{
    return __CPROVER_uninterpreted_byte((uint16_t)(begins + slot)) == mark;
}

uint8_t cells_read(uint16_t at)
{
    CLAIM(at >= begins && at < begins + room && at < BANKS * BANK_SIZE, "what is read is in the log");
    return came && at == begins + written ? left : __CPROVER_uninterpreted_byte(at);
}

static bool as_read(uint8_t slot, uint16_t at)
{
    if (slot > room || at != begins + slot)
        return false;
    if (came) {
        bool behind = kept && slot > written;
        return use.counts[log] == counts_of(slot) + behind && use.slots[log] == (behind ? written + 1U : slots_of(slot));
    }
    return use.counts[log] == counts_of(slot) && use.slots[log] == slots_of(slot) && slots_of(slot) <= slot &&
           (written >= slot || written < slots_of(slot) || !is_marked(written)) &&
           (other >= slot || other < slots_of(slot) || !is_marked(other));
}

static void cut_log(uint8_t *slot, uint16_t *at)
{
    CLAIM(as_read(*slot, *at), "what was read so far");
    CUT(turns);
    *slot = any_bool() ? room : other;
    *at = (uint16_t)(begins + *slot);
    use.counts[log] = nondet_u32();
    use.slots[log] = nondet_u8();
    if (*slot < room) { /* by which they are defined */
        bool was = is_marked(*slot);
        ASSUME(counts_of((uint8_t)(*slot + 1U)) == counts_of(*slot) + was && slots_of((uint8_t)(*slot + 1U)) == (was ? *slot + 1U : slots_of(*slot)));
    }
    ASSUME(as_read(*slot, *at));
}

int main(void)
{
    uint8_t bank = any_bool() ? 1U : 0U;
    uint32_t base = nondet_u32();
    ANY_BOOL(spares[0]);
    ANY_BOOL(spares[1]);
    ASSUME(log < BANK_LOGS);
    room = bank_log_room(bank, log);
    begins = bank_at(bank, bank_log(log));
    mark = bank_mark(nondet_u32());
    CLAIM(mark != 0xFFU && mark != BANK_COMMITTED && mark != BANK_COMMITTED_FIRST && mark != 0U, "a mark is nothing else");
    ASSUME(other < room && written < room);
    ASSUME(counts_of(0) == base && slots_of(0) == 0U);

    use.counts[log] = base;
    came = false;
    CUT_BEGIN(turns);
    read_log(bank, log, mark, &use);
    uint32_t count = use.counts[log];
    used = use.slots[log];
    CLAIM(used <= room, "no more slots are used than there are");

    ASSUME(written >= used);
    CLAIM(!is_marked(written), "what is behind the last mark is none");
    left = nondet_u8();
    kept = left == mark;
    came = true;
    use.counts[log] = base;
    CUT_BEGIN(turns);
    read_log(bank, log, mark, &use);
    CLAIM(use.counts[log] == count + kept, "the event is kept or not, and no other is lost");
    CLAIM(use.slots[log] == (kept ? written + 1U : used), "the next event goes behind it");
    return 0;
}
