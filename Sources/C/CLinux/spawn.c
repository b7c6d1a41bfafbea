// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// include/uapi/linux/ioprio.h: best effort, lowest of eight. The idle class would leave a file unread for as long as anybody
// else uses the disk.
enum { IO_CLASS_SHIFT = 13, IO_CLASS_BEST_EFFORT = 2, IO_LOWEST = 7, IO_WHO_PROCESS = 1 };
// Descriptors are moved above the numbers the child will use before it gets them.
enum { FIRST_MOVED = 16 };

static int limit(int resource, uint64_t value) {
    struct rlimit limit = {(rlim_t)value, (rlim_t)value};
    struct rlimit now;
    // What is stricter already stays.
    if (getrlimit((__rlimit_resource_t)resource, &now) == 0 && now.rlim_max < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max = now.rlim_max;
    }
    return setrlimit((__rlimit_resource_t)resource, &limit);
}

static void close_from(unsigned first) {
    if (syscall(SYS_close_range, first, UINT_MAX, 0) == 0) return;
    struct rlimit files;
    rlim_t end = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < 65536 ? files.rlim_cur : 65536;
    for (rlim_t descriptor = first; descriptor < end; descriptor++) close((int)descriptor);
}

// Runs between vfork and exec: calls of the system only, no memory but its own stack.
static _Noreturn void become(const struct vigil_spawn_request *request, pid_t parent, int input, int output, int report) {
    static char *const no_environment[] = {NULL};
    struct sigaction standard;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; number++) sigaction(number, &standard, NULL);

    if (dup2(input, 0) < 0 || dup2(output, 1) < 0) goto failed;
    int nothing = open("/dev/null", O_WRONLY);
    if (nothing < 0 || dup2(nothing, 2) < 0 || dup3(report, 3, O_CLOEXEC) < 0) goto failed;
    report = 3;
    close_from(4);

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) goto failed;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0) goto failed;
    // The parent may have gone before the line above.
    if (getppid() != parent) _exit(127);
    setsid();
    // As gently as the system lets us; a refusal is no reason not to read the file.
    setpriority(PRIO_PROCESS, 0, 19);
    struct sched_param schedule = {0};
    sched_setscheduler(0, SCHED_BATCH, &schedule);
    syscall(SYS_ioprio_set, IO_WHO_PROCESS, 0, IO_CLASS_BEST_EFFORT << IO_CLASS_SHIFT | IO_LOWEST);
    if (chdir("/") < 0) goto failed;
    if (limit(RLIMIT_CORE, 0) < 0 || limit(RLIMIT_FSIZE, 0) < 0 || limit(RLIMIT_NPROC, 0) < 0 ||
        limit(RLIMIT_NOFILE, FIRST_MOVED) < 0 || limit(RLIMIT_CPU, request->cpu_seconds) < 0 ||
        limit(RLIMIT_AS, request->address_space) < 0) {
        goto failed;
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(request->program, (char *const *)request->arguments, no_environment);

    int error;
failed:
    error = errno;
    // The pipe is empty: four bytes go in whole or the other end is gone.
    (void)!write(report, &error, sizeof error);
    _exit(127);
}

int vigil_result_pipe(int ret_ends[2], int capacity) {
    if (pipe2(ret_ends, O_CLOEXEC) < 0) return -errno;
    fcntl(ret_ends[0], F_SETPIPE_SZ, capacity);
    if (fcntl(ret_ends[0], F_SETFL, O_NONBLOCK) < 0) {
        int error = errno;
        close(ret_ends[0]);
        close(ret_ends[1]);
        return -error;
    }
    return 0;
}

int vigil_spawn(const struct vigil_spawn_request *request, struct vigil_child *ret_child) {
    int report[2];
    if (pipe2(report, O_CLOEXEC) < 0) return -errno;
    int input = fcntl(request->input, F_DUPFD_CLOEXEC, FIRST_MOVED);
    int output = fcntl(request->output, F_DUPFD_CLOEXEC, FIRST_MOVED);
    int writer = fcntl(report[1], F_DUPFD_CLOEXEC, FIRST_MOVED);
    int error = input < 0 || output < 0 || writer < 0 ? errno : 0;
    close(report[1]);
    pid_t parent = getpid();
    pid_t child = -1;
    if (error == 0) {
        // No handler of this process may run in the child while it shares this memory.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        child = vfork();
        if (child == 0) become(request, parent, input, output, writer);
        if (child < 0) error = errno;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (input >= 0) close(input);
    if (output >= 0) close(output);
    if (writer >= 0) close(writer);
    if (child > 0) {
        // Ends when the program runs, or when the child is gone.
        ssize_t count;
        do count = read(report[0], &error, sizeof error); while (count < 0 && errno == EINTR);
        if (count != (ssize_t)sizeof error) error = 0;
        if (error != 0) {
            while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
        }
    }
    close(report[0]);
    if (error != 0) return -error;
    ret_child->process = child;
    // The child is not waited for yet, so the number cannot be another's.
    ret_child->descriptor = (int)syscall(SYS_pidfd_open, child, 0);
    if (ret_child->descriptor < 0) ret_child->descriptor = -1;
    return 0;
}

void vigil_child_kill(const struct vigil_child *child) {
    if (child->process <= 1) return;
    if (child->descriptor >= 0 && syscall(SYS_pidfd_send_signal, child->descriptor, SIGKILL, NULL, 0) == 0) return;
    kill(child->process, SIGKILL);
}
