#include "machine.h"

#include <string.h>

#include "board.h"
#include "kind.h"

#define NEVER UINT64_MAX
#define SNAPSHOTS 64U /* as on the ATmega328P: one stays free */
#define TX_SIZE 128U  /* the same */
#define RX_SIZE 64U
#ifndef MACHINE_QUEUE_SIZE /* a power of two; the fuzzer has many short lives, and takes less */
#define MACHINE_QUEUE_SIZE 65536U
#endif
#define PLAN_SIZE MACHINE_QUEUE_SIZE
#define LINE_SIZE MACHINE_QUEUE_SIZE
#define SAID_SIZE MACHINE_QUEUE_SIZE
#define ADC_TICKS 208U          /* 13 cycles of 125 kHz */
#define EEPROM_TICKS 6800U      /* 3.4 ms */
#define PIN_COUNT 256U
#define PWM_PIN 0xB3U

static const uint8_t INPUT_PINS[8] = {0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xC0, 0xC1};
#define PORTD_INPUTS 0x3FU
#define PORTC_INPUTS 0xC0U

static uint64_t now;
static uint8_t cause;
static uint64_t patted;
static uint64_t idle_until;
static bool woken;

/* --- queues: what was put in first comes out first ------------------------------------------------------------------ */

struct queue {
    uint32_t head;
    uint32_t tail;
};

static bool full(const struct queue *queue, uint32_t size)
{
    return queue->head - queue->tail == size;
}

static bool empty(const struct queue *queue)
{
    return queue->head == queue->tail;
}

struct planned {
    uint64_t ticks;
    uint8_t pin;
    uint8_t level;
};
struct arriving {
    uint64_t ends;
    uint8_t byte;
};

static struct queue plan;
static struct planned plan_items[PLAN_SIZE];
static struct queue line;
static struct arriving line_items[LINE_SIZE];
static uint64_t line_free;
static struct queue sent;
static struct machine_sent sent_items[SAID_SIZE];
static struct queue changes;
static struct machine_change change_items[SAID_SIZE];

/* --- pins ----------------------------------------------------------------------------------------------------------- */

enum driven { NOT_DRIVEN, LOW, HIGH };

static struct {
    bool output;
    bool pull_up;
    uint8_t value; /* of an output */
    enum driven driven;
    uint16_t supply;
} pins[PIN_COUNT];

/* The bit of the input that a pin is; 0 for none. */
static uint8_t input_bit(uint8_t pin)
{
    for (uint8_t input = 0; input < 8U; input++) {
        if (INPUT_PINS[input] == pin)
            return (uint8_t)(1U << input);
    }
    return 0;
}

/* --- the chain of lamps, where one of its control outputs feeds the sensors: every lamp draws its current ----------- */

static struct {
    uint64_t shifted;
    uint64_t out;
    uint64_t held; /* what is read back */
} chain;

static bool fed(void)
{
    if (kind_facts.sense != 0U)
        return pins[kind_facts.sense].value != 0U;
    return (chain.out >> (kind_facts.chain.sense - 1U) & 1U) != 0U;
}

/* A pin of the board rose or fell. */
static void move_chain(uint8_t pin, bool high)
{
    if (kind_facts.chain.count == 0U)
        return;
    if (pin == kind_facts.chain.latch) {
        chain.held = chain.out;
        if (high)
            chain.out = chain.shifted & ((UINT64_C(1) << kind_facts.chain.count) - 1U);
    } else if (pin == kind_facts.chain.clock && high) {
        chain.shifted = chain.shifted << 1 | (pins[kind_facts.chain.data].value != 0U ? 1U : 0U);
        chain.held <<= 1;
    }
}

