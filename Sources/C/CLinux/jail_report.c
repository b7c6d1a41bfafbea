// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

int64_t vigil_jail_receive(int report, char *into, uint64_t size, int ret_descriptors[2], int *ret_count) {
    struct iovec part = {into, size};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(2 * sizeof(int))];
    } ancillary;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &ancillary, .msg_controllen = sizeof ancillary};
    *ret_count = 0;
    ssize_t count;
    do count = recvmsg(report, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    while (count < 0 && errno == EINTR);
    if (count < 0) return -errno;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t bytes = header->cmsg_len - CMSG_LEN(0);
        memcpy(ret_descriptors, CMSG_DATA(header), bytes);
        *ret_count = (int)(bytes / sizeof(int));
    }
    if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0) return count;
    for (int index = 0; index < *ret_count; index++) close(ret_descriptors[index]);
    *ret_count = 0;
    return -EMSGSIZE;
}

int vigil_denial_take(int listener, struct vigil_denial *ret_denial) {
    struct pollfd readable = {.fd = listener, .events = POLLIN};
    if (poll(&readable, 1, 0) <= 0) return 0;
    if ((readable.revents & POLLIN) == 0) return -EPIPE;
    struct seccomp_notif request;
    memset(&request, 0, sizeof request);
    // Gone in between: whoever made the call was killed.
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) < 0) return errno == ENOENT || errno == EINTR ? 0 : -errno;
    struct seccomp_notif_resp response = {.id = request.id, .error = -EPERM};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response) < 0 && errno != ENOENT) return -errno;
    ret_denial->process = (int)request.pid;
    ret_denial->number = request.data.nr;
    memcpy(ret_denial->arguments, request.data.args, sizeof ret_denial->arguments);
    return 1;
}
