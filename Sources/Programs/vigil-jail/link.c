// SPDX-License-Identifier: Apache-2.0
// SwiftPM links every executable through swiftc, which asks for the Swift runtime whether anything needs it or not. Here
// nothing does, and this program must start in a millisecond: the linker is told to leave out what is not needed. swiftc
// reads such requests from this section of objects (swift-autolink-extract) and puts them before its own libraries; flags
// of the package come after them.
__attribute__((used, section(".swift1_autolink_entries"))) static const char request[] = "-Wl,--as-needed";