/* A sensor that is active high pulls its line low at rest, while it is fed. */
uint8_t machine_pin(uint8_t pin)
{
    uint8_t bit = input_bit(pin);
    bool pulls = (kind_facts.active_high & bit) != 0U;
    if (pins[pin].output)
        return pins[pin].value;
    if (kind_facts.chain.count != 0U && pin == kind_facts.chain.read_back)
        return (chain.held >> (kind_facts.chain.count - 1U) & 1U) != 0U ? UINT8_MAX : 0U;
    if ((kind_facts.fed & bit) != 0U && !fed())
        return UINT8_MAX;
    if (pins[pin].driven == NOT_DRIVEN)
        return pins[pin].pull_up && !pulls ? UINT8_MAX : 0U;
    return pins[pin].driven == HIGH ? UINT8_MAX : 0U;
}

static uint8_t input_levels(void)
{
    uint8_t levels = 0;
    for (uint8_t input = 0; input < 8U; input++) {
        if (machine_pin(INPUT_PINS[input]) != 0U)
            levels |= (uint8_t)(1U << input);
    }
    return levels;
}

static void inputs_changed(uint8_t changed);

static void put_output(uint8_t pin, uint8_t value)
{
    if (pins[pin].value == value)
        return;
    uint8_t before = input_levels();
    pins[pin].value = value;
    move_chain(pin, value != 0U);
    inputs_changed(before ^ input_levels());
    if (full(&changes, SAID_SIZE))
        changes.tail++;
    change_items[changes.head++ % SAID_SIZE] = (struct machine_change){.ticks = now, .pin = pin, .value = value};
}

void port_pin_output(uint8_t pin)
{
    pins[pin].output = true;
    put_output(pin, 0);
}

void port_pin_output_high(uint8_t pin)
{
    pins[pin].output = true;
    put_output(pin, UINT8_MAX);
}

void port_pin_input(uint8_t pin, bool pull_up)
{
    pins[pin].output = false;
    pins[pin].pull_up = pull_up;
    pins[pin].value = 0;
}

void port_pin_write(uint8_t pin, uint8_t level)
{
    put_output(pin, level != 0U ? UINT8_MAX : 0U);
}

uint8_t port_pin_read(uint8_t pin)
{
    return machine_pin(pin) != 0U ? 1U : 0U;
}

bool port_dims(uint8_t pin)
{
    return pin == PWM_PIN;
}

void port_output(uint8_t pin, uint8_t value)
{
    put_output(pin, value);
}

/* --- inputs --------------------------------------------------------------------------------------------------------- */

static struct {
    uint8_t listened;
    uint8_t pending; /* the ports whose inputs changed, and whose interrupt has not run */
    struct queue queue;
    struct port_snapshot items[SNAPSHOTS];
    uint8_t dropped;
} pin_changes;

uint8_t port_levels(void)
{
    uint8_t levels = 0;
    for (uint8_t input = 0; input < 8U; input++) {
        if (port_pin_read(INPUT_PINS[input]) != 0U)
            levels |= (uint8_t)(1U << input);
    }
    return levels;
}

static void snapshot(uint8_t covers)
{
    woken = true;
    if (full(&pin_changes.queue, SNAPSHOTS - 1U) || pin_changes.dropped != 0U) {
        pin_changes.dropped = pin_changes.dropped == UINT8_MAX ? UINT8_MAX : (uint8_t)(pin_changes.dropped + 1U);
        return;
    }
    pin_changes.items[pin_changes.queue.head++ % SNAPSHOTS] =
        (struct port_snapshot){.ticks = (uint32_t)now, .levels = port_levels() & covers, .covers = covers, .missed = 0};
}

static void inputs_changed(uint8_t changed)
{
    pin_changes.pending |= changed & pin_changes.listened;
}

/* Levels that change at one time make one interrupt a port. */
static void interrupt_inputs(void)
{
    if (pin_changes.pending & PORTC_INPUTS)
        snapshot(PORTC_INPUTS);
    if (pin_changes.pending & PORTD_INPUTS)
        snapshot(PORTD_INPUTS);
    pin_changes.pending = 0;
}

static void drive(uint8_t pin, uint8_t level)
{
    uint8_t before = machine_pin(pin);
    pins[pin].driven = level != 0U ? HIGH : LOW;
    if (before != machine_pin(pin))
        inputs_changed(input_bit(pin));
}

