/* Pins: what the world drives into the chip, at exact cycles, and what the chip drives out. In libsimavr 1.6 a write to
 * PORT puts a pulled-up pin high even where the world holds it low, and a reset forgets all levels. */

#include "simboard.h"

#include <simavr/avr_adc.h>
#include <simavr/avr_extint.h>

enum { MILLIVOLT = 5000, TOP_CODE = 1023, SHARE_BITS = 24, CODE_BITS = 10 };

/* A pin that a timer can drive: its control registers, its compare register, and where its bits are. */
struct pwm {
    uint8_t pin, shift; /* `shift`: of COMnx in TCCRnA */
    uint8_t control_a, control_b, compare, top_compare, top_capture;
    bool wide;
};

static const struct pwm PWM[] = {
    {22, 6, 0x44, 0x45, 0x47, 0x47, 0, false},      /* D6: OC0A */
    {21, 4, 0x44, 0x45, 0x48, 0x47, 0, false},      /* D5: OC0B */
    {1, 6, 0x80, 0x81, 0x88, 0x88, 0x86, true},     /* B1: OC1A */
    {2, 4, 0x80, 0x81, 0x8A, 0x88, 0x86, true},     /* B2: OC1B */
    {3, 6, 0xB0, 0xB1, 0xB3, 0xB3, 0, false},       /* B3: OC2A */
    {19, 4, 0xB0, 0xB1, 0xB4, 0xB3, 0, false},      /* D3: OC2B */
};

static unsigned word_at(const avr_t *avr, unsigned address, bool wide)
{
    return avr->data[address] | (wide ? (unsigned)avr->data[address + 1] << 8 : 0);
}

/* The greatest count of the timer in its mode (data sheet, waveform generation modes). */
static unsigned top_of(const avr_t *avr, const struct pwm *pwm)
{
    const unsigned a = avr->data[pwm->control_a] & 3U;
    const unsigned b = avr->data[pwm->control_b];
    if (!pwm->wide)
        return b & 8 ? word_at(avr, pwm->top_compare, false) : 255;
    const unsigned mode = a | (b >> 1 & 0xCU);
    static const unsigned FIXED[] = {65535, 255, 511, 1023, 0, 255, 511, 1023};
    if (mode < 8 && FIXED[mode])
        return FIXED[mode];
    const bool by_capture = mode == 8 || mode == 10 || mode == 12 || mode == 14;
    return word_at(avr, by_capture ? pwm->top_capture : pwm->top_compare, true);
}

/* The share of time that a timer holds a pin high; NOT_DRIVEN where none has it. */
static int32_t share_of(const avr_t *avr, const struct pwm *pwm)
{
    const unsigned connected = avr->data[pwm->control_a] >> pwm->shift & 3U;
    if (connected < 2 || !(avr->data[pwm->control_b] & 7U))
        return NOT_DRIVEN;
    const unsigned top = top_of(avr, pwm);
    const unsigned compare = word_at(avr, pwm->compare, pwm->wide);
    const unsigned high = compare >= top ? FULL : (unsigned)((uint64_t)compare * FULL / (top ? top : 1));
    return (int32_t)(connected == 2 ? high : FULL - high);
}

static int32_t output_of(const struct board *board, unsigned pin)
{
    const avr_t *avr = board->avr;
    const avr_ioport_t *port = board->pins.port[pin / 8];
    const unsigned bit = 1U << pin % 8;
    if (board->held || !(avr->data[port->r_ddr] & bit))
        return NOT_DRIVEN;
    for (size_t i = 0; i < sizeof PWM / sizeof *PWM; i++) {
        if (PWM[i].pin == pin) {
            const int32_t share = share_of(avr, &PWM[i]);
            if (share != NOT_DRIVEN)
                return share;
        }
    }
    return (avr->data[port->r_port] & bit) ? FULL : 0;
}

static void apply(struct board *board, unsigned pin);

void pins_feed_changed(struct board *board)
{
    for (unsigned pin = 0; pin < PINS; pin++) {
        if (board->pins.fed >> pin & 1U)
            apply(board, pin);
    }
}

