/* What the harnesses share. They are read by CBMC alone; see `python -m firmware.proofs`. */
#ifndef FELTWIRE_PROOF_H
#define FELTWIRE_PROOF_H

#include <stdbool.h>
#include <stdint.h>

/* CBMC gives any value of the type. A bool that it makes up may be 3: those of the code are made any by ANY_BOOL. */
uint8_t nondet_u8(void);
uint16_t nondet_u16(void);
uint32_t nondet_u32(void);

static inline bool any_bool(void)
{
    return (nondet_u8() & 1U) != 0U;
}
#define ANY_BOOL(what) ((what) = any_bool())

#define ASSUME(holds) __CPROVER_assume(holds)
#ifdef REACH /* is each claim looked at? It is refuted then */
#define CLAIM(holds, words) __CPROVER_assert(((void)(holds), false), words)
#else
#define CLAIM(holds, words) __CPROVER_assert(holds, words)
#endif

/* A loop that is cut: a function of the harness is called at its head, each time. It claims the loop's invariant, ends where this
 * is the second time, makes all that the loop changes any value, and assumes the invariant: a turn of the loop is proven from
 * every state that the invariant allows, and so is what follows the loop. Where the calls are: proofs.toml. */
struct cut {
    bool passed;
};
#define CUT_BEGIN(cut) ((cut).passed = false)
#define CUT(cut)                                                                                                                   \
    do {                                                                                                                           \
        ASSUME(!(cut).passed);                                                                                                     \
        (cut).passed = true;                                                                                                       \
    } while (false)

_Static_assert(sizeof(uint32_t) == 4U && sizeof(uint16_t) == 2U, "the widths are those of the machine that is proven");
#ifdef __AVR__
_Static_assert(sizeof(int) == 2U, "an int has 16 bits, as on the ATmega328P");
#endif

#endif
