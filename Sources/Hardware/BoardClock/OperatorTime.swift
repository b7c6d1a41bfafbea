// SPDX-License-Identifier: Apache-2.0

import Glibc
public import TimeTrust

/// A time set by a person, which the command line passes to the core in the file `operator-time` of the run folder.
///
/// The file has one line, `vigil-operator-time 1 UNIX-MILLISECONDS BOOT-NANOSECONDS BOOT-IDENTITY`, with the identity as 32
/// hexadecimal digits. The reading of the boot clock keeps the time exact no matter how late the core reads it, and invalid
/// in any other boot.
public struct OperatorTime: Equatable, Sendable {
    /// The name of the file in the run folder. Our own choice.
    public static let fileName = "operator-time"
    /// The folder in which the core looks by default: the run folder of Vigil's services. Our own choice.
    public static let defaultFolder = "/run/vigil"
    /// A larger file is not read: one line has less than 100 bytes.
    static let maximumByteCount = 4_096
    private static let mark = "vigil-operator-time"

    /// The civil time that the person set.
    public let time: UnixTime
    /// The moment on the boot clock at which the person set it.
    public let boot: BootInstant
    /// The boot to which ``boot`` belongs.
    public let bootIdentity: BootIdentity

    /// Creates the statement that it is `time` at a moment of the boot clock, by default now. Nothing is checked here; the
    /// reader decides whether the time is possible.
    public init(
        _ time: UnixTime, at boot: BootInstant = BoardClock.boot(),
        of bootIdentity: BootIdentity = BoardClock.bootIdentity()
    ) {
        self.time = time
        self.boot = boot
        self.bootIdentity = bootIdentity
    }

    /// The line of the file.
    var line: String { "\(Self.mark) 1 \(time.milliseconds) \(boot.nanoseconds) \(bootIdentity.hexadecimal)\n" }

    init(line bytes: [UInt8]) throws(ClockFailure) {
        let text = String(decoding: bytes, as: UTF8.self)
        let words = text.dropLast().split(separator: " ", omittingEmptySubsequences: false)
        guard text.utf8.last == UInt8(ascii: "\n"), words.count == 5, words[0] == Self.mark, words[1] == "1",
            let milliseconds = DecimalText.number(words[2]), let nanoseconds = DecimalText.number(words[3]),
            let identity = BootIdentity(hexadecimal: String(words[4]))
        else { throw ClockFailure(.malformedFile) }
        time = UnixTime(milliseconds: milliseconds)
        boot = BootInstant(nanoseconds: nanoseconds)
        bootIdentity = identity
        guard time >= TrustedTime.Limits.earliest, time < .end else {
            throw ClockFailure(.malformedFile, "impossible time")
        }
    }

    /// The same statement as of `now`. The boot clock may be wrong by 100 ppm of what has passed (docs/time.md).
    func reading(at now: BootInstant, of identity: BootIdentity) throws(ClockFailure) -> TrustedTime.PlausibleReading {
        guard identity == bootIdentity else { throw ClockFailure(.anotherBoot) }
        guard now >= boot else { throw ClockFailure(.malformedFile, "set in the future of this boot") }
        let passed = Duration.nanoseconds(now.nanoseconds - boot.nanoseconds)
        return TrustedTime.PlausibleReading(.operator, time.advanced(by: passed), uncertainty: passed / 10_000)
    }
}
