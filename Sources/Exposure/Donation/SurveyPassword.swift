// SPDX-License-Identifier: Apache-2.0

/// The one-time password that opens a survey (EDUS), as Corona-Warn-App's server handles it: a UUID that the device makes, good for an
/// hour, and once.
public enum SurveyPassword {
    /// The seconds for which a password is good (ppa-server, `OtpConfig`).
    public static let validitySeconds: Int64 = 3_600

    /// What a survey service is told about a password.
    public enum Redemption: Sendable, Hashable {
        /// It was good, and is not any more.
        case valid
        /// It was used before.
        case redeemed
        /// Its hour is over.
        case expired
        /// Nobody has asked for it.
        case unknown
        /// It is not a UUID of version 3 or 4.
        case malformed
    }

    /// A password as the server keeps it: in lower case; `nil` unless it is a UUID (RFC 9562, section 4).
    public static func canonical(_ text: some StringProtocol) -> String? {
        let lower = text.lowercased()
        let parts = lower.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [8, 4, 4, 4, 12] else { return nil }
        let isHex = parts.joined().allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
        return isHex ? lower : nil
    }

    /// The answer to a survey service.
    ///
    /// - Parameters:
    ///   - text: The password, from anywhere.
    ///   - now: The time, in Unix seconds.
    ///   - find: Gives the end of a canonical password, in Unix seconds, and whether it was used; `nil` if it is not known.
    public static func redemption(
        of text: some StringProtocol, at now: Int64, find: (String) -> (expires: Int64, isRedeemed: Bool)?
    ) -> Redemption {
        guard let password = canonical(text) else { return .malformed }
        // The first digit of the third group is the version.
        let version = password.utf8[password.utf8.index(password.utf8.startIndex, offsetBy: 14)]
        guard version == UInt8(ascii: "3") || version == UInt8(ascii: "4") else { return .malformed }
        guard let (expires, isRedeemed) = find(password) else { return .unknown }
        if isRedeemed { return .redeemed }
        return now > expires ? .expired : .valid
    }
}
