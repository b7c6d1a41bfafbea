// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "generator.h"
#include "hostile.h"
#include "waits.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CALLS = 512, MOST_CALLS_IN_A_ROUND = 64, ROUND_MILLISECONDS = 150, SIDE_BY_SIDE = 8, TICK_MICROSECONDS = 2000, MOST_REPEATS = 200, MEMORY = 8 };

// splitmix64 (Steele, Lea, Flood 2014).
uint64_t draw(struct chance *chance) {
    uint64_t value = chance->state += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

uint64_t below(struct chance *chance, uint64_t limit) { return draw(chance) % limit; }

// Names and numbers, as vigil-jail --explain gives them: the filter's list is the only one. The weight of this round beside the usual one.
static struct {
    char name[32];
    long number;
    int usual, weight;
} calls[MOST_CALLS];
static int call_count, weight_of_all;

// What was called last, to be called again.
static struct {
    int at;
    long arguments[6];
} made[MEMORY];
static int made_count;

// What two processes share, and how it ends, more often; what ends the round at once, hardly ever.
static int weight(const char *name) {
    static const struct {
        const char *name;
        int weight;
    } others[] = {
        {"sendmsg", 600},  {"setsockopt", 500}, {"close", 160},   {"shutdown", 80},  {"sendto", 160},  {"connect", 80},      {"fcntl", 160},
        {"sendmmsg", 80},  {"splice", 80},      {"vmsplice", 80}, {"ioctl", 80},     {"write", 80},    {"epoll_ctl", 80},    {"exit", 1},
        {"exit_group", 1}, {"pause", 1},        {"kill", 1},      {"tkill", 1},      {"fork", 1},      {"vfork", 1},         {"clone", 1},
        {"execve", 1},     {"execveat", 1},     {"seccomp", 1},   {"alarm", 1},      {"setitimer", 1}, {"close_range", 1},   {"rt_sigsuspend", 1},
        {"ptrace", 1},     {"rt_sigreturn", 0}, {"rt_sigprocmask", 1}, {"landlock_restrict_self", 1},
    };
    for (size_t index = 0; index < sizeof others / sizeof others[0]; index++) {
        if (strcmp(name, others[index].name) == 0) return others[index].weight;
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
            calls[call_count].usual = weight(pair);
            call_count++;
        }
    }
}

static void tick(int number) { (void)number; }

// Whoever was handed the descriptors of this message has the last copies then.
static void let_go_of_sent(const struct msghdr *sent) {
    const struct cmsghdr *beside = sent->msg_control;
    for (size_t size = CMSG_LEN(sizeof(int)); beside != NULL && size <= beside->cmsg_len && size <= sent->msg_controllen; size += sizeof(int)) {
        int descriptor = *(const int *)(const void *)((const char *)beside + size - sizeof(int));
        if (descriptor > 3) close(descriptor);
    }
}

// Many of a few calls reach what few of all calls never do (swarm testing; Groce and others 2012): one round in two has some of those that want
// the same kind of thing, by its letter, or of all; the others have the usual weights. Returns whether connections serve.
static bool choose_theme(struct chance *chance) {
    char letter = "ppppppdmkqb*"[below(chance, 12)];
    bool is_narrow = below(chance, 2) == 0;
    int some[MOST_CALLS], count = 0;
    weight_of_all = 0;
    for (int at = 0; at < call_count; at++) {
        bool is_of_it = letter == '*' || strchr(wants_of(calls[at].name), letter) != NULL;
        if (is_narrow && is_of_it && calls[at].usual > 1) some[count++] = at;
        weight_of_all += calls[at].weight = is_narrow ? 0 : calls[at].usual;
    }
    for (uint64_t left = 2 + below(chance, 5); count > 0 && is_narrow && left > 0; left--) {
        calls[some[below(chance, (uint64_t)count)]].weight += 10;
        weight_of_all += 10;
    }
    // None that wants such a thing.
    if (weight_of_all == 0) weight_of_all = calls[0].weight = 1;
    return !is_narrow || strchr("dm*", letter) != NULL;
}

