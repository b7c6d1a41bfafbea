// SPDX-License-Identifier: Apache-2.0
// Ends of what others may have handed descriptors to. The kernel closes those in whoever reads or closes, and the last close of a file or
// a connection may take its time: it is a thread's of its own, that nobody waits for.
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { STACK = 65536, PATIENCE_MILLISECONDS = 20 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int queue[2] = {-1, -1};
static atomic_int waiting;

static void nothing(int number) { (void)number; }

// Some ends wait for somebody else, as long as no signal comes (SO_LINGER).
static int make_impatient(timer_t *ret_timer) {
    struct sigaction action = {.sa_handler = nothing};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMAX - 1};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, SIGRTMAX - 1);
    if (sigaction(SIGRTMAX - 1, &action, NULL) < 0 || timer_create(CLOCK_MONOTONIC, &event, ret_timer) < 0) return -1;
    return pthread_sigmask(SIG_UNBLOCK, &own, NULL);
}

static void *close_all(void *argument) {
    static const struct itimerspec soon = {{0, PATIENCE_MILLISECONDS * 1000000}, {0, PATIENCE_MILLISECONDS * 1000000}}, never;
    timer_t timer;
    int is_impatient = make_impatient(&timer) == 0, descriptor;
    for (ssize_t count; (count = read(queue[0], &descriptor, sizeof descriptor)) != 0;) {
        if (count != sizeof descriptor) continue;
        if (is_impatient) timer_settime(timer, 0, &soon, NULL);
        close(descriptor);
        if (is_impatient) timer_settime(timer, 0, &never, NULL);
        atomic_fetch_sub(&waiting, 1);
    }
    return argument;
}

static void start(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    if (pipe2(queue, O_CLOEXEC) < 0) return;
    // Signals of the process are not this thread's.
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &attributes, close_all, NULL) != 0) {
        close(queue[0]);
        close(queue[1]);
        queue[1] = -1;
    }
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void vigil_close_aside(int descriptor) {
    pthread_once(&once, start);
    atomic_fetch_add(&waiting, 1);
    // The queue holds more than a process may have open. Without a thread it is as it would be.
    if (queue[1] >= 0 && write(queue[1], &descriptor, sizeof descriptor) == sizeof descriptor) return;
    atomic_fetch_sub(&waiting, 1);
    close(descriptor);
}

int vigil_closing_count(void) { return atomic_load(&waiting); }

static ssize_t receive(int socket, void *bytes, size_t count, int flags, int *ret_flags) {
    struct iovec part = {bytes, count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t got;
    do got = recvmsg(socket, &message, flags | MSG_DONTWAIT); while (got < 0 && errno == EINTR);
    *ret_flags = message.msg_flags;
    return got < 0 ? -errno : got;
}

long vigil_receive_plain(int socket, void *bytes, size_t count, int is_closed_to_descriptors) {
    int flags;
    if (!is_closed_to_descriptors) {
        // No room for what lies beside: that is said, and nothing is let go of as long as it is only looked at.
        ssize_t seen = receive(socket, bytes, count, MSG_PEEK, &flags);
        if (seen > 0 && (flags & MSG_CTRUNC) != 0) return -EBADMSG;
        if (seen <= 0) return seen;
        // What came since may have something beside. A packet is taken as it is, with what does not fit.
        if ((flags & MSG_TRUNC) == 0) count = (size_t)seen;
    }
    ssize_t got = receive(socket, bytes, count, 0, &flags);
    return got > 0 && (flags & MSG_TRUNC) != 0 ? -EMSGSIZE : got;
}
