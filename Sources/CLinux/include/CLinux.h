// SPDX-License-Identifier: Apache-2.0
#ifndef VIGIL_CLINUX_H
#define VIGIL_CLINUX_H

#include <stdint.h>

/// The arguments this process was started with, captured before `main` by a constructor.
///
/// Swift's `CommandLine` reads `/proc/self/cmdline`; in a chroot, an initramfs or a sandbox without `/proc` it comes back
/// empty, and a program that picks its role from its arguments would start in the wrong role. glibc hands constructors
/// the real `argc` and `argv`, so these are right everywhere. The pointers stay valid for the life of the process.
int vigil_argument_count(void);
const char *vigil_argument(int index);

// Bluetooth sockets. Swift imports neither the address family nor the ioctl numbers (computed macros), and the headers
// belong to libbluetooth, which nothing else here needs. All return a negative errno when they fail.

/// Takes adapter `index` down, as `hciconfig hciN down` does: the exclusive channel is refused while it is up.
int vigil_hci_down(uint16_t index);
/// A socket that has adapter `index` for itself (HCI_CHANNEL_USER): non-blocking, closed on exec. Needs CAP_NET_ADMIN.
int vigil_hci_open_user_channel(uint16_t index);
/// Whether `descriptor` is a socket on the exclusive channel of an adapter: 1, 0, or a negative errno.
int vigil_hci_is_user_channel(int descriptor);

// Serial lines. Arbitrary speeds need termios2, whose header excludes <termios.h>.

/// Claims the line for this process: exclusive flag and lock. -EBUSY when another process holds the lock or the kernel
/// drives the line itself (any line discipline but the ordinary one); -ENOTTY when it is no serial line.
int vigil_serial_claim(int descriptor);
/// Raw, 8 bits, no parity, one stop bit, reads that never wait; `baud` 0 keeps speed and flow control as they are,
/// anything else sets the speed and RTS/CTS. Stores the speed that the driver says it set.
int vigil_serial_make_raw(int descriptor, uint32_t baud, uint32_t *ret_baud);
/// Throws away what waits in either direction.
int vigil_serial_discard(int descriptor);

/// What the kernel says about its own clock, unchanged (adjtimex(2) without setting anything).
struct vigil_kernel_clock {
    /// What adjtimex returned: TIME_OK … TIME_ERROR.
    int state;
    /// STA_ bits.
    int status;
    /// Microseconds.
    int64_t maximum_error;
    /// CLOCK_REALTIME at that moment, nanoseconds since 1970.
    int64_t time;
};
/// 0 or a negative errno.
int vigil_kernel_clock_read(struct vigil_kernel_clock *ret);

/// Unmaps the pages of code and constants that are in memory now, of the program and its libraries. What is needed again comes back
/// from the page cache; what only the start needed (reading arguments and profiles) does not. Nothing that can have been
/// written is touched.
void vigil_release_start_pages(void);

/// Makes SIGTERM, SIGINT and SIGHUP readable from the returned descriptor instead of interrupting; ignores SIGPIPE. Negative errno
/// on failure. To be called before any thread is started.
int vigil_signal_descriptor(void);
/// The next signal's number; 0 when there is none.
int vigil_signal_take(int descriptor);

#endif
