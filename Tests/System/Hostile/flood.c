// SPDX-License-Identifier: Apache-2.0
// Misbehaviour towards the core and the supervisor, against every socket in VIGIL_RUN. Ends by itself after a bounded
// number of rounds; what the other side answers, and whether it still serves everybody else, the test looks at.
#define _GNU_SOURCE
#include "hostile.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { CALLS = 20000, CONNECTIONS = 40, GIANT = 4 << 20 };

int connect_to(const char *name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path, sizeof address.sun_path, "%s/%s",
                          getenv("VIGIL_RUN") == NULL ? "" : getenv("VIGIL_RUN"), name);
    if (length < 0 || (size_t)length >= sizeof address.sun_path) return -1;
    int endpoint = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval timeout = {.tv_sec = 2};
    setsockopt(endpoint, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    setsockopt(endpoint, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    if (connect(endpoint, (const struct sockaddr *)&address, sizeof address) == 0) return endpoint;
    close(endpoint);
    return -1;
}

bool say_all(int endpoint, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t count = send(endpoint, bytes, length, MSG_NOSIGNAL);
        if (count <= 0) return false;
        bytes += count;
        length -= (size_t)count;
    }
    return true;
}

static long flood_calls(const char *name) {
    static const char call[] = "{\"method\":\"org.varlink.service.GetInfo\"}";
    long said = 0;
    int endpoint = connect_to(name);
    // The zero byte at the end belongs to the message. Answers are not read: the other side must not keep them for ever.
    while (said < CALLS && say_all(endpoint, call, sizeof call)) said++;
    close(endpoint);
    return said;
}

static long giant_frame(const char *name) {
    static char block[65536];
    memset(block, ' ', sizeof block);
    int endpoint = connect_to(name);
    long said = 0;
    while (said < GIANT && say_all(endpoint, block, sizeof block)) said += (long)sizeof block;
    close(endpoint);
    return said;
}

static long malformed_frames(const char *name) {
    static const struct {
        const char *bytes;
        size_t length;
    } frames[] = {
#define FRAME(text) {text, sizeof text}
        FRAME(""),
        FRAME("{"),
        FRAME("[]"),
        FRAME("null"),
        FRAME("{\"method\":1}"),
        FRAME("{\"method\":\"a\",\"method\":\"b\"}"),
        FRAME("{\"method\":\"\\ud800\"}"),
        FRAME("{\"method\":\"org.varlink.service.GetInfo\",\"parameters\":[]}"),
        FRAME("{\"method\":\"org.varlink.service.GetInfo\",\"upgrade\":true}"),
        FRAME("\xff\xfe\xfd"),
        FRAME("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["),
        FRAME("{\"method\":\"x.y.Z\"}garbage"),
        FRAME("1e999999"),
        FRAME("{\"method\":\"org.varlink.service.GetInfo\",\"more\":\"yes\"}"),
#undef FRAME
    };
    long said = 0;
    for (size_t index = 0; index < sizeof frames / sizeof frames[0]; index++) {
        int endpoint = connect_to(name);
        char answer[4096];
        if (endpoint >= 0 && say_all(endpoint, frames[index].bytes, frames[index].length)) {
            said++;
            (void)!recv(endpoint, answer, sizeof answer, 0);
        }
        if (endpoint >= 0) close(endpoint);
    }
    return said;
}

// Connections that are opened and never used, half of them with half a message.
static long never_answer(const char *name) {
    long count = 0;
    for (; count < CONNECTIONS; count++) {
        int endpoint = connect_to(name);
        if (endpoint < 0) break;
        if (count % 2 == 0) say_all(endpoint, "{\"method\":", 10);
    }
    return count;
}

// On a board the folder is not the plugin's to list: it has to know the names.
static const char *const interfaces[] = {"org.vigil.exposure1", "org.vigil.device1", "org.vigil.release1", "org.vigil.time1",
                                         "org.vigil.egress1",   "org.vigil.sync1",   "org.vigil.wake1",    "org.vigil.checkin1"};

void each_socket(void (*act)(const char *name)) {
    DIR *folder = opendir(getenv("VIGIL_RUN") == NULL ? "/run/vigil" : getenv("VIGIL_RUN"));
    for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (entry->d_type == DT_SOCK) act(entry->d_name);
    }
    if (folder != NULL) {
        closedir(folder);
        return;
    }
    for (size_t index = 0; index < sizeof interfaces / sizeof interfaces[0]; index++) {
        int endpoint = connect_to(interfaces[index]);
        if (endpoint < 0) continue;
        close(endpoint);
        act(interfaces[index]);
    }
}

static const char *kind_of_flood;

static void flood_one(const char *name) {
    long said = strcmp(kind_of_flood, "flood-calls") == 0        ? flood_calls(name)
                : strcmp(kind_of_flood, "giant-frames") == 0     ? giant_frame(name)
                : strcmp(kind_of_flood, "malformed-frames") == 0 ? malformed_frames(name)
                                                                 : never_answer(name);
    tell("%s %s: %ld", kind_of_flood, name, said);
}

int flood(const char *kind) {
    kind_of_flood = kind;
    each_socket(flood_one);
    if (!is_plugin) fputs("done\n", stderr);
    if (strcmp(kind, "never-answer") == 0) pause();
    return 0;
}
