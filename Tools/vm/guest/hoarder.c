// SPDX-License-Identifier: Apache-2.0
// A plugin that takes as much of the disk as it gets, in ways that nobody sees who lists its folder in time: files that have no name any more,
// holes that are filled through memory, small files, empty ones. It says how much each came to, and why it ended there; then it holds on to
// what it got. As `hider` it takes the same way of the spool, which lies in memory, and as `neighbour` it writes a little, again and again, and
// says when it could not.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONTROL = 3, BLOCK = 4096, FILE_SIZE = 1 << 20, MOST_FILES = 12, MOST_NAMES = 12000 };

static void say(const char *word) { send(CONTROL, word, strlen(word), MSG_NOSIGNAL); }

static void found(const char *what, long count, int error) {
    fprintf(stderr, "notice %s: %ld, then %s\n", what, count, error == 0 ? "no refusal" : strerrorname_np(error));
    say("ALIVE");
}

static int make(const char *format, int number, int flags) {
    char name[64];
    snprintf(name, sizeof name, format, number);
    return open(name, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0600);
}

static int make_nameless(int number) {
    int file = make("nameless-%d", number, 0);
    char name[64];
    snprintf(name, sizeof name, "nameless-%d", number);
    unlink(name);
    return file;
}

// Each file may have a megabyte (RLIMIT_FSIZE), so there are several.
static void take_nameless(int *files) {
    static char block[BLOCK];
    long count = 0;
    int error = 0;
    for (int index = 0; index < MOST_FILES && error == 0; index++) {
        files[index] = make_nameless(index);
        if (files[index] < 0) error = errno;
        for (int part = 0; part < FILE_SIZE / BLOCK && error == 0; part++) {
            ssize_t written = write(files[index], block, sizeof block);
            if (written < 0) error = errno; else count += written;
        }
        say("ALIVE");
    }
    found("bytes without a name", count, error);
}

static void let_go(int *files) {
    for (int index = 0; index < MOST_FILES; index++) {
        if (files[index] >= 0) close(files[index]);
        files[index] = -1;
    }
}

static sigjmp_buf refused;
static void was_refused(int signal) { siglongjmp(refused, signal); }

// A hole that is filled takes its block when the memory is written to: who may have no more gets a signal.
static void fill_holes(int *files) {
    static volatile long count;
    static volatile int error;
    signal(SIGBUS, was_refused);
    for (volatile int index = 0; index < MOST_FILES && error == 0; index++) {
        files[index] = make_nameless(index);
        if (files[index] < 0 || ftruncate(files[index], FILE_SIZE) < 0) {
            error = errno;
            break;
        }
        char *volatile memory = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, files[index], 0);
        if (memory == MAP_FAILED) {
            error = errno;
            break;
        }
        if (sigsetjmp(refused, 1) == 0) {
            for (long place = 0; place < FILE_SIZE; place += BLOCK) {
                memory[place] = 1;
                count += BLOCK;
            }
        } else {
            error = EFAULT;
        }
        msync(memory, FILE_SIZE, MS_SYNC);
        munmap(memory, FILE_SIZE);
        say("ALIVE");
    }
    signal(SIGBUS, SIG_DFL);
    found("bytes in holes", count, error);
}

static void take_small(const char *what, size_t size) {
    long count = 0;
    int error = 0;
    while (count < MOST_NAMES && error == 0) {
        int file = make("small-%d", count, 0);
        if (file < 0 || write(file, "x", size) != (ssize_t)size) error = errno; else count++;
        if (file >= 0) close(file);
        if (count % 500 == 0) say("ALIVE");
    }
    found(what, count, error);
    for (long index = 0; index <= count; index++) {
        char name[64];
        snprintf(name, sizeof name, "small-%ld", index);
        unlink(name);
        if (index % 500 == 0) say("ALIVE");
    }
}

static void write_a_little(int *writes) {
    static char block[32768];
    int file = make("little", 0, O_TRUNC);
    int isDone = file >= 0 && write(file, block, sizeof block) == (ssize_t)sizeof block && fsync(file) == 0;
    if (!isDone) fprintf(stderr, "error cannot write: %s\n", strerror(errno));
    if (file >= 0) close(file);
    if (isDone && ++*writes % 5 == 0) fprintf(stderr, "notice wrote %d times\n", *writes);
}

int main(void) {
    char name[64] = "";
    int files[MOST_FILES], writes = 0;
    memset(files, -1, sizeof files);
    signal(SIGXFSZ, SIG_IGN);
    gethostname(name, sizeof name - 1);
    int isNeighbour = strcmp(name, "neighbour") == 0, isHider = strcmp(name, "hider") == 0;
    if (chdir(getenv(isHider ? "VIGIL_SPOOL" : "VIGIL_STATE")) < 0) return 1;
    say("READY");
    if (isHider) take_nameless(files);
    if (!isNeighbour && !isHider) {
        take_nameless(files);
        let_go(files);
        take_small("small files", 1);
        take_small("empty files", 0);
        fill_holes(files);
        let_go(files);
        take_nameless(files);
        fprintf(stderr, "notice holds on\n");
    }
    for (;;) {
        struct pollfd entry = {.fd = CONTROL, .events = POLLIN};
        if (isNeighbour) write_a_little(&writes);
        if (poll(&entry, 1, 1000) > 0) {
            char packet[4096];
            ssize_t count = recvmsg(CONTROL, &(struct msghdr){.msg_iov = &(struct iovec){packet, sizeof packet}, .msg_iovlen = 1}, 0);
            if (count <= 0 || (count >= 4 && memcmp(packet, "STOP", 4) == 0)) return 0;
        }
        say("ALIVE");
    }
}
