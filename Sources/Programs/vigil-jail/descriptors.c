// SPDX-License-Identifier: Apache-2.0
// What is open when the program starts: 0 and 1 nothing, 2 the log, 3 the supervisor, then what the plan hands over.
#define _GNU_SOURCE
#include "jail.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

// close_range left none above either; to ask for each would take longer than everything else here.
enum { MOST_TRIED = 1024 };

bool arrange_descriptors(void) {
    int moved = fcntl(REPORT, F_DUPFD_CLOEXEC, OWN_DESCRIPTORS);
    if (moved < 0) return false;
    situation.report = moved;
    for (int index = 0; index < plan.extra_count; index++) {
        if (dup2(FIRST_EXTRA + index, PROGRAM_EXTRA + index) < 0) return false;
    }
    return syscall(SYS_close_range, PROGRAM_EXTRA + plan.extra_count, moved - 1, 0) == 0 &&
           syscall(SYS_close_range, moved + 1, UINT_MAX, 0) == 0;
}

void verify_descriptors(void) {
    int last = PROGRAM_EXTRA + plan.extra_count - 1;
    for (int descriptor = 0; descriptor < MOST_TRIED; descriptor++) {
        int flags = fcntl(descriptor, F_GETFD);
        bool stays = flags >= 0 && (flags & FD_CLOEXEC) == 0;
        if (stays == (descriptor <= last)) continue;
        report("descriptors", NULL, STATE_FAILED, stays ? "%d is open and should not be" : "%d is not open and should be",
               descriptor);
        return;
    }
    report("descriptors", NULL, STATE_VERIFIED, "0 to %d, no other", last);
}
