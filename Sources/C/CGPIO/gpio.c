// SPDX-License-Identifier: Apache-2.0
// The kernel's character device for lines, version 2 of its interface (linux/gpio.h, since 5.10). Swift imports neither the ioctl numbers
// (computed macros) nor unions of attributes.
#define _GNU_SOURCE
#include "CGPIO.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

_Static_assert(VIGIL_LINES_MOST <= GPIO_V2_LINES_MAX, "more lines than the kernel takes at once");

int vigil_chip_info(int chip, char name[32], char label[32], uint32_t *ret_lines) {
    struct gpiochip_info info;
    memset(&info, 0, sizeof info);
    if (ioctl(chip, GPIO_GET_CHIPINFO_IOCTL, &info) < 0) return -errno;
    memcpy(name, info.name, 32);
    memcpy(label, info.label, 32);
    name[31] = label[31] = 0;
    *ret_lines = info.lines;
    return 0;
}

int vigil_lines_request(int chip, const struct vigil_line *lines, uint32_t count, int is_button) {
    if (count == 0 || count > VIGIL_LINES_MOST) return -EINVAL;
    struct gpio_v2_line_request request;
    memset(&request, 0, sizeof request);
    // The lines of each bias, active high and active low.
    uint64_t groups[3][2] = {{0}};
    for (uint32_t index = 0; index < count; index++) {
        const int wanted = is_button ? lines[index].bias : VIGIL_BIAS_NONE;
        const int bias = wanted == VIGIL_BIAS_UP || wanted == VIGIL_BIAS_DOWN ? wanted : VIGIL_BIAS_NONE;
        request.offsets[index] = lines[index].offset;
        groups[bias][lines[index].is_active_low != 0] |= UINT64_C(1) << index;
    }
    strcpy(request.consumer, "vigil");
    request.num_lines = count;
    const uint64_t flags =
        is_button ? GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_EDGE_FALLING
                  : GPIO_V2_LINE_FLAG_OUTPUT;
    static const uint64_t biases[3] = {
        [VIGIL_BIAS_NONE] = 0, [VIGIL_BIAS_UP] = GPIO_V2_LINE_FLAG_BIAS_PULL_UP, [VIGIL_BIAS_DOWN] = GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN};
    request.config.flags = flags;
    for (int bias = 0; bias < 3; bias++) {
        for (int low = 0; low < 2; low++) {
            if (groups[bias][low] == 0 || (bias == VIGIL_BIAS_NONE && !low)) continue;
            struct gpio_v2_line_config_attribute *group = &request.config.attrs[request.config.num_attrs++];
            group->attr.id = GPIO_V2_LINE_ATTR_ID_FLAGS;
            group->attr.flags = flags | biases[bias] | (low ? GPIO_V2_LINE_FLAG_ACTIVE_LOW : 0);
            group->mask = groups[bias][low];
        }
    }
    if (!is_button) {
        // Dark and silent from the first moment.
        struct gpio_v2_line_config_attribute *values = &request.config.attrs[request.config.num_attrs++];
        values->attr.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES;
        values->attr.values = 0;
        values->mask = count == 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
    }
    if (ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) < 0) return -errno;
    if (fcntl(request.fd, F_SETFD, FD_CLOEXEC) < 0 || fcntl(request.fd, F_SETFL, O_NONBLOCK) < 0) {
        int error = errno;
        close(request.fd);
        return -error;
    }
    return request.fd;
}

int vigil_lines_set(int descriptor, uint64_t bits, uint64_t mask) {
    struct gpio_v2_line_values values = {.bits = bits, .mask = mask};
    return ioctl(descriptor, GPIO_V2_LINE_SET_VALUES_IOCTL, &values) < 0 ? -errno : 0;
}

int vigil_lines_get(int descriptor, uint64_t mask, uint64_t *ret_bits) {
    struct gpio_v2_line_values values = {.bits = 0, .mask = mask};
    if (ioctl(descriptor, GPIO_V2_LINE_GET_VALUES_IOCTL, &values) < 0) return -errno;
    *ret_bits = values.bits;
    return 0;
}

int vigil_lines_next_edge(int descriptor, struct vigil_line_edge *ret) {
    struct gpio_v2_line_event event;
    ssize_t count;
    do count = read(descriptor, &event, sizeof event);
    while (count < 0 && errno == EINTR);
    if (count < 0) return -errno;
    if (count == 0) return -EPIPE;
    if (count != (ssize_t)sizeof event) return -EPROTO;
    if (event.id != GPIO_V2_LINE_EVENT_RISING_EDGE && event.id != GPIO_V2_LINE_EVENT_FALLING_EDGE) return -EPROTO;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t moment = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    ret->is_active = event.id == GPIO_V2_LINE_EVENT_RISING_EDGE;
    // An edge from the future is one of now: nothing that is computed from it may run backwards.
    ret->age = event.timestamp_ns < moment ? moment - event.timestamp_ns : 0;
    return 1;
}
