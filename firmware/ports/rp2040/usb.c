/* The serial line over the chip's own USB, in the place of uart.c: a CDC-ACM device, which hosts know without a driver of ours.
 * RP2040 Datasheet 4.1; USB 2.0, chapters 8 and 9; USB Class Definitions for Communications Devices 1.2, PSTN 1.2.
 *
 * All of it is done in the interrupt. Whoever has the port open is not looked at: neither DTR nor a baud rate changes anything. When
 * the bus is reset, suspended or unplugged what waits is forgotten, both ways; the core then hears nothing, as on a line that is cut. */
#include "pico.h"

#include "messages.h"
#include "out_ring.h"
#include "port.h"
#include "store.h"

/* --- registers ---------------------------------------------------------------------------------------------------------- */

#define MEMORY(at) REG(USB_MEMORY + (at))
#define ENDPOINT_IN(number) MEMORY(8U * (number))
#define ENDPOINT_OUT(number) MEMORY(8U * (number) + 4U)
#define BUFFER_IN(number) MEMORY(0x80U + 8U * (number))
#define BUFFER_OUT(number) MEMORY(0x84U + 8U * (number))
#define CONTROL_DATA 0x100U
#define IN_DATA 0x180U
#define OUT_DATA 0x1C0U
#define NOTES_DATA 0x200U
#define MEMORY_SIZE 0x240U /* as far as it is used */

#define ENABLED (1U << 31)
#define TELLS_EACH (1U << 29)
#define IS_BULK (2U << 26)
#define IS_INTERRUPT (3U << 26)

#define FULL (1U << 15)
#define DATA1 (1U << 13)
#define STALLS (1U << 11)
#define AVAILABLE (1U << 10)
#define LENGTH 0x3FFU

#define ADDRESS REG(USB + 0x00U)
#define MAIN_CONTROL REG(USB + 0x40U)
#define SIE_CONTROL REG(USB + 0x4CU)
#define SIE_STATUS REG(USB + 0x50U)
#define BUFFERS REG(USB + 0x58U)
#define STALL_ARM REG(USB + 0x68U)
#define MUXING REG(USB + 0x74U)
#define POWER REG(USB + 0x78U)
#define ENABLES REG(USB + 0x90U)
#define PENDING REG(USB + 0x98U)
#define TO_PHY (1U << 0 | 1U << 3)
#define VBUS_IS_THERE (1U << 2 | 1U << 3)
#define CONTROLLER_ON (1U << 0)
#define PULL_UP (1U << 16)
#define TELLS_CONTROL (1U << 29)
#define WAS_RESET (1U << 19)
#define SETUP_CAME (1U << 17)
#define RESUMED (1U << 11)
#define SUSPENDED (1U << 4)
#define ON_SETUP (1U << 16)
#define ON_RESUME (1U << 15)
#define ON_SUSPEND (1U << 14)
#define ON_RESET (1U << 12)
#define ON_BUFFER (1U << 4)

#define PACKET 64U
#define MOST_SENT 63U /* a shorter packet than the longest ends a transfer, so the host passes it on at once */
#define LINE 1U       /* the endpoints of the data */
#define NOTES 2U      /* and that of notes, of which there are none */

/* --- what it says of itself --------------------------------------------------------------------------------------------- */

#define VENDOR 0x1209U  /* pid.codes, for tests: whoever sells boards has numbers of his own */
#define PRODUCT 0x0001U
#define LOW(word) ((word) & 0xFFU)
#define HIGH(word) ((word) >> 8)

enum { TYPE_DEVICE = 1, TYPE_CONFIGURATION = 2, TYPE_STRING = 3 };
enum { TEXT_LANGUAGES = 0, TEXT_MAKER = 1, TEXT_PRODUCT = 2, TEXT_NUMBER = 3 };
#define NUMBER_AT 16U /* in the first of these; 0 there: it has no number */

static const uint8_t device[] = {
    18, TYPE_DEVICE, 0x00, 0x02, 2 /* communications */, 0, 0, PACKET,
    LOW(VENDOR), HIGH(VENDOR), LOW(PRODUCT), HIGH(PRODUCT), 0x00, 0x01, TEXT_MAKER, TEXT_PRODUCT, TEXT_NUMBER, 1,
};

