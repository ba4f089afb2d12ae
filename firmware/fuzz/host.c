/* What the host asked, as far as the board's own port gave it to the core: so what the board may do, and must answer. */
#include <string.h>

#include "fuzz.h"

enum { PIECE_MOST = 300 };

/* What the board owes the host: the answer to the last frame that has one. */
enum owed { NOTHING, IDENTITY, OPENED, REFUSAL, ANSWER, ANSWER_AGAIN };

static struct {
    uint8_t piece[PIECE_MOST];
    size_t piece_size;
    bool piece_too_long;

    struct wire_frame frame; /* the last good one */
    bool acting;             /* the core may act on it now, */
    bool carrying_out;       /* and it is a command of this session that is due */

    bool session;
    uint32_t session_number;
    uint8_t last; /* number of the last command carried out, */
    uint8_t last_id;
    uint64_t there;

    enum owed owed;
    uint8_t owed_number;
    uint8_t owed_command;
    uint8_t owed_why; /* of a refusal; 0: any */
    struct wire_frame answer; /* to the last command carried out */
    bool answered;
} host;

void host_begin(void)
{
    memset(&host, 0, sizeof host);
}

static void owe(enum owed owed, uint8_t why)
{
    host.owed = owed;
    host.owed_number = host.frame.number;
    host.owed_command = host.frame.id;
    host.owed_why = why;
}

/* Why the board must refuse a command at once, or 0. */
static uint8_t must_refuse(const struct wire_frame *command)
{
    int8_t size = wire_command_size(command->id, kind_facts.id);
    if (size < 0 || command->id == COMMAND_IDENTIFY || command->id == COMMAND_OPEN)
        return REFUSED_UNKNOWN_COMMAND;
    return command->size == (uint8_t)size ? 0U : REFUSED_WRONG_LENGTH;
}

static void carry_out(void)
{
    uint8_t why = must_refuse(&host.frame);
    host.last = host.frame.number;
    host.last_id = host.frame.id;
    host.answered = false;
    host.carrying_out = why == 0U;
    owe(why == 0U ? ANSWER : REFUSAL, why);
    if (why == 0U)
        guard_wanted(&host.frame);
}

/* The same number means the same command, whatever else the frame has in it. */
static void owe_again(void)
{
    owe(host.answered ? ANSWER_AGAIN : ANSWER, 0);
    host.owed_command = host.last_id;
}

static void open_session(void)
{
    uint32_t number = wire_get32(host.frame.fields);
    if (!host.session || number != host.session_number) {
        host.session = true;
        host.session_number = number;
        host.last = 0;
        told_session();
    }
    owe(OPENED, 0);
}

static void take_first_words(void)
{
    bool open = host.frame.id == COMMAND_OPEN;
    if (!open && host.frame.id != COMMAND_IDENTIFY)
        return;
    if (host.frame.size != (open ? COMMAND_OPEN_SIZE : COMMAND_IDENTIFY_SIZE))
        owe(REFUSAL, REFUSED_WRONG_LENGTH);
    else if (open)
        open_session();
    else
        owe(IDENTITY, 0);
}

static void take_frame(uint32_t ticks)
{
    host.acting = true;
    if (host.frame.id != COMMAND_IDENTIFY)
        host.there = whole_ticks(ticks);
    if (host.frame.number == 0U)
        take_first_words();
    else if (!host.session)
        owe(REFUSAL, REFUSED_NO_SESSION);
    else if (host.frame.number == host.last && host.owed == ANSWER)
        return; /* it was not answered yet */
    else if (host.frame.number == host.last)
        owe_again();
    else if (host.frame.number == host_next_number())
        carry_out();
}

