// SPDX-License-Identifier: Apache-2.0

public import Cryptography

/// A temporary exposure key (TEK) of this device: 16 secret bytes and the intervals they are good for.
///
/// Comparing is constant in time over the bytes; printing shows start and period only.
public struct TemporaryExposureKey: Sendable, Equatable, CustomStringConvertible {
    /// Bytes of a TEK (Cryptography Specification 1.2, "TEKGenerate").
    public static let byteCount = 16
    /// The longest period a key may have, one UTC day (Cryptography specification v1.2, "TEKRollingPeriod").
    public static let maximumPeriod = ENIN.perDay

    /// The 16 bytes; they leave the device by a release only.
    public let secret: SecretBytes
    /// First interval the key is valid in.
    public let rollingStart: ENIN
    /// Number of ten-minute intervals for which it is valid, 1 to 144.
    public let rollingPeriod: UInt32

    /// A key of these parts; `nil` when the secret does not have 16 bytes, the period is not 1 to 144, or the end does
    /// not fit into 32 bits.
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

    /// Whether the key is valid in `interval`; ``end`` is out.
    public func contains(_ interval: ENIN) -> Bool { rollingStart <= interval && interval < end }

    /// This key, no longer valid from `end` on; unchanged if it ends there or before, `nil` when nothing of it would be
    /// left.
    public func shortened(to end: ENIN) -> TemporaryExposureKey? {
        guard end > rollingStart else { return nil }
        return TemporaryExposureKey(
            secret: secret, rollingStart: rollingStart,
            rollingPeriod: min(rollingPeriod, end.number - rollingStart.number))
    }

    /// A text for logs: start and period, nothing of the secret.
    public var description: String { "TEK(start \(rollingStart), period \(rollingPeriod))" }
}
