// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CTracer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/// Has the kernel stop this process and its children for their tracer at calls that change something. 0, or -1.
static int stop_at_changes(void) {
    const uint32_t calls[] = {
#ifdef SYS_open
        SYS_open, SYS_rename, SYS_unlink, SYS_mkdir,
#endif
        SYS_openat, SYS_write, SYS_pwrite64, SYS_writev, SYS_ftruncate, SYS_fsync, SYS_fdatasync, SYS_renameat2, SYS_unlinkat, SYS_connect, SYS_sendto,
        SYS_sendmsg,
    };
    enum { COUNT = sizeof calls / sizeof *calls };
    struct sock_filter filter[COUNT + 3] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    for (int i = 0; i < COUNT; i++)
        filter[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], (uint8_t)(COUNT - i), 0);
    filter[COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[COUNT + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    const struct sock_fprog whole = {.len = COUNT + 3, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole);
}

static pid_t start(const char *program, char *const arguments[], int at_changes) {
    // What it starts becomes ours when it dies, and can be waited for.
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0) return -errno;
    pid_t process = fork();
    if (process < 0) return -errno;
    if (process == 0) {
        close_range(4, ~0U, 0);
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0 && (!at_changes || stop_at_changes() == 0)) execve(program, arguments, environ);
        _exit(127);
    }
    int status = 0;
    while (waitpid(process, &status, 0) < 0) {
        if (errno != EINTR) return -errno;
    }
    if (!WIFSTOPPED(status)) return -ENOEXEC;
    const long options = PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | (at_changes ? PTRACE_O_TRACESECCOMP : 0);
    if (ptrace(PTRACE_SETOPTIONS, process, 0, options) < 0 || ptrace(at_changes ? PTRACE_CONT : PTRACE_SYSCALL, process, 0, 0) < 0) {
        int error = errno;
        kill(process, SIGKILL);
        while (waitpid(process, &status, __WALL) < 0 && errno == EINTR) continue;
        return -error;
    }
    return process;
}

pid_t vigil_tracer_start(const char *program, char *const arguments[]) { return start(program, arguments, 0); }

pid_t vigil_tracer_start_at_changes(const char *program, char *const arguments[]) { return start(program, arguments, 1); }

pid_t vigil_tracer_spawn(const char *program, char *const arguments[], char *const environment[], int control, int log) {
    pid_t parent = getpid(), process = fork();
    if (process != 0) return process < 0 ? -errno : process;
    int null = open("/dev/null", O_RDWR);
    // Above what they become, so that none is overwritten.
    int low_log = fcntl(log, F_DUPFD, 10), low_control = control < 0 ? -1 : fcntl(control, F_DUPFD, 10);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != parent) _exit(127);
    if (dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(low_log, 2) < 0) _exit(127);
    if (control >= 0 && dup2(low_control, 3) < 0) _exit(127);
    close_range(control < 0 ? 3 : 4, ~0U, 0);
    execve(program, arguments, environment);
    _exit(127);
}

static int is_syscall_stop(pid_t thread, struct vigil_tracer_stop *ret_stop) {
    struct __ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, (void *)sizeof info, &info) < 0) return 0;
    ret_stop->thread = thread;
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
        ret_stop->kind = VIGIL_TRACER_ENTRY;
        ret_stop->number = info.entry.nr;
        for (int i = 0; i < 6; i++) ret_stop->arguments[i] = info.entry.args[i];
        return 1;
    }
    if (info.op == PTRACE_SYSCALL_INFO_SECCOMP) {
        ret_stop->kind = VIGIL_TRACER_ENTRY;
        ret_stop->number = info.seccomp.nr;
        for (int i = 0; i < 6; i++) ret_stop->arguments[i] = info.seccomp.args[i];
        return 1;
    }
    if (info.op != PTRACE_SYSCALL_INFO_EXIT) return 0;
    ret_stop->kind = VIGIL_TRACER_EXIT;
    ret_stop->result = info.exit.rval;
    return 1;
}

