/* The emulated board: an ATmega328P of libsimavr 1.6 in lock-step with whoever calls, to the cycle.
 *
 * libsimavr runs the instructions, timers, ADC, watchdog and interrupts. Where it is not like the chip, this harness
 * has a part of its own: the UART, the EEPROM and the two-wire unit with a FRAM (simboard_uart.c, simboard_eeprom.c,
 * simboard_twi.c), a chain of lamps (simboard_chain.c), interrupt flags that are cleared by writing 1 (simboard_flags.c), pins that stay as they are driven
 * (simboard_pins.c), the watchdog with its interrupt (simboard_watchdog.c), and the loop itself: interrupts take the
 * data sheet's 4 cycles (8 from sleep), and a sleeping core stops at the very cycle asked for (simboard.c).
 *
 * Python calls what is marked FOR_PYTHON (emulated.py). Cycles are absolute and count from power-on.
 */
#ifndef SIMBOARD_H
#define SIMBOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <simavr/avr_eeprom.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/avr_watchdog.h>
#include <simavr/sim_avr.h>

#define FOR_PYTHON __attribute__((visibility("default")))

enum {
    PORTS = 3,         /* B, C, D */
    PINS = 8 * PORTS,  /* pin = 8 * port + bit */
    ANALOGUE = 32,     /* in a schedule: 32 + channel is the analogue channel */
    CHANNELS = 8,
    NOT_DRIVEN = -1,   /* the level of a pin that nobody drives */
    FULL = 65535,      /* the level of an output that is high all the time; between: the share of a PWM */
    UART_FIFO = 2,     /* received bytes that the chip holds, besides the one in its shift register */
};

/* Why a run ended. */
enum { RAN = 0, PAUSED = 1, CRASHED = -1 };

/* Why the chip restarted: bits of MCUSR. */
enum { POWER_ON = 1, EXTERNAL = 2, WATCHDOG = 8 };

struct arriving { /* a byte on its way to the chip */
    uint64_t start;
    double cycles; /* how long the sender takes for it */
    uint8_t byte;
};

struct sent {
    uint64_t end;
    uint8_t byte;
};

struct uart {
    avr_uart_t *sim;
    bool shifting, buffered, overrun;
    uint8_t shift, buffer;
    struct sent *sent;
    size_t sent_count, sent_room;
    struct arriving *line;
    size_t line_first, line_end, line_room;
    bool started; /* the first on the line has begun */
    uint8_t fifo[UART_FIFO + 1];
    bool broken[UART_FIFO + 1];
    int held; /* in `fifo`; the last of UART_FIFO + 1 is in the shift register */
    uint32_t overruns, unread;
};

struct eeprom {
    avr_eeprom_t *sim;
    bool busy;
    uint64_t begun, done, window; /* cycles; `window`: until here a write may begin */
    uint16_t address;
    uint8_t mode, before, wanted;
    uint32_t writes;
};

struct watchdog {
    avr_watchdog_t *sim;
    uint64_t window; /* until this cycle its control register may be changed */
    bool bitten;     /* it resets the chip at the end of this instruction */
};

/* How long interrupts were off in one go, as the flag I of the status register says: by hand, or in an interrupt. */
struct closed {
    uint64_t since, longest; /* cycles */
    uint32_t from, longest_from; /* addresses in the flash of the instruction that began it, or the vector */
    bool off;
};

struct twi {
    uint8_t fram[32768];
    uint32_t fram_size; /* 0: there is none */
    uint32_t at;        /* its address */
    int phase;
    uint8_t status, byte, wanted;
    bool started, stopping, received, writes_now, missing;
    uint32_t disturbed, held, writes;
};

struct chain {
    uint8_t data, clock, latch, read_back; /* pins */
    uint8_t count; /* of lamps and control outputs; 0: there is no chain */
    uint8_t sense; /* which of them feeds the sensors, from 1; 0: none */
    bool clock_was, latch_was;
    uint64_t shifted, out, held, dead, stuck; /* bit i: output i + 1 */
};

