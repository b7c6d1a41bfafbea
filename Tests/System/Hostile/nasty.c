// SPDX-License-Identifier: Apache-2.0
// Everything a plugin can do to the others' time, at once, for the seconds of its settings: one child for each kind.
#define _GNU_SOURCE
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static time_t end;
static bool goes_on(void) { return time(NULL) < end; }

// Calls that are granted and cost something, their answers never read: as many as go in, again and again.
static void call_unread(const char *name) {
    static const char call[] = "{\"method\":\"org.vigil.exposure1.GetStatus\"}", more[] = "{\"method\":\"org.vigil.exposure1.Watch\",\"more\":true}";
    int endpoints[16];
    for (int index = 0; index < 16; index++) {
        endpoints[index] = connect_to(name);
        if (endpoints[index] < 0) continue;
        fcntl(endpoints[index], F_SETFL, O_NONBLOCK);
        for (int said = 0; said < 2000 && say_all(endpoints[index], index % 2 == 0 ? call : more, index % 2 == 0 ? sizeof call : sizeof more);) said++;
    }
    usleep(10000);
    for (int index = 0; index < 16; index++) {
        if (endpoints[index] >= 0) close(endpoints[index]);
    }
}
static void call_without_end(void) { each_socket(call_unread); }

// And read: as fast as the other side can answer.
static void call_read(const char *name) {
    static const char call[] = "{\"method\":\"org.vigil.exposure1.GetStatus\"}";
    static char answer[65536];
    int endpoint = connect_to(name);
    for (int round = 0; endpoint >= 0 && round < 200 && goes_on(); round++) {
        for (int index = 0; index < 16; index++) (void)!send(endpoint, call, sizeof call, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (recv(endpoint, answer, sizeof answer, 0) <= 0) break;
    }
    if (endpoint >= 0) close(endpoint);
}
static void call_and_read(void) { each_socket(call_read); }

// One byte at a time, and giants of which a byte is missing.
static void drip(const char *name) {
    static char block[65000];
    memset(block, '[', sizeof block);
    int endpoint = connect_to(name);
    if (endpoint < 0) return;
    for (int index = 0; index < 500 && goes_on(); index++) (void)!send(endpoint, "{", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    say_all(endpoint, block, sizeof block);
    close(endpoint);
}
static void drip_and_swell(void) {
    each_socket(drip);
    flood("malformed-frames");
}

static void connect_and_leave(const char *name) {
    for (int index = 0; index < 200; index++) {
        int endpoint = connect_to(name);
        if (endpoint >= 0) close(endpoint);
    }
}
static void come_and_go(void) { each_socket(connect_and_leave); }

// In a session of its own, so that a scheduler that shares by sessions gives it a whole share.
static void burn(void) {
    setsid();
    for (volatile unsigned long count = 0;; count++) {
        if (count % (1u << 24) == 0 && !goes_on()) return;
    }
}

static void fork_without_end(void) {
    pid_t child = fork();
    if (child == 0) {
        setsid();
        _exit(0);
    }
    if (child > 0) waitpid(child, NULL, 0);
}

static void churn_memory(void) {
    size_t size = (size_t)setting_number("memory", 24 << 20);
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) {
        usleep(10000);
        return;
    }
    for (size_t at = 0; at < size; at += 4096) ((volatile char *)block)[at] = 1;
    munmap(block, size);
}

// The disk of the vault, kept as busy as it can be within the quota.
static void sync_without_end(void) {
    static char block[1 << 20];
    char path[4096];
    snprintf(path, sizeof path, "%s/busy-%d", own_folder("VIGIL_STATE"), getpid());
    int file = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0640);
    if (file < 0) return;
    for (int index = 0; index < 8 && goes_on(); index++) {
        if (write(file, block, sizeof block) < 0) break;
        fsync(file);
    }
    close(file);
    char other[4200];
    snprintf(other, sizeof other, "%s.renamed", path);
    rename(path, other);
    unlink(other);
}