void port_listen(uint8_t inputs, uint8_t pull_ups, struct port_snapshot *found)
{
    interrupt_inputs();
    for (uint8_t input = 0; input < 8U; input++)
        port_pin_input(INPUT_PINS[input], (pull_ups & (uint8_t)(1U << input)) != 0U);
    uint32_t waited = pin_changes.queue.head - pin_changes.queue.tail + pin_changes.dropped;
    pin_changes.listened = inputs;
    pin_changes.queue.tail = pin_changes.queue.head;
    pin_changes.dropped = 0;
    *found = (struct port_snapshot){.ticks = (uint32_t)now,
                                    .levels = port_levels(),
                                    .covers = PORTD_INPUTS | PORTC_INPUTS,
                                    .missed = (uint8_t)(waited > UINT8_MAX ? UINT8_MAX : waited)};
}

bool port_snapshot_take(struct port_snapshot *to)
{
    interrupt_inputs();
    if (!empty(&pin_changes.queue)) {
        *to = pin_changes.items[pin_changes.queue.tail++ % SNAPSHOTS];
        return true;
    }
    if (pin_changes.dropped == 0U)
        return false;
    *to = (struct port_snapshot){.ticks = (uint32_t)now,
                                 .levels = port_levels(),
                                 .covers = PORTD_INPUTS | PORTC_INPUTS,
                                 .missed = pin_changes.dropped};
    pin_changes.dropped = 0;
    return true;
}

/* --- the serial line ------------------------------------------------------------------------------------------------ */

static struct {
    uint8_t ring[TX_SIZE];
    struct queue queue; /* up to `go` it may be sent */
    uint32_t go;
    uint64_t byte_ends; /* of the byte on the line; NEVER: silent */
} tx = {.byte_ends = NEVER};

static struct {
    struct arriving items[RX_SIZE];
    struct queue queue;
} rx;

static void shift_next(uint64_t from)
{
    if (tx.byte_ends == NEVER && tx.queue.tail != tx.go)
        tx.byte_ends = from + MACHINE_BYTE_TICKS;
}

static void byte_left(void)
{
    if (full(&sent, SAID_SIZE))
        sent.tail++;
    sent_items[sent.head++ % SAID_SIZE] =
        (struct machine_sent){.ticks = tx.byte_ends, .byte = tx.ring[tx.queue.tail++ % TX_SIZE]};
    uint64_t ended = tx.byte_ends;
    tx.byte_ends = NEVER;
    shift_next(ended);
    woken = true;
}

uint8_t port_tx_room(void)
{
    return (uint8_t)(TX_SIZE - 1U - (tx.queue.head - tx.queue.tail));
}

void port_tx(uint8_t byte)
{
    tx.ring[tx.queue.head++ % TX_SIZE] = byte;
}

void port_tx_go(void)
{
    tx.go = tx.queue.head;
    shift_next(now);
}

bool port_tx_silent(void)
{
    return tx.byte_ends == NEVER && empty(&tx.queue);
}

static void byte_came(const struct arriving *byte)
{
    woken = true;
    if (full(&rx.queue, RX_SIZE - 1U))
        return;
    rx.items[rx.queue.head++ % RX_SIZE] = *byte;
}

bool port_rx(uint8_t *byte, uint32_t *ticks)
{
    if (empty(&rx.queue))
        return false;
    const struct arriving *item = &rx.items[rx.queue.tail++ % RX_SIZE];
    *byte = item->byte;
    if (item->byte == 0U)
        *ticks = (uint32_t)item->ends;
    return true;
}

/* --- the converter, the memory, the watchdog ------------------------------------------------------------------------ */

static struct {
    uint64_t done; /* NEVER: it is at rest */
    uint16_t value;
} adc = {.done = NEVER};

void port_adc_start(uint8_t pin)
{
    adc.value = pins[pin].supply;
    adc.done = now + ADC_TICKS;
}

bool port_adc_take(uint16_t *value)
{
    if (adc.done > now)
        return false;
    adc.done = NEVER;
    *value = adc.value;
    return true;
}

