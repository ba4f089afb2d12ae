/* What the harnesses of edge_store.c share that send edges: the records that are read, the cut of to_edge's loop, and what is true
 * of the ring when a call ends. */
#ifndef FELTWIRE_EDGE_STEP_H
#define FELTWIRE_EDGE_STEP_H

#include "edge_ring.h"

static bool repeats;        /* the call sends again what is asked for */
static uint8_t edges_ahead; /* from `unsent` on */
static bool skips_are_put;  /* or the call puts none */
static struct cut step_cut;
static struct place step_first; /* where the loop begins */
static struct place stepped;    /* as the turn does */

static void read(uint8_t at)
{
    ASSUME(well_formed(at));
    ASSUME(repeats || !is_edge(at) || edges_ahead != 0U);
}

static void cut_edge_begin(const struct place *place)
{
    CLAIM(skips_are_put, "numbers that are skipped have their record before the next edge is looked for");
    step_cut.passed = false;
    step_first = *place;
}

/* From an edge it passes over nothing. */
static bool steps(const struct place *place, uint8_t until)
{
    bool stays = step_first.at == until || is_edge(step_first.at);
    return between(step_first.at, place->at, until) &&
           (!stays || (place->at == step_first.at && place->number == step_first.number && place->time == step_first.time));
}

static void cut_edge(struct place *place, uint8_t until)
{
    if (step_cut.passed) {
        CLAIM(distance(place->at, until) < distance(stepped.at, until), "each turn comes nearer to the end");
        CLAIM(place->at == (uint8_t)(stepped.at + 1U) && !is_edge(stepped.at), "what is passed over is no edge");
        CLAIM(place->number == stepped.number + numbers_of(stepped.at), "its number changes as the record has it");
        CLAIM(place->time == stepped.time + ticks_of(stepped.at), "and so does its time");
    }
    CLAIM(steps(place, until), "what is passed over is between the places");
    CUT(step_cut);
    place->at = nondet_u8();
    place->number = nondet_u32();
    place->time = nondet_u32();
    ASSUME(steps(place, until) && (repeats || edges_ahead <= distance(place->at, end)));
    if (place->at != until)
        read(place->at);
    stepped = *place;
}

/* A record, of which each is claimed the same. */
static uint8_t spot;
static uint8_t spot_what;
static uint16_t spot_value;
static bool spot_is_there;

static void remember_spot(void)
{
    spot_what = whats[spot];
    spot_value = values[spot];
    spot_is_there = distance(oldest, spot) < distance(oldest, end);
}

/* Instead of put_skipped, of which edge_store_skip.c claims this: what waits is kept, no edge is appended, and the places are in order. */
static void cut_put_skipped(void)
{
    skips_are_put = true;
    oldest = nondet_u8();
    end = nondet_u8();
    unskipped = nondet_u16();
    again.at = nondet_u8();
    again.number = nondet_u32();
    again.time = nondet_u32();
    ASSUME(in_order() && edges_ahead <= distance(unsent.at, end));
    remember_spot();
}

static void claim_ring(void)
{
    bool is_there = distance(oldest, spot) < distance(oldest, end) && whats[spot] == spot_what && values[spot] == spot_value;
    CLAIM(!spot_is_there || is_there, "what is sent is kept, to be sent again");
    CLAIM(between(oldest, unsent.at, end), "the places are in order");
    CLAIM(again_in_order(), "also those of what is asked for again");
    CLAIM(waiting <= distance(unsent.at, end), "no more waits than there is");
}

#endif
