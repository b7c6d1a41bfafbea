// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
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

int vigil_allow_real_time(int process, int priority) {
    const struct rlimit limit = {(rlim_t)priority, (rlim_t)priority};
    return prlimit(process, RLIMIT_RTPRIO, &limit, NULL) == 0 ? 0 : -errno;
}

int vigil_go_first(int first) {
    const struct sched_param schedule = {.sched_priority = first ? 1 : 0};
    // What is started meanwhile does not inherit it. Only a privileged process could take that flag back, so it stays.
    const int policy = (first ? SCHED_FIFO : SCHED_OTHER) | SCHED_RESET_ON_FORK;
    return sched_setscheduler(0, policy, &schedule) == 0 ? 0 : -errno;
}
