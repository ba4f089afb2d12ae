/* What is queued reaches the decoder's buffer as it was, for every frame: up to WIRE_LONGEST bytes of any values.
 *
 * Each byte that frame_queue queues goes into frame_in at once. Its three loops are cut (proof.h): over the blocks, the search for
 * a block's end, the bytes of a block. Buffers are compared at one place, which is any; a block is sent on from one spot, which
 * is any: the search claims of that one spot that no zero is there.
 * The last 0x00, the head and the CRC: frame_whole.c.
 * Assumed: the size is one that frame_out, frame_shorten and frame_seal leave (frame_whole.c claims that). */
#include "proof.h"

#define CUTS_QUEUE
static void cut_blocks(const uint8_t **at);
static void cut_search(const uint8_t *at, const uint8_t **zero);
static void cut_send(const uint8_t **at, const uint8_t *zero);
#include "frame.c"

static uint8_t place;  /* where the buffers are compared */
static uint8_t spot;   /* from where a block is sent on */
static uint8_t queued; /* bytes */
static bool ended;
static struct cut blocks, search, send;

uint8_t port_tx_room(void)
{
    return nondet_u8();
}

void port_tx_go(void)
{
}

static const uint8_t *anywhere(void)
{
    uint8_t at = nondet_u8();
    ASSUME(at <= out.size);
    return out.bytes + at;
}

static void any_decoder(void)
{
    __typeof__(in) any;
    in = any;
    ANY_BOOL(in.begun);
    ANY_BOOL(in.broken);
    queued = nondet_u8();
}

static bool same(void)
{
    return !in.broken && (place >= in.used || in.bytes[place] == out.bytes[place]);
}

static bool between(const uint8_t *at)
{
    uint8_t begins = (uint8_t)(at - out.bytes);
    if (begins > out.size || queued != begins || in.left != 0U || !same() || in.begun != (begins != 0U))
        return false;
    if (begins == 0U)
        return in.code == NO_ZERO_OWED && in.used == 0U;
    return in.code != NO_ZERO_OWED && in.used == begins - 1 && out.bytes[begins - 1] == 0U;
}

static void cut_blocks(const uint8_t **at)
{
    CLAIM(between(*at), "at the beginning of a block the decoder has what was queued before it");
    CUT(blocks);
    any_decoder();
    *at = anywhere();
    ASSUME(between(*at));
}

static bool searched(const uint8_t *at, const uint8_t *zero)
{
    uint8_t end = (uint8_t)(zero - out.bytes);
    return end <= out.size && zero >= at && (spot < at - out.bytes || spot >= end || out.bytes[spot] != 0U);
}

static void cut_search(const uint8_t *at, const uint8_t **zero)
{
    CLAIM(searched(at, *zero), "no zero is in what was searched");
    CUT(search);
    *zero = anywhere();
    ASSUME(searched(at, *zero));
}

static bool sending(const uint8_t *at, const uint8_t *zero)
{
    uint8_t sent = (uint8_t)(at - out.bytes);
    return at <= zero && queued == sent + 1 && in.begun && in.used == sent && in.left == zero - at && in.code != NO_ZERO_OWED && same();
}

static void cut_send(const uint8_t **at, const uint8_t *zero)
{
    CLAIM(sending(*at, zero), "in a block the decoder has what was queued");
    const uint8_t *begin = *at;
    CUT(send);
    any_decoder();
    *at = any_bool() ? zero : out.bytes + spot;
    ASSUME(*at >= begin && sending(*at, zero));
}

void port_tx(uint8_t byte)
{
    struct frame frame;
    CLAIM(!ended, "nothing follows the end of a frame");
    queued++;
    if (byte != 0U) {
        CLAIM(!frame_in(byte, &frame), "only a 0x00 ends a frame");
        return;
    }
    ended = true;
    CLAIM(in.begun && in.left == 0U && in.used == out.size, "the decoder has as many bytes as there were");
    CLAIM(same(), "and they are the same");
}

int main(void)
{
    ASSUME(out.size >= HEAD + CRC && out.size <= WIRE_LONGEST && place < WIRE_LONGEST && spot < WIRE_LONGEST);
    ended = false;
    queued = 0;
    CUT_BEGIN(blocks);
    CUT_BEGIN(search);
    CUT_BEGIN(send);
    frame_begin();
    frame_queue();
    CLAIM(ended, "a frame ends with a 0x00");
    CLAIM(queued == out.size + 2U, "it takes as many bytes of the line as frame_has_room counts");
    return 0;
}
