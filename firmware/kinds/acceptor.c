#include "acceptor.h"

#include "messages.h"
#include "outputs.h"
#include "store.h"
#include "tokens.h"

static struct tokens tokens;
static uint8_t output;
static uint8_t counter;

void acceptor_begin(uint8_t its_output, uint8_t its_counter, uint8_t level)
{
    output = its_output;
    counter = its_counter;
    tokens_begin(&tokens, level);
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
void acceptor_edge(uint8_t level, uint32_t ticks)
{
    if (tokens_edge(&tokens, level, ticks))
        store_add(counter);
}

void acceptor_poll(uint32_t now)
{
    if (tokens_poll(&tokens, now))
        store_add(counter);
    if (store_failed())
        acceptor_inhibit(); /* what cannot be kept must not be taken */
}

bool acceptor_fault(void)
{
    return tokens.blocked;
}
