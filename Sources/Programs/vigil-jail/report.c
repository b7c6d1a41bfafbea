// SPDX-License-Identifier: Apache-2.0
// The listeners, if there are any, as one packet, and then what became of each primitive as another. The other end reads it when it likes; nothing here waits for it.
#define _GNU_SOURCE
#include "jail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

struct situation situation = {.report = REPORT, .socks_listener = -1, .denial_listener = -1};

enum { MOST_LINES = 48 };
static struct line {
    const char *name;
    char level[40];
    enum state state;
    char reason[200];
} lines[MOST_LINES];
static int line_count;

const char *because(int error) {
    const char *text = strerrordesc_np(error);
    return text != NULL ? text : "unknown error";
}

static void clean(char *text) {
    for (; *text != 0; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f) *text = '?';
    }
}

void report(const char *name, const char *level, enum state state, const char *reason, ...) {
    // A later word on the same primitive replaces the earlier: applied becomes verified, or failed.
    struct line *line = NULL;
    for (int index = 0; index < line_count && line == NULL; index++) {
        if (strcmp(lines[index].name, name) == 0) line = &lines[index];
    }
    if (line == NULL) {
        if (line_count == MOST_LINES) return;
        line = &lines[line_count++];
        line->name = name;
    } else if (line->state == STATE_FAILED) {
        return;
    }
    if (level != NULL) snprintf(line->level, sizeof line->level, "%s", level);
    if (line->level[0] == 0) line->level[0] = '-';
    line->state = state;
    va_list values;
    va_start(values, reason);
    vsnprintf(line->reason, sizeof line->reason, reason, values);
    va_end(values);
    clean(line->level);
    clean(line->reason);
}

static void send_packet(const char *packet, size_t length, const int *descriptors, int count) {
    struct iovec part = {(void *)packet, length};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(2 * sizeof(int))];
    } ancillary;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        memset(&ancillary, 0, sizeof ancillary);
        message.msg_control = &ancillary;
        message.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
        memcpy(CMSG_DATA(header), descriptors, (size_t)count * sizeof(int));
    }
    ssize_t sent;
    do sent = sendmsg(situation.report, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    // Nobody will ever know what holds: then nothing is started.
    if (sent != (ssize_t)length) _exit(STATUS_REPORT);
}

static const char *refusal(void) {
    static char text[300];
    for (int index = 0; index < line_count; index++) {
        if (lines[index].state != STATE_FAILED) continue;
        snprintf(text, sizeof text, "%s does not hold: %s", lines[index].name, lines[index].reason);
        return text;
    }
    for (int wanted = 0; wanted < plan.required_count; wanted++) {
        const struct line *found = NULL;
        for (int index = 0; index < line_count; index++) {
            if (strcmp(lines[index].name, plan.required[wanted]) == 0) found = &lines[index];
        }
        if (found != NULL && found->state != STATE_MISSING) continue;
        snprintf(text, sizeof text, "%s is required and missing: %s", plan.required[wanted],
                 found == NULL ? "the plan does not ask for it" : found->reason);
        return text;
    }
    return NULL;
}

void send_listeners(void) {
    static const char packet[] = "vigil-listeners\n";
    const int listeners[] = {situation.socks_listener, situation.denial_listener};
    int descriptors[2], count = 0;
    for (int index = 0; index < 2; index++) {
        if (listeners[index] >= 0) descriptors[count++] = listeners[index];
    }
    if (count == 0) return;
    // What processes of this user have left in flight counts against the limit of open files, also after their end.
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    send_packet(packet, sizeof packet - 1, descriptors, count);
    for (int index = 0; index < count; index++) close(descriptors[index]);
}

bool report_send(void) {
    static const char *const states[] = {"verified", "applied", "missing", "failed"};
    static char packet[REPORT_SIZE];
    size_t length = (size_t)snprintf(packet, sizeof packet, "vigil-report\t1\n");
    for (int index = 0; index < line_count; index++) {
        const struct line *line = &lines[index];
        length += (size_t)snprintf(packet + length, sizeof packet - length, "primitive\t%s\t%s\t%s\t%s\n", line->name,
                                   line->level, states[line->state], line->reason);
    }
    if (situation.socks_listener >= 0) length += (size_t)snprintf(packet + length, sizeof packet - length, "descriptor\tsocks\n");
    if (situation.denial_listener >= 0) length += (size_t)snprintf(packet + length, sizeof packet - length, "descriptor\tdenials\n");
    const char *refused = refusal();
    if (refused != NULL) length += (size_t)snprintf(packet + length, sizeof packet - length, "refused\t%s\n", refused);
    length += (size_t)snprintf(packet + length, sizeof packet - length, "end\n");
    // 48 lines of at most 270 bytes fit; this guards the arithmetic above against a later change.
    if (length >= sizeof packet) _exit(STATUS_REPORT);
    send_packet(packet, length, NULL, 0);
    return refused == NULL;
}

void report_refusal(const char *reason) {
    char packet[400];
    int length = snprintf(packet, sizeof packet, "vigil-report\t1\nrefused\t%s\nend\n", reason);
    send_packet(packet, (size_t)length, NULL, 0);
}

void report_exec_failure(int error) {
    char packet[100];
    int length = snprintf(packet, sizeof packet, "vigil-exec\t%d\n", error);
    send_packet(packet, (size_t)length, NULL, 0);
}