static void note_outputs(struct board *board)
{
    struct pins *pins = &board->pins;
    bool feed_changed = false;
    for (unsigned pin = 0; pin < PINS; pin++) {
        const int32_t level = output_of(board, pin);
        if (level == pins->output[pin])
            continue;
        pins->output[pin] = level;
        if (grow((void **)&pins->changes, pins->change_count, &pins->change_room, sizeof *pins->changes))
            pins->changes[pins->change_count++] = (struct change){board->avr->cycle, level, (uint8_t)pin};
        if (twi_is_clock(pin) && level == NOT_DRIVEN)
            twi_clocked(board);
        const bool chain_fed = chain_moved(board, pin);
        feed_changed = feed_changed || (pins->fed && (pins->feed == NOT_DRIVEN ? chain_fed : pin == (unsigned)pins->feed));
    }
    if (feed_changed)
        pins_feed_changed(board);
}

static void write_register(avr_t *avr, avr_io_addr_t address, uint8_t value, void *board)
{
    (void)avr;
    write_through(board, address, value);
    note_outputs(board);
}

static void write_pin(avr_t *avr, avr_io_addr_t address, uint8_t value, void *board)
{
    write_register(avr, address, ones_written(avr, value), board);
}

/* --- what the world drives ---------------------------------------------------------------------------------------- */

static bool is_fed(const struct board *board)
{
    const int feed = board->pins.feed;
    return feed == NOT_DRIVEN ? chain_feeds(board) : board->pins.output[feed] == FULL;
}

/* A sensor without its feed pulls nothing: its line is high. */
static void apply(struct board *board, unsigned pin)
{
    const avr_t *avr = board->avr;
    avr_ioport_t *port = board->pins.port[pin / 8];
    const unsigned bit = 1U << pin % 8;
    const bool fed = !(board->pins.fed >> pin & 1U) || is_fed(board);
    const int32_t level = fed ? board->pins.driven[pin] : 1;
    port->external.pull_mask = (uint8_t)((port->external.pull_mask & ~bit) | (level == NOT_DRIVEN ? 0 : bit));
    port->external.pull_value = (uint8_t)((port->external.pull_value & ~bit) | (level == 1 ? bit : 0));
    if (avr->data[port->r_ddr] & bit)
        return; /* an output: what the world does to it shows when it is an input again */
    if (level != NOT_DRIVEN)
        avr_raise_irq(port->io.irq + pin % 8, (uint32_t)level);
    else if (avr->data[port->r_port] & bit)
        avr_raise_irq(port->io.irq + pin % 8, 1); /* the resistor inside the chip pulls it up */
}

static void drive(struct board *board, unsigned pin, int32_t level)
{
    board->pins.driven[pin] = level;
    apply(board, pin);
}

void pin_driven(struct board *board, unsigned pin, int32_t level)
{
    drive(board, pin, level);
}

/* `share` of the supply, in 1/2^24: the converter finds the code that the chip would. */
static void supply(struct board *board, unsigned channel, int32_t share)
{
    const int32_t code = share >> (SHARE_BITS - CODE_BITS);
    const int32_t millivolt = ((code < TOP_CODE ? code : TOP_CODE) * MILLIVOLT + TOP_CODE - 1) / TOP_CODE;
    avr_irq_t *irq = avr_io_getirq(board->avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0 + (int)channel);
    avr_raise_irq(irq, (uint32_t)millivolt);
}

static avr_cycle_count_t on_plan(avr_t *avr, avr_cycle_count_t when, void *param)
{
    (void)when;
    struct board *board = param;
    struct pins *pins = &board->pins;
    for (; pins->plan_first < pins->plan_end; pins->plan_first++) {
        const struct scheduled *next = &pins->plan[pins->plan_first];
        if (next->cycle > avr->cycle)
            return next->cycle;
        if (next->pin >= ANALOGUE)
            supply(board, next->pin - ANALOGUE, next->value);
        else
            drive(board, next->pin, next->value);
    }
    pins->plan_first = pins->plan_end = 0;
    return 0;
}

