/* USART0 as the data sheet has it. libsimavr 1.6 gives a byte 11 bits, reads U2X only when UBRRL is written, hands
 * bytes over when UDR is written instead of when they end, and keeps 64 received bytes where the chip keeps two.
 *
 *     UDR ──► buffer ──► shift register ──► line       one byte each; UDRE: the buffer is free; TXC: both are empty
 *     UDR ◄── two bytes ◄── shift register ◄── line    a third waits in the shift register until a fourth begins
 *
 * Not here: parity, 9 bits, the up to one bit time by which the chip delays the first start bit.
 */

#include "simboard.h"

#include <math.h>

#include <simavr/sim_interrupts.h>

enum { RXC = 0x80, TXC = 0x40, UDRE = 0x20, FE = 0x10, DOR = 0x08, U2X = 0x02, MPCM = 0x01 }; /* UCSR0A */
enum { TXCIE = 0x40, RXEN = 0x10, TXEN = 0x08, RXB8 = 0x02 };                                  /* UCSR0B */
enum { EIGHT_BITS = 0x06, TWO_STOPS = 0x08 };                                                  /* UCSR0C */

enum { BITS = 10, NONSENSE = 0x55 };
static const double TOLERANCE = 0.04; /* how far bauds may differ before the last bits are read from their neighbours */

static uint32_t bit_cycles(const struct board *board)
{
    const avr_t *avr = board->avr;
    const avr_uart_t *sim = board->uart.sim;
    const uint32_t divider = avr->data[sim->ubrrl.reg] | (avr->data[sim->ubrrh.reg] & 0xFU) << 8;
    return (divider + 1) * (avr->data[sim->r_ucsra] & U2X ? 8 : 16);
}

static uint32_t byte_cycles(const struct board *board)
{
    return bit_cycles(board) * (board->avr->data[board->uart.sim->r_ucsrc] & TWO_STOPS ? BITS + 1 : BITS);
}

/* From the start bit to where the stop bit has been looked at: 6 of 8 samples of it, or 10 of 16. */
static uint32_t until_received(const struct board *board)
{
    const uint32_t bit = bit_cycles(board);
    return 9 * bit + (board->avr->data[board->uart.sim->r_ucsra] & U2X ? bit * 6 / 8 : bit * 10 / 16);
}

static void level(avr_t *avr, avr_int_vector_t *vector, bool on)
{
    if (on)
        avr_raise_interrupt(avr, vector);
    else if (vector->pending)
        avr_clear_interrupt(avr, vector);
}

/* Puts the state into the status register. RXC and UDRE ask for their interrupts as long as they are set. */
static void show(struct board *board)
{
    struct uart *uart = &board->uart;
    avr_t *avr = board->avr;
    unsigned status = avr->data[uart->sim->r_ucsra] & (U2X | MPCM | TXC);
    status |= uart->held ? RXC | (uart->broken[0] ? FE : 0) : 0;
    status |= (uart->overrun ? DOR : 0) | (uart->buffered ? 0 : UDRE);
    avr->data[uart->sim->r_ucsra] = (uint8_t)status;
    level(avr, &uart->sim->rxc, uart->held > 0);
    level(avr, &uart->sim->udrc, !uart->buffered);
}

static void on_return(struct avr_irq_t *irq, uint32_t running, void *board)
{
    (void)irq;
    if (!running)
        show(board);
}

/* --- sending ------------------------------------------------------------------------------------------------------ */

static avr_cycle_count_t on_sent(avr_t *avr, avr_cycle_count_t when, void *param)
{
    struct board *board = param;
    struct uart *uart = &board->uart;
    if (grow((void **)&uart->sent, uart->sent_count, &uart->sent_room, sizeof *uart->sent))
        uart->sent[uart->sent_count++] = (struct sent){when, uart->shift};
    if (uart->shift == board->pause_at || uart->sent_count == board->pause_after)
        board->paused = true;
    if (!uart->buffered) {
        uart->shifting = false;
        avr_raise_interrupt(avr, &uart->sim->txc);
        return 0;
    }
    uart->shift = uart->buffer;
    uart->buffered = false;
    show(board);
    return when + byte_cycles(board);
}

static void write_data(avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    (void)address;
    struct board *board = param;
    struct uart *uart = &board->uart;
    if (!(avr->data[uart->sim->r_ucsrb] & TXEN) || uart->buffered)
        return; /* the chip takes no byte without a place for it */
    if (uart->shifting) {
        uart->buffer = value;
        uart->buffered = true;
    } else {
        uart->shift = value;
        uart->shifting = true;
        call_at(board, avr->cycle + byte_cycles(board), on_sent);
    }
    show(board);
}

/* --- receiving ---------------------------------------------------------------------------------------------------- */

static void drop_oldest(struct uart *uart)
{
    for (int i = 0; i < UART_FIFO; i++) {
        uart->fifo[i] = uart->fifo[i + 1];
        uart->broken[i] = uart->broken[i + 1];
    }
    uart->held--;
}

/* Each byte on the line is met twice: at its start bit, which a full receiver cannot take, and when it is there. */
static avr_cycle_count_t on_line(avr_t *avr, avr_cycle_count_t when, void *param)
{
    (void)when;
    struct board *board = param;
    struct uart *uart = &board->uart;
    while (uart->line_first < uart->line_end) {
        const struct arriving *next = &uart->line[uart->line_first];
        const uint64_t due = next->start + (uart->started ? until_received(board) : 0);
        if (due > avr->cycle)
            return due;
        const bool on = !board->held && (avr->data[uart->sim->r_ucsrb] & RXEN);
        if (!uart->started) {
            uart->started = true;
            if (uart->held > UART_FIFO) {
                uart->held = UART_FIFO;
                uart->overrun = true;
                uart->overruns++;
            }
        } else {
            uart->started = false;
            uart->line_first++;
            if (on) {
                const bool broken = fabs(next->cycles / (BITS * bit_cycles(board)) - 1) > TOLERANCE;
                uart->broken[uart->held] = broken;
                uart->fifo[uart->held++] = broken ? next->byte ^ NONSENSE : next->byte;
            } else
                uart->unread++;
        }
        if (on)
            show(board);
    }
    uart->line_first = uart->line_end = 0;
    return 0;
}

