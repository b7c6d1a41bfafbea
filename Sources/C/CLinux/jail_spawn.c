// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Numbers agreed with Sources/Programs/vigil-jail/jail.h.
enum { CONTROL = 3, PLAN = 4, REPORT = 5, FIRST_EXTRA = 6, MOST_EXTRA = 8 };
// Descriptors are moved above the numbers the child will use before it gets them.
enum { FIRST_MOVED = 32, STACK_SIZE = 64 * 1024 };

struct start {
    const char *jail;
    int control, plan, log, report;
    int extra[MOST_EXTRA];
    int extra_count;
    // CLONE_NEWUSER and CLONE_NEWPID, or less.
    int namespaces;
    // Why the process namespace is missing, as text for the jail.
    char reason[12];
    char map_user[40], map_group[40];
    // Written by the child, which shares this memory until the jail runs.
    int error;
};

static int write_file(const char *path, const char *text) {
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return -1;
    ssize_t count = write(descriptor, text, strlen(text));
    int error = errno;
    close(descriptor);
    errno = error;
    return count < 0 ? -1 : 0;
}

// One user, itself, inside as outside; with what that makes possible inside, kept over the exec of the jail.
static int enter_user_namespace(const struct start *start) {
    if (write_file("/proc/self/setgroups", "deny") < 0 || write_file("/proc/self/gid_map", start->map_group) < 0 ||
        write_file("/proc/self/uid_map", start->map_user) < 0) {
        return -1;
    }
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[2];
    if (syscall(SYS_capget, &header, sets) < 0) return -1;
    for (int half = 0; half < 2; half++) sets[half].inheritable = sets[half].permitted;
    if (syscall(SYS_capset, &header, sets) < 0) return -1;
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0);
    }
    return 0;
}

// Runs between clone and exec in the parent's memory: calls of the system only.
static int become(void *argument) {
    struct start *start = argument;
    static char *const no_environment[] = {NULL};
    struct sigaction standard;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; number++) sigaction(number, &standard, NULL);

    if ((start->namespaces & CLONE_NEWUSER) != 0 && enter_user_namespace(start) < 0) goto failed;
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(start->log, 2) < 0 ||
        dup2(start->control, CONTROL) < 0 || dup2(start->plan, PLAN) < 0 || dup2(start->report, REPORT) < 0) {
        goto failed;
    }
    for (int index = 0; index < start->extra_count; index++) {
        if (dup2(start->extra[index], FIRST_EXTRA + index) < 0) goto failed;
    }
    if (syscall(SYS_close_range, FIRST_EXTRA + start->extra_count, UINT_MAX, 0) < 0) goto failed;
    if (chdir("/") < 0) goto failed;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const char *kind = (start->namespaces & CLONE_NEWUSER) != 0 ? "user" : "plain";
    char *const arguments[] = {"vigil-jail", "confine", (char *)kind, start->reason, NULL};
    execve(start->jail, arguments, no_environment);
failed:
    start->error = errno;
    _exit(127);
}

static int clone_once(struct start *start, void *stack, int *ret_descriptor) {
    start->error = 0;
    *ret_descriptor = -1;
    int flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD | start->namespaces;
    int child = clone(become, (char *)stack + STACK_SIZE, flags, start, ret_descriptor);
    if (child < 0) return -errno;
    if (start->error == 0) return child;
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    close(*ret_descriptor);
    *ret_descriptor = -1;
    return -start->error;
}

// The most there is: as root a process namespace; otherwise one together with a user namespace; otherwise none, with the
// reason.
static int clone_best(struct start *start, void *stack, int without_namespaces, int *ret_descriptor) {
    int reason = ECANCELED;
    if (!without_namespaces) {
        start->namespaces = CLONE_NEWPID;
        int child = clone_once(start, stack, ret_descriptor);
        if (child >= 0) return child;
        reason = -child;
        if (reason == EPERM) {
            start->namespaces = CLONE_NEWPID | CLONE_NEWUSER;
            child = clone_once(start, stack, ret_descriptor);
            if (child >= 0) return child;
            reason = -child;
        }
    }
    snprintf(start->reason, sizeof start->reason, "%d", reason);
    start->namespaces = 0;
    return clone_once(start, stack, ret_descriptor);
}

static int moved(int descriptor, int *ret_error) {
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, FIRST_MOVED);
    if (copy < 0 && *ret_error == 0) *ret_error = errno;
    return copy;
}

int vigil_jail_start(const struct vigil_jail_request *request, struct vigil_jail_child *ret_child) {
    if (request->extra_count < 0 || request->extra_count > MOST_EXTRA) return -EINVAL;
    int report[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, report) < 0) return -errno;
    int error = fcntl(report[0], F_SETFL, O_NONBLOCK) < 0 ? errno : 0;
    struct start start = {.jail = request->jail, .reason = "0", .extra_count = request->extra_count};
    start.control = moved(request->control, &error);
    start.plan = moved(request->plan, &error);
    start.log = moved(request->log, &error);
    start.report = moved(report[1], &error);
    for (int index = 0; index < MOST_EXTRA; index++) {
        start.extra[index] = index < request->extra_count ? moved(request->extra[index], &error) : -1;
    }
    snprintf(start.map_user, sizeof start.map_user, "%u %u 1", geteuid(), geteuid());
    snprintf(start.map_group, sizeof start.map_group, "%u %u 1", getegid(), getegid());
    void *stack = MAP_FAILED;
    if (error == 0) {
        stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
        if (stack == MAP_FAILED) error = errno;
    }
    if (error == 0) {
        // No handler of this process may run in the child while it shares this memory.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        int descriptor;
        int child = clone_best(&start, stack, request->without_namespaces, &descriptor);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (child < 0) error = -child;
        *ret_child = (struct vigil_jail_child){child, descriptor, report[0]};
    }
    if (stack != MAP_FAILED) munmap(stack, STACK_SIZE);
    const int copies[] = {start.control, start.plan, start.log, start.report, report[1], error != 0 ? report[0] : -1};
    for (size_t index = 0; index < sizeof copies / sizeof copies[0]; index++) {
        if (copies[index] >= 0) close(copies[index]);
    }
    for (int index = 0; index < request->extra_count; index++) {
        if (start.extra[index] >= 0) close(start.extra[index]);
    }
    return -error;
}

int vigil_jail_kill(int process_descriptor) {
    return syscall(SYS_pidfd_send_signal, process_descriptor, SIGKILL, NULL, 0) == 0 ? 0 : -errno;
}

int vigil_jail_wait(int process_descriptor, int *ret_status, int *ret_signal) {
    siginfo_t information;
    memset(&information, 0, sizeof information);
    // P_PIDFD is 3; the macro came to the library later than to the kernel.
    if (waitid((idtype_t)3, (id_t)process_descriptor, &information, WEXITED | WNOHANG) < 0) return -errno;
    if (information.si_pid == 0) return 0;
    *ret_status = information.si_code == CLD_EXITED ? information.si_status : -1;
    *ret_signal = information.si_code == CLD_EXITED ? 0 : information.si_status;
    return 1;
}

int vigil_plan_descriptor(const char *text, uint64_t length) {
    int descriptor = (int)syscall(SYS_memfd_create, "vigil-plan", 1u /* MFD_CLOEXEC */);
    if (descriptor < 0) return -errno;
    for (uint64_t done = 0; done < length;) {
        ssize_t count = pwrite(descriptor, text + done, length - done, (off_t)done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            int error = errno;
            close(descriptor);
            return -error;
        }
        done += (uint64_t)count;
    }
    return descriptor;
}
