// SPDX-License-Identifier: Apache-2.0
// A program that tries what a plugin must not be able to do. Every attack is harmless where it succeeds, because it is made
// without the sandbox too: a test that nothing could fail would show nothing.
#ifndef VIGIL_HOSTILE_H
#define VIGIL_HOSTILE_H

#include <stdbool.h>
#include <stddef.h>

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

// Every attack of the tables whose name is `name`, or all; false if there is none.
bool try_named(const char *name);
// A line for whoever looks at what came of it: standard error, and as a plugin the file VIGIL_STATE/results.
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
// A connection to the socket of that name in VIGIL_RUN, or -1. It waits two seconds at most, to say and to hear.
int connect_to(const char *name);
// Every socket in VIGIL_RUN.
void each_socket(void (*act)(const char *name));
bool say_all(int endpoint, const char *bytes, size_t length);

// As a plugin of a board.
extern bool is_plugin;
int be_plugin(char **arguments);
const char *own_folder(const char *variable);
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool read_settings(void);
// The element of a list of texts; false behind the last.
bool setting(const char *name, int index, char *into, size_t size);
long setting_number(const char *name, long otherwise);
// One call, one answer (cut to `size`); false if none came.
bool ask(const char *interface, const char *message, char *answer, size_t size);

void act_attacks(void);
void act_ungranted(void);
void act_spool_names(void);
void act_outside(void);
void act_fork_bomb(void);
void act_memory(void);
void act_fill_state(void);
void act_fill_spool(void);
void act_fill_hidden(void);
void act_hide_spool(void);
void act_flood_log(void);
void act_flood_supervisor(void);
void act_stop_itself(void);
void act_lose_arguments(void);
void act_nasty(void);
// Every element of the list "targets", asked of the proxy; the number of connections that came about.
long reach_targets(bool is_told);

#endif
