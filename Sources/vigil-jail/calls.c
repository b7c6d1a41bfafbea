// SPDX-License-Identifier: Apache-2.0
#include "calls.h"

// Starting point: systemd's @system-service without @privileged and @resources (systemd, src/shared/seccomp-util.c), without what no
// plugin of this firmware has a use for: System V memory, message queues, keyrings, kernel AIO, other processes' memory.

#define CALLS(...) (const char *const[]) { __VA_ARGS__, NULL }

const struct call_group allowed_calls[] = {
    {"memory", FOR_ALL,
     CALLS("brk", "munmap", "mremap", "madvise", "mincore", "msync", "membarrier", "mlock", "mlock2", "munlock", "mlockall", "munlockall",
           "get_mempolicy", "map_shadow_stack")},
    {"reading and writing", FOR_ALL,
     CALLS("read", "readv", "pread64", "preadv", "preadv2", "write", "writev", "pwrite64", "pwritev", "pwritev2", "lseek", "_llseek", "sendfile", "sendfile64",
           "splice", "tee", "vmsplice", "copy_file_range", "readahead", "fadvise64", "fadvise64_64", "arm_fadvise64_64", "close", "close_range", "dup", "dup2", "dup3", "fcntl",
           "fcntl64", "pipe", "pipe2", "flock", "fsync", "fdatasync", "sync_file_range", "sync_file_range2", "ftruncate", "ftruncate64",
           "fallocate")},
    {"files", FOR_ALL,
     CALLS("access", "faccessat", "faccessat2", "stat", "stat64", "lstat", "lstat64", "fstat", "fstat64", "newfstatat", "fstatat64", "statx", "statfs",
           "statfs64", "fstatfs", "fstatfs64", "getdents", "getdents64", "getcwd", "chdir", "fchdir", "readlink", "readlinkat", "mkdir", "mkdirat", "rmdir",
           "unlink", "unlinkat", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat", "truncate", "truncate64", "umask", "utime",
           "utimes", "utimensat", "utimensat_time64", "futimesat", "getxattr", "lgetxattr", "fgetxattr", "listxattr", "llistxattr", "flistxattr",
           "inotify_init", "inotify_init1", "inotify_add_watch", "inotify_rm_watch")},
    {"waiting", FOR_ALL,
     CALLS("poll", "ppoll", "ppoll_time64", "select", "_newselect", "pselect6", "pselect6_time64", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait",
           "epoll_pwait", "epoll_pwait2", "eventfd", "eventfd2", "signalfd", "signalfd4", "timerfd_create", "timerfd_settime", "timerfd_settime64",
           "timerfd_gettime", "timerfd_gettime64", "pause", "restart_syscall", "futex", "futex_time64", "futex_waitv", "futex_wait", "futex_wake",
           "futex_requeue", "get_robust_list", "set_robust_list", "rseq", "sched_yield")},
    {"time", FOR_ALL,
     CALLS("clock_gettime", "clock_gettime64", "clock_getres", "clock_getres_time64", "clock_nanosleep", "clock_nanosleep_time64", "nanosleep", "gettimeofday",
           "time", "times", "getitimer", "setitimer", "alarm", "timer_create", "timer_delete", "timer_getoverrun", "timer_gettime", "timer_gettime64",
           "timer_settime", "timer_settime64")},
    {"sockets that are there", FOR_ALL,
     CALLS("bind", "connect", "listen", "accept", "accept4", "getsockname", "getpeername", "getsockopt", "setsockopt", "recvfrom", "recvmsg", "recvmmsg", "recvmmsg_time64", "shutdown", "send", "recv")},
    {"processes of its own", FOR_ALL,
     CALLS("fork", "vfork", "execve", "execveat", "exit", "exit_group", "wait4", "waitid", "waitpid", "getpid", "getppid", "gettid", "getpgid", "getpgrp",
           "setpgid", "getsid", "setsid", "set_tid_address", "kill", "tkill", "tgkill", "pidfd_open", "pidfd_send_signal", "rt_sigaction", "rt_sigprocmask",
           "rt_sigpending", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "rt_sigreturn", "sigreturn", "sigaction", "sigprocmask", "rt_sigsuspend",
           "rt_sigtimedwait", "rt_sigtimedwait_time64", "sigaltstack", "arch_prctl", "set_thread_area", "get_thread_area", "set_tls", "cacheflush",
           "riscv_flush_icache")},
    {"itself", FOR_ALL,
     CALLS("getuid", "getuid32", "geteuid", "geteuid32", "getgid", "getgid32", "getegid", "getegid32", "getresuid", "getresuid32", "getresgid", "getresgid32",
           "getgroups", "getgroups32", "capget", "getrlimit", "ugetrlimit", "getrusage", "getpriority", "ioprio_get", "sched_getaffinity", "sched_getparam",
           "sched_getscheduler", "sched_getattr", "sched_get_priority_max", "sched_get_priority_min", "sched_rr_get_interval",
           "sched_rr_get_interval_time64", "sched_setaffinity", "getcpu", "uname", "sysinfo", "getrandom", "seccomp", "landlock_create_ruleset",
           "landlock_add_rule", "landlock_restrict_self", "setrlimit")},
    // vigil-zip runs with a priority of its own below the core's.
    // Setting anything by them takes a privilege that is gone.
    {"whether the kernel's clock is synchronised", FOR_CORE, CALLS("adjtimex", "clock_adjtime", "clock_adjtime64")},
    {"priorities of what it starts", FOR_CORE, CALLS("setpriority", "sched_setscheduler", "sched_setparam", "ioprio_set")},
    {NULL, 0, NULL},
};

