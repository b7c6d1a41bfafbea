// SPDX-License-Identifier: Apache-2.0
// For authors: what the filter says to a call, and why.
#define _GNU_SOURCE
#include "calls.h"

#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *profiles_text(int profiles) {
    if (profiles == FOR_ALL) return "every profile";
    if (profiles == FOR_CORE) return "the core only";
    return "egress only";
}

static const struct call_group *find(const struct call_group *groups, const char *name) {
    for (; groups->title != NULL; groups++) {
        for (int index = 0; groups->names[index] != NULL; index++) {
            if (strcmp(groups->names[index], name) == 0) return groups;
        }
    }
    return NULL;
}

static int explain_one(const char *what) {
    char *end = NULL;
    long number = strtol(what, &end, 10);
    char *resolved =
        *what != 0 && *end == 0 ? seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, (int)number) : strdup(what);
    if (resolved == NULL || seccomp_syscall_resolve_name(resolved) == __NR_SCMP_ERROR) {
        fprintf(stderr, "vigil-jail: this system has no call \"%s\"\n", what);
        free(resolved);
        return 1;
    }
    printf("%s (%d)\n", resolved, seccomp_syscall_resolve_name(resolved));
    const struct call_group *allowed = find(allowed_calls, resolved), *examined = find(examined_calls, resolved),
                            *refused = find(refused_calls, resolved);
    if (allowed != NULL) printf("  allowed, %s: %s\n", profiles_text(allowed->profiles), allowed->title);
    if (examined != NULL) printf("  by its arguments: %s\n", examined->title);
    if (refused != NULL) printf("  refused%s: %s\n", allowed != NULL ? " to others" : "", refused->title);
    if (allowed == NULL && examined == NULL && refused == NULL) printf("  refused: nothing on the list needs it\n");
    free(resolved);
    return 0;
}

static void list(const char *heading, const struct call_group *groups) {
    printf("%s\n", heading);
    for (; groups->title != NULL; groups++) {
        printf("  %s%s\n   ", groups->title, groups->profiles == FOR_CORE ? " (core only)" : "");
        for (int index = 0; groups->names[index] != NULL; index++) {
            if (seccomp_syscall_resolve_name(groups->names[index]) >= 0) printf(" %s", groups->names[index]);
        }
        printf("\n");
    }
}

int explain(const char *what) {
    if (what != NULL) return explain_one(what);
    list("Allowed:", allowed_calls);
    list("Decided by their arguments:", examined_calls);
    list("Refused, as is every call that is not listed here:", refused_calls);
    return 0;
}
