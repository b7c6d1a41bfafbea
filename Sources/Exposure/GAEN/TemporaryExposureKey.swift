// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// A temporary exposure key (TEK) of this device: 16 secret bytes and the intervals in which they are valid.
///
/// Comparing takes constant time over the bytes; printing shows only the start and the period.
public struct TemporaryExposureKey: Sendable, Equatable, CustomStringConvertible {
    /// The length of a TEK in bytes (Cryptography Specification 1.2, "TEKGenerate").
    public static let byteCount = 16
    /// The longest period a key may have, one UTC day (Cryptography specification v1.2, "TEKRollingPeriod").
    public static let maximumPeriod = ENIN.perDay

    /// The 16 secret bytes; they leave the device only by a release.
    public let secret: SecretBytes
    /// The first interval in which the key is valid.
    public let rollingStart: ENIN
    /// The number of ten-minute intervals for which the key is valid, 1 to 144.
    public let rollingPeriod: UInt32

    /// Creates a key from these parts. Returns `nil` when the secret does not have 16 bytes, the period is not 1 to
    /// 144, or the end does not fit into 32 bits.
    public init?(secret: SecretBytes, rollingStart: ENIN, rollingPeriod: UInt32) {
        guard secret.count == Self.byteCount, (1...Self.maximumPeriod).contains(rollingPeriod),
            !rollingStart.number.addingReportingOverflow(rollingPeriod).overflow
        else { return nil }
        self.secret = secret
        self.rollingStart = rollingStart
        self.rollingPeriod = rollingPeriod
    }

    /// The first interval in which the key is no longer valid.
    public var end: ENIN { ENIN(rollingStart.number + rollingPeriod) }

    /// Whether the key is valid in `interval`, which it is from ``rollingStart`` to before ``end``.
    public func contains(_ interval: ENIN) -> Bool { rollingStart <= interval && interval < end }

    /// Returns this key with its validity ended at `end`; the key unchanged if it ends there or before, and `nil`
    /// when `end` is not after its start.
    public func shortened(to end: ENIN) -> TemporaryExposureKey? {
        guard end > rollingStart else { return nil }
        return TemporaryExposureKey(
            secret: secret, rollingStart: rollingStart,
            rollingPeriod: min(rollingPeriod, end.number - rollingStart.number))
    }

    /// A text for logs that has the start and the period, and nothing of the secret.
    public var description: String { "TEK(start \(rollingStart), period \(rollingPeriod))" }
}
