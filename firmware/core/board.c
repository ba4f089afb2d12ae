#include "board.h"

#include "build.h"
#include "cells.h"
#include "edge_store.h"
#include "edges.h"
#include "frame.h"
#include "kind.h"
#include "quadrature.h"
#include "samples.h"

#define STATE_WATCHING_TICKS TICKS_OF_MS(20)
#define STATE_TICKS TICKS_OF_MS(100)
#define LONGEST_SLEEP_TICKS (16U * TICKS_A_MS)
#define SAFE_AFTER_TICKS TICKS_OF_MS(WIRE_DEADMAN_MS - 1U) /* safe when the host's time is over, not after it */
#define CLOCK_LEAD_TICKS 500U /* from when an answer to `clock` is begun until it is sent: twice what building it takes */
#define LINE_BUSY_TICKS (WIRE_TICK_HZ / WIRE_BAUD * 10U) /* a byte */
#define BYTES_A_TURN 64U

/* --- time ----------------------------------------------------------------------------------------------------------- */

static uint32_t now;       /* of this turn */
static uint32_t now_high;  /* how often `now` began again */
static uint32_t ms;        /* since the start */
static uint32_t ms_began;  /* ticks when that millisecond did */

static void read_time(void)
{
    uint32_t before = now;
    now = port_ticks();
    if (now < before)
        now_high++;
    while (now - ms_began >= TICKS_A_MS) {
        ms_began += TICKS_A_MS;
        ms++;
    }
}

uint32_t board_now(void)
{
    return now;
}

uint32_t board_ms(void)
{
    return ms;
}

uint16_t board_ms_ticks(void)
{
    return (uint16_t)(now - ms_began);
}

static uint16_t left_until(uint32_t when)
{
    int32_t left = (int32_t)(when - now);
    return left <= 0 ? 0U : left > UINT16_MAX ? UINT16_MAX : (uint16_t)left;
}

/* --- the session ---------------------------------------------------------------------------------------------------
 *
 * One command is outstanding at a time, so one answer is. It is kept until the next command comes: if the host sends the
 * same command again, it gets the same answer, and nothing is done twice.
 */
enum due { DUE_NONE, DUE_IDENTITY, DUE_OPENED, DUE_REFUSED, DUE_ANSWER, DUE_CLOCK, DUE_STORED };

static enum due due;      /* what the host is owed now */
static enum due last_due; /* how the answer to the last command is made */

static bool open;
static uint32_t session;
static uint8_t last_number; /* of the command carried out last; 0: none in this session */
static struct {
    uint8_t id;
    uint8_t size;
    uint8_t fields[ANSWER_COUNTS_SIZE];
} answer; /* to that command */
static struct answer_clock clock_answer;

static uint8_t refused_number; /* of a command outside any session, or of a malformed one that is outside of all */
static struct answer_refused refused;

static bool hearing;         /* the host is there, as far as we know */
static uint32_t heard_ticks; /* when the last good frame came */
static bool silent;          /* the flag `deadman`: the host was silent for too long, and has not sent all_safe or open since */

static uint8_t report_number;
static bool boot_due;
static bool counts_due;
static uint32_t state_ticks; /* when the next is due */

bool board_session_open(void)
{
    return open;
}

uint8_t board_levels(void)
{
    return edges_levels();
}

void board_virtual_edge(uint8_t line, uint8_t level)
{
    edge_store_key((uint8_t)(line - 1U), level != 0U);
    if (edges_watched() != 0U)
        edge_store_add((uint8_t)(line - 1U), level != 0U, now);
}

uint8_t *board_report(uint8_t id, uint8_t size)
{
    bool owed = due != DUE_NONE && due != DUE_STORED;
    if (!open || owed || !frame_has_room(size))
        return 0;
    return frame_out(report_number++, id, size);
}

void board_send(void)
{
    frame_send();
}

/* --- commands ------------------------------------------------------------------------------------------------------- */

static enum due answered(uint8_t id, uint8_t size)
{
    answer.id = id;
    answer.size = size;
    return DUE_ANSWER;
}

