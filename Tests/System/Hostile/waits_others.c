// SPDX-License-Identifier: Apache-2.0
// What makes others wait, or wakes them for nothing, without handing anything over.
#define _GNU_SOURCE
#include "hostile.h"
#include "waits.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 8, WAITERS = 8, WATCHES = 250, ZEROCOPY = 60 };

static const char interface[] = "org.vigil.exposure1";
static const char call[] = "{\"method\":\"org.vigil.exposure1.GetStatus\"}";
static time_t end;
static bool goes_on(void) { return time(NULL) < end; }

static void talk(int endpoint) {
    static char answer[65536];
    for (int index = 0; index < 8; index++) (void)!send(endpoint, call, sizeof call, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)!recv(endpoint, answer, sizeof answer, 0);
}

static pid_t start(void (*run)(int), int endpoint) {
    pid_t child = fork();
    if (child != 0) return child;
    run(endpoint);
    _exit(0);
}

static void finish(const pid_t *children, int count) {
    for (int index = 0; index < count; index++) {
        if (children[index] > 0) kill(children[index], SIGKILL);
    }
    for (int index = 0; index < count; index++) {
        if (children[index] > 0) waitpid(children[index], NULL, 0);
    }
}

// Everybody who may be is told by a signal of each byte that others send.
static void wait_for_signal(int endpoint) {
    (void)endpoint;
    signal(SIGIO, SIG_IGN);
    for (;;) pause();
}
static void tell_by_signals(void) {
    pid_t children[WAITERS];
    int endpoints[CONNECTIONS], async = 1, failed = 0;
    signal(SIGIO, SIG_IGN);
    setpgid(0, 0);
    for (int index = 0; index < WAITERS; index++) children[index] = start(wait_for_signal, -1);
    const int shared[] = {2, control_end()};
    for (int index = 0; index < 2; index++) {
        failed += fcntl(shared[index], F_SETOWN, -getpgrp()) < 0;
        failed += ioctl(shared[index], FIOASYNC, &async) < 0;
    }
    for (int index = 0; index < CONNECTIONS; index++) {
        endpoints[index] = connect_to(interface);
        failed += fcntl(endpoints[index], F_SETOWN, -getpgrp()) < 0;
        failed += fcntl(endpoints[index], F_SETFL, O_ASYNC) < 0;
    }
    while (goes_on()) {
        for (int index = 0; index < CONNECTIONS; index++) talk(endpoints[index]);
        (void)!send(control_end(), "ALIVE", 5, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    async = 0;
    for (int index = 0; index < 2; index++) ioctl(shared[index], FIOASYNC, &async);
    for (int index = 0; index < CONNECTIONS; index++) close(endpoints[index]);
    finish(children, WAITERS);
    tell("wait-signals: done, %d not to be had", failed);
}

// Whoever answers wakes them all: it is done by the one who sends.
static void wait_often(int endpoint) {
    struct pollfd list[WATCHES];
    for (int index = 0; index < WATCHES; index++) list[index] = (struct pollfd){endpoint, POLLIN, 0};
    for (;;) {
        if (poll(list, WATCHES, -1) > 0) usleep(100);
    }
}
static void crowd_around(void) {
    pid_t children[WAITERS];
    int endpoint = connect_to(interface), events[100], count = 0;
    struct epoll_event wanted = {.events = EPOLLIN | EPOLLET};
    while (count < 100 && (events[count] = epoll_create1(EPOLL_CLOEXEC)) >= 0) {
        epoll_ctl(events[count], EPOLL_CTL_ADD, endpoint, &wanted);
        if (count > 0) epoll_ctl(events[count], EPOLL_CTL_ADD, events[count - 1], &wanted);
        count++;
    }
    for (int index = 0; index < WAITERS; index++) children[index] = start(wait_often, endpoint);
    while (goes_on()) talk(endpoint);
    finish(children, WAITERS);
    for (int index = 0; index < count; index++) close(events[index]);
    close(endpoint);
    tell("wait-crowd-around: done, %d epolls and %d waiting entries", count, WAITERS * WATCHES);
}

static int own_file(const char *folder, const char *name) {
    static const char start_of_zip[4] = "PK\3\4";
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0640);
    if (file >= 0) (void)!write(file, start_of_zip, sizeof start_of_zip);
    return file;
}

static void provide(const char *what, const char *name) {
    char message[256], answer[8192];
    struct timespec before, after;
    snprintf(message, sizeof message, "{\"method\":\"org.vigil.exposure1.ProvideDiagnosisKeys\",\"parameters\":{\"files\":[\"%s\"]}}", name);
    clock_gettime(CLOCK_MONOTONIC, &before);
    bool is_answered = ask(interface, message, answer, sizeof answer);
    clock_gettime(CLOCK_MONOTONIC, &after);
    tell("  %s: %s after %ld ms: %.80s", what, is_answered ? "answered" : "UNANSWERED",
         (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000, answer);
}

// Whoever opens the file waits 45 s until the lease is broken, unless he says that he will not.
static void lease(void) {
    signal(SIGIO, SIG_IGN);
    int file = own_file(own_folder("VIGIL_SPOOL"), "leased");
    int result = fcntl(file, F_SETLEASE, F_WRLCK) < 0 ? errno : 0;
    provide("a leased file", "leased");
    int other = own_file(own_folder("VIGIL_STATE"), "leased"), second = fcntl(other, F_SETLEASE, F_WRLCK) < 0 ? errno : 0;
    while (goes_on()) usleep(50000);
    fcntl(file, F_SETLEASE, F_UNLCK);
    close(file);
    close(other);
    tell("wait-lease: leases %s, %s", result == 0 ? "had" : strerror(result), second == 0 ? "had" : strerror(second));
}

static void lock(void) {
    static const char *const paths[] = {"/run/vigil/settings.json", "/dev/null", "/dev/urandom", "/", "/proc/self/status", "/etc/ld.so.cache"};
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int file = own_file(own_folder("VIGIL_SPOOL"), "locked"), had = 0, held[8], count = 0;
    had += flock(file, LOCK_EX | LOCK_NB) == 0;
    had += fcntl(file, F_OFD_SETLK, &whole) == 0;
    for (size_t index = 0; index < sizeof paths / sizeof paths[0]; index++) {
        held[count] = open(paths[index], O_RDONLY | O_CLOEXEC);
        if (held[count] < 0) continue;
        had += flock(held[count], LOCK_EX | LOCK_NB) == 0;
        count++;
    }
    provide("a locked file", "locked");
    while (goes_on()) usleep(50000);
    while (count > 0) close(held[--count]);
    close(file);
    tell("wait-locks: %d locks held", had);
}

// Every look at the folders becomes as many events as there are watchers: made by the one who looks.
static void watch(void) {
    static const char *const places[] = {"/run/vigil", "/run/vigil/org.vigil.exposure1", "/", "/proc/self"};
    int watchers[100], count = 0;
    close(own_file(own_folder("VIGIL_SPOOL"), "watched"));
    while (count < 100 && (watchers[count] = inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) >= 0) {
        inotify_add_watch(watchers[count], own_folder("VIGIL_SPOOL"), IN_ALL_EVENTS);
        inotify_add_watch(watchers[count], own_folder("VIGIL_STATE"), IN_ALL_EVENTS);
        for (int place = 0; place < 4; place++) inotify_add_watch(watchers[count], places[place], IN_ALL_EVENTS);
        count++;
    }
    provide("a watched file", "watched");
    while (goes_on()) {
        close(own_file(own_folder("VIGIL_SPOOL"), "watched"));
        int endpoint = connect_to(interface);
        if (endpoint >= 0) close(endpoint);
    }
    tell("wait-watches: %d watchers", count);
    while (count > 0) close(watchers[--count]);
}

// Its log is a pipe that the supervisor reads: small and large, in pieces of one byte, with pages of files that shrink meanwhile.
static void bend_log(void) {
    char path[4096], byte = 'x';
    struct iovec pieces[64];
    for (int index = 0; index < 64; index++) pieces[index] = (struct iovec){&byte, 1};
    int file = own_file(own_folder("VIGIL_STATE"), "logged"), ways[2];
    snprintf(path, sizeof path, "%s/logged", own_folder("VIGIL_STATE"));
    if (file < 0 || ftruncate(file, 1 << 20) < 0 || pipe2(ways, O_CLOEXEC | O_NONBLOCK) < 0) return;
    fcntl(2, F_SETFL, O_WRONLY | O_NONBLOCK | O_APPEND);
    for (int round = 0; goes_on(); round++) {
        fcntl(2, F_SETPIPE_SZ, round % 2 == 0 ? 4096 : 1 << 20);
        (void)!vmsplice(2, pieces, 64, SPLICE_F_NONBLOCK);
        off_t at = 0;
        (void)!splice(file, &at, 2, NULL, 65536, SPLICE_F_NONBLOCK);
        (void)!write(ways[1], &byte, 1);
        (void)!tee(ways[0], 2, 1, SPLICE_F_NONBLOCK);
        (void)!ftruncate(file, round % 3 == 0 ? 0 : 1 << 20);
        if (round % 64 == 0) usleep(1000);
    }
    fcntl(2, F_SETPIPE_SZ, 65536);
    fcntl(2, F_SETFL, O_WRONLY);
    close(ways[0]);
    close(ways[1]);
    close(file);
    tell("wait-log: done");
}

// A byte out of band can make "something to read" of nothing.
static void send_out_of_band(void) {
    int endpoints[CONNECTIONS], sent = 0;
    while (goes_on()) {
        for (int index = 0; index < CONNECTIONS; index++) {
            endpoints[index] = connect_to(interface);
            for (int byte = 0; byte < 1 + index % 3; byte++) sent += send(endpoints[index], "{", 1, MSG_OOB | MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
            if (index % 2 == 0) (void)!send(endpoints[index], "{", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
            if (index % 2 == 0) sent += send(endpoints[index], "{", 1, MSG_OOB | MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
        }
        usleep(400000);
        for (int index = 0; index < CONNECTIONS; index++) close(endpoints[index]);
    }
    tell("wait-out-of-band: %d bytes sent", sent);
}

static void half_close(void) {
    int endpoints[CONNECTIONS];
    while (goes_on()) {
        for (int index = 0; index < CONNECTIONS; index++) {
            endpoints[index] = connect_to(interface);
            if (index % 3 == 0) (void)!send(endpoints[index], "{", 1, MSG_NOSIGNAL);
            if (index % 4 == 1) (void)!send(endpoints[index], call, sizeof call, MSG_NOSIGNAL);
            shutdown(endpoints[index], index % 3);
        }
        usleep(400000);
        for (int index = 0; index < CONNECTIONS; index++) close(endpoints[index]);
    }
    tell("wait-half-closed: done");
}

// Pages of a file, by reference, into somebody else's socket; and sending without copying, if that can be switched on.
static void lend_pages(void) {
    int file = own_file(own_folder("VIGIL_STATE"), "lent"), one = 1, ways[2], endpoint = connect_to(interface);
    int result = setsockopt(endpoint, SOL_SOCKET, ZEROCOPY, &one, sizeof one) < 0 ? errno : 0;
    long lent = 0;
    if (file < 0 || ftruncate(file, 1 << 20) < 0 || pipe2(ways, O_CLOEXEC | O_NONBLOCK) < 0) return;
    while (goes_on()) {
        off_t at = 0;
        (void)!splice(file, &at, ways[1], NULL, 65536, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
        ssize_t count = splice(ways[0], NULL, endpoint, NULL, 65536, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
        if (count > 0) lent += count;
        (void)!ftruncate(file, 0);
        (void)!ftruncate(file, 1 << 20);
        char drain[65536];
        while (read(ways[0], drain, sizeof drain) > 0) {}
        close(endpoint);
        endpoint = connect_to(interface);
    }
    close(endpoint);
    close(ways[0]);
    close(ways[1]);
    close(file);
    tell("wait-lend-pages: %ld bytes lent; SO_ZEROCOPY: %s", lent, result == 0 ? "set" : strerror(result));
}

static const struct {
    const char *name;
    void (*run)(void);
} disturbances[] = {
    {"signals", tell_by_signals}, {"crowd-around", crowd_around}, {"lease", lease},
    {"locks", lock},              {"watches", watch},             {"log", bend_log},
    {"out-of-band", send_out_of_band}, {"half-closed", half_close}, {"lend-pages", lend_pages},
};

bool disturb(const char *name) {
    end = time(NULL) + setting_number("seconds", 2);
    for (size_t index = 0; index < sizeof disturbances / sizeof disturbances[0]; index++) {
        if (strcmp(name, disturbances[index].name) != 0) continue;
        disturbances[index].run();
        return true;
    }
    return false;
}