void host_heard(uint8_t byte, uint32_t ticks)
{
    host.acting = false;
    host.carrying_out = false;
    if (byte != 0U) {
        if (host.piece_size == PIECE_MOST)
            host.piece_too_long = true;
        else
            host.piece[host.piece_size++] = byte;
        return;
    }
    struct wire_frame frame;
    bool good = !host.piece_too_long && wire_decode(host.piece, host.piece_size, &frame);
    host.piece_size = 0;
    host.piece_too_long = false;
    if (!good)
        return;
    host.frame = frame;
    take_frame(ticks);
}

const struct wire_frame *host_frame(void)
{
    return host.acting ? &host.frame : NULL;
}

const struct wire_frame *host_command(void)
{
    return host.carrying_out ? &host.frame : NULL;
}

void host_turn_ends(void)
{
    host.acting = false;
    host.carrying_out = false;
}

bool host_session(void)
{
    return host.session;
}

uint8_t host_next_number(void)
{
    return host.last == UINT8_MAX ? 1U : (uint8_t)(host.last + 1U);
}

uint64_t host_there(void)
{
    return host.there;
}

/* --- answers -------------------------------------------------------------------------------------------------------- */

static uint8_t answer_to(uint8_t command)
{
    switch (command) {
    case COMMAND_CLOCK:
        return ANSWER_CLOCK;
    case COMMAND_EDGES_FROM:
        return ANSWER_HELD;
    case COMMAND_COUNTS:
        return ANSWER_COUNTS;
    default:
        return ANSWER_OK;
    }
}

static void must_be_refusal(const struct wire_frame *answer)
{
    MUST(answer->id == ANSWER_REFUSED, "answer %u to command %u, which must be refused", answer->id, host.owed_command);
    MUST(answer->fields[0] == host.owed_command, "refuses %u, and was sent %u", answer->fields[0], host.owed_command);
    MUST(answer->fields[1] != 0U && answer->fields[1] <= REFUSED_SILENT, "refused because of %u", answer->fields[1]);
    MUST(host.owed_why == 0U || answer->fields[1] == host.owed_why, "refused because of %u, and not of %u",
         answer->fields[1], host.owed_why);
}

/* The same again; but how long an answer to `clock` was kept is that of this time. */
static void must_be_the_same(const struct wire_frame *answer)
{
    size_t size = answer->id == ANSWER_CLOCK ? ANSWER_CLOCK_SIZE - sizeof(uint16_t) : answer->size;
    MUST(answer->id == host.answer.id && answer->size == host.answer.size &&
             memcmp(answer->fields, host.answer.fields, size) == 0,
         "command %u had answer %u, and sent again has %u", host.owed_command, host.answer.id, answer->id);
}

static void take_answer(const struct wire_frame *answer)
{
    if (answer->id == ANSWER_REFUSED) {
        host.owed_why = 0;
        must_be_refusal(answer);
    } else {
        MUST(answer->id == answer_to(host.owed_command), "answer %u to command %u", answer->id, host.owed_command);
        if (host.owed_command == COMMAND_NAME_BOARD)
            memory_named_kept();
    }
}

void host_answered(const struct wire_frame *answer)
{
    MUST(host.owed != NOTHING, "an answer %u, number %u, that nobody asked for", answer->id, answer->number);
    MUST(answer->number == host.owed_number, "answer %u has number %u; the question had %u", answer->id, answer->number,
         host.owed_number);
    switch (host.owed) {
    case IDENTITY:
        MUST(answer->id == ANSWER_IDENTITY, "answer %u to identify", answer->id);
        break;
    case OPENED:
        MUST(answer->id == ANSWER_OK, "answer %u to open", answer->id);
        break;
    case ANSWER:
        take_answer(answer);
        break;
    case ANSWER_AGAIN:
        must_be_the_same(answer);
        break;
    case NOTHING:
    case REFUSAL:
    default:
        must_be_refusal(answer);
        break;
    }
    if (answer->id == ANSWER_HELD)
        edges_model_held(answer);
    if (answer->number != 0U && answer->number == host.last && host.session && !host.answered) {
        host.answer = *answer;
        host.answered = true;
    }
    host.owed = NOTHING;
}