static const uint8_t configuration[] = {
    9, TYPE_CONFIGURATION, 67, 0, 2, 1, 0, 0x80 /* from the bus */, 100 /* 200 mA */,
    9, 4, 0, 0, 1, 2 /* communications */, 2 /* abstract control model */, 0, 0,
    5, 0x24, 0, 0x10, 0x01, /* CDC 1.10 */
    5, 0x24, 1, 0, 1,       /* no calls */
    4, 0x24, 2, 2,          /* takes a line's coding and state */
    5, 0x24, 6, 0, 1,       /* of these two interfaces */
    7, 5, 0x80 | NOTES, 3, 8, 0, 255,
    9, 4, 1, 0, 2, 10 /* data */, 0, 0, 0,
    7, 5, LINE, 2, PACKET, 0, 0,
    7, 5, 0x80 | LINE, 2, PACKET, 0, 0,
};
_Static_assert(sizeof device == 18 && sizeof configuration == 67, "they have the length that they say");

/* --- state -------------------------------------------------------------------------------------------------------------- */

#define RX_SIZE 256U

static bool tx_given;         /* the controller has a packet for the host */
static uint32_t tx_under_way; /* how many bytes of the ring are in that */

static uint8_t rx_ring[RX_SIZE];
static uint32_t rx_ticks[RX_SIZE];
volatile uint32_t rx_head;
volatile uint32_t rx_tail;
static bool rx_held; /* a packet waits for room in the ring, and the host with the next one */

static volatile bool connected; /* configured, and not suspended */
static uint8_t configured;
static uint32_t in_data1;  /* DATA1, or 0: of the next packet */
static uint32_t out_data1;

static uint8_t reply[PACKET * 2]; /* to a request: what is left of it */
static uint32_t reply_at;
static uint32_t reply_left;
static bool reply_ends; /* with a packet shorter than the longest, if need be an empty one */
static uint32_t reply_data1;
static uint8_t new_address; /* for when its request was acknowledged; 0: none */
static bool takes_coding;
static uint8_t coding[7] = {0x00, 0xC2, 0x01, 0, 0, 0, 8}; /* 115200 8N1, until the host sets another */

/* --- packets ------------------------------------------------------------------------------------------------------------ */

/* A buffer is given to the controller by a second write, once the first has come through to its slower clock (4.1.2.5.1). */
static void give(volatile uint32_t *control, uint32_t value)
{
    *control = value;
    for (uint32_t left = 4U; left != 0U; left--)
        __asm__ volatile("nop\n\tnop\n\tnop");
    *control = value | AVAILABLE;
}

static void put(uint32_t at, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t word = 0; word < count; word += 4U) {
        uint32_t value = 0;
        for (uint32_t byte = 0; byte < 4U && word + byte < count; byte++)
            value |= (uint32_t)bytes[word + byte] << (8U * byte);
        MEMORY(at + word) = value;
    }
}

static void control_in(void)
{
    uint32_t count = reply_left < PACKET ? reply_left : PACKET;
    put(CONTROL_DATA, reply + reply_at, count);
    reply_at += count;
    reply_left -= count;
    reply_ends = reply_ends && count == PACKET;
    give(&BUFFER_IN(0U), FULL | reply_data1 | count);
    reply_data1 ^= DATA1;
}

static void control_out(uint32_t count)
{
    give(&BUFFER_OUT(0U), DATA1 | count);
}

/* With the interrupt off, or in it. */
static void send(void)
{
    if (!connected) {
        tx_tail = tx_head;
        return;
    }
    if (tx_given || tx_tail == tx_head)
        return;
    uint8_t packet[MOST_SENT];
    uint32_t count = 0;
    for (uint32_t at = tx_tail; at != tx_head && count < MOST_SENT; at = (at + 1U) % TX_SIZE)
        packet[count++] = tx_ring[at];
    put(IN_DATA, packet, count);
    tx_under_way = count;
    tx_given = true;
    give(&BUFFER_IN(LINE), FULL | in_data1 | count);
    in_data1 ^= DATA1;
}

/* As far as there is room; the host waits with the rest. */
static void listen(void)
{
    give(&BUFFER_OUT(LINE), out_data1 | PACKET);
    out_data1 ^= DATA1;
}

