// SPDX-License-Identifier: Apache-2.0
// As in Sources/Programs/vigil-jail/link.c: no Swift runtime, which the program would not find in the sandbox.
__attribute__((used, section(".swift1_autolink_entries"))) static const char request[] = "-Wl,--as-needed";
