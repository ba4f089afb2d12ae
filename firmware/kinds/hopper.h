/* A hopper's payouts: a count of tokens under a number of its own, once, and never again by itself.
 *
 * A payout is noted in the store before its first token, and each token is counted there (paid_out). So after a power cut
 * it is known which payout was under way and how many tokens were seen. A number is carried out once: sent again it does
 * nothing, whether all was paid, or it was cut short, or nothing was. What is left is for a person, under a new number, for
 * only a person can see what is in the tray. Numbers go up; one that is lower than the last is a command of former times.
 *
 * The sensor is tested before each payout, and after each that ended short. While it is proven what it saw is what was paid.
 * Where it is not, more may have been paid: `unseen` is how many at most, from how long the motor ran and how fast it pays.
 * A token is counted when it leaves the sensor, for a wire that is cut seems to enter and never does; the motor stops when the
 * last one enters.
 *
 *     NOTING ──kept──► TESTING ──proven──► RUNNING ──all seen──► IDLE
 *                          └─not──► UNPROVEN  ├─no token─► back, twice ─► EMPTY ──tested: proven──► unseen = 0
 *                                             ├─asked, dead-man, supply─► CUT_SHORT ──the same──► unseen = 0
 *                                             └─sensor stays dark──► UNPROVEN
 */
#ifndef FELTWIRE_HOPPER_H
#define FELTWIRE_HOPPER_H

#include "debounce.h"

#define HOPPER_COIN_MS 5U         /* a token is in the sensor for at least this long (ours; hoppers give 10 to 100) */
#define HOPPER_COIN_MOST_MS 150U  /* and for at most this long: then it is blocked, or its wire is cut (ours) */
#define HOPPER_TOKEN_MS 143U      /* from one token to the next, unless the host sets another time: 7 a second */
#define HOPPER_SPIN_UP_MS 500U    /* more than that until the first (ours) */
#define HOPPER_JAM_TOKENS 4U      /* no token for as long as this many take: empty or jammed (ours) */
#define HOPPER_BACK_MS 300U       /* the motor turns back for this long to free a jam (ours) */
#define HOPPER_REST_MS 100U       /* and rests this long before and after (ours) */
#define HOPPER_BACKS 2U           /* this many times in one payout (ours) */
#define HOPPER_COASTING_MS 500U   /* tokens may still fall this long after the motor is off (ours) */
#define HOPPER_LOST 2U            /* tokens that nobody saw at most when the board was reset: one in the sensor, one falling */
#define HOPPER_NOTE 6U            /* bytes that the store keeps of a payout */

enum hopper_state { /* as reported */
    HOPPER_IDLE = 0,
    HOPPER_PAYING = 1,
    HOPPER_EMPTY = 2,
    HOPPER_RUNAWAY = 3,
    HOPPER_UNPROVEN = 4,
    HOPPER_CUT_SHORT = 5,
    HOPPER_JAMMED = 6,
};

enum hopper_answer {
    HOPPER_NOTES,     /* a new payout: keep hopper_note, then hopper_noted */
    HOPPER_HAD,       /* it was carried out, or is: nothing to do */
    HOPPER_WRONG,     /* a number of former times, another count of tokens than before, or nothing at all */
    HOPPER_BUSY,      /* another payout is under way */
    HOPPER_RUNS_AWAY, /* tokens come unasked: hopper_clear first */
};

struct hopper {
    struct debounce sensor;
    enum hopper_state state;
    enum hopper_stage { HOPPER_RESTS, HOPPER_NOTING, HOPPER_TESTING, HOPPER_RUNNING, HOPPER_STOPS, HOPPER_TURNS_BACK, HOPPER_STARTS,
                        HOPPER_COASTING, HOPPER_PROVING } stage;
    bool motor;        /* what the motor must be */
    bool back;         /* the other way round */
    bool reverses;     /* it can */
    bool first;        /* no token of this run yet */
    bool inside;       /* a token is in the sensor since `entered` */
    uint8_t backs;
    uint8_t tokens;    /* of the payout; 0: there never was one */
    uint8_t unseen;    /* tokens that may have been paid besides */
    uint16_t token_ms;
    uint16_t payout;
    uint16_t paid;     /* as seen */
    uint16_t paid_out; /* low half of the counter, as of now */
    uint16_t start;    /* as it was when the payout began */
    uint32_t entered;  /* ticks */
    uint32_t since;    /* ticks: the last token, or the beginning of the stage */
};

/* After a reset: what the store kept (zeros: nothing), and its counter. The sensor is at rest. */
void hopper_begin(struct hopper *hopper, const uint8_t note[HOPPER_NOTE], uint16_t paid_out);

/* The host asks for a payout. */
enum hopper_answer hopper_pay(struct hopper *hopper, uint16_t payout, uint8_t tokens);

/* What the store must keep of the payout, before it begins and when it ended short. */
void hopper_note(const struct hopper *hopper, uint8_t note[HOPPER_NOTE]);
void hopper_noted(struct hopper *hopper);

/* The sensor was tested, as hopper_wants_test asked. */
bool hopper_wants_test(const struct hopper *hopper);
void hopper_tested(struct hopper *hopper, bool proven, uint32_t now);

/* Each returns whether a token has just come: count it. `level`: 1 at rest, 0 for a token. */
bool hopper_edge(struct hopper *hopper, uint8_t level, uint32_t ticks);
bool hopper_poll(struct hopper *hopper, uint32_t now);

/* Ends the payout, as cut short; or in another state. */
void hopper_stop(struct hopper *hopper, uint32_t now);
void hopper_end(struct hopper *hopper, enum hopper_state state, uint32_t now);

/* The motor draws more current than it may: tries as with a jam. */
void hopper_overloaded(struct hopper *hopper, uint32_t now);

/* A person has seen to it: no fault any more. */
void hopper_clear(struct hopper *hopper);

/* Tokens that may have been paid at most under the number; 255: that many or more. */
uint8_t hopper_at_most(const struct hopper *hopper);

/* Empty, jammed, running away, cut short, or with a sensor that is not proven. */
bool hopper_fault(const struct hopper *hopper);

#endif
