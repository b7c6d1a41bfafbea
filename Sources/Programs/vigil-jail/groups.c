// SPDX-License-Identifier: Apache-2.0
// Control groups, the order in which memory shortage ends processes, and whose turn it is. The folders and their limits are
// the supervisor's work; this process goes in by itself, so that not one page is accounted elsewhere.
#define _GNU_SOURCE
#include "jail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int read_text(const char *path, char *into, size_t size) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return -errno;
    ssize_t count = read(descriptor, into, size - 1);
    int result = count < 0 ? -errno : 0;
    close(descriptor);
    into[count < 0 ? 0 : count] = 0;
    into[strcspn(into, "\n")] = 0;
    return result;
}

static int write_text(const char *path, const char *text) {
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return -errno;
    ssize_t count = write(descriptor, text, strlen(text));
    int result = count < 0 ? -errno : 0;
    close(descriptor);
    return result;
}

static bool is_member(const char *folder) {
    char path[4200], text[8192];
    snprintf(path, sizeof path, "%s/cgroup.procs", folder);
    FILE *file = fopen(path, "re");
    if (file == NULL) return false;
    bool is_in = false;
    // Numbers are told as this process's own namespace knows them; those from elsewhere are 0.
    while (!is_in && fgets(text, sizeof text, file) != NULL) is_in = atoi(text) == getpid();
    fclose(file);
    return is_in;
}

void join_control_groups(void) {
    static char names[MOST_CGROUPS][48];
    for (int index = 0; index < plan.cgroup_count; index++) {
        const struct cgroup *group = &plan.cgroups[index];
        snprintf(names[index], sizeof names[index], "cgroup-%s", group->controller);
        char path[4200], limit[64] = "";
        snprintf(path, sizeof path, "%s/cgroup.procs", group->folder);
        int error = write_text(path, "0");
        if (error < 0) {
            report(names[index], NULL, STATE_MISSING, "the group cannot be joined: %s", because(-error));
            continue;
        }
        bool is_memory = strcmp(group->controller, "memory") == 0, is_cpu = strcmp(group->controller, "cpu") == 0;
        // One file name with version 2, another with version 1, except for pids.
        const char *version = "v2";
        snprintf(path, sizeof path, "%s/%s.%s", group->folder, group->controller, is_cpu ? "weight" : "max");
        int result = read_text(path, limit, sizeof limit);
        if ((is_memory || is_cpu) && result < 0) {
            version = "v1";
            snprintf(path, sizeof path, "%s/%s", group->folder, is_cpu ? "cpu.shares" : "memory.limit_in_bytes");
            result = read_text(path, limit, sizeof limit);
        }
        snprintf(path, sizeof path, "%s/cgroup.controllers", group->folder);
        if (access(path, F_OK) < 0) version = "v1";
        char level[128];
        snprintf(level, sizeof level, "%s:%.30s", version, limit);
        if (result < 0 || strcmp(limit, "max") == 0) {
            report(names[index], level, STATE_MISSING, "the group has no limit");
        } else if (!is_member(group->folder)) {
            report(names[index], level, STATE_FAILED, "the group does not list this process");
        } else {
            report(names[index], level, STATE_VERIFIED, "listed in the group, limit read back");
        }
    }
}

void set_oom_score(void) {
    if (!plan.has_oom) return;
    char text[16], back[16] = "";
    snprintf(text, sizeof text, "%d", plan.oom);
    int error = write_text("/proc/self/oom_score_adj", text);
    if (error == 0) error = read_text("/proc/self/oom_score_adj", back, sizeof back);
    if (error < 0) {
        report("oom-score", NULL, STATE_MISSING, "/proc/self/oom_score_adj: %s", because(-error));
    } else {
        bool is_same = strcmp(text, back) == 0;
        report("oom-score", back, is_same ? STATE_VERIFIED : STATE_FAILED, is_same ? "read back" : "read back differently");
    }
}

void set_niceness(void) {
    if (!plan.has_niceness) return;
    char level[16];
    snprintf(level, sizeof level, "%d", plan.niceness);
    // What is lower already stays.
    bool is_set = getpriority(PRIO_PROCESS, 0) > plan.niceness || setpriority(PRIO_PROCESS, 0, plan.niceness) == 0;
    bool is_low = getpriority(PRIO_PROCESS, 0) >= plan.niceness;
    report("niceness", level, is_set && is_low ? STATE_VERIFIED : STATE_MISSING,
           is_set && is_low ? "read back" : "the priority cannot be lowered");
}
