#include "lamps.h"

#include "board.h"
#include "messages.h"

static struct lamp_chain chain;
static bool asked; /* the host waits for what is read back */
static bool report_due;

void lamps_begin(uint8_t count)
{
    lamp_chain_begin(&chain, count);
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
    if (lamp_chain_poll(&chain, now))
        report_due = asked;
    if (report_due)
        report();
}
