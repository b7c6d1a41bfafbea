// SPDX-License-Identifier: Apache-2.0
// Which calls of the system a program may make, as tables that the filter and --explain share.
#ifndef VIGIL_JAIL_CALLS_H
#define VIGIL_JAIL_CALLS_H

#include "jail.h"

// Bits of the profiles a group is for.
enum { FOR_PLUGIN = 1 << PROFILE_PLUGIN, FOR_CORE = 1 << PROFILE_CORE, FOR_EGRESS = 1 << PROFILE_EGRESS, FOR_ALL = 7 };

struct call_group {
    const char *title;
    int profiles;
    // Ends with NULL. Names that an architecture does not have are passed over.
    const char *const *names;
};
// Allowed whatever the arguments; ends with a NULL title.
extern const struct call_group allowed_calls[];
// Looked at by their arguments; the title says what is allowed.
extern const struct call_group examined_calls[];
// Not allowed, with the reason; what is in no table is not allowed either.
extern const struct call_group refused_calls[];

#endif
