/* A hopper's payouts: so many tokens under a number of its own, never more, whatever is repeated or cut short.
 *
 * A payout is noted in the store before its first token, and each token is counted there (paid_out). So after a power cut
 * it is known which payout was under way and what is left of it. "Pay 7 tokens under number 30" means: see to it that under
 * number 30 seven tokens are paid. Said again when they are, it does nothing; said again after a jam, a cut or a silent
 * host, it pays what is left. Numbers go up; one that is lower than the last is a command of former times. */
#ifndef FELTWIRE_HOPPER_H
#define FELTWIRE_HOPPER_H

#include "debounce.h"

#define HOPPER_COIN_MS 5U      /* a token is in the sensor for at least so long (ours; hoppers give 10 to 100) */
#define HOPPER_JAM_MS 3000U    /* paying, and no token for so long: empty or jammed (ours) */
#define HOPPER_COASTING_MS 500U /* tokens may still fall so long after the motor is off (ours) */
#define HOPPER_NOTE 5U         /* bytes that the store keeps of a payout */

enum hopper_state { HOPPER_IDLE = 0, HOPPER_PAYING = 1, HOPPER_EMPTY = 2, HOPPER_RUNAWAY = 3 }; /* as the report says */

enum hopper_answer {
    HOPPER_PAYS,      /* what is left, from now on */
    HOPPER_NOTES,     /* a new payout: keep hopper_note, then hopper_noted */
    HOPPER_HAS_PAID,  /* or is paying it: nothing to do */
    HOPPER_WRONG,     /* a number of former times, another count of tokens than before, or nothing at all */
    HOPPER_BUSY,      /* another payout is under way */
    HOPPER_RUNS_AWAY, /* tokens come unasked: hopper_clear first */
};

struct hopper {
    struct debounce sensor;
    enum hopper_state state;
    bool noting;       /* the payout is being kept; the motor waits for that */
    bool motor;        /* what the motor must be */
    bool coasting;     /* the motor went off at `since` and the tokens may not have stopped */
    uint8_t tokens;    /* of the payout; 0: there never was one */
    uint16_t payout;
    uint16_t paid;
    uint16_t paid_out; /* low half of the counter, as of now */
    uint16_t start;    /* as it was when the payout began */
    uint32_t since;    /* ticks: the last token, or the start or the end of the motor */
};

/* After a reset: what the store kept (zeros: nothing), and its counter. */
void hopper_begin(struct hopper *hopper, uint8_t level, const uint8_t note[HOPPER_NOTE], uint16_t paid_out);

/* The host asks for a payout. */
enum hopper_answer hopper_pay(struct hopper *hopper, uint16_t payout, uint8_t tokens, uint32_t now);

/* What the store must keep of the payout, before it begins. */
void hopper_note(const struct hopper *hopper, uint8_t note[HOPPER_NOTE]);
void hopper_noted(struct hopper *hopper, uint32_t now);

/* Each returns whether a token has just come: count it. */
bool hopper_edge(struct hopper *hopper, uint8_t level, uint32_t ticks);
bool hopper_poll(struct hopper *hopper, uint32_t now);

/* Stops; what is left can be asked for again. */
void hopper_stop(struct hopper *hopper, uint32_t now);

/* The motor cannot go on: as empty. */
void hopper_give_up(struct hopper *hopper, uint32_t now);

/* Forgets a runaway: somebody has seen to it. */
void hopper_clear(struct hopper *hopper);

/* Tokens of the payout still to pay. */
uint8_t hopper_left(const struct hopper *hopper);

#endif
