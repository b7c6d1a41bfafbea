// SPDX-License-Identifier: Apache-2.0
#ifndef VIGIL_SANDBOX_C_H
#define VIGIL_SANDBOX_C_H

/// Makes the calling thread, and it alone, one of user and group 65534 without a capability. 0 or a negative errno.
int sandbox_thread_become_nobody(void);
/// Two descriptors, closed on exec. 0 or a negative errno.
int sandbox_pipe(int ret_ends[2]);
/// Runs `body` with `context` on a thread to which the kernel gives no names of folders, but EIO. Returns when it has ended. 0 or a negative errno,
/// and then `body` was not run.
int sandbox_run_without_listing(void (*body)(void *), void *context);

/// Has a child that is `user` send `count` descriptors over a new pair of sockets, and waits for its end. They are that user's in flight for as long as
/// `ret_ends`, which the caller closes, are open. 0 or a negative errno.
int sandbox_leave_in_flight(unsigned user, int count, int ret_ends[2]);

#endif
