// SPDX-License-Identifier: Apache-2.0
// Who the program is and what it may use up.
#define _GNU_SOURCE
#include "jail.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool keeps_bounding_set;

void set_limits(void) {
    for (int index = 0; index < plan.limit_count; index++) {
        struct limit *limit = &plan.limits[index];
        // Counted per user: with other processes of the same user it would stop those, and stop this one at once.
        if (limit->resource == RLIMIT_NPROC && !situation.has_own_user && !situation.has_user_namespace) continue;
        struct rlimit now;
        // What is stricter already stays.
        if (getrlimit((__rlimit_resource_t)limit->resource, &now) == 0 && now.rlim_max < limit->value)
            limit->value = now.rlim_max;
        struct rlimit wanted = {(rlim_t)limit->value, (rlim_t)limit->value};
        if (setrlimit((__rlimit_resource_t)limit->resource, &wanted) < 0) {
            report("limits", NULL, STATE_FAILED, "%s: %s", limit->name, because(errno));
            return;
        }
    }
}

void verify_limits(void) {
    if (plan.limit_count == 0) return;
    char level[40] = "";
    for (int index = 0; index < plan.limit_count; index++) {
        const struct limit *limit = &plan.limits[index];
        if (limit->resource == RLIMIT_NPROC && !situation.has_own_user && !situation.has_user_namespace) {
            report("limits-processes", NULL, STATE_MISSING, "counted per user, and this user is not the program's own");
            continue;
        }
        struct rlimit now, wider = {(rlim_t)limit->value + 1, (rlim_t)limit->value + 1};
        if (getrlimit((__rlimit_resource_t)limit->resource, &now) < 0 || now.rlim_max != limit->value ||
            now.rlim_cur != limit->value) {
            report("limits", NULL, STATE_FAILED, "%s reads back differently", limit->name);
            return;
        }
        if (setrlimit((__rlimit_resource_t)limit->resource, &wider) == 0) {
            report("limits", NULL, STATE_FAILED, "%s can be raised again", limit->name);
            return;
        }
    }
    snprintf(level, sizeof level, "%d limits", plan.limit_count);
    report("limits", level, STATE_VERIFIED, "read back, and cannot be raised");
}

void drop_user(void) {
    // Needs a capability that the change of user takes away.
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0) keeps_bounding_set = true;
    }
    if (!plan.has_user) {
        report("user", NULL, STATE_MISSING,
               getuid() == 0 ? "the plan names no user: this is root without a capability" : "the plan names no user");
        return;
    }
    if (setgroups((size_t)plan.group_count, plan.groups) < 0 || setresgid(plan.group, plan.group, plan.group) < 0 ||
        setresuid(plan.user, plan.user, plan.user) < 0) {
        report("user", NULL, STATE_MISSING, "the user cannot be changed: %s", because(errno));
        return;
    }
    situation.has_own_user = true;
}

void drop_privileges(void) {
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2];
    memset(none, 0, sizeof none);
    syscall(SYS_capset, &header, none);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    // Cleared by a change of user, so not earlier. Should the supervisor have ended before this line, its socket says so.
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    struct pollfd control = {.fd = CONTROL, .events = POLLRDHUP};
    if (poll(&control, 1, 0) > 0 && (control.revents & (POLLHUP | POLLRDHUP)) != 0) _exit(STATUS_REPORT);
}

static bool has_no_capability(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct now[2];
    if (syscall(SYS_capget, &header, now) < 0) return false;
    for (int half = 0; half < 2; half++) {
        if ((now[half].effective | now[half].permitted | now[half].inheritable) != 0) return false;
    }
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
        if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, capability, 0, 0) == 1) return false;
        if (!keeps_bounding_set && prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1) return false;
    }
    // To use one is the real question.
    return chroot("/") < 0 && errno == EPERM;
}

static void verify_user(void) {
    if (!situation.has_own_user) return;
    uid_t real = 0, effective = 0, saved = 0;
    gid_t real_group = 0, effective_group = 0, saved_group = 0, groups[MOST_GROUPS + 1];
    int count = getgroups(MOST_GROUPS + 1, groups);
    bool holds = getresuid(&real, &effective, &saved) == 0 && real == plan.user && effective == plan.user &&
                 saved == plan.user && getresgid(&real_group, &effective_group, &saved_group) == 0 &&
                 real_group == plan.group && effective_group == plan.group && saved_group == plan.group &&
                 count == plan.group_count;
    bool is_final = setuid(0) < 0 && setresuid((uid_t)-1, 0, (uid_t)-1) < 0 && setgid(0) < 0 && setgroups(0, NULL) < 0;
    char level[40];
    snprintf(level, sizeof level, "%u:%u", (unsigned)real, (unsigned)real_group);
    report("user", level, holds && is_final ? STATE_VERIFIED : STATE_FAILED,
           !holds     ? "reads back differently"
           : is_final ? "read back, no way back to root, %d further groups"
                      : "can become root again",
           count);
}

void verify_identity(void) {
    verify_user();
    bool is_empty = has_no_capability();
    report("capabilities", keeps_bounding_set ? "none, bounding set kept" : "none",
           is_empty ? STATE_VERIFIED : STATE_FAILED, is_empty ? "every set read back, one tried" : "a capability is left");
    bool is_set = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
    report("no-new-privileges", NULL, is_set ? STATE_VERIFIED : STATE_FAILED, is_set ? "read back" : "not set");
    int signal = 0;
    is_set = prctl(PR_GET_PDEATHSIG, &signal, 0, 0, 0) == 0 && signal == SIGKILL;
    report("ends-with-supervisor", NULL, is_set ? STATE_VERIFIED : STATE_FAILED, is_set ? "read back" : "not set");
}