struct scheduled {
    uint64_t cycle;
    int32_t value;
    uint8_t pin;
};

struct change {
    uint64_t cycle;
    int32_t level;
    uint8_t pin;
};

struct pins {
    avr_ioport_t *port[PORTS];
    int32_t driven[PINS];  /* what the world puts on a pin: 0, 1 or NOT_DRIVEN */
    int32_t output[PINS];  /* what the chip puts on it: NOT_DRIVEN, or 0 to FULL */
    uint32_t fed;          /* bit: a sensor on this pin, which pulls low only while `feed` is high */
    int feed;              /* the pin that feeds them; NOT_DRIVEN: the chain does */
    struct scheduled *plan;
    size_t plan_first, plan_end, plan_room;
    struct change *changes;
    size_t change_count, change_room;
};

struct wrapped { /* a register's own handler of writes, called by ours */
    avr_io_write_t call;
    void *param;
};

struct board {
    avr_t *avr;
    uint64_t stop, held_until, start_up, step_began;
    uint32_t resets;
    int pause_at;
    size_t pause_after;
    bool held, paused;
    uint8_t held_flags, last_cause;
    uint16_t heap_start;
    uint32_t boot; /* where the bootloader begins, or the end of the flash */
    struct watchdog watchdog;
    struct closed closed;
    struct uart uart;
    struct eeprom eeprom;
    struct pins pins;
    struct twi twi;
    struct chain chain;
    struct wrapped wrapped[MAX_IOs];
    char problem[200];
};

/* simboard.c */
/* The reset line is low, or the start-up time runs: outputs float at once, and nothing is executed. */
void hold(struct board *board, uint8_t cause);
void call_at(struct board *board, uint64_t cycle, avr_cycle_timer_t timer);
void wrap_writes(struct board *board, avr_io_addr_t address, avr_io_write_t call);
void write_through(struct board *board, avr_io_addr_t address, uint8_t value);
avr_io_t *part(const avr_t *avr, const char *kind, int name);
bool grow(void **items, size_t count, size_t *room, size_t size);
/* Moves the items of a queue to its front when at least as many were taken out as are in it. */
void close_up(void *items, size_t size, size_t *first, size_t *end);
/* A cycle of the future on another time base (board_retime). */
uint64_t retimed(const struct board *board, uint64_t cycle, double ratio, uint64_t less);
/* The bits that an instruction writes as 1: `sbi` means one bit, whatever the others read as. */
uint8_t ones_written(const avr_t *avr, uint8_t value);

/* simboard_life.c */
/* The last thing that libsimavr called an error; empty if there was none. */
const char *last_complaint(void);
void forget_complaint(void);

/* the parts: begin once, go quiet at a reset, and go on after it */
bool uart_begin(struct board *board);
void uart_quiet(struct board *board);
void uart_go_on(struct board *board);
void uart_retime(struct board *board, double ratio, uint64_t less);
bool eeprom_begin(struct board *board);
void eeprom_tear(struct board *board, uint64_t seed);
void eeprom_go_on(struct board *board);
bool pins_begin(struct board *board);
void twi_begin(struct board *board);
void twi_quiet(struct board *board);
/* The clock of the bus rose, moved as a pin. */
void twi_clocked(struct board *board);
bool twi_is_clock(unsigned pin);
/* The world puts a pin on a level now. */
void pin_driven(struct board *board, unsigned pin, int32_t level);
/* The chip moved a pin: the chain follows. True: the sensors' feed changed. */
bool chain_moved(struct board *board, unsigned pin);
bool chain_feeds(const struct board *board);
/* The power goes. */
void chain_off(struct board *board);
/* What feeds the sensors changed: their lines follow. */
void pins_feed_changed(struct board *board);
void pins_quiet(struct board *board);
void pins_go_on(struct board *board);
void pins_retime(struct board *board, double ratio, uint64_t less);
void flags_begin(struct board *board);
bool watchdog_begin(struct board *board);
void watchdog_go_on(struct board *board);

#endif
