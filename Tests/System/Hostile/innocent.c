// SPDX-License-Identifier: Apache-2.0
// What every plugin must be able to do: a sandbox that breaks this is no use.
#define _GNU_SOURCE
#include "hostile.h"

#include "CLinux.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int failures;

static void check(const char *name, bool works) {
    fprintf(stderr, "%s: %s\n", name, works ? "works" : "BROKEN");
    if (!works) failures++;
}

static bool write_file(const char *variable) {
    const char *folder = getenv(variable);
    if (folder == NULL) return false;
    char path[4096], other[4096];
    snprintf(path, sizeof path, "%s/innocent", folder);
    snprintf(other, sizeof other, "%s/renamed", folder);
    int file = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0640);
    bool works =
        file >= 0 && write(file, "x", 1) == 1 && fsync(file) == 0 && rename(path, other) == 0 && chmod(other, 0640) == 0;
    struct stat status;
    works = works && stat(other, &status) == 0 && (status.st_mode & 07777) == 0640;
    if (file >= 0) close(file);
    return works;
}

static bool read_own_arguments(void) {
    char text[256] = "";
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t count = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0) close(file);
    return count > 0 && strcmp(text + strlen(text) + 1, "innocent") == 0;
}

static void *run(void *argument) { return argument; }

static bool make_thread(void) {
    pthread_t thread;
    void *result = NULL;
    return pthread_create(&thread, NULL, run, &failures) == 0 && pthread_join(thread, &result) == 0 && result == &failures;
}

static bool start_program(void) {
    pid_t child;
    char *const words[] = {"true", NULL};
    int status = -1;
    if (posix_spawn(&child, "/bin/true", NULL, NULL, words, NULL) != 0) return false;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool wait_for_events(void) {
    int events = epoll_create1(EPOLL_CLOEXEC), timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC),
        counter = eventfd(1, EFD_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN}, got;
    return events >= 0 && timer >= 0 && counter >= 0 && epoll_ctl(events, EPOLL_CTL_ADD, counter, &event) == 0 &&
           epoll_wait(events, &got, 1, 0) == 1;
}

static bool call_provider(void) {
    const char *run_folder = getenv("VIGIL_RUN");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/org.vigil.trial1", run_folder == NULL ? "" : run_folder);
    int endpoint = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return endpoint >= 0 && connect(endpoint, (const struct sockaddr *)&address, sizeof address) == 0;
}

static bool reach_proxy(void) {
    const char *address = getenv("VIGIL_SOCKS");
    if (address == NULL) return false;
    const char *at = strrchr(address, '@');
    char host[64];
    snprintf(host, sizeof host, "%s", at == NULL ? address : at + 1);
    char *colon = strchr(host, ':');
    if (colon == NULL) return false;
    *colon = 0;
    // As any library would look at a numeric address.
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    if (getaddrinfo(host, colon + 1, &hints, &found) != 0) return false;
    int endpoint = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return endpoint >= 0 && connect(endpoint, found->ai_addr, found->ai_addrlen) == 0;
}

static bool tell_supervisor(void) {
    return getenv("VIGIL_CONTROL") != NULL && send(atoi(getenv("VIGIL_CONTROL")), "READY", 5, MSG_NOSIGNAL) == 5;
}

static bool have_devices(void) {
    char byte;
    int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC), nothing = open("/dev/null", O_WRONLY | O_CLOEXEC),
        random = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    return zero >= 0 && read(zero, &byte, 1) == 1 && nothing >= 0 && write(nothing, "x", 1) == 1 && random >= 0 &&
           read(random, &byte, 1) == 1 && getrandom(&byte, 1, 0) == 1;
}

// As the core starts vigil-zip.
static bool start_helper(void) {
    int ends[2];
    if (vigil_result_pipe(ends, 65536) < 0) return false;
    const char *const words[] = {"true", NULL};
    struct vigil_spawn_request request = {"/bin/true", words, ends[0], ends[1], 256u << 20, 5};
    struct vigil_child child;
    if (vigil_spawn(&request, &child) < 0) return false;
    int status = -1;
    return waitpid(child.process, &status, 0) == child.process && WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
           child.descriptor >= 0;
}

static bool know_time(void) {
    struct timespec now, pause = {0, 1000};
    return clock_gettime(CLOCK_REALTIME, &now) == 0 && clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL) == 0;
}

static bool handle_signals(void) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    return raise(SIGTERM) == 0 && prctl(PR_SET_NAME, "innocent", 0, 0, 0) == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}

int be_innocent(void) {
    check("arguments", read_own_arguments());
    check("state", write_file("VIGIL_STATE"));
    check("spool", write_file("VIGIL_SPOOL"));
    check("temporary", write_file("TMPDIR"));
    check("threads", make_thread());
    check("programs", start_program());
    check("helper", start_helper());
    check("events", wait_for_events());
    check("provider", call_provider());
    if (getenv("VIGIL_SOCKS") != NULL) check("proxy", reach_proxy());
    check("supervisor", tell_supervisor());
    check("devices", have_devices());
    check("time", know_time());
    check("signals", handle_signals());
    fputs("done\n", stderr);
    return failures == 0 ? 0 : 1;
}

// A process with something to lose, for the attacks on others. Says where its secret is, then waits.
int be_victim(void) {
    static volatile char secret[] = "what nobody else may read";
    fprintf(stderr, "%lu\n", (unsigned long)(uintptr_t)secret);
    pause();
    return secret[0] == 0;
}