static struct {
    uint8_t bytes[PORT_EEPROM_SIZE];
    uint64_t done; /* of the write under way */
    uint16_t at;
    uint8_t byte;
    bool busy;
} eeprom;

static void finish_write(void)
{
    if (eeprom.busy && eeprom.done <= now) {
        eeprom.bytes[eeprom.at] = eeprom.byte;
        eeprom.busy = false;
    }
}

bool port_eeprom_ready(void)
{
    finish_write();
    return !eeprom.busy;
}

uint8_t port_eeprom_read(uint16_t at)
{
    finish_write();
    return eeprom.bytes[at % PORT_EEPROM_SIZE];
}

void port_eeprom_write(uint16_t at, uint8_t byte)
{
    finish_write();
    eeprom.at = (uint16_t)(at % PORT_EEPROM_SIZE);
    eeprom.byte = byte;
    eeprom.done = now + EEPROM_TICKS;
    eeprom.busy = true;
}

static struct {
    uint8_t bytes[PORT_EEPROM_SIZE];
    bool fitted;
} fram;

void port_fram_begin(void)
{
}

bool port_fram_read(uint16_t at, uint8_t *byte)
{
    *byte = fram.bytes[at % PORT_EEPROM_SIZE];
    return fram.fitted;
}

bool port_fram_write(uint16_t at, uint8_t byte)
{
    if (fram.fitted)
        fram.bytes[at % PORT_EEPROM_SIZE] = byte;
    return fram.fitted;
}

void machine_fit_fram(const uint8_t *bytes)
{
    fram.fitted = bytes != NULL;
    if (bytes)
        memcpy(fram.bytes, bytes, PORT_EEPROM_SIZE);
}

void machine_fram(uint8_t to[PORT_EEPROM_SIZE])
{
    memcpy(to, fram.bytes, PORT_EEPROM_SIZE);
}

bool machine_eeprom_busy(void)
{
    return !port_eeprom_ready();
}

/* First its bits become 1 one after the other, then some of them 0 again. */
void machine_eeprom(uint8_t to[PORT_EEPROM_SIZE], uint32_t seed)
{
    finish_write();
    memcpy(to, eeprom.bytes, PORT_EEPROM_SIZE);
    if (!eeprom.busy)
        return;
    bool erasing = eeprom.done - now > EEPROM_TICKS / 2U;
    uint8_t some = (uint8_t)(seed ^ (seed >> 8));
    to[eeprom.at] = erasing ? (uint8_t)(eeprom.bytes[eeprom.at] | some) : (uint8_t)(eeprom.byte | some);
}

uint8_t port_reset_cause(void)
{
    return cause;
}

uint8_t port_masked(void)
{
    return 0;
}

uint16_t port_hung_at(void)
{
    return 0;
}

uint8_t port_image_hash(uint8_t at)
{
    (void)at;
    return 0;
}

void port_watchdog_begin(void)
{
    patted = now;
}

void port_watchdog_pat(void)
{
    patted = now;
}

uint64_t machine_unpatted(void)
{
    return now - patted;
}

/* --- time ----------------------------------------------------------------------------------------------------------- */

static uint64_t fast_due = NEVER;

uint32_t port_ticks(void)
{
    return (uint32_t)now;
}

uint64_t machine_ticks(void)
{
    return now;
}

void port_fast_in(uint16_t ticks)
{
    fast_due = now + ticks;
}

void port_idle(uint16_t ticks)
{
    idle_until = now + ticks;
}