const struct call_group examined_calls[] = {
    {"UNIX sockets; for plugins with a network also TCP, for egress TCP and UDP; nothing else", FOR_ALL, CALLS("socket", "socketpair")},
    {"sending, but not to connect on the way (TCP fast open), which Landlock overlooks", FOR_ALL, CALLS("sendto", "sendmsg", "sendmmsg")},
    {"threads and processes, never namespaces", FOR_ALL, CALLS("clone")},
    {"memory that is not both written and executed", FOR_ALL, CALLS("mmap", "mmap2", "mprotect", "pkey_mprotect")},
    {"files, but none that changes its user when started", FOR_ALL, CALLS("open", "openat", "creat", "chmod", "fchmod", "fchmodat", "fchmodat2")},
    {"descriptors that wait or not, terminals' size; with a granted device anything but pushing characters into terminals", FOR_ALL, CALLS("ioctl")},
    {"names, dumps, timer slack, own restrictions; not the tie to the supervisor", FOR_ALL, CALLS("prctl")},
    {"reading limits, and setting one's own", FOR_ALL, CALLS("prlimit64")},
    {"Linux as it is, and asking", FOR_ALL, CALLS("personality")},
    {"\"no such call\", so that libraries take the older one whose arguments can be examined", FOR_ALL, CALLS("clone3", "openat2")},
    {NULL, 0, NULL},
};

const struct call_group refused_calls[] = {
    {"it looks into or steers other processes", FOR_ALL,
     CALLS("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "pidfd_getfd", "kcmp", "move_pages", "migrate_pages")},
    {"it changes what files there are to see; the plan alone does", FOR_ALL,
     CALLS("mount", "umount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
           "swapon", "swapoff", "quotactl", "quotactl_fd", "mknod", "mknodat", "name_to_handle_at", "open_by_handle_at", "fanotify_init", "fanotify_mark",
           "statmount", "listmount")},
    {"it makes or enters namespaces", FOR_ALL, CALLS("unshare", "setns")},
    {"it changes user, group or capabilities", FOR_ALL,
     CALLS("setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "setfsuid", "setfsgid", "capset", "chown", "fchown", "lchown",
           "fchownat", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr")},
    {"it reaches into the kernel: large, rarely needed, often where the holes are", FOR_ALL,
     CALLS("bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "keyctl", "add_key", "request_key", "io_setup",
           "io_submit", "io_getevents", "io_destroy", "io_cancel", "modify_ldt", "lookup_dcookie", "vm86", "vm86old", "remap_file_pages")},
    {"it makes memory that can become a program", FOR_ALL, CALLS("memfd_create", "memfd_secret")},
    {"it runs the machine", FOR_ALL,
     CALLS("reboot", "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "iopl", "ioperm", "syslog", "acct", "settimeofday",
           "clock_settime", "clock_settime64", "stime", "sethostname", "setdomainname", "vhangup", "nfsservctl")},
    {"the kernel's clock", FOR_PLUGIN | FOR_EGRESS, CALLS("clock_adjtime", "clock_adjtime64", "adjtimex")},
    {"shared memory and queues beyond the program's own folders", FOR_ALL,
     CALLS("shmget", "shmat", "shmctl", "shmdt", "semget", "semop", "semctl", "semtimedop", "msgget", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink",
           "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr")},
    {"it makes the board write everything everybody has not written yet, over and over", FOR_ALL, CALLS("sync", "syncfs")},
    {"it takes more of the machine than its share", FOR_ALL,
     CALLS("setpriority", "sched_setscheduler", "sched_setparam", "sched_setattr", "ioprio_set", "set_mempolicy", "mbind")},
    {NULL, 0, NULL},
};
