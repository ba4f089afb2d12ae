/* Interrupt flags as the data sheet has them: writing 1 clears a flag, and enabling an interrupt whose flag is set
 * raises it. libsimavr 1.6 sets PCIFR and EIFR as written, clears all of TIFR whatever is written, and forgets a flag
 * that was set while its interrupt was off. */

#include "simboard.h"

#include <simavr/sim_interrupts.h>

static const avr_io_addr_t FLAGS[] = {0x35, 0x36, 0x37, 0x3B, 0x3C};   /* TIFR0, TIFR1, TIFR2, PCIFR, EIFR */
static const avr_io_addr_t ENABLES[] = {0x68, 0x6E, 0x6F, 0x70};       /* PCICR, TIMSK0, TIMSK1, TIMSK2 */

static void clear_flags(avr_t *avr, avr_io_addr_t address, uint8_t value, void *board)
{
    (void)board;
    const uint8_t ones = ones_written(avr, value);
    for (int i = 0; i < avr->interrupts.vector_count; i++) {
        avr_int_vector_t *vector = avr->interrupts.vector[i];
        if (vector->raised.reg == address && (ones >> vector->raised.bit & 1))
            avr_clear_interrupt(avr, vector);
    }
}

static void enable(avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    const uint8_t before = avr->data[address];
    write_through(param, address, value);
    for (int i = 0; i < avr->interrupts.vector_count; i++) {
        avr_int_vector_t *vector = avr->interrupts.vector[i];
        if (vector->enable.reg == address && ((value & ~before) >> vector->enable.bit & 1) &&
            avr_regbit_get(avr, vector->raised))
            avr_raise_interrupt(avr, vector);
    }
}

void flags_begin(struct board *board)
{
    for (size_t i = 0; i < sizeof FLAGS / sizeof *FLAGS; i++)
        wrap_writes(board, FLAGS[i], clear_flags);
    for (size_t i = 0; i < sizeof ENABLES / sizeof *ENABLES; i++)
        wrap_writes(board, ENABLES[i], enable);
}
