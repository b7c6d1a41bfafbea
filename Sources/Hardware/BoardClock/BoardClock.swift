// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls
public import TimeTrust

/// The machine's clocks, in the types of `TimeTrust`. They are read and never set.
public enum BoardClock {
    /// Returns the present moment on the boot clock (`CLOCK_BOOTTIME`), which includes time asleep and is never set. Cannot
    /// fail.
    public static func boot() -> BootInstant {
        let time = read(CLOCK_BOOTTIME)
        return BootInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// Returns the time of the system clock (`CLOCK_REALTIME`) in whole milliseconds, whether or not it is right. Cannot
    /// fail.
    public static func system() -> UnixTime {
        let time = read(CLOCK_REALTIME)
        return UnixTime(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        // Every Linux since 2.6.39 has both clocks, and the pointer is ours: there is nothing that can fail.
        precondition(clock_gettime(clock, &time) == 0)
        return time
    }

    /// Returns the identity of this boot from `/proc/sys/kernel/random/boot_id` or, if that file cannot be read or
    /// has another form, from the environment variable ``environmentName``.
    ///
    /// If neither gives an identity, the result is random, and the same for the lifetime of this process. So an
    /// unknown boot always counts as a different one: what an earlier process stored is carried over as after a
    /// power cut, and a time set by another process is refused. A value that could be the same after a power cut,
    /// such as a start time calculated from two clocks of which one is not set yet, would make a stored time seem
    /// to have run on while it stood still.
    public static func bootIdentity() -> BootIdentity { bootIdentity(file: "/proc/sys/kernel/random/boot_id") }

    static func bootIdentity(file: String) -> BootIdentity {
        if let bytes = try? WholeFile.read(file, limit: 64), let identity = BootIdentity(uuid: bytes) {
            return identity
        }
        // A confined core's own /proc shows processes only: whoever started it has read the file.
        return getenv(environmentName).flatMap { BootIdentity(uuid: Array(String(cString: $0).utf8)) } ?? unknownBoot
    }

    /// The name of the environment variable with the identity of the boot, in the 36 characters of the kernel's file, for
    /// processes that cannot read that file. The supervisor sets it. Our own choice.
    public static let environmentName = "VIGIL_BOOT_ID"

    private static let unknownBoot = BootIdentity(
        high: .random(in: .min ... .max), low: .random(in: .min ... .max))
}

extension BootIdentity {
    /// Reads 36 characters, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, and at most one line feed.
    init?(uuid bytes: [UInt8]) {
        let text = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
        guard text.count == 36 else { return nil }
        var digits: [UInt8] = []
        for (index, byte) in text.enumerated() {
            if [8, 13, 18, 23].contains(index) {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                digits.append(byte)
            }
        }
        self.init(hexadecimal: String(decoding: digits, as: UTF8.self))
    }

    /// Reads 32 hexadecimal digits.
    init?(hexadecimal text: String) {
        guard text.utf8.count == 32, text.allSatisfy(\.isHexDigit), let high = UInt64(text.prefix(16), radix: 16),
            let low = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }

    /// The identity as 32 lower-case hexadecimal digits, without dashes.
    public var hexadecimal: String {
        [high, low].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
