// SPDX-License-Identifier: Apache-2.0

import CivilTime
import JSON

/// The content of the two JWT of an exposure-notifications-verification-server (specification ens 4). They are not verified
/// here: the key server does that, and a board trusts the connection it got them by. Read to know until when they are good,
/// and whether they are ours.
public struct ENSCertificate: Sendable, Hashable {
    /// The moment when it begins to be good, in Unix seconds of the server: `nbf`, else `iat`, else 0. Not checked.
    public let notBefore: Int64
    /// The last moment at which it is good, in Unix seconds of the server.
    public let expires: Int64
    /// The code over the keys that it was made for (`tekmac`), Base64 as it was sent, not checked.
    public let code: String
    /// The word for the report type, as the server wrote it (``ENSTestType`` reads it).
    public let reportType: String
    /// The first interval of the day of onset, as the server has it: a number of ten minutes since 1970, not checked. `nil` if it has none.
    public let onset: Int64?

    /// The number of seconds for which a certificate is good: 15 minutes (`pkg/config/certificate_signing_config.go`).
    public static let lifeSeconds: Int64 = 900
    /// The number of seconds for which a token is good: a day (`VERIFICATION_TOKEN_DURATION`).
    public static let tokenSeconds: Int64 = UTCDay.seconds

    /// Reads a JWT without verifying it; `nil` unless it has three parts, the claims `exp`, `tekmac` and `reportType`, and at most
    /// ``ENSAnswer/maximumTokenBytes`` bytes.
    public init?(_ text: String) {
        guard let claims = Self.claims(text), let expires = claims["exp"]?.int, let code = claims["tekmac"]?.string,
            let type = claims["reportType"]?.string
        else { return nil }
        self.expires = expires
        notBefore = claims["nbf"]?.int ?? claims["iat"]?.int ?? 0
        self.code = code
        reportType = type
        onset = claims["symptomOnsetInterval"]?.int
    }

    /// Whether a key server would take it at `now`, in Unix seconds, for keys with one of these codes (Base64, compared as text); ``expires`` is
    /// the last such moment. `false` for a report type that ``ENSTestType`` does not know. The signature is not looked at.
    public func isUsable(for codes: [String], at now: Int64) -> Bool {
        codes.contains(code) && notBefore <= now && now <= expires && ENSTestType(reportType) != nil
    }

    /// The claims of a JWT, unverified.
    static func claims(_ text: String) -> JSON.Object? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, text.utf8.count <= ENSAnswer.maximumTokenBytes,
            let bytes = LenientBase64.bytes(String(parts[1]))
        else { return nil }
        return (try? JSON(parsing: bytes, maximumDepth: 8))?.object
    }

    /// The statements of a token about itself. Clients do not need them, and send the token back as it is.
    public struct Token: Sendable, Hashable {
        /// The last moment at which it is good, in Unix seconds of the server.
        public let expires: Int64
        /// The token's subject: report type and dates, as ``Subject`` reads it; not checked.
        public let subject: String

        /// Reads a JWT without verifying it; `nil` unless it has three parts, the claims `exp` and `sub`, and at most
        /// ``ENSAnswer/maximumTokenBytes`` bytes.
        public init?(_ text: String) {
            guard let claims = ENSCertificate.claims(text), let expires = claims["exp"]?.int,
                let subject = claims["sub"]?.string
            else { return nil }
            self.expires = expires
            self.subject = subject
        }
    }

    /// The parts of a token's subject: `type.symptomDate.testDate`, of old ones without the last.
    public struct Subject: Sendable, Hashable {
        /// The word for the report type, as the server wrote it (``ENSTestType`` reads it).
        public let type: String
        /// `YYYY-MM-DD` as it was sent, not checked; `nil` if there is none.
        public let symptomDate: String?
        /// `YYYY-MM-DD` as it was sent, not checked; `nil` if there is none.
        public let testDate: String?

        /// The parts of a token's subject; `nil` unless there are two or three with dots between, the first of them not empty.
        public init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard (2...3).contains(parts.count), !parts[0].isEmpty else { return nil }
            type = parts[0]
            symptomDate = parts[1].isEmpty ? nil : parts[1]
            testDate = parts.count == 3 && !parts[2].isEmpty ? parts[2] : nil
        }
    }
}
