// SPDX-License-Identifier: Apache-2.0
// vigil-jail: confines itself as a plan says, tries from inside whether that holds, reports, and becomes the program.
//
// Started by the supervisor (CLinux/jail_spawn.c) as the first process of a process namespace, if the kernel has them. It
// stays that process: what it becomes is process 1 of its own world, and everything it starts ends with it.
#define _GNU_SOURCE
#include "jail.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell_namespace(const char *kind, const char *error) {
    situation.has_pid_namespace = getpid() == 1;
    situation.has_user_namespace = strcmp(kind, "user") == 0;
    const char *reason = atoi(error) == ECANCELED ? "the plan does without" : because(atoi(error));
    if (situation.has_pid_namespace) {
        report("processes", "own", STATE_VERIFIED, "process 1 of its own namespace");
    } else {
        report("processes", NULL, STATE_MISSING, "no process namespace: %s", reason);
    }
    if (situation.has_user_namespace) report("user-namespace", "own", STATE_APPLIED, "the supervisor is not root");
}

static void add_environment(const char *key, const char *value) {
    size_t size = strlen(key) + strlen(value) + 2;
    char *line = malloc(size);
    if (line == NULL) _exit(STATUS_REPORT);
    snprintf(line, size, "%s=%s", key, value);
    plan.environment[plan.environment_count++] = line;
}

// What depends on where the program finds its folders, which only this process knows for certain.
static void complete_environment(void) {
    add_environment("VIGIL_PLUGIN", plan.name);
    add_environment("VIGIL_CONTROL", "3");
    if (plan.run != NULL) add_environment("VIGIL_RUN", situation.has_view ? "/run/vigil" : plan.run);
    if (plan.spool != NULL) add_environment("VIGIL_SPOOL", situation.has_view ? "/spool" : plan.spool);
    if (plan.state != NULL) {
        const char *state = situation.has_view ? "/state" : plan.state;
        add_environment("VIGIL_STATE", state);
        add_environment("TMPDIR", state);
        add_environment("HOME", state);
    }
    if (plan.socks_port != 0) {
        char address[32];
        snprintf(address, sizeof address, "127.0.0.1:%u", plan.socks_port);
        if (situation.socks_listener >= 0) {
            add_environment("VIGIL_SOCKS", address);
        } else if (plan.socks_outside != NULL) {
            add_environment("VIGIL_SOCKS", plan.socks_outside);
        }
    }
    plan.environment[plan.environment_count] = NULL;
}

// The order is the point: what needs the system's files first, what needs privilege next, the filter and the limits last. Each stage is
// tried as soon as nothing later can hide that it does not hold.
static void confine(void) {
    join_control_groups();
    set_oom_score();
    set_niceness();
    // A session of its own: no terminal to write into.
    setsid();
    make_network();
    make_view();
    verify_view();
    verify_network();
    drop_user();
    drop_privileges();
    verify_identity();
    restrict_with_landlock();
    protect_memory();
    filter_calls();
    verify_filter();
    send_listeners();
    // The filter lets a process set its own limits, so it doesn't hide whether these can be raised.
    set_limits();
    verify_limits();
    verify_descriptors();
}

int main(int count, char *words[]) {
    if (count == 2 && strcmp(words[1], "--explain") == 0) return explain(NULL);
    if (count == 3 && strcmp(words[1], "--explain") == 0) return explain(words[2]);
    if (count != 4 || strcmp(words[1], "confine") != 0) {
        fputs("vigil-jail: started by the supervisor for one program at a time.\n"
              "To ask about a call of the system by number or name: vigil-jail --explain [CALL]\n",
              stderr);
        return 2;
    }
    const char *problem = plan_read();
    if (problem != NULL) {
        report_refusal(problem);
        return STATUS_PLAN;
    }
    if (!arrange_descriptors()) {
        report_refusal("the descriptors are not what the plan says");
        return STATUS_PLAN;
    }
    tell_namespace(words[2], words[3]);
    confine();
    char *program = plan.program == NULL ? NULL : strdup(inside(plan.program));
    complete_environment();
    if (!report_send()) return STATUS_REFUSED;
    if (plan.is_probe) return 0;
    umask(027);
    plan.arguments[plan.argument_count] = NULL;
    execve(program, (char *const *)plan.arguments, (char *const *)plan.environment);
    report_exec_failure(errno);
    return STATUS_EXEC;
}
