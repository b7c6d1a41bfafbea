// SPDX-License-Identifier: Apache-2.0
#ifndef VIGIL_CGPIO_H
#define VIGIL_CGPIO_H

#include <stdint.h>

// Lines of a GPIO controller, over the kernel's character device. Numbers and structures are macros and unions in linux/gpio.h.

/// Most lines that are asked for at once: our own bound; the kernel takes GPIO_V2_LINES_MAX (64).
#define VIGIL_LINES_MOST 16
/// The resistor that holds a button's line while it is open: none asked for (as the board has it), to the supply, to ground.
enum { VIGIL_BIAS_NONE = 0, VIGIL_BIAS_UP = 1, VIGIL_BIAS_DOWN = 2 };
/// One line that is asked for.
struct vigil_line {
    /// Number of the line at its chip, from 0.
    uint32_t offset;
    /// Not 0: the line is active at low voltage.
    int is_active_low;
    /// One of VIGIL_BIAS_; any other number is as none. For a button only.
    int bias;
};
/// One change of a button's line.
struct vigil_line_edge {
    /// 1 when the line became active (pressed, whatever the voltage), 0 when it became inactive.
    int is_active;
    /// Nanoseconds since it happened; 0 for a time that has not come yet.
    uint64_t age;
};
/// Asks an open chip for its name, its label and the number of its lines; both names end with a zero byte, and are cut after 31. 0 or a negative
/// errno; then nothing is stored.
int vigil_chip_info(int chip, char name[32], char label[32], uint32_t *ret_lines);
/// Asks for `count` lines of an open chip, 1 to VIGIL_LINES_MOST: all as outputs that are off, or (`is_button` is not 0) all as a button's,
/// whose edges are reported. Returns a descriptor that reaches these lines and no others, non-blocking and closed on exec, the caller's to
/// close; or a negative errno: -EINVAL for another count, -EBUSY when somebody has one of the lines.
int vigil_lines_request(int chip, const struct vigil_line *lines, uint32_t count, int is_button);
/// Sets the lines of `mask` to `bits`, 1 is active; bit n is the line at place n of the request. For outputs only. 0 or a negative errno.
int vigil_lines_set(int descriptor, uint64_t bits, uint64_t mask);
/// Stores the state of the lines of `mask`, bits as above; the bits of other lines are 0. 0 or a negative errno.
int vigil_lines_get(int descriptor, uint64_t mask, uint64_t *ret_bits);
/// Stores the next edge and returns 1, without waiting; or a negative errno: -EAGAIN when there is none, -EPIPE at the end, -EPROTO when what
/// was read is no edge.
int vigil_lines_next_edge(int descriptor, struct vigil_line_edge *ret);

#endif
