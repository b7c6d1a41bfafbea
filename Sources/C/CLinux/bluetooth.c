// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

// Linux UAPI, include/net/bluetooth/{bluetooth,hci,hci_sock}.h in the kernel tree: no installed header carries them.
enum { FAMILY_BLUETOOTH = 31, PROTOCOL_HCI = 1, CHANNEL_USER = 1 };
#define HCI_DEVICE_DOWN _IOW('H', 202, int)
struct hci_address {
    uint16_t family, device, channel;
};

int vigil_hci_down(uint16_t index) {
    int descriptor = socket(FAMILY_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC, PROTOCOL_HCI);
    if (descriptor < 0) return -errno;
    int result = ioctl(descriptor, HCI_DEVICE_DOWN, (unsigned long)index) < 0 ? -errno : 0;
    close(descriptor);
    return result;
}

int vigil_hci_open_user_channel(uint16_t index) {
    int descriptor = socket(FAMILY_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, PROTOCOL_HCI);
    if (descriptor < 0) return -errno;
    struct hci_address address = {FAMILY_BLUETOOTH, index, CHANNEL_USER};
    if (bind(descriptor, (const struct sockaddr *)&address, sizeof address) < 0) {
        int error = errno;
        close(descriptor);
        return -error;
    }
    return descriptor;
}

int vigil_hci_is_user_channel(int descriptor) {
    struct hci_address address;
    memset(&address, 0, sizeof address);
    socklen_t length = sizeof address;
    if (getsockname(descriptor, (struct sockaddr *)&address, &length) < 0) return -errno;
    return length >= sizeof address && address.family == FAMILY_BLUETOOTH && address.channel == CHANNEL_USER;
}