static long make_call(int at, const long arguments[6]) {
    long result = syscall(calls[at].number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
    return result < 0 ? -errno : result;
}

// The last few calls over and over: as they were, with what one gave for the descriptor of the next, or with other arguments.
static void go_round(struct pool *pool, struct chance *chance) {
    int length = 1 + (int)below(chance, (uint64_t)(made_count < 4 ? made_count : 4)), way = (int)below(chance, 4);
    long last = -1, arguments[6];
    for (long again = 1 + (long)below(chance, MOST_REPEATS); again > 0; again--) {
        for (int index = made_count - length; index < made_count; index++) {
            int at = made[index % MEMORY].at;
            memcpy(arguments, made[index % MEMORY].arguments, sizeof arguments);
            if (way == 0) choose(calls[at].name, pool, chance, arguments);
            if (way == 1 && last > 3 && wants_of(calls[at].name)[0] == 'd') arguments[0] = last;
            long result = make_call(at, arguments);
            if (way != 1 && result > 2) keep(pool, result);
            if (result > 3) last = result;
        }
    }
}

static void make_calls(uint64_t seed, bool has_control) {
    struct chance chance = {seed};
    struct pool pool;
    struct itimerval often = {{0, TICK_MICROSECONDS}, {0, TICK_MICROSECONDS}};
    struct sigaction action = {.sa_handler = tick};
    long arguments[6];
    // What it sends to itself does not end the round; a call that waits goes on after a tick.
    for (int number = 1; number <= SIGRTMAX; number++) {
        if (number != SIGCHLD && number != SIGSEGV && number != SIGBUS) signal(number, SIG_IGN);
    }
    made_count = 0;
    fill_pool(&pool, &chance, has_control, choose_theme(&chance));
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int left = (int)(4 + below(&chance, MOST_CALLS_IN_A_ROUND - 4)); left > 0; left--) {
        int at = 0;
        for (long rest = (long)below(&chance, (uint64_t)weight_of_all); (rest -= calls[at].weight) >= 0;) at++;
        choose(calls[at].name, &pool, &chance, arguments);
        long result = make_call(at, arguments);
        // Often enough that something is full and whoever reads has to leave the rest where it is.
        if (result > 0 && below(&chance, 16) == 0) {
            for (long again = (long)below(&chance, MOST_REPEATS); again > 0 && make_call(at, arguments) > 0; again--) {}
        }
        // What gives a descriptor and what gives a number look alike; both serve.
        if (result > 2) keep(&pool, result);
        if (calls[at].number == SYS_sendmsg && result >= 0 && below(&chance, 4) != 0) let_go_of_sent((const struct msghdr *)arguments[1]);
        made[made_count % MEMORY].at = at;
        memcpy(made[made_count++ % MEMORY].arguments, arguments, sizeof arguments);
        if (below(&chance, 12) == 0) go_round(&pool, &chance);
    }
}

// Shared by all processes of this life: the number of the next round, when they began, milliseconds of processor time, the first number.
static uint64_t *rounds;

void prepare_rounds(void) {
    rounds = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (rounds == MAP_FAILED) rounds = NULL;
}

static void end_all_children(void) {
    // With all that they started; the first process is not among them.
    kill(-1, SIGKILL);
    while (waitpid(-1, NULL, 0) > 0) {}
    struct rusage used;
    if (getrusage(RUSAGE_CHILDREN, &used) < 0) return;
    rounds[2] = (uint64_t)((used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000);
}

void start_rounds_at(uint64_t first) {
    if (rounds != NULL) rounds[3] = rounds[0] = first;
}

void note_rounds(void) {
    if (rounds != NULL) note("generate: %lu rounds, %lu ms", (unsigned long)(rounds[0] - rounds[3]), (unsigned long)rounds[2]);
}

// A descriptor of its process, or -1.
static int start_round(uint64_t seed, bool has_control) {
    struct chance mixed = {seed * UINT64_C(1000003) + __atomic_add_fetch(rounds, 1, __ATOMIC_RELAXED)};
    pid_t child = fork();
    if (child == 0) {
        if (!has_control) close(control_end());
        make_calls(draw(&mixed), has_control);
        _exit(0);
    }
    return child < 0 ? -1 : (int)syscall(SYS_pidfd_open, child, 0);
}

// Until all have ended, or the time of a round is over. Closes their descriptors.
static void wait_for_ends(struct pollfd ends[], int count) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t deadline = now.tv_sec * 1000 + now.tv_nsec / 1000000 + ROUND_MILLISECONDS;
    for (int left = count; left > 0;) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        int64_t rest = deadline - (now.tv_sec * 1000 + now.tv_nsec / 1000000);
        if (rest <= 0 || poll(ends, (nfds_t)count, (int)rest) <= 0) break;
        left = 0;
        for (int index = 0; index < count; index++) {
            if (ends[index].fd >= 0 && ends[index].revents != 0) {
                close(ends[index].fd);
                ends[index].fd = -1;
            }
            left += ends[index].fd >= 0;
        }
    }
    for (int index = 0; index < count; index++) {
        if (ends[index].fd >= 0) close(ends[index].fd);
    }
}

void act_generate(void) {
    uint64_t seed = (uint64_t)setting_number("seed", 1);
    // The connection to the supervisor ends with the first wrong packet, and the plugin with it: only one seed in four has it.
    bool has_control = seed % 4 == 0;
    read_calls();
    find_options();
    if (call_count == 0 || rounds == NULL) return;
    // The clock starts with the first worker; one that follows goes on.
    uint64_t none = 0, now = (uint64_t)time(NULL);
    __atomic_compare_exchange_n(&rounds[1], &none, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    time_t end = (time_t)rounds[1] + setting_number("seconds", 3);
    for (int number = 1; number <= SIGRTMAX; number++) {
        if (number != SIGCHLD) signal(number, SIG_IGN);
    }
    while (time(NULL) < end) {
        // Most of a round is waiting, so several run side by side; they meet in names, sockets and limits, as processes of one plugin do.
        struct pollfd rounds_now[SIDE_BY_SIDE];
        for (int index = 0; index < SIDE_BY_SIDE; index++) rounds_now[index] = (struct pollfd){start_round(seed, has_control), POLLIN, 0};
        wait_for_ends(rounds_now, SIDE_BY_SIDE);
        end_all_children();
        note_rounds();
    }
    note_rounds();
}