static void litter(void) {
    char path[4096];
    for (int index = 0; index < 200; index++) {
        snprintf(path, sizeof path, "%s/litter-%d-%d", own_folder("VIGIL_SPOOL"), getpid(), index);
        int file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0640);
        if (file >= 0) close(file);
        unlink(path);
    }
}

// Files that cost whoever looks at them, and change while it does.
static void provide_noise(void) {
    static char block[1 << 20], answer[65537];
    char path[4096], message[256];
    memcpy(block, "PK\3\4", 4);
    snprintf(path, sizeof path, "%s/noise-%d", own_folder("VIGIL_SPOOL"), getpid());
    int file = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0640);
    if (file >= 0) {
        (void)!write(file, block, sizeof block);
        close(file);
    }
    snprintf(message, sizeof message, "{\"method\":\"org.vigil.exposure1.ProvideDiagnosisKeys\",\"parameters\":{\"files\":[\"noise-%d\"]}}", getpid());
    ask("org.vigil.exposure1", message, answer, sizeof answer);
    (void)!truncate(path, 5);
    unlink(path);
    // What is refused because of its number costs little; then the names are swapped instead.
    for (int index = 0; index < 20; index++) {
        (void)!symlink("/proc/self/mem", path);
        unlink(path);
    }
}

static void shout(void) {
    static char line[1000];
    memset(line, 'x', sizeof line);
    line[999] = '\n';
    for (int index = 0; index < 1000; index++) (void)!write(2, line, sizeof line);
}

static void pester_supervisor(void) {
    const char *number = getenv("VIGIL_CONTROL");
    int control = atoi(number == NULL ? "3" : number);
    for (int index = 0; index < 1000; index++) {
        if (send(control, index % 2 == 0 ? "ALIVE" : "RUBBISH\nvalue=1", index % 2 == 0 ? 5 : 15, MSG_NOSIGNAL) < 0) usleep(1000);
    }
}

static void pester_proxy(void) {
    if (getenv("VIGIL_SOCKS") == NULL) sleep(1);
    reach_targets(false);
}

static const struct {
    const char *name;
    void (*run)(void);
    int count;
} kinds[] = {
    {"call", call_without_end, 2}, {"read", call_and_read, 2}, {"drip", drip_and_swell, 1}, {"come", come_and_go, 1},
    {"burn", burn, 4},             {"fork", fork_without_end, 1}, {"memory", churn_memory, 1}, {"sync", sync_without_end, 2},
    {"litter", litter, 1},         {"provide", provide_noise, 1}, {"shout", shout, 1},         {"pester", pester_supervisor, 1},
    {"proxy", pester_proxy, 1},
};

static bool is_wanted(const char *name) {
    char kind[64];
    bool is_any = false;
    for (int index = 0; setting("kinds", index, kind, sizeof kind); index++) {
        is_any = true;
        if (strcmp(kind, name) == 0) return true;
    }
    return !is_any;
}

void act_nasty(void) {
    end = time(NULL) + setting_number("seconds", 10);
    int count = 0, failed = 0;
    for (size_t index = 0; index < sizeof kinds / sizeof kinds[0]; index++) {
        for (int each = 0; is_wanted(kinds[index].name) && each < kinds[index].count; each++) {
            pid_t child = fork();
            if (child == 0) {
                // What it says of single rounds is of no interest.
                is_plugin = strcmp(kinds[index].name, "shout") == 0;
                if (!is_plugin) {
                    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
                    dup2(nothing, 2);
                }
                // Killed for using too much, it is started again by its parent, the same as all others.
                while (goes_on()) kinds[index].run();
                _exit(0);
            }
            if (child < 0) failed++;
            else count++;
        }
    }
    note("nasty: %d children, %d not to be had", count, failed);
    while (goes_on()) {
        sleep(1);
        while (waitpid(-1, NULL, WNOHANG) > 0) {}
    }
    signal(SIGTERM, SIG_IGN);
    kill(0, SIGTERM);
}
