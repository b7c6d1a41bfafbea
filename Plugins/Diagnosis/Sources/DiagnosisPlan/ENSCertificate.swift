// SPDX-License-Identifier: Apache-2.0

import CivilTime
import JSON

/// The content of a certificate of an exposure-notifications-verification-server, one of its two kinds of JWT; ``Token`` is
/// the other (specification ens 4). Signatures are not verified here: the key server does that, and a board trusts the
/// connection that it got the JWT by. The content tells how long a JWT is valid, and whether it belongs to this board's
/// keys.
public struct ENSCertificate: Sendable, Hashable {
    /// The time from which the certificate is valid, in Unix seconds of the server: `nbf`, else `iat`, else 0. Not checked.
    public let notBefore: Int64
    /// The last second in which the certificate is valid, in Unix seconds of the server.
    public let expires: Int64
    /// The code over the keys that the certificate was made for (`tekmac`), in Base64, unchanged and not checked.
    public let code: String
    /// The word for the report type, as the server wrote it (``ENSTestType`` reads it).
    public let reportType: String
    /// The first interval of the day of onset, as the server wrote it: a number of ten-minute intervals since 1970, not
    /// checked. `nil` if the certificate has none.
    public let onset: Int64?

    /// The number of seconds for which a certificate is valid: 15 minutes (`pkg/config/certificate_signing_config.go`).
    public static let lifeSeconds: Int64 = 900
    /// The number of seconds for which a token is valid: a day (`VERIFICATION_TOKEN_DURATION`).
    public static let tokenSeconds: Int64 = UTCDay.seconds

    /// Reads a certificate without verifying its signature; `nil` unless it has three parts, the claims `exp`, `tekmac` and
    /// `reportType`, and at most ``ENSAnswer/maximumTokenBytes`` bytes.
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

    /// Returns whether a key server would accept the certificate at `now`, in Unix seconds, for keys with one of `codes`
    /// (Base64, compared as text); ``expires`` still counts. `false` for a report type that ``ENSTestType`` does not know.
    /// The signature is not verified.
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

    /// The claims of a token about itself. Clients do not need them: they send the token back as it is.
    public struct Token: Sendable, Hashable {
        /// The last second in which the token is valid, in Unix seconds of the server.
        public let expires: Int64
        /// The token's subject, its report type and dates, which ``Subject`` reads; not checked.
        public let subject: String

        /// Reads a token without verifying its signature; `nil` unless it has three parts, the claims `exp` and `sub`, and
        /// at most ``ENSAnswer/maximumTokenBytes`` bytes.
        public init?(_ text: String) {
            guard let claims = ENSCertificate.claims(text), let expires = claims["exp"]?.int,
                let subject = claims["sub"]?.string
            else { return nil }
            self.expires = expires
            self.subject = subject
        }
    }

    /// The parts of a token's subject, `type.symptomDate.testDate`; older tokens have no `testDate`.
    public struct Subject: Sendable, Hashable {
        /// The word for the report type, as the server wrote it (``ENSTestType`` reads it).
        public let type: String
        /// The day on which symptoms began, `YYYY-MM-DD` as the server wrote it, not checked; `nil` if it is empty.
        public let symptomDate: String?
        /// The day of the test, `YYYY-MM-DD` as the server wrote it, not checked; `nil` if it is empty or missing.
        public let testDate: String?

        /// Splits a token's subject into its parts; `nil` unless there are two or three parts, separated by dots, of which
        /// the first is not empty.
        public init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard (2...3).contains(parts.count), !parts[0].isEmpty else { return nil }
            type = parts[0]
            symptomDate = parts[1].isEmpty ? nil : parts[1]
            testDate = parts.count == 3 && !parts[2].isEmpty ? parts[2] : nil
        }
    }
}