static void call_fast(void)
{
    uint16_t ticks = kind_fast();
    fast_due = ticks == 0U ? NEVER : fast_due + ticks;
    woken = true;
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t next_event(void)
{
    uint64_t next = earliest(tx.byte_ends, earliest(adc.done, fast_due));
    if (!empty(&plan))
        next = earliest(next, plan_items[plan.tail % PLAN_SIZE].ticks);
    if (!empty(&line))
        next = earliest(next, line_items[line.tail % LINE_SIZE].ends);
    return next;
}

/* What happens now; the core is told by interrupts only. */
static void happen(void)
{
    while (!empty(&plan) && plan_items[plan.tail % PLAN_SIZE].ticks <= now) {
        const struct planned *item = &plan_items[plan.tail++ % PLAN_SIZE];
        drive(item->pin, item->level);
    }
    interrupt_inputs();
    while (!empty(&line) && line_items[line.tail % LINE_SIZE].ends <= now)
        byte_came(&line_items[line.tail++ % LINE_SIZE]);
    while (tx.byte_ends <= now)
        byte_left();
    while (fast_due <= now)
        call_fast();
    if (adc.done <= now)
        woken = true;
}

/* Lets time pass to `until`; where `wakes`, only until an interrupt has come. */
static void pass(uint64_t until, bool wakes)
{
    happen();
    while (now < until && !(wakes && woken)) {
        uint64_t next = next_event();
        now = earliest(until, next > now ? next : now + 1U);
        happen();
    }
}

bool port_tx_go_at(uint32_t ticks)
{
    uint32_t left = ticks - (uint32_t)now;
    if ((int32_t)left < 0) {
        tx.queue.head = tx.go;
        return false;
    }
    pass(now + left, false);
    port_tx_go();
    return true;
}

void machine_stall(uint64_t until)
{
    pass(until, false);
}

void machine_run(uint64_t until)
{
    while (now < until) {
        if (idle_until > now) {
            pass(earliest(until, idle_until), true);
            if (!woken && now < idle_until)
                return;
        }
        woken = false;
        idle_until = 0;
        uint16_t wait = board_poll();
        pass(now + MACHINE_TURN_TICKS, false);
        if (wait > MACHINE_TURN_TICKS && !woken)
            port_idle((uint16_t)(wait - MACHINE_TURN_TICKS));
    }
}

uint64_t machine_next(void)
{
    return idle_until > now ? earliest(idle_until, next_event()) : now;
}

/* --- the world ------------------------------------------------------------------------------------------------------ */

void machine_begin(uint64_t ticks, const uint8_t *kept, uint8_t why)
{
    now = ticks;
    cause = why;
    patted = ticks;
    idle_until = 0;
    woken = false;
    line_free = ticks;
    fast_due = NEVER;
    tx.byte_ends = NEVER;
    tx.queue = (struct queue){0};
    tx.go = 0;
    rx.queue = tx.queue;
    plan = tx.queue;
    line = tx.queue;
    sent = tx.queue;
    changes = tx.queue;
    memset(pins, 0, sizeof pins);
    memset(&chain, 0, sizeof chain);
    memset(&pin_changes, 0, sizeof pin_changes);
    adc.done = NEVER;
    eeprom.busy = false;
    if (kept)
        memcpy(eeprom.bytes, kept, PORT_EEPROM_SIZE);
    else
        memset(eeprom.bytes, 0xFF, PORT_EEPROM_SIZE);
    board_begin();
}

bool machine_drive(uint64_t ticks, uint8_t pin, uint8_t level)
{
    if (full(&plan, PLAN_SIZE))
        return false;
    plan_items[plan.head++ % PLAN_SIZE] = (struct planned){.ticks = ticks, .pin = pin, .level = level};
    return true;
}

void machine_supply(uint8_t pin, uint16_t value)
{
    pins[pin].supply = value;
}

bool machine_receive(uint64_t ticks, uint8_t byte)
{
    if (full(&line, LINE_SIZE))
        return false;
    uint64_t starts = ticks > line_free ? ticks : line_free;
    if (starts < now)
        starts = now;
    line_free = starts + MACHINE_BYTE_TICKS;
    line_items[line.head++ % LINE_SIZE] = (struct arriving){.ends = line_free, .byte = byte};
    return true;
}

bool machine_take_sent(struct machine_sent *to)
{
    if (empty(&sent))
        return false;
    *to = sent_items[sent.tail++ % SAID_SIZE];
    return true;
}

bool machine_take_change(struct machine_change *to)
{
    if (empty(&changes))
        return false;
    *to = change_items[changes.tail++ % SAID_SIZE];
    return true;
}