static uint8_t read_data(avr_t *avr, avr_io_addr_t address, void *param)
{
    struct board *board = param;
    struct uart *uart = &board->uart;
    if (uart->held) {
        avr->data[address] = uart->fifo[0];
        drop_oldest(uart);
        uart->overrun = false;
        show(board);
    }
    return avr->data[address];
}

/* --- registers ---------------------------------------------------------------------------------------------------- */

static void write_status(avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    struct board *board = param;
    avr->data[address] = (uint8_t)((avr->data[address] & ~(U2X | MPCM)) | (value & (U2X | MPCM)));
    if (value & TXC)
        avr_clear_interrupt(avr, &board->uart.sim->txc);
    show(board);
}

static void write_control(avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    struct board *board = param;
    struct uart *uart = &board->uart;
    avr->data[address] = value & (uint8_t)~RXB8;
    if (!(value & RXEN)) {
        uart->held = 0;
        uart->overrun = false;
    }
    if ((value & TXCIE) && (avr->data[uart->sim->r_ucsra] & TXC))
        avr_raise_interrupt(avr, &uart->sim->txc);
    show(board);
}

bool uart_begin(struct board *board)
{
    avr_t *avr = board->avr;
    avr_uart_t *sim = (avr_uart_t *)part(avr, "uart", 0);
    if (!sim)
        return false;
    board->uart.sim = sim;
    wrap_writes(board, sim->r_udr, write_data);
    wrap_writes(board, sim->r_ucsra, write_status);
    wrap_writes(board, sim->r_ucsrb, write_control);
    avr->io[AVR_DATA_TO_IO(sim->r_udr)].r.c = read_data;
    avr->io[AVR_DATA_TO_IO(sim->r_udr)].r.param = board;
    avr->io[AVR_DATA_TO_IO(sim->r_ucsra)].r.c = NULL;
    avr_irq_register_notify(sim->rxc.irq + AVR_INT_IRQ_RUNNING, on_return, board);
    avr_irq_register_notify(sim->udrc.irq + AVR_INT_IRQ_RUNNING, on_return, board);
    return true;
}

/* A reset: what was being sent never ends, what was received is lost, and the registers are as after power-on. */
void uart_quiet(struct board *board)
{
    struct uart *uart = &board->uart;
    avr_t *avr = board->avr;
    uart->shifting = uart->buffered = uart->overrun = false;
    uart->held = 0;
    avr->data[uart->sim->r_ucsra] = UDRE;
    avr->data[uart->sim->r_ucsrb] = 0;
    avr->data[uart->sim->r_ucsrc] = EIGHT_BITS;
}

void uart_go_on(struct board *board)
{
    const struct uart *uart = &board->uart;
    if (uart->line_first < uart->line_end)
        call_at(board, board->avr->cycle + 1, on_line);
}

/* Bytes that arrive while the chip's clock is stopped (`less`) are lost: nobody looks at the line. */
void uart_retime(struct board *board, double ratio, uint64_t less)
{
    struct uart *uart = &board->uart;
    if (less) {
        uart->unread += (uint32_t)(uart->line_end - uart->line_first);
        uart->line_first = uart->line_end = 0;
        uart->started = false;
    }
    for (size_t i = uart->line_first; i < uart->line_end; i++)
        uart->line[i].start = retimed(board, uart->line[i].start, ratio, 0);
    uart_go_on(board);
}

/* --- for Python --------------------------------------------------------------------------------------------------- */

/* Puts bytes on the line: the first start bit at cycle `start`, then one byte every `cycles_a_byte`. */
FOR_PYTHON bool board_receive(struct board *board, const uint8_t *bytes, size_t count, uint64_t start,
                              double cycles_a_byte)
{
    struct uart *uart = &board->uart;
    const bool idle = uart->line_first == uart->line_end;
    close_up(uart->line, sizeof *uart->line, &uart->line_first, &uart->line_end);
    for (size_t i = 0; i < count; i++) {
        if (!grow((void **)&uart->line, uart->line_end, &uart->line_room, sizeof *uart->line))
            return false;
        const uint64_t begins = start + (uint64_t)llround((double)i * cycles_a_byte);
        uart->line[uart->line_end++] = (struct arriving){begins, cycles_a_byte, bytes[i]};
    }
    if (idle && count)
        call_at(board, start, on_line);
    return true;
}

FOR_PYTHON size_t board_sent_count(const struct board *board)
{
    return board->uart.sent_count;
}

/* Takes out what was sent: the cycle at which each byte's stop bit ended, and the byte. */
FOR_PYTHON void board_take_sent(struct board *board, uint64_t *ends, uint8_t *bytes)
{
    struct uart *uart = &board->uart;
    for (size_t i = 0; i < uart->sent_count; i++) {
        ends[i] = uart->sent[i].end;
        bytes[i] = uart->sent[i].byte;
    }
    uart->sent_count = 0;
}

FOR_PYTHON double board_baud(const struct board *board)
{
    return (double)board->avr->frequency / bit_cycles(board);
}

FOR_PYTHON uint32_t board_overruns(const struct board *board)
{
    return board->uart.overruns;
}

FOR_PYTHON uint32_t board_unread(const struct board *board)
{
    return board->uart.unread;
}