bool pins_begin(struct board *board)
{
    struct pins *pins = &board->pins;
    for (unsigned i = 0; i < PORTS; i++) {
        pins->port[i] = (avr_ioport_t *)part(board->avr, "port", "BCD"[i]);
        if (!pins->port[i])
            return false;
        wrap_writes(board, pins->port[i]->r_port, write_register);
        wrap_writes(board, pins->port[i]->r_ddr, write_register);
        wrap_writes(board, pins->port[i]->r_pin, write_pin);
        for (int bit = 0; bit < 8; bit++)
            avr_raise_irq(pins->port[i]->io.irq + bit, 0);
    }
    for (size_t i = 0; i < sizeof PWM / sizeof *PWM; i++) {
        if (PWM[i].shift == 6) {
            wrap_writes(board, PWM[i].control_a, write_register);
            wrap_writes(board, PWM[i].control_b, write_register);
        }
        wrap_writes(board, PWM[i].compare, write_register);
    }
    for (unsigned pin = 0; pin < PINS; pin++)
        pins->driven[pin] = pins->output[pin] = NOT_DRIVEN;
    return true;
}

/* A reset: from this cycle on every output floats. */
void pins_quiet(struct board *board)
{
    for (unsigned i = 0; i < PORTS; i++) {
        board->avr->data[board->pins.port[i]->r_ddr] = 0;
        board->avr->data[board->pins.port[i]->r_port] = 0;
    }
    note_outputs(board);
}

/* After a reset: the world's levels are there as before. */
void pins_go_on(struct board *board)
{
    struct pins *pins = &board->pins;
    for (unsigned i = 0; i < PORTS; i++) {
        unsigned levels = 0;
        for (unsigned bit = 0; bit < 8; bit++)
            levels |= (pins->port[i]->io.irq[bit].value & 1U) << bit;
        board->avr->data[pins->port[i]->r_pin] = (uint8_t)levels;
    }
    /* INT0 and INT1 begin as level interrupts, which libsimavr looks at in every cycle while D2 or D3 is low. */
    avr_extint_set_strict_lvl_trig(board->avr, 0, 0);
    avr_extint_set_strict_lvl_trig(board->avr, 1, 0);
    if (pins->plan_first < pins->plan_end)
        call_at(board, pins->plan[pins->plan_first].cycle, on_plan);
}

void pins_retime(struct board *board, double ratio, uint64_t less)
{
    struct pins *pins = &board->pins;
    for (size_t i = pins->plan_first; i < pins->plan_end; i++)
        pins->plan[i].cycle = retimed(board, pins->plan[i].cycle, ratio, less);
    pins_go_on(board);
}

/* --- for Python --------------------------------------------------------------------------------------------------- */

/* Plans levels of pins, each at its cycle, or at once where that has passed. Those at one cycle keep their order. */
FOR_PYTHON bool board_plan(struct board *board, size_t count, const uint64_t *cycles, const uint8_t *pins_,
                           const int32_t *values)
{
    struct pins *pins = &board->pins;
    close_up(pins->plan, sizeof *pins->plan, &pins->plan_first, &pins->plan_end);
    for (size_t i = 0; i < count; i++) {
        if (!grow((void **)&pins->plan, pins->plan_end, &pins->plan_room, sizeof *pins->plan))
            return false;
        size_t place = pins->plan_end++;
        for (; place > pins->plan_first && pins->plan[place - 1].cycle > cycles[i]; place--)
            pins->plan[place] = pins->plan[place - 1];
        pins->plan[place] = (struct scheduled){cycles[i], values[i], pins_[i]};
    }
    if (count)
        call_at(board, pins->plan[pins->plan_first].cycle, on_plan);
    return true;
}

FOR_PYTHON size_t board_planned(const struct board *board)
{
    return board->pins.plan_end - board->pins.plan_first;
}

FOR_PYTHON size_t board_change_count(const struct board *board)
{
    return board->pins.change_count;
}

FOR_PYTHON void board_take_changes(struct board *board, uint64_t *cycles, uint8_t *pins_, int32_t *levels)
{
    struct pins *pins = &board->pins;
    for (size_t i = 0; i < pins->change_count; i++) {
        cycles[i] = pins->changes[i].cycle;
        pins_[i] = pins->changes[i].pin;
        levels[i] = pins->changes[i].level;
    }
    pins->change_count = 0;
}

/* The sensors on these pins (bits) are fed by an output, or by the chain (NOT_DRIVEN). */
FOR_PYTHON void board_feed(struct board *board, uint32_t fed, int feed)
{
    board->pins.fed = fed;
    board->pins.feed = feed;
    pins_feed_changed(board);
}

FOR_PYTHON int32_t board_output(const struct board *board, unsigned pin)
{
    return board->pins.output[pin];
}
