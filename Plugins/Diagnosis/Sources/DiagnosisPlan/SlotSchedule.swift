// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import Cryptography

/// The times at which a device communicates with the servers of this plugin: slots that depend on the device's seed and the
/// day, never on what its wearer does. A genuine action uses the next slot; a slot without one is filled with fakes.
///
/// The day (UTC) is divided into windows of equal length, with one slot in each, at a time drawn from the seed: network
/// traffic shows the same number of playbooks in every window of every device, and a fleet's load is even.
public struct SlotSchedule: Sendable {
    /// The number of slots in a day: 6, 12, 24, 48, 96 or 192. With 192 no wait is longer than 13 minutes, for servers
    /// whose teleTANs are valid for an hour.
    public enum Density: Int64, Sendable, Hashable, CaseIterable {
        /// Six slots a day: a window of four hours for each.
        case six = 6
        /// Twelve slots a day: a window of two hours for each.
        case twelve = 12
        /// 24 slots a day: a window of an hour for each.
        case twentyFour = 24
        /// 48 slots a day: a window of half an hour for each.
        case fortyEight = 48
        /// 96 slots a day: a window of a quarter of an hour for each.
        case ninetySix = 96
        /// 192 slots a day: a window of seven and a half minutes for each.
        case oneHundredNinetyTwo = 192
    }

    /// The least number of seconds between two slots: 120, because a playbook takes at most 80 (four steps 20 seconds
    /// apart, ``Playbook/stepTimeout``, and five seconds to prepare it).
    public static let minimumGap: Int64 = 120
    /// The density that all devices of a fleet should have unless there is a reason against it: 48 slots a day, our choice.
    public static let standardDensity = Density.fortyEight

    /// The number of slots in a day, the same for all devices of a fleet.
    public let density: Density
    private let seed: SecretBytes

    /// Creates the schedule of a device. Cannot fail.
    ///
    /// - Parameters:
    ///   - seed: The device's secret, of any length; 32 random bytes are right. It must stay the same: anyone who knows it
    ///     can recognise the device by its slots, and a new one changes the pattern of the day.
    ///   - density: The number of slots in a day.
    public init(seed: SecretBytes, density: Density = SlotSchedule.standardDensity) {
        self.seed = seed
        self.density = density
    }

    /// The length of a window in seconds, 450 to 14,400: a day divided by ``density``.
    public var windowSeconds: Int64 { UTCDay.seconds / density.rawValue }

    /// Returns the slots of a day (given in days since 1970), in Unix seconds and in order; a day before 1970 or after the
    /// year 9999 counts as the nearest one in between.
    /// - Throws: `CryptographyError` if HMAC cannot be computed.
    public func slots(day: Int64) throws(CryptographyError) -> [Int64] {
        var slots: [Int64] = []
        for window in 0..<density.rawValue { slots.append(try slot(Self.bounded(day), window)) }
        return slots
    }

    /// Returns the first slot after `moment`, both in Unix seconds; a time before 1970 or after the year 9999 counts as the
    /// nearest one in between. A slot that was missed, because the board was off or busy, is not made up for.
    /// - Throws: `CryptographyError` if HMAC cannot be computed.
    public func next(after moment: Int64) throws(CryptographyError) -> Int64 {
        let seconds = min(max(moment, 0), Self.latestDay * UTCDay.seconds)
        var window = seconds / windowSeconds
        while true {
            let slot = try slot(window / density.rawValue, window % density.rawValue)
            if slot > seconds { return slot }
            window += 1
        }
    }

    /// The most seconds that an action waits for its slot: two windows less ``minimumGap``, so 780 to 28,680.
    public var longestWait: Int64 { 2 * windowSeconds - Self.minimumGap }

    /// The average number of seconds that an action waits for its slot, if its time does not depend on the slots:
    /// half the mean square of the gap between slots, divided by the mean gap. It is 0.54 of a window with 192
    /// slots a day, and nears seven twelfths (0.58) with fewer.
    public var meanWait: Double {
        let window = Double(windowSeconds)
        let drawn = Double(windowSeconds - Self.minimumGap)
        return (window * window + drawn * drawn / 6) / (2 * window)
    }

    private static let latestDay: Int64 = 2_932_896
    private static func bounded(_ day: Int64) -> Int64 { min(max(day, 0), latestDay) }

    private func slot(_ day: Int64, _ window: Int64) throws(CryptographyError) -> Int64 {
        var message = Array("vigil-slot-1".utf8)
        for number in [day, density.rawValue, window] { withUnsafeBytes(of: number.bigEndian) { message += $0 } }
        let code = try HMACSHA256.code(for: message, key: seed)
        let number = code.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return UTCDay(number: day).start + window * windowSeconds + Int64(number % UInt64(windowSeconds - Self.minimumGap))
    }
}
