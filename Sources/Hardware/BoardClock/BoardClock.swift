// SPDX-License-Identifier: Apache-2.0

import Glibc
import SystemCalls
public import TimeTrust

/// The clocks of the machine as `TimeTrust` wants them. Reads, never sets.
public enum BoardClock {
    /// The clock that runs since the board was switched on, now (`CLOCK_BOOTTIME`); counts through suspend, is never set.
    public static func boot() -> BootInstant {
        let time = read(CLOCK_BOOTTIME)
        return BootInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// The time of the system clock (`CLOCK_REALTIME`), in whole milliseconds, whoever set it and whether or not it is right.
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

    /// The identity of this boot: `/proc/sys/kernel/random/boot_id`, or where that cannot be read, the environment variable ``environmentName``.
    ///
    /// Where neither is an identity, the answer is random, and the same for the life of this process. So an unknown boot always counts as another
    /// one: what an earlier process stored is carried over as if the power had been cut, and a time set by another process is refused. Anything
    /// that could come out the same after a power cut (a time of booting made from two clocks, of which one is not set yet) would let a stored time
    /// pass as running when it stood still.
    public static func bootIdentity() -> BootIdentity { bootIdentity(file: "/proc/sys/kernel/random/boot_id") }

    static func bootIdentity(file: String) -> BootIdentity {
        if let bytes = try? WholeFile.read(file, limit: 64), let identity = BootIdentity(uuid: bytes) {
            return identity
        }
        // A confined core's own /proc shows processes only: whoever started it has read the file.
        return getenv(environmentName).flatMap { BootIdentity(uuid: Array(String(cString: $0).utf8)) } ?? unknownBoot
    }

    /// Environment variable with the boot's identity as the kernel writes it (36 characters), for processes that cannot read the kernel's file. Set
    /// by the supervisor. Our own choice.
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
