// SPDX-License-Identifier: Apache-2.0

import GAEN

/// What is left of a consent to release keys once today's key was cut off: the rest of that day, for the framework's 24 hours of grace
/// (Corona-Warn-App, solution architecture: the key of the day "requires no additional consent").
public struct ReleaseRemainder: Sendable, Equatable {
    /// The ticket that the first keys were taken with.
    public let ticket: String
    /// When they were, Unix seconds.
    public let released: Int64

    /// Seconds within which the rest may be taken.
    public static let graceSeconds: Int64 = 24 * 3_600
    /// Where the last one is kept: a later release takes its place, and has taken its keys.
    static let setting = "release.remainder"

    init(ticket: String, released: Int64) {
        self.ticket = ticket
        self.released = released
    }

    /// From when the keys of the rest are in use, Unix seconds: what was before went with the first ones.
    public var from: Int64 { released / ENIN.seconds * ENIN.seconds }
    /// From when on they may be taken: the day is over.
    public var after: Int64 { (released / 86_400 + 1) * 86_400 }
    /// Until when.
    public var until: Int64 { released + Self.graceSeconds }

    var interval: ENIN { ENIN(unixSeconds: released) ?? ENIN(0) }

    var bytes: [UInt8] { withUnsafeBytes(of: released.littleEndian, Array.init) + Array(ticket.utf8) }

    /// `nil` for what is none.
    package init?(bytes: [UInt8]) {
        guard bytes.count > 8, bytes.count <= 8 + 128 else { return nil }
        let seconds = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let released = Int64(exactly: seconds) else { return nil }
        self.released = released
        ticket = String(decoding: bytes.dropFirst(8), as: UTF8.self)
    }
}
