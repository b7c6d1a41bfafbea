// SPDX-License-Identifier: Apache-2.0
// What a plugin does to the board's memory, disks, processes, log and supervisor. Here nothing is given back: its end has to do that.
// Who is refused tries again a little later: so an attack lasts, and does not spend its share of processor on being refused.
#define _GNU_SOURCE
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MEGABYTE = 1 << 20, BOMB_SECONDS = 5, FILL_SECONDS = 60, KEPT_MEGABYTES = 64, LOG_LINES = 2000, PACKETS = 50000, DESCRIPTORS = 64 };

static bool is_before(time_t end) { return time(NULL) < end; }

void act_attacks(void) { try_named("all"); }

static void multiply(time_t end) {
    while (is_before(end)) {
        if (fork() < 0) usleep(1000);
    }
    _exit(0);
}

void act_fork_bomb(void) {
    time_t end = time(NULL) + BOMB_SECONDS;
    int error = 0;
    long count = 0;
    while (is_before(end)) {
        pid_t child = fork();
        if (child == 0) multiply(end);
        if (child < 0) {
            error = errno;
            usleep(1000);
        } else {
            count++;
        }
    }
    tell("fork-bomb: %s (%ld children of its own, then: %s)", error != 0 ? "refused" : "GAINED", count, strerror(error));
}

void act_memory(void) {
    long megabytes = 0;
    for (; megabytes < 1024; megabytes++) {
        void *block = mmap(NULL, MEGABYTE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED) break;
        memset(block, 1, MEGABYTE);
    }
    tell("memory: %s (%ld MiB, then: %s)", megabytes < 1024 ? "refused" : "GAINED", megabytes, strerror(errno));
    // What is shared counts as nobody's until somebody measures it.
    long shared = 0;
    for (; shared < 1024; shared++) {
        void *block = mmap(NULL, MEGABYTE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED) break;
        memset(block, 1, MEGABYTE);
    }
    tell("shared-memory: %s (%ld MiB, then: %s)", shared < 1024 ? "refused" : "GAINED", shared, strerror(errno));
}

// Until somebody ends it or a minute is over; how much it got is said as it goes.
static void fill(const char *name, const char *folder) {
    static char block[MEGABYTE];
    char path[4096];
    signal(SIGXFSZ, SIG_IGN);
    time_t end = time(NULL) + FILL_SECONDS;
    long megabytes = 0;
    int number = 0, file = -1, error = 0;
    while (is_before(end)) {
        if (file < 0) {
            snprintf(path, sizeof path, "%s/filled-%d", folder, number++);
            file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0640);
        }
        ssize_t count = file < 0 ? -1 : write(file, block, sizeof block);
        if (count > 0) {
            megabytes++;
            if (megabytes % 64 == 0) note("%s: %ld MiB", name, megabytes);
            continue;
        }
        error = errno;
        if (file >= 0) close(file);
        file = -1;
        if (error != EFBIG) usleep(20000);
    }
    // Where the kernel keeps a folder's size nobody has to end it: it got its share, and then nothing for a minute. Of a disk that it shares it would
    // have got more before that one was full.
    int is_kept = (error == ENOSPC || error == EDQUOT) && megabytes <= KEPT_MEGABYTES;
    tell("%s: %s (a minute, %ld MiB, last: %s)", name, is_kept ? "refused" : "GAINED", megabytes, strerror(error));
}

void act_fill_state(void) { fill("fill-state", own_folder("VIGIL_STATE")); }
void act_fill_spool(void) { fill("fill-spool", own_folder("VIGIL_SPOOL")); }

// Files without a name belong to nobody that lists folders, and take their room all the same.
static void hide(const char *name, const char *folder) {
    static char block[MEGABYTE];
    char path[4096];
    long megabytes = 0;
    int error = 0, files = 0;
    time_t end = time(NULL) + FILL_SECONDS;
    signal(SIGXFSZ, SIG_IGN);
    snprintf(path, sizeof path, "%s/hidden", folder);
    // What is held here is given back when it ends, so it stays.
    while (is_before(end)) {
        int file = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0640);
        unlink(path);
        if (file < 0) {
            error = errno;
            usleep(100000);
            continue;
        }
        files++;
        ssize_t count;
        while ((count = write(file, block, sizeof block)) > 0) {
            megabytes += count >> 20;
            if (megabytes % 64 == 0) note("%s: %ld MiB", name, megabytes);
            if (megabytes >= 2048) {
                tell("%s: GAINED (%ld MiB in %d files)", name, megabytes, files);
                return;
            }
        }
        error = errno;
        if (error == ENOSPC) usleep(100000);
    }
    tell("%s: GAINED (a minute, %ld MiB in %d files, last: %s)", name, megabytes, files, strerror(error));
}

void act_fill_hidden(void) { hide("fill-hidden", own_folder("VIGIL_STATE")); }
void act_hide_spool(void) { hide("hide-spool", own_folder("VIGIL_SPOOL")); }

void act_flood_log(void) {
    static char line[4000];
    memset(line, 'x', sizeof line - 1);
    for (int index = 0; index < LOG_LINES; index++) {
        // Lines of others, ends of lines, and what moves a terminal's cursor.
        (void)!write(2, "\ncore: the beacon is off\x1b[2J\r\n", 31);
        (void)!write(2, line, sizeof line);
    }
    tell("flood-log: %d lines", 2 * LOG_LINES);
}

void act_flood_supervisor(void) {
    static const char *const words[] = {"READY", "ALIVE", "IDLE\nafter=-1", "ON-AIR\nseconds=999999", "RADIO-LOST", "START", "STOP", "",
                                        "\n\n\n=\n", "SOCKS\ncaller=sync\nallow=127.0.0.1:1!", "EDGE\ncaller=ctl\ngrants=*"};
    static char giant[200000];
    memset(giant, 'R', sizeof giant);
    const char *number = getenv("VIGIL_CONTROL");
    int control = atoi(number == NULL ? "3" : number);
    // Each message with as many descriptors as go into one: whoever does not close them runs out.
    char room[CMSG_SPACE(sizeof(int) * DESCRIPTORS)];
    long sent = 0, refused = 0;
    time_t end = time(NULL) + BOMB_SECONDS;
    for (int index = 0; index < PACKETS && is_before(end); index++) {
        size_t kind = (size_t)index % (sizeof words / sizeof words[0] + 1);
        bool is_giant = kind == sizeof words / sizeof words[0];
        struct iovec piece = {(void *)(is_giant ? giant : words[kind]), is_giant ? sizeof giant : strlen(words[kind])};
        struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
        struct cmsghdr *beside = CMSG_FIRSTHDR(&message);
        beside->cmsg_level = SOL_SOCKET;
        beside->cmsg_type = SCM_RIGHTS;
        beside->cmsg_len = CMSG_LEN(sizeof(int) * DESCRIPTORS);
        for (int slot = 0; slot < DESCRIPTORS; slot++) ((int *)(void *)CMSG_DATA(beside))[slot] = 2;
        // An empty packet would be an end.
        if (piece.iov_len == 0) piece.iov_len = 1;
        if (sendmsg(control, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
            refused++;
            usleep(100);
        } else {
            sent++;
        }
    }
    tell("flood-supervisor: %ld messages sent, %ld not taken", sent, refused);
}

// No sign of life, and no answer, and nobody may hurry it.
void act_stop_itself(void) {
    kill(getppid(), SIGUSR2);
    for (int index = 0; index < 600; index++) usleep(100000);
}

void act_lose_arguments(void) {
    kill(getppid(), SIGUSR1);
    sleep(2);
}
