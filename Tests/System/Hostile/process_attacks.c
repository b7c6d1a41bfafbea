// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t victim(void) { return (pid_t)given_number("VICTIM"); }

static int open_of_victim(const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", victim(), name);
    return opened(open(path, O_RDONLY | O_CLOEXEC));
}

static int read_environment(void) { return open_of_victim("environ"); }
static int read_memory_file(void) { return open_of_victim("mem"); }
static int read_maps(void) { return open_of_victim("maps"); }
static int read_command_line(void) { return open_of_victim("cmdline"); }
static int read_supervisor(void) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/environ", given_number("SUPERVISOR"));
    return opened(open(path, O_RDONLY | O_CLOEXEC));
}

static int read_memory_by_call(void) {
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)given_number("VICTIM_ADDRESS"), 1};
    return outcome(process_vm_readv(victim(), &here, 1, &there, 1, 0));
}

static int trace(void) {
    int error = outcome(ptrace(PTRACE_SEIZE, victim(), NULL, NULL));
    if (error == 0) ptrace(PTRACE_DETACH, victim(), NULL, NULL);
    return error;
}

static int signal_victim(void) { return outcome(kill(victim(), 0)); }
// To everybody there is: the child that tries it excepted, so without anybody else the kernel finds no process.
static int signal_everybody(void) {
    if (!is_plugin) return outcome(kill(-1, 0));
    // There it has others of its own beside it, all in one group with it, so everybody is asked after one by one.
    for (pid_t process = 1; process < 4194304 / 16; process++) {
        if (kill(process, 0) == 0 && getpgid(process) != getpgrp() && process != 1) return 0;
    }
    return ESRCH;
}
static int hold_victim(void) { return opened(syscall(SYS_pidfd_open, victim(), 0)); }

// To have the kernel move out what somebody else uses. Whoever does not see that process asks with no descriptor: the filter looks first.
static int cool_victim(void) {
    int process = (int)syscall(SYS_pidfd_open, victim(), 0);
    struct iovec there = {(void *)(uintptr_t)(given_number("VICTIM_ADDRESS") & ~4095L), 4096};
    int error = outcome(syscall(SYS_process_madvise, process, &there, 1L, 20L /* MADV_COLD */, 0L));
    if (process >= 0) close(process);
    return error;
}

static int steal_descriptor(void) {
    int process = (int)syscall(SYS_pidfd_open, victim(), 0);
    if (process < 0) return errno;
    return opened(syscall(SYS_pidfd_getfd, process, 2, 0));
}

static int enter_victims_namespace(void) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/ns/net", victim());
    int space = open(path, O_RDONLY | O_CLOEXEC);
    if (space < 0) return errno;
    return outcome(setns(space, 0));
}

static int make_user_namespace(void) { return outcome(unshare(CLONE_NEWUSER)); }
static int make_mount_namespace(void) { return outcome(unshare(CLONE_NEWNS)); }

static int clone_into_namespace(void) {
    long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    int error = outcome(child);
    if (child > 0) waitpid((pid_t)child, NULL, 0);
    return error;
}

static int clone3_into_namespace(void) {
    struct {
        uint64_t flags, pidfd, child, parent, exit_signal, stack, stack_size, tls, set, count, cgroup;
    } request = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
    long child = syscall(SYS_clone3, &request, sizeof request);
    if (child == 0) _exit(0);
    int error = outcome(child);
    if (child > 0) waitpid((pid_t)child, NULL, 0);
    return error;
}

static int become_root(void) { return outcome(setresuid(0, 0, 0)); }
static int become_root_group(void) { return outcome(setresgid(0, 0, 0)); }
static int add_groups(void) {
    gid_t root = 0;
    return outcome(setgroups(1, &root));
}

static int run_set_user_program(void) {
    pid_t child = fork();
    if (child == 0) {
        execl(given("SET_USER_PROGRAM"), "set-user", "effective-user", (char *)NULL);
        _exit(errno);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 42 ? 0 : EPERM;
}

static int raise_limit(void) {
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_max += 1;
    return outcome(setrlimit(RLIMIT_NOFILE, &files));
}

static int raise_priority(void) { return outcome(setpriority(PRIO_PROCESS, 0, -5)); }
static int become_real_time(void) {
    struct sched_param parameters = {.sched_priority = 1};
    return outcome(sched_setscheduler(0, SCHED_FIFO, &parameters));
}
static int untie_from_supervisor(void) { return outcome(prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0)); }

// Whether anything is open that was not meant to be: 0 to 3, and whatever the test says beyond.
static int find_descriptors(void) {
    for (int descriptor = 4 + (int)given_number("EXTRA"); descriptor < 1024; descriptor++) {
        if (fcntl(descriptor, F_GETFD) >= 0) return 0;
    }
    return EBADF;
}

const struct attack process_attacks[] = {
    {"read-environment", read_environment},
    {"read-memory-file", read_memory_file},
    {"read-maps", read_maps},
    {"read-command-line", read_command_line},
    {"read-supervisor", read_supervisor},
    {"read-memory-by-call", read_memory_by_call},
    {"ptrace", trace},
    {"signal-other", signal_victim},
    {"signal-everybody", signal_everybody},
    {"hold-other", hold_victim},
    {"cool-other", cool_victim},
    {"steal-descriptor", steal_descriptor},
    {"enter-namespace", enter_victims_namespace},
    {"make-user-namespace", make_user_namespace},
    {"make-mount-namespace", make_mount_namespace},
    {"clone-into-namespace", clone_into_namespace},
    {"clone3-into-namespace", clone3_into_namespace},
    {"become-root", become_root},
    {"become-root-group", become_root_group},
    {"add-groups", add_groups},
    {"run-set-user-program", run_set_user_program},
    {"raise-limit", raise_limit},
    {"raise-priority", raise_priority},
    {"become-real-time", become_real_time},
    {"untie-from-supervisor", untie_from_supervisor},
    {"find-descriptors", find_descriptors},
    {0, 0},
};
