// SPDX-License-Identifier: Apache-2.0
#ifndef VIGIL_CGPIO_H
#define VIGIL_CGPIO_H

#include <stdint.h>

// Lines of a GPIO controller, over the kernel's character device. Numbers and structures are macros and unions in linux/gpio.h.

/// Most lines that are asked for at once.
#define VIGIL_LINES_MOST 16
enum { VIGIL_BIAS_NONE = 0, VIGIL_BIAS_UP = 1, VIGIL_BIAS_DOWN = 2 };
struct vigil_line {
    uint32_t offset;
    int is_active_low;
    /// For a button's line only.
    int bias;
};
struct vigil_line_edge {
    /// Active as the line was asked for: 1 is pressed, whatever the voltage.
    int is_active;
    /// Nanoseconds since it happened.
    uint64_t age;
};
/// What a chip says of itself; both names end with a zero byte. 0 or a negative errno.
int vigil_chip_info(int chip, char name[32], char label[32], uint32_t *ret_lines);
/// Asks for lines of an open chip: all as outputs that are off, or one as a button's. A descriptor that reaches these lines and no others,
/// non-blocking and closed on exec; -EBUSY when somebody has one of them.
int vigil_lines_request(int chip, const struct vigil_line *lines, uint32_t count, int is_button);
/// Sets those of `mask`, by their place in the request. 0 or a negative errno.
int vigil_lines_set(int descriptor, uint64_t bits, uint64_t mask);
int vigil_lines_get(int descriptor, uint64_t mask, uint64_t *ret_bits);
/// The next edge: 1; or a negative errno: -EAGAIN when there is none, -EPIPE at the end, -EPROTO when it is none of the kernel's.
int vigil_lines_next_edge(int descriptor, struct vigil_line_edge *ret);

#endif