static void take(void)
{
    uint32_t count = BUFFER_OUT(LINE) & LENGTH;
    if (count > PACKET)
        count = PACKET;
    if ((rx_tail - rx_head - 1U) % RX_SIZE < count) {
        rx_held = true;
        return;
    }
    uint32_t ticks = now_ticks();
    uint32_t head = rx_head;
    for (uint32_t at = 0; at < count; at++) {
        rx_ring[head] = (uint8_t)(MEMORY(OUT_DATA + (at & ~3U)) >> (8U * (at & 3U)));
        rx_ticks[head] = ticks;
        head = (head + 1U) % RX_SIZE;
    }
    rx_head = head;
    rx_held = false;
    listen();
}

/* What waits, both ways, is forgotten; a packet that the controller has already is not got back. */
static void disconnect(void)
{
    connected = false;
    tx_tail = tx_head;
    tx_under_way = 0;
    rx_tail = rx_head;
    if (rx_held) {
        rx_held = false;
        listen();
    }
}

static void endpoints(bool on)
{
    rx_held = false;
    disconnect();
    uint32_t enabled = on ? ENABLED | TELLS_EACH : 0U;
    BUFFER_IN(LINE) = 0;
    BUFFER_OUT(LINE) = 0;
    ENDPOINT_IN(LINE) = enabled != 0U ? enabled | IS_BULK | IN_DATA : 0U;
    ENDPOINT_OUT(LINE) = enabled != 0U ? enabled | IS_BULK | OUT_DATA : 0U;
    ENDPOINT_IN(NOTES) = enabled != 0U ? enabled | IS_INTERRUPT | NOTES_DATA : 0U;
    tx_given = false;
    in_data1 = out_data1 = 0;
    connected = on;
    if (on)
        listen();
}

/* --- requests ----------------------------------------------------------------------------------------------------------- */

struct request {
    uint16_t what; /* who is meant, and which one: bmRequestType, and behind it bRequest */
    uint16_t value;
    uint16_t index;
    uint16_t length;
};

#define TO_DEVICE(request) (0x0000U | (request))
#define TO_INTERFACE(request) (0x0100U | (request))
#define TO_ENDPOINT(request) (0x0200U | (request))
#define OF_CLASS(request) (0x2100U | (request))
#define GIVES 0x8000U
enum { GET_STATUS = 0, CLEAR_FEATURE = 1, SET_ADDRESS = 5, GET_DESCRIPTOR = 6, GET_CONFIGURATION = 8, SET_CONFIGURATION = 9 };
enum { GET_INTERFACE = 10, SET_INTERFACE = 11, SET_LINE_CODING = 0x20, GET_LINE_CODING = 0x21, SET_LINE_STATE = 0x22 };

static void answer(const uint8_t *bytes, uint32_t count, const struct request *to)
{
    for (uint32_t at = 0; at < count; at++)
        reply[at] = bytes[at];
    reply_at = 0;
    reply_left = count < to->length ? count : to->length;
    reply_ends = count < to->length;
    control_in();
}

static uint32_t text(uint8_t *to, uint32_t number)
{
    static const char maker[] = "Feltwire";
    static const char product[] = "board";
    char digits[10];
    const char *from = maker;
    uint32_t count = sizeof maker - 1U;
    if (number == TEXT_PRODUCT) {
        from = product;
        count = sizeof product - 1U;
    } else if (number == TEXT_NUMBER) {
        uint32_t at = sizeof digits;
        for (uint32_t left = store_serial(); left != 0U; left /= 10U)
            digits[--at] = (char)('0' + left % 10U);
        from = digits + at;
        count = sizeof digits - at;
    }
    for (uint32_t at = 0; at < count; at++) {
        to[2U + 2U * at] = (uint8_t)from[at];
        to[3U + 2U * at] = 0;
    }
    return count;
}

static bool describe(const struct request *request)
{
    uint8_t bytes[2U + 2U * 10U] = {4, TYPE_STRING, 0x09, 0x04}; /* the languages: English */
    uint32_t number = LOW(request->value);
    switch (HIGH(request->value)) {
    case TYPE_DEVICE: {
        if (number != 0U)
            return false;
        uint8_t mine[sizeof device];
        for (uint32_t at = 0; at < sizeof device; at++)
            mine[at] = device[at];
        if (store_serial() == 0U)
            mine[NUMBER_AT] = 0;
        answer(mine, sizeof mine, request);
        return true;
    }
    case TYPE_CONFIGURATION:
        if (number != 0U)
            return false;
        answer(configuration, sizeof configuration, request);
        return true;
    case TYPE_STRING:
        if (number > TEXT_NUMBER || (number == TEXT_NUMBER && store_serial() == 0U))
            return false;
        if (number != TEXT_LANGUAGES)
            bytes[0] = (uint8_t)(2U + 2U * text(bytes, number));
        answer(bytes, bytes[0], request);
        return true;
    default:
        return false;
    }
}