int vigil_tracer_next(pid_t process, struct vigil_tracer_stop *ret_stop) {
    for (;;) {
        int status = 0;
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0 && errno == EINTR) continue;
        if (thread < 0) return -errno;
        if (!WIFSTOPPED(status)) {
            if (process != 0 && thread != process) continue;
            ret_stop->kind = VIGIL_TRACER_ENDED;
            ret_stop->thread = thread;
            ret_stop->status = status;
            return 0;
        }
        int number = WSTOPSIG(status);
        if (number == (SIGTRAP | 0x80) || status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8)) {
            if (is_syscall_stop(thread, ret_stop)) return 0;
            number = 0;
        }
        // A new thread begins with a stop of its own; events are told by a trap. Neither is a signal to hand on.
        if (number == SIGSTOP || number == SIGTRAP) number = 0;
        ptrace(PTRACE_SYSCALL, thread, 0, (long)number);
    }
}

int vigil_tracer_resume(pid_t thread) { return ptrace(PTRACE_SYSCALL, thread, 0, 0) < 0 ? -errno : 0; }

int vigil_tracer_go(pid_t thread, int to_its_end) {
    return ptrace(to_its_end ? PTRACE_SYSCALL : PTRACE_CONT, thread, 0, 0) < 0 ? -errno : 0;
}

int vigil_tracer_kill(pid_t process, int limit) {
    if (kill(process, SIGKILL) < 0 && errno != ESRCH) return -errno;
    for (int waited = 0; waited <= limit;) {
        int status = 0;
        pid_t ended = waitpid(-1, &status, __WALL | WNOHANG);
        if (ended < 0 && errno == ECHILD) return 0;
        if (ended < 0 && errno != EINTR) return -errno;
        if (ended != 0) continue;
        const struct timespec pause = {.tv_nsec = 1000000};
        nanosleep(&pause, 0);
        waited++;
    }
    return 1;
}

int vigil_tracer_accept(int listener) { return accept4(listener, 0, 0, SOCK_CLOEXEC); }

const char *vigil_tracer_name(uint64_t number) {
    switch (number) {
#ifdef SYS_open
    case SYS_open: return "open";
    case SYS_rename: return "rename";
    case SYS_unlink: return "unlink";
#endif
    case SYS_openat: return "openat";
    case SYS_close: return "close";
    case SYS_read: return "read";
    case SYS_write: return "write";
    case SYS_pwrite64: return "pwrite";
    case SYS_writev: return "writev";
    case SYS_ftruncate: return "ftruncate";
    case SYS_fsync: return "fsync";
    case SYS_fdatasync: return "fdatasync";
#ifdef SYS_renameat
    case SYS_renameat: return "renameat";
#endif
    case SYS_renameat2: return "renameat";
    case SYS_unlinkat: return "unlinkat";
    case SYS_connect: return "connect";
    case SYS_sendto: return "send";
    case SYS_sendmsg: return "sendmsg";
    case SYS_recvfrom: return "receive";
    case SYS_recvmsg: return "receivemsg";
    case SYS_clone: return "clone";
#ifdef SYS_vfork
    case SYS_vfork: return "fork";
#endif
#ifdef SYS_fork
    case SYS_fork: return "fork";
#endif
    case SYS_clone3: return "clone3";
    case SYS_exit_group: return "exit";
    default: return 0;
    }
}

int vigil_tracer_read(pid_t process, uint64_t address, void *ret_bytes, int count) {
    struct iovec here = {.iov_base = ret_bytes, .iov_len = (size_t)count};
    struct iovec there = {.iov_base = (void *)(uintptr_t)address, .iov_len = (size_t)count};
    ssize_t got = process_vm_readv(process, &here, 1, &there, 1, 0);
    if (got < 0 && errno == EFAULT && count > 64) {
        // The end of the mapping: less may be there.
        return vigil_tracer_read(process, address, ret_bytes, 64);
    }
    return got < 0 ? -errno : (int)got;
}
