/* What happens to the board: one thing after another, in the order of the fuzzer's bytes. seeds.py writes such scripts too. */
#include <string.h>

#include "fuzz.h"
#include "store_bank.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each begins with its number; what follows is beside it. Numbers of two bytes are little-endian. */
enum what {
    WAIT,       /* u16: in 8 µs */
    WAIT_ALIVE, /* u8: in 100 ms, with a host that reports its presence */
    OPEN,       /* u8: session */
    COMMAND,    /* id, fields: as many as it has; with the number that is due; and some time for it */
    AGAIN,      /* the last frame once more */
    FRAME,      /* number, id, size, fields: no time for it */
    BROKEN,     /* id, fields, place, what: a command of which one byte is changed, or lost */
    RAW,        /* count, bytes: as they are; no time for them */
    EDGES,      /* count, then for each a byte: input, level, how long after the one before */
    PIN,        /* pin, level */
    SUPPLY,     /* channel, u16 */
    STALL,      /* u16: in 4 µs; the main loop does nothing */
    POWER,      /* cause, u16: the board restarts */
    MEMORY,     /* u16, count, bytes: what the next start finds there */
    SEAL,       /* bank: the next start finds it whole, whatever is in it */
    WORLD,      /* what hangs on the pins from now on */
    WHATS,
};

#define WAIT_UNIT 16U
#define STALL_UNIT 8U
#define STALL_MOST (MS(200) / STALL_UNIT) /* a longer one is a hang, and the watchdog's */
#define SLICE_TICKS MS(1)
#define ALIVE_TICKS MS(100)
#define MOST_TICKS MS(70000) /* of a script: more than the longest time of any output that moves */
#define BYTE_TICKS MACHINE_BYTE_TICKS
#define UNKNOWN_SIZE 3 /* fields of a command that the board does not know */

static const uint8_t *at;
static const uint8_t *end;
static struct wire_frame last;

static uint8_t next8(void)
{
    return at == end ? 0U : *at++;
}

static uint16_t next16(void)
{
    uint8_t low = next8();
    return (uint16_t)(low | next8() << 8);
}

static void next_fields(struct wire_frame *frame, size_t size)
{
    frame->size = (uint8_t)size;
    for (size_t i = 0; i < size; i++)
        frame->fields[i] = next8();
}

/* --- time ----------------------------------------------------------------------------------------------------------- */

static void run(uint64_t ticks)
{
    struct machine_sent sent;
    struct machine_change change;
    uint64_t until = machine_ticks() + ticks;
    while (machine_ticks() < until) {
        uint64_t slice = machine_ticks() + SLICE_TICKS;
        machine_run(slice < until ? slice : until);
        world_look();
        while (machine_take_sent(&sent)) {
        }
        while (machine_take_change(&change)) {
        }
    }
}

/* --- the host ------------------------------------------------------------------------------------------------------- */

static size_t say(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        (void)machine_receive(0, bytes[i]);
    return size;
}

static size_t send(const struct wire_frame *frame)
{
    uint8_t bytes[WIRE_MOST_CODED];
    size_t size = wire_encode(frame, bytes);
    return say(bytes, size);
}

static void give_time(size_t bytes)
{
    run(bytes * BYTE_TICKS + MS(1));
}

static void next_command(struct wire_frame *frame)
{
    *frame = (struct wire_frame){.number = host_next_number(), .id = next8()};
    int8_t size = wire_command_size(frame->id, kind_facts.id);
    next_fields(frame, (size_t)(size < 0 ? UNKNOWN_SIZE : size));
}

static void open_session(void)
{
    last = (struct wire_frame){.id = COMMAND_OPEN};
    last.fields[0] = next8();
    last.size = COMMAND_OPEN_SIZE;
    give_time(send(&last));
}

static void send_broken(void)
{
    uint8_t bytes[WIRE_MOST_CODED];
    struct wire_frame frame;
    next_command(&frame);
    size_t size = wire_encode(&frame, bytes);
    size_t place = next8() % (size - 1U);
    uint8_t change = next8();
    if (change != 0U)
        bytes[place] ^= change;
    else
        memmove(bytes + place, bytes + place + 1, --size - place);
    give_time(say(bytes, size));
}