static enum due done_or_refused(uint8_t command, uint8_t why)
{
    if (why == 0U)
        return answered(ANSWER_OK, ANSWER_OK_SIZE);
    struct answer_refused said = {.command = command, .why = why};
    answer_refused_write(answer.fields, &said);
    return answered(ANSWER_REFUSED, ANSWER_REFUSED_SIZE);
}

static void open_session(uint32_t number)
{
    if (open && number == session)
        return;
    outputs_all_safe(SAFE_OPENED);
    (void)samples_begin(0, 0);
    (void)quadrature_count(0, 0, 0);
    edges_watch(0, 0);
    open = true;
    session = number;
    last_number = 0;
    report_number = 0;
    silent = false;
    boot_due = false;
    counts_due = false;
    state_ticks = now + STATE_TICKS;
    kind_opened();
}

static enum due take_clock(uint32_t received)
{
    uint32_t high = now_high;
    bool earlier = (int32_t)(received - now) < 0;
    if (earlier && received > now)
        high--;
    else if (!earlier && received < now)
        high++;
    clock_answer = (struct answer_clock){.received = received, .received_high = high, .kept = 0};
    return DUE_CLOCK;
}

static uint8_t take_watch(const uint8_t *fields)
{
    struct command_watch watch;
    command_watch_read(&watch, fields);
    if ((uint8_t)((uint16_t)(watch.inputs | watch.pull_ups) >> kind_facts.inputs) != 0U)
        return REFUSED_WRONG_VALUE;
    edges_watch(watch.inputs, watch.pull_ups);
    state_ticks = now;
    return 0;
}

static enum due take_edges_from(const uint8_t *fields)
{
    struct answer_held held;
    if (!edge_store_again(wire_get32(fields), &held.first))
        return done_or_refused(COMMAND_EDGES_FROM, REFUSED_WRONG_VALUE);
    answer_held_write(answer.fields, &held);
    return answered(ANSWER_HELD, ANSWER_HELD_SIZE);
}

static uint8_t take_count(const uint8_t *fields)
{
    struct command_count count;
    command_count_read(&count, fields);
    if (!quadrature_count(count.a, count.b, count.index))
        return REFUSED_WRONG_VALUE;
    edges_listen();
    return 0;
}

static uint8_t take_set(const uint8_t *fields)
{
    struct command_set set;
    command_set_read(&set, fields);
    if (set.output == 0U || set.output > kind_facts.outputs)
        return REFUSED_WRONG_VALUE;
    uint8_t why = kind_set(set.output, set.value);
    return why != 0U ? why : outputs_set(set.output, set.value, set.for_ms);
}

static enum due take_counts(void)
{
    uint32_t kept[STORE_COUNTERS];
    store_counts(kept);
    struct answer_counts counts = {.first = kept[0], .second = kept[1], .third = kept[2], .fourth = kept[3]};
    answer_counts_write(answer.fields, &counts);
    return answered(ANSWER_COUNTS, ANSWER_COUNTS_SIZE);
}

/* Carries a command out, once; how its answer is made. */
static enum due carry_out(const struct frame *frame, uint32_t received)
{
    int8_t size = wire_command_size(frame->id, kind_facts.id);
    uint8_t why = 0;
    if (size < 0 || frame->id == COMMAND_IDENTIFY || frame->id == COMMAND_OPEN)
        return done_or_refused(frame->id, REFUSED_UNKNOWN_COMMAND);
    if (frame->size > (uint8_t)size || frame->size < wire_command_least(frame->id, (uint8_t)size))
        return done_or_refused(frame->id, REFUSED_WRONG_LENGTH);
    frame_in_extend(frame, (uint8_t)size);
    if (silent && wire_command_starts(frame->id, frame->fields)) /* it may be of the time before */
        return done_or_refused(frame->id, REFUSED_SILENT);
    switch (frame->id) {
    case COMMAND_CLOCK:
        return take_clock(received);
    case COMMAND_ALIVE:
        break;
    case COMMAND_WATCH:
        why = take_watch(frame->fields);
        break;
    case COMMAND_EDGES_FROM:
        return take_edges_from(frame->fields);
    case COMMAND_COUNT:
        why = take_count(frame->fields);
        break;
    case COMMAND_SAMPLE:
        why = samples_begin(frame->fields[0], wire_get16(frame->fields + 1)) ? 0U : REFUSED_WRONG_VALUE;
        break;
    case COMMAND_SET:
        why = take_set(frame->fields);
        break;
    case COMMAND_ALL_SAFE:
        outputs_all_safe(SAFE_TOLD);
        silent = false;
        break;
    case COMMAND_COUNTS:
        return take_counts();
    case COMMAND_NAME_BOARD:
        if (store_set_serial(wire_get32(frame->fields)))
            return DUE_STORED;
        why = REFUSED_STORE_FAILED;
        break;
    default:
        why = kind_command(frame->id, frame->fields);
        break;
    }
    return done_or_refused(frame->id, why);
}

