// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// A temporary exposure key (TEK) of this device: 16 secret bytes and the intervals they are good for.
///
/// Comparing is constant in time over the bytes; printing shows start and period only.
public struct TemporaryExposureKey: Sendable, Equatable, CustomStringConvertible {
    public static let byteCount = 16
    /// The longest period a key may have, one UTC day (Cryptography specification v1.2, "TEKRollingPeriod").
    public static let maximumPeriod = ENIN.perDay

    public let secret: SecretBytes
    /// First interval the key is valid in.
    public let rollingStart: ENIN
    /// Number of intervals, 1 to 144.
    public let rollingPeriod: UInt32

    /// `nil` when the secret does not have 16 bytes, the period is not 1 to 144, or the end overflows.
    public init?(secret: SecretBytes, rollingStart: ENIN, rollingPeriod: UInt32) {
        guard secret.count == Self.byteCount, (1...Self.maximumPeriod).contains(rollingPeriod),
            !rollingStart.number.addingReportingOverflow(rollingPeriod).overflow
        else { return nil }
        self.secret = secret
        self.rollingStart = rollingStart
        self.rollingPeriod = rollingPeriod
    }

    /// First interval the key is no longer valid in.
    public var end: ENIN { ENIN(rollingStart.number + rollingPeriod) }

    public func contains(_ interval: ENIN) -> Bool { rollingStart <= interval && interval < end }

    /// The same key cut off before `end`; `nil` when nothing of it would be left.
    public func shortened(to end: ENIN) -> TemporaryExposureKey? {
        guard end > rollingStart else { return nil }
        return TemporaryExposureKey(
            secret: secret, rollingStart: rollingStart,
            rollingPeriod: min(rollingPeriod, end.number - rollingStart.number))
    }

    public var description: String { "TEK(start \(rollingStart), period \(rollingPeriod))" }
}
