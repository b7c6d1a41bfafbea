// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

// linux/sched/types.h, which clashes with <sched.h> before glibc 2.41; the first version of it, which every kernel since 3.14 takes.
struct scheduling {
    uint32_t size, policy;
    uint64_t flags;
    int32_t niceness;
    uint32_t priority;
    uint64_t slice, deadline, period;
};

int vigil_set_urgency(int process, int niceness, uint64_t slice) {
    const struct scheduling wanted = {.size = sizeof wanted, .policy = SCHED_OTHER, .niceness = niceness, .slice = slice};
    return syscall(SYS_sched_setattr, process, &wanted, 0) == 0 ? 0 : -errno;
}
