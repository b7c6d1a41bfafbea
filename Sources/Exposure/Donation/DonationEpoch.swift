// SPDX-License-Identifier: Apache-2.0

public import CivilTime
import Cryptography
public import PrivacyPass

/// The time for which an issuer's key is good, and in which a device gets one token of it.
public enum DonationEpoch: Sendable, Hashable {
    /// A day of UTC, for donations.
    case day(UTCDay)
    /// The month of a day of UTC, for what is sent once a month (``MonthlyPurpose``).
    case month(of: UTCDay)

    /// The day as `YYYY-MM-DD`, or the month as `YYYY-MM`. Equal texts mean the same epoch.
    public var text: String {
        switch self {
        case .day(let day): day.date.isoText
        case .month(let day): String(day.date.isoText.dropLast(3))
        }
    }

    /// The context that a token of this epoch is for, 32 bytes: SHA-256 of a label, the origin, a zero byte and the epoch. Cannot
    /// fail.
    public func redemptionContext(origin: String) -> [UInt8] {
        SHA256.digest(of: Array("vigil-donation-context-v1".utf8) + Array(origin.utf8) + [0] + Array(text.utf8))
    }

    /// The challenge of this epoch. Every device computes the same one, so no server hands it out, and none can hand out a different
    /// one to each device.
    ///
    /// - Parameters:
    ///   - issuerName: The issuer's host, in lower case, perhaps with a port.
    ///   - origin: The host of the server that takes the token, in lower case, perhaps with a port.
    ///
    /// Throws `malformedChallenge` if a name is not that of a server.
    public func challenge(issuerName: String, origin: String) throws(PrivacyPassError) -> TokenChallenge {
        try TokenChallenge(
            issuerName: issuerName, redemptionContext: redemptionContext(origin: origin), origins: [origin])
    }
}
