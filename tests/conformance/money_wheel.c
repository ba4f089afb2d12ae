/* A decoder of a money wheel with an encoder, for the conformance suite: lines in, verdicts out. C99 and its library.
 *
 * It knows a wheel of 50 spaces, an index, and a button for "No more bets" where the capture has one. It takes nothing
 * on trust: a lost edge, a slip of the index, an index that does not come, a line that is stuck, a gap in the counts, an
 * end at speed or a wheel that turned from the beginning leaves the round unresolved. Where edges came back at once the
 * times of the counts are not judged: contacts bounce.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REST_NS 1500000000LL
#define PAUSE_NS 5500000000LL /* a wind-up may pause so long */
#define STUCK 8 /* so many edges of one line back and forth, and none of the other */
#ifndef LEAST_TURNS
#define LEAST_TURNS 3
#endif

static long slots = 100;
static int has_button;
static int level_a = -1, level_b = -1, level_index = -1;
static long count, zero, low, high, anchor, start, furthest;
static long long now, anchor_ns = -1, began_ns, called_ns = -1, nudged_ns = -1;
static long long count_ns[6]; /* when the last counts were reached, the newest first */
static long run; /* counts in a row in one direction */
static int zero_known, missing, gap, backs, last_step, moving, spun, is_over, rested_once, round_number = 1;
static const char *doubt;
static int *last_level; /* of the line that changed last; its edges in a row began at `chain_ns` */
static long long chain_ns, before_chain_ns;

static long turn(void) { return 4 * slots; }
static long space(void) { return turn() / 50; }

static void begin_round(void)
{
    called_ns = nudged_ns = -1;
    doubt = NULL;
    moving = spun = is_over = missing = 0;
    low = high = count;
}

static void refuse(const char *verdict, const char *reason)
{
    printf("{\"type\":\"feltwire.round.%s.v1\",\"data\":{\"round\":%d,\"reason\":\"%s\"}}\n", verdict, round_number++, reason);
    is_over = 1;
}

static void lose(void)
{
    zero_known = gap = 0;
    doubt = "edges_lost";
}

/* Whether a wheel that slows evenly would go on for more than five counts after one of its last counts. */
static int goes_on(int at)
{
    double before = (double)(count_ns[at + 1] - count_ns[at + 3]), last = (double)(count_ns[at] - count_ns[at + 2]);
    return run >= at + 4 && 6 * last * last < 7 * before * before && (count_ns[at] - count_ns[at + 1]) * turn() < 36000000000LL;
}

/* Whether no wheel stops where the counts end: after more than a twentieth of a turn, or as it rocks between its pegs. */
static int ends_at_speed(void)
{
    double last_s = (double)(count_ns[0] - count_ns[1]) / 1e9, stops = 360.0 / (double)turn() / (2 * last_s * last_s);
    return run > 1 && (stops > 1100 || (goes_on(0) && (20 * run > turn() || stops > 300)));
}

static void decide(void)
{
    long travel = labs(furthest - start), half = 2 * (count - zero) + 1; /* the middle of the count, in half counts */
    long in_turn = ((-half) % (2 * turn()) + 2 * turn()) % (2 * turn());
    long place = (in_turn + space()) / (2 * space()) % 50, off = labs(in_turn - (in_turn + space()) / (2 * space()) * 2 * space());
    if (!doubt && (gap || ends_at_speed()))
        lose();
    if (!rested_once)
        refuse("unresolved", "joined_mid_spin");
    else if (doubt)
        refuse("unresolved", doubt);
    else if (travel < LEAST_TURNS * turn())
        refuse("void", "wheel_revolutions");
    else if (!zero_known || missing)
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
    run = by == last_step ? run + 1 : 1;
    last_step = by;
    memmove(count_ns + 1, count_ns, sizeof count_ns - sizeof *count_ns);
    count_ns[0] = now;
    long long lasted = count_ns[1] - count_ns[2];
    if (goes_on(2) && lasted >= 3 * (count_ns[2] - count_ns[3]) && lasted >= 3 * (now - count_ns[1]))
        gap = 1;
    if (zero_known && 10 * labs(count - zero) > 11 * turn()) {
        zero_known = 0;
        missing = 1;
    }
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
    gap = 0;
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
        if (level != last_level) {
            backs = 0;
            before_chain_ns = now - count_ns[0];
            chain_ns = now;
        } else if (++backs >= STUCK && now - chain_ns > before_chain_ns && !doubt) {
            zero_known = 0;
            doubt = "sensor_stuck";
        }
        last_level = level;
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
    puts("{\"decoder\":\"money_wheel.c 1.0\",\"suite\":\"2.0\",\"devices\":[\"money_wheel/quadrature\"]}");
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
