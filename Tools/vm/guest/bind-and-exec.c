// SPDX-License-Identifier: Apache-2.0
// What starts the core on a board, in a few lines: opens an adapter's exclusive user channel, which needs CAP_NET_ADMIN, and runs a
// command that inherits it.
//
// Usage: bind-and-exec ADAPTER DESCRIPTOR COMMAND ...
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

// Linux UAPI, include/net/bluetooth/{bluetooth,hci,hci_sock}.h in the kernel tree: no installed header carries them.
enum { FAMILY_BLUETOOTH = 31, PROTOCOL_HCI = 1, CHANNEL_USER = 1 };
#define HCI_DEVICE_DOWN _IOW('H', 202, int)
struct hci_address {
    uint16_t family, device, channel;
};

static int fail(const char *what) {
    perror(what);
    return 1;
}

int main(int count, char **arguments) {
    if (count < 4) {
        fprintf(stderr, "Usage: bind-and-exec ADAPTER DESCRIPTOR COMMAND ...\n");
        return 2;
    }
    struct hci_address address = {FAMILY_BLUETOOTH, (uint16_t)atoi(arguments[1]), CHANNEL_USER};
    int wanted = atoi(arguments[2]);
    int descriptor = socket(FAMILY_BLUETOOTH, SOCK_RAW, PROTOCOL_HCI);
    if (descriptor < 0) return fail("bind-and-exec: socket");
    // The channel is given out only for an adapter that is down.
    if (ioctl(descriptor, HCI_DEVICE_DOWN, (unsigned long)address.device) < 0) return fail("bind-and-exec: down");
    if (bind(descriptor, (const struct sockaddr *)&address, sizeof address) < 0) return fail("bind-and-exec: bind");
    if (descriptor != wanted) {
        if (dup2(descriptor, wanted) < 0) return fail("bind-and-exec: dup2");
        close(descriptor);
    }
    execvp(arguments[3], arguments + 3);
    return fail(arguments[3]);
}
