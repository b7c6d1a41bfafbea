// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

static void *writable_page(void) {
    return mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

// By number, so that no wrapper of the C library does something else instead.
static void attempt(int index) {
    char byte = 0;
    char *const nothing[] = {NULL};
    switch (index) {
    case 0: syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY); break;
    case 1: syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR); break;
    case 2: syscall(SYS_socket, AF_INET, SOCK_STREAM, 0); break;
    case 3: syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0); break;
    case 4: syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); break;
    case 5: syscall(SYS_execve, "/bin/true", nothing, nothing); break;
    case 6: syscall(SYS_execveat, 0, "", nothing, nothing, AT_EMPTY_PATH); break;
    case 7: syscall(SYS_kill, 1, 0); break;
    case 8: syscall(SYS_ptrace, 0, 0, 0, 0); break;
    case 9: syscall(SYS_mmap, NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); break;
    case 10: syscall(SYS_mmap, NULL, PAGE, PROT_READ, MAP_PRIVATE, 0, 0); break;
    case 11: syscall(SYS_mprotect, writable_page(), PAGE, PROT_READ | PROT_EXEC); break;
    case 12: syscall(SYS_read, 0, &byte, 1); break;
    case 13: syscall(SYS_pread64, 1, &byte, 1, 0); break;
    case 14: syscall(SYS_write, 2, &byte, 1); break;
    case 15: syscall(SYS_write, 0, &byte, 1); break;
    case 16: syscall(SYS_dup, 0); break;
    case 17: syscall(SYS_fcntl, 0, F_GETFL); break;
    case 18: syscall(SYS_ioctl, 0, 0, 0); break;
    case 19: syscall(SYS_prctl, 0, 0, 0, 0, 0); break;
    case 20: syscall(SYS_unlinkat, AT_FDCWD, "nothing", 0); break;
    case 21: syscall(SYS_memfd_create, "", 0); break;
    case 22: syscall(SYS_process_vm_readv, 1, 0, 0, 0, 0, 0); break;
    case 23: syscall(SYS_io_uring_setup, 1, 0); break;
    case 24: syscall(SYS_sendmsg, 1, 0, 0); break;
    case 25: syscall(SYS_bpf, 0, 0, 0); break;
    case 26: syscall(SYS_getpid); break;
    case 27: syscall(SYS_seccomp, 0, 0, 0); break;
    case 28: syscall(SYS_exit, 0); break;
#if defined(__x86_64__)
    case 29: __asm__ volatile("int $0x80" : : "a"(20) : "memory"); break; // getpid of i386
    case 30: syscall(0x40000000 | SYS_getpid); break;                     // of x32
#endif
    default: break;
    }
}

static const char *const names[] = {
    "open a folder", "open a device", "internet socket", "local socket", "fork", "exec", "exec of a descriptor", "signal",
    "trace", "executable memory", "map the file", "make memory executable", "read without position", "read the output",
    "write to standard error", "write to the input", "duplicate a descriptor", "fcntl", "ioctl", "prctl", "remove a file",
    "memory file", "read another's memory", "io_uring", "send a message", "bpf", "getpid", "another filter", "end one thread",
#if defined(__x86_64__)
    "call of i386", "call of x32",
#endif
};

const char *vigil_confine_trial_name(int index) {
    return index >= 0 && index < (int)(sizeof names / sizeof names[0]) ? names[index] : NULL;
}

int vigil_confine_trial(int index) {
    pid_t child = fork();
    if (child < 0) return -errno;
    if (child == 0) {
        if (vigil_prepare_unzip() < 0 || vigil_confine_unzip(1) < 0) _exit(2);
        // Index -1 shows that what is allowed works.
        if (index >= 0) {
            attempt(index);
        } else if (writable_page() == MAP_FAILED) {
            syscall(SYS_exit_group, 3);
        }
        syscall(SYS_exit_group, 0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return -errno;
    }
    if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGSYS ? 1 : -EPROTO;
    return WEXITSTATUS(status) == 0 ? 0 : -ENOTSUP;
}
