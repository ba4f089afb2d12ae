#include "tokens.h"

#include "port.h"

#define BOUNCE_TICKS TICKS_OF_MS(TOKENS_BOUNCE_MS)

void tokens_begin(struct tokens *tokens, uint8_t level)
{
    *tokens = (struct tokens){.rejected = 0};
    debounce_begin(&tokens->line, level);
    tokens_width(tokens, 0);
}

void tokens_width(struct tokens *tokens, uint16_t ms)
{
    uint32_t fifth = (uint32_t)ms * TICKS_A_MS / 5U;
    tokens->least = 4U * fifth;
    tokens->most = ms == 0U ? TICKS_OF_MS(TOKENS_USUAL_MS) : 6U * fifth;
    if (tokens->least < TICKS_OF_MS(TOKENS_LEAST_MS))
        tokens->least = TICKS_OF_MS(TOKENS_LEAST_MS);
}

static bool pulse_ended(struct tokens *tokens, uint32_t width)
{
    bool whole = tokens->in_pulse && !tokens->blocked && width >= tokens->least && width <= tokens->most;
    if (!whole)
        tokens->rejected++;
    tokens->in_pulse = false;
    tokens->blocked = false;
    return whole;
}

bool tokens_poll(struct tokens *tokens, uint32_t now)
{
    bool low = tokens->in_pulse && tokens->line.raw == 0U;
    if (low && (int32_t)(now - tokens->fell) > (int32_t)(tokens->most + BOUNCE_TICKS))
        tokens->blocked = true;
    if (!debounce_settled(&tokens->line, BOUNCE_TICKS, now))
        return false;
    if (tokens->line.level != 0U)
        return pulse_ended(tokens, tokens->line.since - tokens->fell);
    tokens->fell = tokens->line.since;
    tokens->in_pulse = true;
    return false;
}

bool tokens_edge(struct tokens *tokens, uint8_t level, uint32_t ticks)
{
    bool token = tokens_poll(tokens, ticks);
    debounce_edge(&tokens->line, level, ticks);
    return token;
}
