// SPDX-License-Identifier: Apache-2.0

public import CivilTime
import Cryptography
import JSON

/// The right to upload hours at venues once: a JSON Web Token as SwissCovid's CovidCode service gives it (claims `scope`,
/// `aud` and `onset`; spec checkin-and-nhs A.6). Its `jti` is a TAN of the type ``WarningType/event``, so that it counts once
/// and ends like any TAN; the signature (HS256) is for the onset, which decides which hours count.
public struct CheckInToken: Sendable, Hashable {
    /// The TAN, as the token names it.
    public let tan: String
    /// The day since which the person is infectious, in UTC.
    public let onset: CivilDate
    /// The time at which the token expires, exclusive, in Unix seconds.
    public let expires: Int64
    /// The teleTAN that the right came from, which is spent: by it the health office takes back what was uploaded; `nil` for a token of before it was in there.
    public let teleTAN: String?

    /// The most bytes of a token that is read: 4,096; ours have about 370. Our own bound.
    public static let maximumBytes = 4_096
    /// The claim `scope` of the CovidCode service.
    public static let scope = "userupload"
    /// The claim `aud` of the CovidCode service.
    public static let audience = "checkin"
    private static let issuer = "vigil"
    private static let teleTANClaim = "teletan"

    /// Returns the days that an onset may have at `now` (Unix seconds), in days since 1970: today (UTC) and the 30 days
    /// before, our own bound. Cannot fail.
    public static func onsets(now: Int64) -> ClosedRange<Int64> {
        let today = UTCDay(containing: now).number
        return today - 30...today
    }

    /// Creates a token of these parts, which are not checked; `expires` is in Unix seconds.
    public init(tan: String, onset: CivilDate, expires: Int64, teleTAN: String? = nil) {
        self.tan = tan
        self.teleTAN = teleTAN
        self.onset = onset
        self.expires = expires
    }

    /// Returns the token as text, signed with the secret that the submission has too. `now` is in Unix seconds. Throws
    /// `cryptography` when the library refuses.
    public func text(secret: VerificationSecret, now: Int64) throws(VerificationError) -> String {
        var claims: JSON.Object = [
            "jti": .string(tan), "iss": .string(Self.issuer), "aud": .string(Self.audience), "scope": .string(Self.scope),
            "onset": .string(onset.isoText), "iat": .int(now), "exp": .int(expires),
        ]
        claims[Self.teleTANClaim] = teleTAN.map(JSON.string)
        let header = Base64URL.string(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
        let signed = "\(header).\(Base64URL.string(JSON.object(claims).bytes))"
        return "\(signed).\(Base64URL.string(try Self.code(signed.utf8, secret)))"
    }

    /// Reads a token at `now` (Unix seconds). Throws `invalidTAN` unless it is an HS256 token without `crit`, signed with
    /// this secret, with our scope and audience, not expired, and with an onset that is not after today (UTC) and at most
    /// 30 days ago (our own bound); and `cryptography` when the library refuses.
    public init(_ text: String, secret: VerificationSecret, now: Int64) throws(VerificationError) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.maximumBytes, parts.count == 3, let signature = Base64URL.bytes(parts[2]),
            // In constant time.
            SecretBytes(copying: try Self.code(text.utf8.prefix(parts[0].count + 1 + parts[1].count), secret))
                == SecretBytes(copying: signature),
            let header = Self.json(parts[0]), header["alg"]?.string == "HS256", header["crit"] == nil,
            let claims = Self.json(parts[1]), claims["scope"]?.string == Self.scope,
            claims["aud"]?.string == Self.audience, let expires = claims["exp"]?.int, now < expires,
            let tan = claims["jti"]?.string, let onset = claims["onset"]?.string.flatMap({ CivilDate(isoText: $0) })
        else { throw VerificationError(.invalidTAN) }
        guard Self.onsets(now: now).contains(onset.dayNumber) else { throw VerificationError(.invalidTAN) }
        self.init(tan: tan, onset: onset, expires: expires, teleTAN: claims[Self.teleTANClaim]?.string)
    }

    /// Returns the teleTAN that a token names, without looking at signature and times; `nil` for any other text. It proves nothing, as a teleTAN that somebody types.
    static func teleTAN(in text: String) -> String? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.count <= maximumBytes, parts.count == 3, let claims = json(parts[1]),
            claims["scope"]?.string == scope, let teleTAN = claims[teleTANClaim]?.string, TeleTANIssuing.isValid(teleTAN)
        else { return nil }
        return teleTAN
    }

    private static func code(
        _ signed: some Sequence<UInt8>, _ secret: VerificationSecret
    ) throws(VerificationError) -> [UInt8] {
        do { return try HMACSHA256.code(for: Array(signed), key: secret.bytes) } catch {
            throw VerificationError(.cryptography, "\(error)")
        }
    }

    private static func json(_ part: Substring.UTF8View) -> JSON? {
        guard let bytes = Base64URL.bytes(part), let json = try? JSON(parsing: bytes, maximumDepth: 4), json.object != nil
        else { return nil }
        return json
    }
}

extension VerificationServer {
    /// The time for which a token counts: 24 hours, as a teleTAN.
    private static let tokenSeconds: Int64 = 86_400

    /// Gives a person the right to upload hours at venues once, at `now` (Unix seconds); durable when this returns. `onset`
    /// is the day since which they are infectious, as the health office has found, and `secret` that of the submission.
    /// Counts as a teleTAN. Throws `teleTANRateExceeded` when ``VerificationRules/teleTANLimit`` is reached, `cryptography`
    /// when the library refuses, and what ``VerificationStore`` throws.
    public func checkInToken(
        onset: CivilDate, secret: VerificationSecret, now: Int64
    ) throws(VerificationError) -> String {
        let teleTAN = try issueTeleTAN(.event, now: now)
        let registration = try register(.teleTAN(teleTAN), now: now)
        let tan = try tan(token: registration, now: now)
        return try CheckInToken(tan: tan, onset: onset, expires: now + Self.tokenSeconds, teleTAN: teleTAN)
            .text(secret: secret, now: now)
    }

    /// Takes back the right that ``checkInToken(onset:secret:now:)`` gave, at `now` (Unix seconds): nothing can be uploaded
    /// with this token any more; durable when this returns. Throws `invalidTAN` for a text that is no token of this secret,
    /// and for one that has expired, was taken back or was used: what was uploaded is taken back like any other warning
    /// (``warningHandles(_:)``). Throws `cryptography` when the
    /// library refuses, and what ``VerificationStore`` throws.
    public func revokeCheckInToken(
        _ text: String, secret: VerificationSecret, now: Int64
    ) throws(VerificationError) {
        let token = try CheckInToken(text, secret: secret, now: now)
        // Without a request the TAN is gone, whoever asks next.
        _ = try confirmTAN(token.tan, type: .event, now: now)
    }
}
