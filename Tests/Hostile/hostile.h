// SPDX-License-Identifier: Apache-2.0
// A program that tries what a plugin must not be able to do. Every attack is harmless where it succeeds, because it is made
// without the sandbox too: a test that nothing could fail would show nothing.
#ifndef VIGIL_HOSTILE_H
#define VIGIL_HOSTILE_H

#include <stdbool.h>

// What an attack came to: 0 gained, otherwise the errno that stopped it.
struct attack {
    const char *name;
    int (*run)(void);
};

// One table per file; each ends with a NULL name.
extern const struct attack file_attacks[], process_attacks[], network_attacks[], kernel_attacks[], resource_attacks[];

// What the test prepared, by its name; an empty text when it did not.
const char *given(const char *name);
long given_number(const char *name);
// errno, or 0 when `result` is no failure; closes nothing.
int outcome(long result);
// As outcome, for calls that answer with a descriptor: closes it.
int opened(long descriptor);

// What is no attack: returns the exit status.
int be_innocent(void);
int be_victim(void);
// Starts a grandchild that writes on in VIGIL_STATE/heartbeat, then waits to be killed.
int leave_somebody_behind(void);
int flood(const char *kind);

#endif