static bool is_endpoint(uint32_t index)
{
    return index == LINE || index == (0x80U | LINE) || index == (0x80U | NOTES);
}

/* The host begins to count the packets of an endpoint anew. One that waits for room is taken later: the host has it acknowledged. */
static void clear_halt(uint32_t index)
{
    if (index == LINE) {
        out_data1 = 0;
        if (!rx_held)
            listen();
    } else if (index == (0x80U | LINE)) {
        BUFFER_IN(LINE) = 0;
        in_data1 = 0;
        tx_given = false;
        send();
    }
}

/* Each has one setting; to choose it makes the host count anew the packets of both its endpoints. */
static bool set_interface(const struct request *request)
{
    if (configured == 0U || request->index > 1U || request->value != 0U || request->length != 0U)
        return false;
    if (request->index == 1U) {
        clear_halt(LINE);
        clear_halt(0x80U | LINE);
    }
    return true;
}

/* False: it is none that this device knows. One without data is acknowledged by its caller. */
static bool obey(const struct request *request)
{
    static const uint8_t zeros[2] = {0, 0};
    switch (request->what) {
    case GIVES | TO_DEVICE(GET_DESCRIPTOR):
        return describe(request);
    case TO_DEVICE(SET_ADDRESS):
        if (request->value > 127U || request->index != 0U || request->length != 0U)
            return false;
        new_address = (uint8_t)(0x80U | request->value);
        return true;
    case TO_DEVICE(SET_CONFIGURATION):
        if (request->value > 1U || request->index != 0U || request->length != 0U)
            return false;
        configured = (uint8_t)request->value;
        endpoints(configured != 0U);
        return true;
    case GIVES | TO_DEVICE(GET_CONFIGURATION):
        answer(&configured, 1, request);
        return true;
    case GIVES | TO_DEVICE(GET_STATUS):
        answer(zeros, 2, request);
        return true;
    case GIVES | TO_INTERFACE(GET_STATUS):
    case GIVES | TO_INTERFACE(GET_INTERFACE):
        if (configured == 0U || request->index > 1U)
            return false;
        answer(zeros, LOW(request->what) == GET_STATUS ? 2U : 1U, request);
        return true;
    case TO_INTERFACE(SET_INTERFACE):
        return set_interface(request);
    case GIVES | TO_ENDPOINT(GET_STATUS):
        if (configured == 0U || !is_endpoint(request->index))
            return false;
        answer(zeros, 2, request);
        return true;
    case TO_ENDPOINT(CLEAR_FEATURE):
        if (configured == 0U || request->value != 0U || request->length != 0U || !is_endpoint(request->index))
            return false;
        clear_halt(request->index);
        return true;
    case OF_CLASS(SET_LINE_CODING):
        if (request->index != 0U || request->length != sizeof coding)
            return false;
        takes_coding = true;
        return true;
    case GIVES | OF_CLASS(GET_LINE_CODING):
        if (request->index != 0U)
            return false;
        answer(coding, sizeof coding, request);
        return true;
    case OF_CLASS(SET_LINE_STATE):
        return request->index == 0U && request->length == 0U;
    default:
        return false;
    }
}

/* What was under way at endpoint 0 is not wanted any more. */
static void forget_request(void)
{
    BUFFER_IN(0U) = 0;
    BUFFER_OUT(0U) = 0;
    BUFFERS = 3U;
    reply_left = 0;
    reply_ends = false;
    reply_data1 = DATA1;
    new_address = 0;
    takes_coding = false;
}

static void begin_request(void)
{
    uint32_t first = MEMORY(0U);
    uint32_t second = MEMORY(4U);
    struct request request = {
        .what = (uint16_t)((first & 0xFFU) << 8 | (first >> 8 & 0xFFU)),
        .value = (uint16_t)(first >> 16),
        .index = (uint16_t)second,
        .length = (uint16_t)(second >> 16),
    };
    forget_request();
    bool gives = (request.what & GIVES) != 0U;
    if ((gives && request.length == 0U) || !obey(&request)) {
        takes_coding = false;
        STALL_ARM = 3U;
        BUFFER_IN(0U) = STALLS;
        BUFFER_OUT(0U) = STALLS;
    } else if (gives) {
        control_out(0);
    } else if (takes_coding) {
        control_out(sizeof coding);
    } else {
        control_in();
    }
}

