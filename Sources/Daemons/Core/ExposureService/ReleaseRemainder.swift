// SPDX-License-Identifier: Apache-2.0

import GAEN

/// The remainder of a consent to release keys after today's key was cut off: the rest of that day, for the framework's 24
/// hours of grace (Corona-Warn-App, solution architecture: the key of the day "requires no additional consent").
public struct ReleaseRemainder: Sendable, Equatable {
    /// The ticket for which the first keys were handed out; a secret until the rest is taken.
    public let ticket: String
    /// The time at which the first keys were handed out, in Unix seconds.
    public let released: Int64
    /// Where the first keys end, and those of the rest begin; `nil` when that could not be written any more.
    private let end: ENIN?

    /// Seconds after the first release within which the rest may be taken: the framework's 24 hours of grace.
    public static let graceSeconds: Int64 = 24 * 3_600
    /// Where the last one is kept: a later release takes its place, and has taken its keys.
    static let setting = "release.remainder"

    init(ticket: String, released: Int64, end: ENIN? = nil) {
        self.ticket = ticket
        self.released = released
        self.end = end
    }

    /// The same once `keys` were released: what was on air ahead of its time at the release is theirs, too, and the rest begins after it, as
    /// the next key does. What ends later still is of a clock that was ahead.
    func after(_ keys: [TemporaryExposureKey]) -> ReleaseRemainder {
        let ends = keys.map(\.end).filter { $0 > interval && $0.number - interval.number <= TEKSchedule.mostAhead }
        return ReleaseRemainder(ticket: ticket, released: released, end: ends.max())
    }

    /// The earliest time at which the keys of the rest were in use, in Unix seconds, a multiple of 600; earlier ones belong
    /// to the first keys.
    public var from: Int64 { released / ENIN.seconds * ENIN.seconds }
    /// The time from which the rest may be taken, in Unix seconds: the end of the UTC day of the first keys.
    public var after: Int64 { (released / 86_400 + 1) * 86_400 }
    /// The time until which the rest may be taken, in Unix seconds: ``graceSeconds`` after the first keys.
    public var until: Int64 { released + Self.graceSeconds }

    /// The first interval of the rest. A key that began in the interval of the release and was on air already went with the first ones, to
    /// the end of that interval.
    var interval: ENIN { max(ENIN(unixSeconds: released) ?? ENIN(0), end ?? ENIN(0)) }

    var bytes: [UInt8] {
        let text = end.map { "\(ticket) \($0.number)" } ?? ticket
        return withUnsafeBytes(of: released.littleEndian, Array.init) + Array(text.utf8)
    }

    /// Reads a stored remainder; `nil` if the bytes are not one.
    package init?(bytes: [UInt8]) {
        guard bytes.count > 8, bytes.count <= 8 + 128 + 11 else { return nil }
        let seconds = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let released = Int64(exactly: seconds) else { return nil }
        self.released = released
        let words = String(decoding: bytes.dropFirst(8), as: UTF8.self).split(separator: " ", maxSplits: 1)
        guard let first = words.first else { return nil }
        ticket = String(first)
        end = words.count > 1 ? UInt32(words[1]).map { ENIN($0) } : nil
    }
}
