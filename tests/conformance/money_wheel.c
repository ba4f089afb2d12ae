/* A decoder of a money wheel with an encoder, for the conformance suite: lines in, verdicts out. C99 and its library.
 *
 * It knows a wheel of 50 spaces, an index, and a button for "No more bets" where the capture has one. It takes nothing
 * on trust: a lost edge, a slip of the index or a wheel that turned from the beginning leaves the round unresolved.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REST_NS 1500000000LL
#define PAUSE_NS 5500000000LL /* a wind-up may pause so long */
#ifndef LEAST_TURNS
#define LEAST_TURNS 3
#endif

static long slots = 100;
static int has_button;
static int level_a = -1, level_b = -1, level_index = -1;
static long count, zero, low, high, anchor, start, furthest;
static long long now, anchor_ns = -1, began_ns, called_ns = -1, nudged_ns = -1;
static int zero_known, last_step, moving, spun, is_over, rested_once, round_number = 1;
static const char *doubt;

static long turn(void) { return 4 * slots; }
static long space(void) { return turn() / 50; }

static void begin_round(void)
{
    called_ns = nudged_ns = -1;
    doubt = NULL;
    moving = spun = is_over = 0;
    low = high = count;
}

static void refuse(const char *verdict, const char *reason)
{
    printf("{\"type\":\"feltwire.round.%s.v1\",\"data\":{\"round\":%d,\"reason\":\"%s\"}}\n", verdict, round_number++, reason);
    is_over = 1;
}

static void decide(void)
{
    long travel = labs(furthest - start), half = 2 * (count - zero) + 1; /* the middle of the count, in half counts */
    long in_turn = ((-half) % (2 * turn()) + 2 * turn()) % (2 * turn());
    long place = (in_turn + space()) / (2 * space()) % 50, off = labs(in_turn - (in_turn + space()) / (2 * space()) * 2 * space());
    if (!rested_once)
        refuse("unresolved", "joined_mid_spin");
    else if (doubt)
        refuse("unresolved", doubt);
    else if (travel < LEAST_TURNS * turn())
        refuse("void", "wheel_revolutions");
    else if (!zero_known)
        refuse("unresolved", "sensor_missing");
    else if (space() - off <= 1 + space() / 10) /* nearer to a peg than half a count and a twentieth of a space */
        refuse("void", "indicator_between_spaces");
    else {
        printf("{\"type\":\"feltwire.round.outcome.v1\",\"data\":{\"round\":%d,\"result\":{\"space\":%ld},"
               "\"evidence\":{\"revolutions\":%.4f}}}\n", round_number++, place, (double)travel / (double)turn());
        is_over = 1;
    }
}

static void pass_time(long long until_ns)
{
    if ((moving || !rested_once) && until_ns >= anchor_ns + REST_NS) {
        if (spun && !is_over)
            decide();
        rested_once = 1;
        if (is_over)
            begin_round();
        else if (moving)
            nudged_ns = anchor_ns;
        moving = 0;
    }
    if (nudged_ns >= 0 && until_ns >= nudged_ns + PAUSE_NS) { /* too long a pause for a wind-up: it was a nudge */
        if (called_ns >= 0 && called_ns < began_ns)
            refuse("void", "wheel_revolutions");
        if (is_over)
            begin_round();
        nudged_ns = -1;
        low = high = count;
    }
    now = until_ns;
}

static void step(int by)
{
    count += by;
    last_step = by;
    if (labs(count - anchor) > 1) {
        anchor = count;
        anchor_ns = now;
    }
    if (count < low)
        low = count;
    if (count > high)
        high = count;
    if (!moving && high - low > space()) {
        moving = 1;
        if (nudged_ns < 0) {
            began_ns = now;
            if (!has_button)
                called_ns = now - 1;
        }
        nudged_ns = -1;
    }
    if (!spun && moving && (count - low >= turn() / 2 || high - count >= turn() / 2)) {
        spun = count - low >= turn() / 2 ? 1 : -1;
        start = spun > 0 ? low : high;
        furthest = count;
        if (!is_over && rested_once && (called_ns < 0 || called_ns >= began_ns))
            refuse("void", "spun_before_no_more_bets");
    }
    if (spun && (count - furthest) * spun > 0)
        furthest = count;
    if (spun && !is_over && !doubt && rested_once && 2 * (furthest - count) * spun > 3 * space())
        refuse("void", "wheel_reversed");
}

static void pass_index(int is_high)
{
    long here = count + 2 - (((count + 2) % 4) + 4) % 4; /* angle 0 is where A rises */
    if (!last_step || (last_step > 0) != is_high)
        return;
    if (zero_known && (here - zero) % turn())
        doubt = "encoder_slip";
    zero = here;
    zero_known = 1;
}

static void lose(void)
{
    zero_known = 0;
    doubt = "edges_lost";
}

static void edge(const char *line, int is_high)
{
    static const int phases[2][2] = {{3, 2}, {0, 1}};
    int *level = !strcmp(line, "wheel_a") ? &level_a : !strcmp(line, "wheel_b") ? &level_b : NULL;
    if (level) {
        int known = level_a >= 0 && level_b >= 0, before = known ? phases[level_a][level_b] : 0;
        if (known && *level == is_high)
            lose();
        *level = is_high;
        if (known && phases[level_a][level_b] != before)
            step((phases[level_a][level_b] - before + 4) % 4 == 1 ? 1 : -1);
        else if (!known && level_a >= 0 && level_b >= 0)
            count = low = high = anchor = phases[level_a][level_b];
    } else if (!strcmp(line, "wheel_index")) {
        if (level_index >= 0)
            pass_index(is_high);
        level_index = is_high;
    } else if (!strcmp(line, "dealer_no_more_bets") && is_high && called_ns < 0)
        called_ns = now;
}

int main(void)
{
    static char text[4096], line[128];
    long long t_ns;
    int is_high;
    puts("{\"decoder\":\"money_wheel.c 1.0\",\"suite\":\"1.0\",\"devices\":[\"money_wheel/quadrature\"]}");
    fflush(stdout);
    while (fgets(text, sizeof text, stdin)) {
        if (sscanf(text, "edge %lld %127s %d", &t_ns, line, &is_high) == 3) {
            if (anchor_ns < 0)
                anchor_ns = t_ns;
            pass_time(t_ns);
            edge(line, is_high);
        } else if (sscanf(text, "until %lld", &t_ns) == 1) {
            pass_time(t_ns);
            printf("{\"until\":%lld}\n", t_ns);
            fflush(stdout);
        } else if (!strncmp(text, "lost ", 5))
            lose();
        else if (!strncmp(text, "line dealer_no_more_bets", 24))
            has_button = 1;
        else
            sscanf(text, "table device.wheel.encoder_slots = %ld", &slots);
    }
    return 0;
}
