// SPDX-License-Identifier: Apache-2.0
#ifndef VIGIL_CLINUX_H
#define VIGIL_CLINUX_H

/// The arguments this process was started with, captured before `main` by a constructor.
///
/// Swift's `CommandLine` reads `/proc/self/cmdline`; in a chroot, an initramfs or a sandbox without `/proc` it comes back
/// empty, and a program that picks its role from its arguments would start in the wrong role. glibc hands constructors
/// the real `argc` and `argv`, so these are right everywhere. The pointers stay valid for the life of the process.
int vigil_argument_count(void);
const char *vigil_argument(int index);

#endif
