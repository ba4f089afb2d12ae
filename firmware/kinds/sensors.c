#include "sensors.h"

#include "board.h"
#include "messages.h"
#include "port.h"

#define WAIT_TICKS TICKS_OF_MS(SENSORS_WAIT_MS)
#define SETTLE_TICKS TICKS_OF_MS(SENSORS_SETTLE_MS)

static uint8_t tested;
static uint8_t shorted;
static uint8_t dark;
static uint8_t off_levels; /* while the feed was off */
static uint8_t quiet;
static uint8_t heard; /* levels that the devices know of */
static bool known;    /* the first test has ended */
static enum { AT_REST, WAITS, FEED_OFF, FEED_ON } stage;
static bool hiding;    /* a test is under way, or ended less than half of the clock's round ago */
static bool report_due;
static uint32_t asked;    /* ticks */
static uint32_t began;    /* the test */
static uint32_t switched; /* the feed; after a test its end */
static uint16_t changed[SENSORS_INPUTS]; /* since the feed is on again, in ticks from `began`: the last edge; 0: none */

static void switch_feed(bool on, uint32_t now)
{
    sensors_feed(on);
    stage = on ? FEED_ON : FEED_OFF;
    switched = now;
}

static void begin_test(uint32_t now)
{
    began = now;
    hiding = true;
    for (uint8_t input = 0; input < SENSORS_INPUTS; input++)
        changed[input] = 0;
    switch_feed(false, now);
}

void sensors_begin(uint8_t inputs)
{
    tested = inputs;
    shorted = 0;
    dark = inputs; /* nothing is proven yet */
    report_due = false;
    heard = 0; /* at rest */
    known = false;
    begin_test(board_now());
}

void sensors_test(uint8_t quiet_inputs)
{
    if (stage != AT_REST)
        return;
    quiet = quiet_inputs;
    stage = WAITS;
    asked = board_now();
}

bool sensors_put_off(void)
{
    if (stage == WAITS)
        stage = AT_REST;
    return stage == AT_REST;
}

bool sensors_testing(void)
{
    return stage != AT_REST;
}

bool sensors_known(void)
{
    return known;
}

static void hear(uint8_t input, uint8_t level, uint32_t ticks)
{
    uint8_t bit = (uint8_t)(1U << (input - 1U));
    heard = (uint8_t)(level != 0U ? heard | bit : heard & (uint8_t)~bit);
    sensors_heard(input, level == 0U ? 1U : 0U, ticks);
}

/* When an input came to the level that it has at the end of a test which hid it. */
static uint32_t hidden_since(uint8_t input, bool just_tested, uint32_t now)
{
    return just_tested ? began + changed[input - 1U] : now;
}

/* What changed while a test hid it, the earliest first: for beams one behind the other the order matters. */
static void hear_hidden(bool just_tested, uint32_t now)
{
    uint8_t levels = board_levels();
    uint8_t missed = (heard ^ levels) & tested;
    while (missed != 0U) {
        uint8_t first = 0;
        for (uint8_t input = 1; input <= SENSORS_INPUTS; input++) {
            bool waits = (missed & (uint8_t)(1U << (input - 1U))) != 0U;
            if (waits && (first == 0U || (int32_t)(hidden_since(input, just_tested, now) -
                                                   hidden_since(first, just_tested, now)) < 0))
                first = input;
        }
        uint8_t bit = (uint8_t)(1U << (first - 1U));
        missed &= (uint8_t)~bit;
        hear(first, (levels & bit) != 0U ? 1U : 0U, hidden_since(first, just_tested, now));
    }
}

/* True: the test is over. */
static bool go_on(uint32_t now)
{
    int32_t since = (int32_t)(now - switched);
    if (stage <= WAITS) {
        if (hiding && since > (int32_t)TICKS_OF_MS(1000)) /* before the clock comes round */
            hiding = false;
        if (stage == WAITS && ((board_levels() & quiet) == 0U || now - asked > WAIT_TICKS))
            begin_test(now);
        return false;
    }
    uint8_t levels = port_levels();
    bool settled = since >= (int32_t)SETTLE_TICKS;
    if (stage == FEED_OFF) {
        if (settled || (levels & tested) == tested) {
            off_levels = levels;
            switch_feed(true, now);
        }
        return false;
    }
    if (!settled && (levels & tested) != 0U)
        return false;
    if (((levels ^ board_levels()) & tested) != 0U && since < 2 * (int32_t)SETTLE_TICKS)
        return false; /* an edge waits to be taken: until then nobody knows the levels */
    stage = AT_REST;
    switched = now;
    uint8_t was_shorted = shorted;
    uint8_t was_dark = dark;
    shorted = (uint8_t)(tested & (uint8_t)~off_levels);
    dark = tested & levels;
    report_due = report_due || shorted != was_shorted || dark != was_dark;
    return true;
}

bool sensors_poll(uint32_t now)
{
    bool just_tested = go_on(now);
    known = known || just_tested;
    if (known && stage <= WAITS)
        hear_hidden(just_tested, now);
    return just_tested;
}

static bool is_hidden(uint32_t ticks)
{
    if (stage > WAITS)
        return (int32_t)(ticks - began) >= 0;
    return hiding && (int32_t)(ticks - began) >= 0 && (int32_t)(ticks - switched) <= 0;
}

void sensors_edge(uint8_t input, uint8_t level, uint32_t ticks)
{
    if (!is_hidden(ticks) && known)
        hear(input, level, ticks);
    else if (stage == FEED_ON && (int32_t)(ticks - switched) >= 0)
        changed[input - 1U] = (uint16_t)(ticks - began);
}

uint8_t sensors_shorted(void)
{
    return shorted;
}

uint8_t sensors_dark(void)
{
    return dark;
}

void sensors_opened(void)
{
    report_due = true;
}

void sensors_report(void)
{
    if (!report_due || stage != AT_REST)
        return;
    uint8_t *fields = board_report(REPORT_SENSORS, REPORT_SENSORS_SIZE);
    if (!fields)
        return;
    struct report_sensors said = {.tested = tested, .shorted = shorted, .dark = dark};
    report_sensors_write(fields, &said);
    board_send();
    report_due = false;
}