static void refuse(const struct frame *frame, uint8_t why)
{
    refused_number = frame->number;
    refused = (struct answer_refused){.command = frame->id, .why = why};
    due = DUE_REFUSED;
}

/* Frames of number 0: `identify` and `open` are always answered; there is nothing else. */
static void take_first_words(const struct frame *frame)
{
    if (frame->id == COMMAND_IDENTIFY && frame->size == COMMAND_IDENTIFY_SIZE) {
        due = DUE_IDENTITY;
    } else if (frame->id == COMMAND_OPEN && frame->size == COMMAND_OPEN_SIZE) {
        open_session(wire_get32(frame->fields));
        due = DUE_OPENED;
    } else if (frame->id == COMMAND_IDENTIFY || frame->id == COMMAND_OPEN) {
        refuse(frame, REFUSED_WRONG_LENGTH);
    }
}

static void take_frame(const struct frame *frame, uint32_t received)
{
    if (frame->id != COMMAND_IDENTIFY) { /* who asks what this is need not be who wanted the outputs on */
        heard_ticks = received;
        hearing = true;
    }
    if (frame->number == 0U) {
        take_first_words(frame);
    } else if (!open) {
        refuse(frame, REFUSED_NO_SESSION);
    } else if (frame->number == last_number) {
        due = last_due;
    } else if (frame->number == (last_number == UINT8_MAX ? 1U : last_number + 1U)) {
        last_number = frame->number;
        last_due = carry_out(frame, received);
        due = last_due;
    }
}

static void receive(void)
{
    struct frame frame;
    uint8_t byte;
    uint32_t ticks = 0;
    uint8_t left = BYTES_A_TURN;
    while (left-- != 0U && port_rx(&byte, &ticks)) {
        if (frame_in(byte, &frame)) {
            take_frame(&frame, ticks);
            return;
        }
    }
}

static void listen_for_silence(void)
{
    if (!hearing || (int32_t)(now - heard_ticks) < (int32_t)SAFE_AFTER_TICKS)
        return;
    hearing = false;
    if (!open)
        return;
    outputs_all_safe(SAFE_DEADMAN);
    silent = true;
}

/* --- what is sent --------------------------------------------------------------------------------------------------- */

static void send_plain(uint8_t number, uint8_t id, const uint8_t *fields, uint8_t size)
{
    uint8_t *to = frame_out(number, id, size);
    while (size-- != 0U)
        *to++ = *fields++;
    frame_send();
}

#define BUILD_BYTES 4U
_Static_assert(ANSWER_IDENTITY_SIZE - ANSWER_IDENTITY_IMAGE == PORT_IMAGE_HASH - BUILD_BYTES, "build and image are the hash");

static uint32_t build_number(void)
{
    uint32_t number = 0;
    for (uint8_t at = 0; at < BUILD_BYTES; at++)
        number = number << 8 | port_image_hash(at);
    return number;
}

