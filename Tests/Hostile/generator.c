// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "generator.h"
#include "hostile.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CALLS = 512, CALLS_IN_A_ROUND = 200, ROUND_MILLISECONDS = 400, TICK_MICROSECONDS = 300 };

// splitmix64 (Steele, Lea, Flood 2014).
uint64_t draw(struct chance *chance) {
    uint64_t value = chance->state += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

uint64_t below(struct chance *chance, uint64_t limit) { return draw(chance) % limit; }

// Names and numbers, as vigil-jail --explain gives them: the filter's list is the only one.
static struct {
    char name[32];
    long number;
    int weight;
} calls[MOST_CALLS];
static int call_count, weight_of_all;

static int weight(const char *name) {
    // What two processes share, and how it ends, more often; what ends the round at once, hardly ever.
    static const char *const often[] = {"sendmsg", "setsockopt", "fcntl", "splice", "vmsplice", "sendmmsg", "ioctl", "sendto", "shutdown", "connect", "epoll_ctl"};
    static const char *const seldom[] = {"exit", "exit_group", "pause", "rt_sigreturn", "close_range", "kill", "tkill", "rt_sigsuspend", "fork", "vfork", "clone", "execve",
                                         "seccomp", "landlock_restrict_self", "rt_sigprocmask", "alarm", "setitimer"};
    for (size_t index = 0; index < sizeof often / sizeof often[0]; index++) {
        if (strcmp(name, often[index]) == 0) return 160;
    }
    for (size_t index = 0; index < sizeof seldom / sizeof seldom[0]; index++) {
        if (strcmp(name, seldom[index]) == 0) return 1;
    }
    return 10;
}

static void read_calls(void) {
    char some[1001], *rest;
    for (int index = 0; setting("calls", index, some, sizeof some); index++) {
        for (char *pair = strtok_r(some, " ", &rest); pair != NULL && call_count < MOST_CALLS; pair = strtok_r(NULL, " ", &rest)) {
            char *equals = strchr(pair, '=');
            if (equals == NULL) continue;
            *equals = 0;
            snprintf(calls[call_count].name, sizeof calls[0].name, "%.31s", pair);
            calls[call_count].number = atol(equals + 1);
            weight_of_all += calls[call_count].weight = weight(pair);
            call_count++;
        }
    }
}

static void tick(int number) { (void)number; }

static void make_calls(uint64_t seed) {
    struct chance chance = {seed};
    struct pool pool;
    struct itimerval often = {{0, TICK_MICROSECONDS}, {0, TICK_MICROSECONDS}};
    struct sigaction action = {.sa_handler = tick};
    long arguments[6];
    fill_pool(&pool, &chance);
    // What it has sent to itself shall not end the round; whatever waits goes on after a tick.
    for (int number = 1; number <= SIGRTMAX; number++) {
        if (number != SIGCHLD && number != SIGSEGV && number != SIGBUS) signal(number, SIG_IGN);
    }
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int count = 0; count < CALLS_IN_A_ROUND; count++) {
        int at = 0;
        for (long left = (long)below(&chance, (uint64_t)weight_of_all); (left -= calls[at].weight) >= 0;) at++;
        choose(calls[at].name, &pool, &chance, arguments);
        // The end of the connection to the supervisor is the end of the plugin, every time.
        int type = 0;
        socklen_t size = sizeof type;
        if (calls[at].number == SYS_shutdown && getsockopt((int)arguments[0], SOL_SOCKET, SO_TYPE, &type, &size) == 0 &&
            type == SOCK_SEQPACKET && below(&chance, 64) != 0)
            continue;
        long result = syscall(calls[at].number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
        // What gives a descriptor and what gives a number look alike; both serve.
        if (result > 2) keep(&pool, result);
        if (calls[at].number != SYS_sendmsg || result < 0 || below(&chance, 2) == 0) continue;
        // Whoever got them has the last copies.
        const struct msghdr *sent = (const struct msghdr *)arguments[1];
        const struct cmsghdr *beside = sent->msg_control;
        for (size_t size = CMSG_LEN(sizeof(int)); beside != NULL && size <= beside->cmsg_len && size <= sent->msg_controllen; size += sizeof(int)) {
            int descriptor = *(const int *)(const void *)((const char *)beside + size - sizeof(int));
            if (descriptor > 3) close(descriptor);
        }
    }
}

static uint64_t *rounds;

void prepare_rounds(void) {
    rounds = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (rounds == MAP_FAILED) rounds = NULL;
}

void act_generate(void) {
    uint64_t seed = (uint64_t)setting_number("seed", 1);
    time_t end = time(NULL) + setting_number("seconds", 3);
    read_calls();
    if (call_count == 0 || rounds == NULL) return;
    for (int number = 1; number <= SIGRTMAX; number++) {
        if (number != SIGCHLD) signal(number, SIG_IGN);
    }
    while (time(NULL) < end) {
        struct chance mixed = {seed * UINT64_C(1000003) + __atomic_fetch_add(rounds, 1, __ATOMIC_RELAXED)};
        pid_t child = fork();
        if (child == 0) {
            make_calls(draw(&mixed));
            _exit(0);
        }
        struct pollfd over = {child < 0 ? -1 : (int)syscall(SYS_pidfd_open, child, 0), POLLIN, 0};
        poll(&over, 1, ROUND_MILLISECONDS);
        if (over.fd >= 0) close(over.fd);
        // With all that it started; the first process is not among them.
        kill(-1, SIGKILL);
        while (waitpid(-1, NULL, 0) > 0) {}
    }
    tell("generate: %lu rounds of %d calls", (unsigned long)*rounds, call_count);
}
