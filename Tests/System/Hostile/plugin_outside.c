// SPDX-License-Identifier: Apache-2.0
// The way out, asked for where it was not granted: private addresses in every spelling, other ports, other commands of SOCKS5
// (RFC 1928), and noise.
#define _GNU_SOURCE
#include "hostile.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static int proxy(void) {
    const char *place = getenv("VIGIL_SOCKS");
    if (place == NULL) return -1;
    const char *colon = strrchr(place, ':');
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)(colon == NULL ? 1080 : atoi(colon + 1))),
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int endpoint = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval timeout = {.tv_sec = 5};
    setsockopt(endpoint, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    setsockopt(endpoint, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    if (connect(endpoint, (const struct sockaddr *)&address, sizeof address) == 0) return endpoint;
    close(endpoint);
    return -1;
}

// The proxy's answer to one request; 0 is a connection, -1 none at all.
static int request(unsigned char command, const char *host, long port) {
    int endpoint = proxy();
    if (endpoint < 0) return -1;
    unsigned char hello[] = {5, 1, 0}, answer[512], message[300] = {5, command, 0};
    size_t length = 3;
    struct in_addr four;
    struct in6_addr six;
    if (inet_pton(AF_INET, host, &four) == 1) {
        message[length++] = 1;
        memcpy(message + length, &four, 4);
        length += 4;
    } else if (inet_pton(AF_INET6, host, &six) == 1) {
        message[length++] = 4;
        memcpy(message + length, &six, 16);
        length += 16;
    } else {
        message[length++] = 3;
        message[length++] = (unsigned char)strlen(host);
        memcpy(message + length, host, strlen(host));
        length += strlen(host);
    }
    message[length++] = (unsigned char)(port >> 8);
    message[length++] = (unsigned char)port;
    int reply = -1;
    if (send(endpoint, hello, sizeof hello, MSG_NOSIGNAL) == (ssize_t)sizeof hello && recv(endpoint, answer, 2, MSG_WAITALL) == 2 &&
        answer[1] == 0 && send(endpoint, message, length, MSG_NOSIGNAL) == (ssize_t)length &&
        recv(endpoint, answer, 4, MSG_WAITALL) == 4) {
        reply = answer[1];
    }
    close(endpoint);
    return reply;
}

long reach_targets(bool is_told) {
    char target[300];
    long reached = 0;
    for (int index = 0; setting("targets", index, target, sizeof target - 1); index++) {
        char whole[300];
        snprintf(whole, sizeof whole, "%s", target);
        char *colon = strrchr(target, ':');
        if (colon == NULL) continue;
        *colon = 0;
        char *host = target;
        if (host[0] == '[') {
            host++;
            host[strlen(host) - 1] = 0;
        }
        int reply = request(1, host, atol(colon + 1));
        if (reply == 0) reached++;
        if (is_told) tell("outside %s: %s (reply %d)", whole, reply == 0 ? "GAINED" : reply < 0 ? "UNANSWERED" : "refused", reply);
    }
    return reached;
}

void act_outside(void) {
    char target[300] = "127.0.0.1:80";
    reach_targets(true);
    setting("targets", 0, target, sizeof target);
    long port = atol(strrchr(target, ':') == NULL ? "80" : strrchr(target, ':') + 1);
    int bind_reply = request(2, "127.0.0.1", port), datagram_reply = request(3, "127.0.0.1", port);
    tell("outside bind: %s (reply %d)", bind_reply == 0 ? "GAINED" : "refused", bind_reply);
    tell("outside datagrams: %s (reply %d)", datagram_reply == 0 ? "GAINED" : "refused", datagram_reply);
    // Whoever has no need to say anything holds connections, and whoever does says nonsense.
    static int held[400];
    int count = 0;
    while (count < 200 && (held[count] = proxy()) >= 0) count++;
    for (int index = 0; index < count; index++) (void)!send(held[index], "\5\377\0\1", 4, MSG_NOSIGNAL | MSG_DONTWAIT);
    tell("outside held: %d connections to the proxy", count);
    for (int index = 0; index < count; index++) close(held[index]);
}
