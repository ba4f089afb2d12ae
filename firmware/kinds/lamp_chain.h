/* A chain of lamps: TPIC6C595 light them, and 74HC165 read back which of them draw their current.
 *
 * The board lowers `clock`, puts a bit on `data`, reads `read_back`, and raises `clock`: both registers shift by one. The last lamp's bit
 * goes first, for it goes furthest; the last lamp's current comes first. `latch` rests high and is pulsed low: a 74HC165 loads
 * while it is low, and holds from the rising edge on what it had then; a TPIC6C595 puts the shifted bits on its outputs at
 * the rising edge. So lamps that were just latched are read by latching the same frame again, a while later.
 *
 * Other things may move data and clock between frames (the table's keypad does): a whole frame is shifted before each latch,
 * so what they left in the register is gone.
 *
 * Each level lasts 125 ns or more on the reference board, 400 ns on a Pico (port_pin_hold): a TPIC6C595 takes 40 ns, a 74HC595
 * and a 74HC165 24 ns at 4.5 V. (A CD4021B would need 180 ns, and loads at the other level.) */
#ifndef FELTWIRE_LAMP_CHAIN_H
#define FELTWIRE_LAMP_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#define LAMP_BYTES 8U    /* bit i of byte j: lamp 8j + i + 1 */
#define LAMPS_GLOW_MS 5U /* until a lamp that was latched draws its current (ours) */

/* The kind gives: one bit out, and the one that came back; and a pulse of the latch. */
uint8_t lamp_pins_shift(uint8_t bit);
void lamp_pins_latch(void);

struct lamp_chain {
    uint8_t lamps; /* 1 to 64 */
    uint8_t count; /* of them and of the outputs of a control register behind them */
    uint8_t told[LAMP_BYTES];
    uint8_t lit[LAMP_BYTES]; /* as read back last */
    enum { LAMPS_STILL, LAMPS_LATCH, LAMPS_GLOW } stage;
    uint32_t latched; /* ticks */
};

/* This many lamps, whole bytes where there is a register of 8 control outputs behind the last, or none (0). */
void lamp_chain_begin(struct lamp_chain *chain, uint8_t lamps, uint8_t control);

/* Whether the chain has all the lamps that these bits light. */
bool lamp_chain_takes(const struct lamp_chain *chain, const uint8_t lit[LAMP_BYTES]);

void lamp_chain_light(struct lamp_chain *chain, const uint8_t lit[LAMP_BYTES]);

/* Puts the control outputs on these levels, at once. */
void lamp_chain_control(struct lamp_chain *chain, uint8_t levels);

/* Shifts everything out again, and reads it back. */
void lamp_chain_refresh(struct lamp_chain *chain);

/* Goes on, by one frame at most (two when it reads back). True: `lit` was read back. */
bool lamp_chain_poll(struct lamp_chain *chain, uint32_t now);

#endif
