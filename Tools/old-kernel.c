// SPDX-License-Identifier: Apache-2.0
//
// Runs a command as on a kernel before Linux 6.16, in which no socket can refuse passed descriptors: SO_PASSRIGHTS is an option that nobody knows.
// Boards have such kernels (Debian 13: 6.12), and machines of developers have newer ones, on which the other way is never taken.
//
// Usage: old-kernel COMMAND [ARGUMENT ...]
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// include/uapi/asm-generic/socket.h, since Linux 6.16.
#define PASS_RIGHTS 83

int main(int count, char **words) {
    if (count < 2) {
        fprintf(stderr, "usage: old-kernel COMMAND [ARGUMENT ...]\n");
        return 64;
    }
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int calls[] = {SCMP_SYS(setsockopt), SCMP_SYS(getsockopt)};
    int failed = filter == NULL;
    for (int index = 0; index < 2 && !failed; index++)
        failed = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOPROTOOPT), calls[index], 2, SCMP_A1(SCMP_CMP_EQ, SOL_SOCKET),
                                  SCMP_A2(SCMP_CMP_EQ, PASS_RIGHTS)) != 0;
    // Programs that gain privileges are to be able to: they are what is tested.
    if (!failed) seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0);
    if (failed || seccomp_load(filter) != 0) {
        fprintf(stderr, "old-kernel: the filter cannot be loaded; run this as root\n");
        return 1;
    }
    seccomp_release(filter);
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0), value = 0;
    socklen_t length = sizeof value;
    if (getsockopt(descriptor, SOL_SOCKET, PASS_RIGHTS, &value, &length) == 0 || errno != ENOPROTOOPT) {
        fprintf(stderr, "old-kernel: the kernel still knows the option\n");
        return 1;
    }
    close(descriptor);
    execvp(words[1], words + 1);
    fprintf(stderr, "old-kernel: %s: %s\n", words[1], strerror(errno));
    return 127;
}