static void wait_alive(void)
{
    for (uint8_t left = next8(); left != 0U && machine_ticks() < MOST_TICKS; left--) {
        struct wire_frame alive = {.number = host_next_number(), .id = COMMAND_ALIVE};
        (void)send(&alive);
        run(ALIVE_TICKS);
    }
}

/* --- the world ------------------------------------------------------------------------------------------------------ */

static void drive_edges(void)
{
    static const uint8_t pins[8] = {0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xC0, 0xC1};
    uint64_t ticks = machine_ticks();
    for (uint8_t left = next8(); left != 0U && at != end; left--) {
        uint8_t edge = next8();
        ticks += (uint64_t)1 << (edge >> 4);
        (void)machine_drive(ticks, pins[edge & 7U], edge >> 3 & 1U);
    }
}

static void drive_pin(void)
{
    uint8_t pin = next8();
    uint8_t port = pin >> 4;
    uint8_t level = next8() & 1U;
    if (port >= 0xB && port <= 0xD && (pin & 8U) == 0U)
        (void)machine_drive(machine_ticks(), pin, level);
}

static void supply(void)
{
    uint8_t channel = next8() & 3U;
    machine_supply((uint8_t)(0xC2U + channel), next16() & 1023U);
}

/* --- the memory ----------------------------------------------------------------------------------------------------- */

static void write_memory(void)
{
    uint16_t where = next16();
    for (uint8_t left = next8(); left != 0U && at != end; left--)
        life_spoil(where++, next8());
}

/* Only the CRC shows that a bank is whole: no fuzzer would ever find one. */
static void seal_bank(void)
{
    uint8_t base[BASE_SIZE];
    uint8_t bank = next8() % BANKS;
    life_spoil(bank_at(bank, BANK_COMMIT), BANK_COMMITTED);
    for (uint8_t i = 0; i < (uint8_t)BASE_SIZE; i++)
        base[i] = life_spoilt(bank_at(bank, (uint16_t)(BANK_BASE + i)));
    base_seal(base);
    for (uint8_t i = 0; i < (uint8_t)BASE_SIZE; i++)
        life_spoil(bank_at(bank, (uint16_t)(BANK_BASE + i)), base[i]);
}

/* --- one after the other -------------------------------------------------------------------------------------------- */

static void send_frame(void)
{
    last = (struct wire_frame){.number = next8()};
    last.id = next8();
    next_fields(&last, next8() % (WIRE_MOST_FIELDS + 1U));
    (void)send(&last);
}

static void say_raw(void)
{
    for (uint8_t left = next8(); left != 0U && at != end; left--) {
        uint8_t byte = next8();
        (void)say(&byte, 1);
    }
}

static void stall(void)
{
    uint32_t units = next16();
    guard_stalled();
    machine_stall(machine_ticks() + STALL_UNIT * (units < STALL_MOST ? units : STALL_MOST));
}

static void begin_anew(void)
{
    uint8_t cause = next8();
    life_again(cause, next16());
}

static void happen(enum what what)
{
    switch (what) {
    case WAIT:
        run((uint64_t)next16() * WAIT_UNIT);
        break;
    case WAIT_ALIVE:
        wait_alive();
        break;
    case OPEN:
        open_session();
        break;
    case COMMAND:
        next_command(&last);
        give_time(send(&last));
        break;
    case AGAIN:
        give_time(send(&last));
        break;
    case FRAME:
        send_frame();
        break;
    case BROKEN:
        send_broken();
        break;
    case RAW:
        say_raw();
        break;
    case EDGES:
        drive_edges();
        break;
    case PIN:
        drive_pin();
        break;
    case SUPPLY:
        supply();
        break;
    case STALL:
        stall();
        break;
    case POWER:
        begin_anew();
        break;
    case MEMORY:
        write_memory();
        break;
    case SEAL:
        seal_bank();
        break;
    case WORLD:
        world_begin(next8());
        break;
    case WHATS:
    default:
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    at = data;
    end = data + size;
    last = (struct wire_frame){0};
    world_begin(0);
    life_first((size & 1U) != 0U); /* of scripts of odd length the board has a FRAM */
    while (at != end && machine_ticks() < MOST_TICKS)
        happen((enum what)(next8() % WHATS));
    run(MS(20));
    return 0;
}
