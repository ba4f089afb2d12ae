/* What the board sends: nothing but whole frames of its own messages, each report with the next number, each answer to what was
 * asked; and nothing without a session but answers and the first `boot`. */
#include "fuzz.h"

static uint8_t piece[WIRE_MOST_CODED];
static size_t piece_size;
static uint8_t next_report;
static uint32_t counted[STORE_COUNTERS];
static bool boot_next; /* a lone zero was sent: what a reset cut off ends with it, and `boot` begins */
static bool booted;

void told_begin(void)
{
    piece_size = 0;
    next_report = 0;
    boot_next = false;
    booted = false;
}

/* A memory that somebody else wrote may have begun with any count, so with one that looks less than nothing. */
void told_found(void)
{
    store_counts(counted);
}

void told_session(void)
{
    next_report = 0;
}

static unsigned bits_of(uint8_t byte)
{
    unsigned bits = 0;
    for (; byte != 0U; byte &= (uint8_t)(byte - 1U))
        bits++;
    return bits;
}

/* Bytes of its fields; of those with a rest, at least. */
static int size_of(uint8_t id)
{
    static const struct {
        uint8_t id;
        uint8_t size;
    } known[] = {
        {ANSWER_OK, ANSWER_OK_SIZE},         {ANSWER_REFUSED, ANSWER_REFUSED_SIZE}, {ANSWER_IDENTITY, ANSWER_IDENTITY_SIZE},
        {ANSWER_CLOCK, ANSWER_CLOCK_SIZE},   {ANSWER_COUNTS, ANSWER_COUNTS_SIZE},   {ANSWER_HELD, ANSWER_HELD_SIZE},
        {REPORT_BOOT, REPORT_BOOT_SIZE},     {REPORT_EDGES, REPORT_EDGES_SIZE},     {REPORT_STATE, REPORT_STATE_SIZE - 1}, /* no input is masked here */
       
        {REPORT_COUNT, REPORT_COUNT_SIZE},   {REPORT_SAMPLE, REPORT_SAMPLE_SIZE},   {REPORT_MOTOR, REPORT_MOTOR_SIZE},
        {REPORT_LAMPS, REPORT_LAMPS_SIZE},   {REPORT_REEL, REPORT_REEL_SIZE},       {REPORT_HOPPER, REPORT_HOPPER_SIZE},
        {REPORT_COUNTS, REPORT_COUNTS_SIZE}, {REPORT_SENSORS, REPORT_SENSORS_SIZE},
        {REPORT_COIN, REPORT_COIN_SIZE},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].id == id)
            return known[i].size;
    }
    return -1;
}

static void take_state(const uint8_t *fields)
{
    bool store_fails = (fields[13] & FLAG_STORE_FAILED) != 0U;
    edges_model_state(wire_get32(fields), wire_get32(fields + 4), wire_get16(fields + 9));
    MUST(wire_get16(fields + 11) == outputs_on(), "outputs %04X are reported on", wire_get16(fields + 11));
    MUST(store_fails == store_failed(), "the report of the store's failure is wrong");
}

static void take_counts(const uint8_t *fields)
{
    for (uint8_t i = 0; i < STORE_COUNTERS; i++) {
        uint32_t now = wire_get32(fields + (size_t)4 * i);
        MUST((int32_t)(now - counted[i]) >= 0, "counter %u went back from %u to %u", i, counted[i], now);
        counted[i] = now;
    }
}

static void take_motor(const uint8_t *fields)
{
    uint8_t output = kind_facts.id == KIND_TABLE ? TABLE_OUT_MOTOR : PUSHER_OUT_MOTOR;
    MUST((fields[4] == 0U) == (outputs_value(output) == 0U), "the motor is reported to turn with %d, its output is on %u",
         (int8_t)fields[4], outputs_value(output));
}

/* Tokens are paid for a payout that has some left, and for nothing else. */
static void take_hopper(const uint8_t *fields)
{
    bool on = outputs_value(PUSHER_OUT_HOPPER) != 0U;
    MUST(!on || (fields[5] == 1U && fields[3] < fields[2]), "the hopper turns: state %u, %u of %u seen", fields[5],
         fields[3], fields[2]);
}

static void take_report(const struct wire_frame *report)
{
    MUST(report->number == next_report, "report %u, and %u would be next", report->number, next_report);
    MUST(host_session() || report->id == REPORT_BOOT, "a report %u without a session", report->id);
    next_report++;
    switch (report->id) {
    case REPORT_EDGES:
        edges_model_told(report);
        break;
    case REPORT_STATE:
        take_state(report->fields);
        break;
    case REPORT_SAMPLE:
        MUST(report->size == REPORT_SAMPLE_SIZE + 2U * bits_of(report->fields[6]), "%u bytes of samples", report->size);
        break;
    case REPORT_COUNTS:
        take_counts(report->fields);
        break;
    case REPORT_MOTOR:
        take_motor(report->fields);
        break;
    case REPORT_HOPPER:
        take_hopper(report->fields);
        break;
    default:
        break;
    }
}

/* The one zero that ends no frame goes right before `boot`, once. */
static void take_zero(void)
{
    MUST(!boot_next && !booted && !host_session(), "a zero that ends nothing");
    boot_next = true;
}

static void take_boot(bool boot)
{
    MUST(boot == boot_next, "a zero and `boot` belong together");
    booted = booted || boot;
    boot_next = false;
}

void told_byte(uint8_t byte)
{
    if (byte != 0U) {
        MUST(piece_size < sizeof piece, "%zu bytes without a zero", piece_size);
        piece[piece_size++] = byte;
        return;
    }
    if (piece_size == 0U) {
        take_zero();
        return;
    }
    struct wire_frame frame;
    MUST(wire_decode(piece, piece_size, &frame), "%zu bytes that are not a frame", piece_size);
    piece_size = 0;
    take_boot(frame.id == REPORT_BOOT);
    int size = size_of(frame.id);
    bool rest = frame.id == REPORT_EDGES || frame.id == REPORT_SAMPLE;
    MUST(size >= 0, "a message %u that nobody knows", frame.id);
    MUST(rest ? frame.size >= size : frame.size == size, "%u bytes of fields in message %u", frame.size, frame.id);
    if (frame.id < REPORT_BOOT)
        host_answered(&frame);
    else
        take_report(&frame);
}
