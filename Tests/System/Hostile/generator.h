// SPDX-License-Identifier: Apache-2.0
// Calls at random, from the list of the filter itself: whatever it lets through, with hostile arguments, on descriptors of all kinds.
#ifndef VIGIL_HOSTILE_GENERATOR_H
#define VIGIL_HOSTILE_GENERATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Numbers from a seed: the same on every machine.
struct chance {
    uint64_t state;
};
uint64_t draw(struct chance *chance);
// Less than `limit`, which is not 0.
uint64_t below(struct chance *chance, uint64_t limit);

enum { POOL = 96, SCRATCH = 1 << 18 };

// What calls are made on: descriptors of every kind a plugin can have, and memory that may be overwritten.
struct pool {
    int descriptors[POOL];
    int count;
    // A few that a round returns to, so that what one call does meets what another does.
    int favourites[3];
    // The same for names: one that no round before has used, and one of the list.
    char name[16];
    int other_name;
    unsigned char *scratch;
};
// With the connection to the supervisor or without, and with connections to others or without: those take their time.
void fill_pool(struct pool *pool, struct chance *chance, bool has_control, bool has_connections);
void keep(struct pool *pool, long descriptor);
int any(const struct pool *pool, struct chance *chance);

// Finds out which options of sockets the filter permits, for `choose`.
void find_options(void);
// What the call of that name wants, a letter for each argument; empty if that is not known.
const char *wants_of(const char *name);
// Arguments for it.
void choose(const char *name, struct pool *pool, struct chance *chance, long ret_arguments[6]);

// The act `generate`: rounds for the seconds of the settings, each in a process of its own, from the seed of the settings on.
void act_generate(void);
// To be called by the first process before any other: rounds are counted where a killed worker does not forget them.
void prepare_rounds(void);
// The number of the first one; each number is another sequence.
void start_rounds_at(uint64_t first);
// Notes how many there were in this life.
void note_rounds(void);

#endif