static void send_identity(void)
{
    struct answer_identity identity = {
        .protocol = WIRE_PROTOCOL,
        .dictionary = WIRE_DICTIONARY,
        .kind = kind_facts.id,
        .major = BUILD_MAJOR,
        .minor = BUILD_MINOR,
        .patch = BUILD_PATCH,
        .build = build_number(),
        .serial = store_serial(),
        .boots = store_boots(),
        .cause = port_reset_cause(),
        .inputs = kind_facts.inputs,
        .outputs = kind_facts.outputs,
        .analogues = kind_facts.analogues,
        .counters = kind_facts.counters,
        .oldest = wire_kind_oldest(kind_facts.id),
        .hung_at = port_hung_at(),
    };
    uint8_t *to = frame_out(0, ANSWER_IDENTITY, ANSWER_IDENTITY_SIZE);
    answer_identity_write(to, &identity);
    for (uint8_t at = BUILD_BYTES; at < PORT_IMAGE_HASH; at++)
        to[ANSWER_IDENTITY_IMAGE + at - BUILD_BYTES] = port_image_hash(at);
    frame_send();
}

/* The answer states when it begins, so its CRC must be made before: it is begun for a time a little ahead. False if that was
 * over before it was ready, for there were too many edges; or if it was kept for longer than it can state. */
static bool send_clock(void)
{
    uint32_t begins = port_ticks() + CLOCK_LEAD_TICKS;
    if (begins - clock_answer.received > UINT16_MAX) {
        last_due = done_or_refused(COMMAND_CLOCK, REFUSED_BUSY);
        due = last_due;
        return false;
    }
    clock_answer.kept = (uint16_t)(begins - clock_answer.received);
    answer_clock_write(answer.fields, &clock_answer);
    answer_clock_write(frame_out(last_number, ANSWER_CLOCK, ANSWER_CLOCK_SIZE), &clock_answer);
    frame_seal();
    frame_queue();
    if (!port_tx_go_at(begins))
        return false;
    last_due = answered(ANSWER_CLOCK, ANSWER_CLOCK_SIZE);
    return true;
}

/* What the host is owed goes before any report. False while it waits for room or for silence on the line. */
static bool send_due(void)
{
    if (due == DUE_STORED && (store_failed() || store_serial_kept())) {
        last_due = done_or_refused(COMMAND_NAME_BOARD, store_serial_kept() ? 0U : REFUSED_STORE_FAILED);
        due = last_due;
    }
    if (due == DUE_NONE || due == DUE_STORED)
        return true;
    if (!frame_has_room(ANSWER_IDENTITY_SIZE) || (due == DUE_CLOCK && !port_tx_silent()))
        return false;
    uint8_t fields[ANSWER_REFUSED_SIZE];
    switch (due) {
    case DUE_IDENTITY:
        send_identity();
        break;
    case DUE_OPENED:
        /* cppcheck-suppress uninitvar ; the answer has no fields */
        send_plain(0, ANSWER_OK, fields, ANSWER_OK_SIZE);
        break;
    case DUE_REFUSED:
        answer_refused_write(fields, &refused);
        send_plain(refused_number, ANSWER_REFUSED, fields, ANSWER_REFUSED_SIZE);
        break;
    case DUE_CLOCK:
        if (!send_clock())
            return false;
        break;
    default:
        send_plain(last_number, answer.id, answer.fields, answer.size);
        break;
    }
    due = DUE_NONE;
    return true;
}

static void send_boot(void)
{
    struct report_boot boot = {.cause = port_reset_cause(), .boots = store_boots(), .kind = kind_facts.id};
    report_boot_write(frame_out(report_number++, REPORT_BOOT, REPORT_BOOT_SIZE), &boot);
    port_tx(0); /* the reset may have cut off a frame, whose beginning must not spoil this one */
    frame_send();
    boot_due = false;
}

