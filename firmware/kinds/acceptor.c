#include "acceptor.h"

#include "board.h"
#include "messages.h"
#include "outputs.h"
#include "port.h"
#include "store.h"
#include "tokens.h"

static struct tokens tokens;
static uint8_t output;
static uint8_t counter;

static uint32_t gap_ticks; /* between the pulses of a train at most; 0: every pulse is a coin */
static uint8_t pulses;     /* of the train under way */
static uint32_t pulse_ticks;
static uint16_t coins;     /* trains, modulo 65536 */
static uint8_t value;      /* pulses of the last train; 0: it is reported */

#define WIDTH_LEAST_MS 25U
#define WIDTH_MOST_MS 500U
#define GAP_LEAST_MS 20U
#define GAP_MOST_MS 1000U

void acceptor_begin(uint8_t its_output, uint8_t its_counter, uint8_t level)
{
    output = its_output;
    counter = its_counter;
    tokens_begin(&tokens, level);
    coins = 0;
    acceptor_opened();
}

void acceptor_opened(void)
{
    tokens_width(&tokens, 0);
    gap_ticks = 0;
    pulses = 0;
    value = 0;
}

uint8_t acceptor_configure(const uint8_t *fields)
{
    struct command_acceptor told;
    command_acceptor_read(&told, fields);
    bool no_width = told.width_ms < WIDTH_LEAST_MS || told.width_ms > WIDTH_MOST_MS;
    bool no_gap = told.gap_ms != 0U && (told.gap_ms < GAP_LEAST_MS || told.gap_ms > GAP_MOST_MS);
    if (no_width || no_gap)
        return REFUSED_WRONG_VALUE;
    tokens_width(&tokens, told.width_ms);
    gap_ticks = TICKS_OF_MS(told.gap_ms);
    pulses = 0;
    return 0;
}

uint8_t acceptor_command(const uint8_t *fields, uint8_t may)
{
    struct command_accept told;
    command_accept_read(&told, fields);
    if (told.on > 1U)
        return REFUSED_WRONG_VALUE;
    if (told.on != 0U && may != 0U)
        return may;
    return outputs_set(output, told.on != 0U ? UINT8_MAX : 0U, 0);
}

void acceptor_inhibit(void)
{
    if (outputs_value(output) != 0U)
        (void)outputs_set(output, 0, 0);
}

/* A token counts also where the acceptor is inhibited: it has taken it, and it was on its way. */
static void token_came(void)
{
    store_add(counter);
    if (gap_ticks == 0U)
        return;
    if (pulses != UINT8_MAX)
        pulses++;
    pulse_ticks = board_now();
}

void acceptor_edge(uint8_t level, uint32_t ticks)
{
    if (tokens_edge(&tokens, level, ticks))
        token_came();
}

/* A train ends when its line was at rest for longer than pulses are apart. */
static void end_train(uint32_t now)
{
    if (pulses != 0U && !tokens.in_pulse && tokens.line.raw != 0U && (int32_t)(now - pulse_ticks) > (int32_t)gap_ticks) {
        value = pulses;
        coins++;
        pulses = 0;
    }
    if (value == 0U)
        return;
    uint8_t *to = board_report(REPORT_COIN, REPORT_COIN_SIZE);
    if (!to)
        return;
    struct report_coin said = {.number = coins, .pulses = value};
    report_coin_write(to, &said);
    board_send();
    value = 0;
}

void acceptor_poll(uint32_t now)
{
    if (tokens_poll(&tokens, now))
        token_came();
    end_train(now);
    if (store_failed())
        acceptor_inhibit(); /* what cannot be kept must not be taken */
}

bool acceptor_fault(void)
{
    return tokens.blocked;
}
