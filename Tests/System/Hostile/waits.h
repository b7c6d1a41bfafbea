// SPDX-License-Identifier: Apache-2.0
// What makes another process wait: descriptors that take their time to close, handed to somebody who did not ask for them, and whatever
// else two processes share. The same acts are made by a plugin in the jail, and by somebody without a filter at a plugin's sockets.
#ifndef VIGIL_HOSTILE_WAITS_H
#define VIGIL_HOSTILE_WAITS_H

#include <stdbool.h>
#include <stddef.h>

enum { MOST_DESCRIPTORS = 253 };

// Fills `into` with descriptors whose last close costs time, and says how many; less than 0 if the system refuses them (-errno).
struct slow_kind {
    const char *name;
    int (*make)(int *into, int most);
};
// Ends with a NULL name.
extern const struct slow_kind slow_kinds[];

// Sends bytes and descriptors beside them; 0 or errno.
int send_beside(int endpoint, const char *bytes, size_t length, const int *descriptors, int count);
// The end of the connection to the supervisor that is this program's, or -1.
int control_end(void);

// Acts by name that hand nothing over; false if there is none of that name.
bool disturb(const char *name);
// The act `wait-NAME`: descriptors of that kind to core and supervisor for a while, or the disturbance of that name.
bool act_wait(const char *name);
// Starts a program that meets a kernel without SO_PASSRIGHTS. Returns only when that fails.
int without_refusal(char *const words[]);

#endif
