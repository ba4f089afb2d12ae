#include "lamps.h"

#include "board.h"
#include "messages.h"

#define REFRESH_MS 100U /* a register that a spark has changed is put right within this (ours) */

static struct lamp_chain chain;
static uint16_t refreshed_ms; /* board_ms(), low half */
static bool control_fails;
static bool asked; /* the host waits for what is read back */
static bool report_due;

void lamps_begin(uint8_t count, uint8_t control)
{
    lamp_chain_begin(&chain, count, control);
    control_fails = false;
    refreshed_ms = 0;
    asked = false;
    report_due = false;
}

uint8_t lamps_command(const uint8_t *fields)
{
    struct command_lamps told;
    command_lamps_read(&told, fields);
    if (!lamp_chain_takes(&chain, told.lit))
        return REFUSED_WRONG_VALUE;
    lamp_chain_light(&chain, told.lit);
    asked = true;
    return 0;
}

void lamps_safe(void)
{
    uint8_t dark[LAMP_BYTES] = {0};
    lamp_chain_light(&chain, dark);
    asked = false;
    report_due = false;
}

static bool has_control(void)
{
    return chain.count != chain.lamps;
}

void lamps_control(uint8_t levels)
{
    lamp_chain_control(&chain, levels);
}

uint8_t lamps_controlled(void)
{
    return chain.told[chain.lamps >> 3];
}

bool lamps_control_fails(void)
{
    return control_fails;
}

static void look_at_control(void)
{
    uint8_t byte = chain.lamps >> 3;
    bool fails = chain.lit[byte] != chain.told[byte];
    report_due = report_due || fails != control_fails;
    control_fails = fails;
}

static void report(void)
{
    uint8_t *fields = board_report(REPORT_LAMPS, REPORT_LAMPS_SIZE);
    if (!fields)
        return;
    struct report_lamps said;
    for (uint8_t byte = 0; byte < LAMP_BYTES; byte++) {
        said.lit[byte] = chain.lit[byte];
        said.dead[byte] = (uint8_t)(chain.told[byte] & (uint8_t)~chain.lit[byte]);
        said.stuck[byte] = (uint8_t)(chain.lit[byte] & (uint8_t)~chain.told[byte]);
    }
    report_lamps_write(fields, &said);
    board_send();
    report_due = false;
}

void lamps_poll(uint32_t now)
{
    if (has_control() && (uint16_t)((uint16_t)board_ms() - refreshed_ms) >= REFRESH_MS) {
        refreshed_ms = (uint16_t)board_ms();
        lamp_chain_refresh(&chain);
    }
    if (lamp_chain_poll(&chain, now)) {
        report_due = report_due || asked;
        asked = false;
        if (has_control())
            look_at_control();
    }
    if (report_due)
        report();
}