static void send_state(void)
{
    struct edge_stand stand;
    uint8_t watched = edges_watched();
    edge_store_stand(&stand, now, edges_levels());
    struct report_state state = {
        .time = stand.time,
        .next = stand.next,
        .levels = (stand.levels & watched) | (port_levels() & (uint8_t)~watched),
        .lost = edge_store_lost(),
        .outputs = outputs_on(),
        .flags = (uint8_t)(FLAG_SESSION_OPEN | (silent ? FLAG_DEADMAN : 0U) | (watched != 0U ? FLAG_WATCHING : 0U) |
                           (store_failed() ? FLAG_STORE_FAILED : 0U) | (store_worn() ? FLAG_STORE_WORN : 0U) |
                           (port_masked() != 0U ? FLAG_STORM : 0U) | kind_flags()),
        .bad_frames = frame_bad(),
        .keys = stand.keys,
        .masked = port_masked(),
    };
    report_state_write(frame_out(report_number++, REPORT_STATE, REPORT_STATE_SIZE), &state);
    if (state.masked == 0U) /* the last field; what is missing is 0, and the line has better use for the byte */
        frame_shorten(REPORT_STATE_SIZE - 1U);
    frame_send();
    uint32_t period = watched != 0U ? STATE_WATCHING_TICKS : STATE_TICKS;
    state_ticks += period;
    if ((int32_t)(now - state_ticks) >= 0)
        state_ticks = now + period;
}

static void send_counts(void)
{
    uint32_t kept[STORE_COUNTERS];
    store_counts(kept);
    struct report_counts counts = {.first = kept[0], .second = kept[1], .third = kept[2], .fourth = kept[3]};
    report_counts_write(frame_out(report_number++, REPORT_COUNTS, REPORT_COUNTS_SIZE), &counts);
    frame_send();
    counts_due = false;
}

/* One report, the most urgent one; false if there is none. There must be room for the longest. */
static bool send_report(bool all_taken)
{
    if (all_taken && (int32_t)(now - state_ticks) >= 0) {
        send_state();
    } else if (edge_store_due(now) && edge_store_report(report_number)) {
        report_number++;
        frame_send();
    } else if (counts_due) {
        send_counts();
    } else if (quadrature_due(now)) {
        quadrature_report(report_number++, now);
        frame_send();
    } else if (samples_due()) {
        samples_report(report_number++);
        frame_send();
    } else {
        return false;
    }
    return true;
}

/* All that there is room for. False if there may be more: then the line is busy, and wakes the board. */
static bool send(bool all_taken)
{
    if (store_take_kept())
        counts_due = open;
    do {
        if (!send_due() || !frame_has_room(FRAME_MOST_FIELDS))
            return false;
        if (!open) {
            if (boot_due)
                send_boot();
            return true;
        }
    } while (send_report(all_taken));
    return true;
}

/* --- the main loop -------------------------------------------------------------------------------------------------- */

void board_begin(void)
{
    port_watchdog_begin();
    now = port_ticks();
    now_high = 0;
    ms_began = now;
    ms = 0;
    open = false;
    due = DUE_NONE;
    hearing = false;
    silent = false;
    report_number = 0;
    boot_due = true;
    frame_begin();
    outputs_begin();
    store_begin();
    quadrature_begin();
    edge_store_begin();
    edges_begin();
    (void)samples_begin(0, 0);
    kind_begin();
    kind_safe(SAFE_START);
}

static uint16_t least(uint16_t a, uint16_t b)
{
    return a < b ? a : b;
}

static uint16_t wait(void)
{
    uint16_t ticks = LONGEST_SLEEP_TICKS;
    if (kind_facts.wake_ms != 0U)
        ticks = least(ticks, (uint16_t)(kind_facts.wake_ms * TICKS_A_MS));
    if (store_busy())
        ticks = least(ticks, cells_are_fram() ? 0U : TICKS_A_MS);
    ticks = least(ticks, edge_store_wait(now));
    ticks = least(ticks, outputs_wait());
    ticks = least(ticks, quadrature_wait(now));
    ticks = least(ticks, samples_wait(now));
    if (hearing)
        ticks = least(ticks, left_until(heard_ticks + SAFE_AFTER_TICKS));
    if (open)
        ticks = least(ticks, left_until(state_ticks));
    return ticks;
}

uint16_t board_poll(void)
{
    port_watchdog_pat();
    read_time();
    receive();
    listen_for_silence();
    bool all_taken = edges_take();
    outputs_poll();
    store_poll();
    samples_poll(now);
    kind_poll(now);
    bool all_sent = send(all_taken);
    if (!all_taken || due == DUE_CLOCK) /* nothing wakes the board when the line falls silent */
        return 0;
    return all_sent ? wait() : LINE_BUSY_TICKS;
}