static void control_in_done(void)
{
    if (new_address != 0U) {
        ADDRESS = new_address & 0x7FU;
        new_address = 0;
    }
    if (reply_left != 0U || reply_ends)
        control_in();
}

static void control_out_done(void)
{
    if (!takes_coding)
        return;
    takes_coding = false;
    if ((BUFFER_OUT(0U) & LENGTH) == sizeof coding) {
        for (uint32_t at = 0; at < sizeof coding; at++)
            coding[at] = (uint8_t)(MEMORY(CONTROL_DATA + (at & ~3U)) >> (8U * (at & 3U)));
    }
    control_in();
}

/* --- the interrupt ------------------------------------------------------------------------------------------------------ */

void on_line(void)
{
    uint32_t why = PENDING;
    if ((why & ON_RESET) != 0U) {
        SIE_STATUS = WAS_RESET;
        ADDRESS = 0;
        configured = 0;
        forget_request();
        endpoints(false);
    }
    if ((why & ON_SUSPEND) != 0U) {
        bool suspended = (SIE_STATUS & SUSPENDED) != 0U; /* before this is cleared */
        SIE_STATUS = SUSPENDED;
        if (suspended)
            disconnect();
        else
            connected = configured != 0U;
    }
    if ((why & ON_RESUME) != 0U) {
        SIE_STATUS = RESUMED;
        connected = configured != 0U;
    }
    if ((why & ON_BUFFER) != 0U) {
        uint32_t done = BUFFERS;
        BUFFERS = done;
        if ((done & 1U << 0) != 0U)
            control_in_done();
        if ((done & 1U << 1) != 0U)
            control_out_done();
        if ((done & 1U << 2) != 0U) {
            tx_tail = (tx_tail + tx_under_way) % TX_SIZE;
            tx_under_way = 0;
            tx_given = false;
            send();
        }
        if ((done & 1U << 3) != 0U) {
            connected = configured != 0U; /* a bus with data is not suspended, whatever was told of it */
            take();
        }
    }
    if ((why & ON_SETUP) != 0U) {
        SIE_STATUS = SETUP_CAME;
        begin_request();
    }
}

void line_begin(void)
{
    CLOCK_USB_CONTROL = CLOCK_ENABLE;
    RESETS_CLEAR = RESET_USB;
    while ((RESETS_DONE & RESET_USB) == 0U) {
    }
    for (uint32_t at = 0; at < MEMORY_SIZE; at += 4U)
        MEMORY(at) = 0;
    MUXING = TO_PHY;
    POWER = VBUS_IS_THERE;
    MAIN_CONTROL = CONTROLLER_ON;
    ENABLES = ON_SETUP | ON_RESUME | ON_SUSPEND | ON_RESET | ON_BUFFER;
    interrupt_begin(IRQ_LINE, SECOND);
    SIE_CONTROL = TELLS_CONTROL | PULL_UP;
}

/* --- what the core takes and gives -------------------------------------------------------------------------------------- */

/* Without this interrupt, and with those of the inputs, which a packet that is copied would date late. */
static void own_off(void)
{
    NVIC_DISABLE(IRQ_LINE >> 5) = 1U << (IRQ_LINE & 31U);
    __asm__ volatile("dsb\n\tisb" : : : "memory");
}

static void own_on(void)
{
    __asm__ volatile("" : : : "memory");
    NVIC_ENABLE(IRQ_LINE >> 5) = 1U << (IRQ_LINE & 31U);
}

void port_tx_go(void)
{
    own_off();
    tx_head = tx_queued;
    send();
    own_on();
}

bool port_tx_silent(void)
{
    return tx_tail == tx_queued;
}

bool port_rx(uint8_t *byte, uint32_t *ticks)
{
    if (rx_tail == rx_head)
        return false;
    own_off(); /* a reset of the bus forgets what waits */
    uint32_t tail = rx_tail;
    bool found = tail != rx_head;
    if (found) {
        *byte = rx_ring[tail];
        if (*byte == 0U)
            *ticks = rx_ticks[tail];
        rx_tail = (tail + 1U) % RX_SIZE;
        if (rx_held)
            take();
    }
    own_on();
    return found;
}
