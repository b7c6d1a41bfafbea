// SPDX-License-Identifier: Apache-2.0

import CivilTime
public import Cryptography
public import GAEN
import JSON

/// The requests to Google's verification and key servers (specification ens 2 and 6). All bodies have the same length,
/// whether genuine or fake, and to either server: exposure-notifications-android pads to 5,000 bytes, which 30 keys with a
/// revision token exceed.
public enum ENSRequest {
    /// The length of every body in bytes: 8,192, because 30 keys with a revision token need up to 6,108 (ens 7). A fake's
    /// body is shorter by the header that marks it.
    public static let bodyBytes = 8_192
    /// Bytes of the header that marks a fake, which are taken off its body: `x-chaff: 1` and its end of line.
    static let chaffHeaderBytes = "x-chaff: 1\r\n".utf8.count
    /// The number of random bytes of a user report's nonce: 256 (ens 2).
    public static let nonceBytes = 256

    /// The types of tests that this software can handle: all that exist, in the order of the cases.
    public static let accepts: [ENSTestType] = [.confirmed, .likely, .negative, .userReport]

    /// Makes the request that exchanges a code for a token. Nothing is checked but the length.
    /// - Parameters:
    ///   - code: The code, as ``ENSCode/text``.
    ///   - accepts: The types of tests that the server may give a token for; all by default.
    ///   - nonce: The nonce of the user report, ``nonceBytes`` bytes; `nil` for other codes.
    ///   - apiKey: The authority's API key of the type DEVICE, sent as the header `x-api-key`. A secret.
    /// - Throws: `DiagnosisPlanError.doesNotFit` if the body is longer than ``bodyBytes`` even without padding.
    public static func verify(
        _ code: String, accepts: [ENSTestType] = accepts, nonce: [UInt8]? = nil, apiKey: String,
        using random: inout some RandomNumberGenerator
    ) throws(DiagnosisPlanError) -> ExchangeRequest {
        var object: JSON.Object = [
            "code": .string(code), "accept": .array(accepts.map { .string($0.rawValue) }),
        ]
        if let nonce { object["nonce"] = .string(Base64.string(nonce)) }
        return try request(.verify, object, apiKey, using: &random)
    }

    /// Makes the request that exchanges a token, and the code over the keys (`proof`, a ``UploadProof`` in Base64), for a
    /// certificate. Nothing is checked but the length.
    /// - Throws: `DiagnosisPlanError.doesNotFit` if the body is longer than ``bodyBytes`` even without padding.
    public static func certificate(
        token: String, proof: String, apiKey: String, using random: inout some RandomNumberGenerator
    ) throws(DiagnosisPlanError) -> ExchangeRequest {
        try request(
            .certificate, ["token": .string(token), "ekeyhmac": .string(proof)], apiKey, using: &random)
    }

    /// Makes the request for a code in a text message, for a person who reports their own test. Nothing is checked
    /// but the length. The server is told a time zone's offset of 0.
    /// - Parameters:
    ///   - phone: The telephone number in the form that the server expects.
    ///   - nonce: The nonce, ``nonceBytes`` random bytes, which the exchange of the code has to repeat.
    ///   - symptomDate: The day of onset, `YYYY-MM-DD` in UTC; `nil` if it is not stated.
    ///   - testDate: The day of the test, `YYYY-MM-DD` in UTC; `nil` if it is not stated.
    ///   - apiKey: The authority's API key of the type DEVICE. A secret.
    /// - Throws: `DiagnosisPlanError.doesNotFit` if the body is longer than ``bodyBytes`` even without padding.
    public static func userReport(
        phone: String, nonce: [UInt8], symptomDate: String? = nil, testDate: String? = nil, apiKey: String,
        using random: inout some RandomNumberGenerator
    ) throws(DiagnosisPlanError) -> ExchangeRequest {
        var object: JSON.Object = ["phone": .string(phone), "nonce": .string(Base64.string(nonce))]
        if let symptomDate { object["symptomDate"] = .string(symptomDate) }
        if let testDate { object["testDate"] = .string(testDate) }
        object["tzOffset"] = 0
        return try request(.userReport, object, apiKey, using: &random)
    }

    /// Makes the request that warns others, from a body that was made before and is the same in every attempt:
    /// ``bodyBytes`` bytes, not checked. Cannot fail.
    public static func publish(body: [UInt8]) -> ExchangeRequest {
        ExchangeRequest(
            server: .submission, path: ENSAnswer.Endpoint.publish.rawValue, headers: headers(nil), body: body,
            expectedStatus: 200)
    }

    /// Makes a fake request to `endpoint`, of the same form and length as a genuine one, with random content. Its body is
    /// shorter than ``bodyBytes`` by the header that marks it as a fake. Cannot fail.
    public static func fake(
        _ endpoint: ENSAnswer.Endpoint, apiKey: String, using random: inout some RandomNumberGenerator
    ) -> ExchangeRequest {
        // The object fits: it has no content but padding.
        let object: JSON.Object = ["padding": ""]
        let missing = bodyBytes - chaffHeaderBytes - JSON.object(object).bytes.count
        let body = JSON.object(["padding": .string(padding(missing, using: &random))]).bytes
        return ExchangeRequest(
            server: endpoint == .publish ? .submission : .verification, path: endpoint.rawValue,
            headers: headers(endpoint == .publish ? nil : apiKey) + [.init(name: "x-chaff", value: "1")], body: body,
            expectedStatus: 200)
    }

    /// Returns the number of padding characters that bring a body of `count` bytes to `target` bytes; 0 if the body is too
    /// long. The padding's JSON member itself takes 13 bytes. Cannot fail for the lengths of real bodies.
    public static func paddingCharacters(bodyWithoutPadding count: Int, target: Int) -> Int {
        max(0, target - count - #","padding":"""#.utf8.count)
    }

    /// Characters as Base64 has them, which is what other clients pad with.
    static func padding(_ count: Int, using random: inout some RandomNumberGenerator) -> String {
        String(decoding: WirePadding.characters(count, of: alphabet, using: &random), as: UTF8.self)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func request(
        _ endpoint: ENSAnswer.Endpoint, _ object: JSON.Object, _ apiKey: String,
        using random: inout some RandomNumberGenerator
    ) throws(DiagnosisPlanError) -> ExchangeRequest {
        var object = object
        object["padding"] = ""
        let missing = bodyBytes - JSON.object(object).bytes.count
        guard missing >= 0 else { throw DiagnosisPlanError(.doesNotFit, "\(-missing) bytes too many") }
        object["padding"] = .string(padding(missing, using: &random))
        return ExchangeRequest(
            server: .verification, path: endpoint.rawValue, headers: headers(apiKey), body: JSON.object(object).bytes,
            expectedStatus: 200)
    }

    private static func headers(_ apiKey: String?) -> [ExchangeRequest.Header] {
        let common: [ExchangeRequest.Header] = [
            .init(name: "content-type", value: "application/json"), .init(name: "accept", value: "application/json"),
        ]
        return common + (apiKey.map { [.init(name: "x-api-key", value: $0)] } ?? [])
    }
}

/// The keys and the secret of a warning, which are fixed before a certificate is asked for: the certificate is valid for
/// exactly these keys (specification ens 9).
public struct FrozenKeys: Sendable, Hashable, Codable, CustomStringConvertible {
    /// One key as it is published.
    public struct Key: Sendable, Hashable, Codable {
        /// The key's 16 bytes in Base64. A secret until it is published.
        public let key: String
        /// The interval at which the key begins, as a number of ten-minute intervals since 1970.
        public let start: UInt32
        /// The number of ten-minute intervals for which the key is used, 1 to 144.
        public let period: UInt32
    }

    /// The keys, in the order in which they are published.
    public let keys: [Key]
    /// The secret of the code over the keys, in Base64: at least 16 random bytes; not checked.
    public let secret: String
    /// The interval of the day of onset that the key server is told (``interval(ofOnset:at:)``), as a number of ten-minute intervals since 1970;
    /// `nil` if it is told none.
    public let onset: UInt32?

    /// Fixes the keys with their times. Their own levels are not kept, so the server's levels apply. `secret` and `onset`
    /// are stored unchecked: see the properties.
    public init(_ keys: [DiagnosisKey], secret: SecretBytes, onset: UInt32?) {
        self.keys = keys.map {
            Key(key: Base64.string($0.data.bytes), start: $0.rollingStart.number, period: $0.rollingPeriod)
        }
        self.secret = secret.withBytes { Base64.string($0) }
        self.onset = onset
    }

    /// The number of keys, without the keys themselves.
    public var description: String { "\(keys.count) keys" }

    var diagnosisKeys: [DiagnosisKey]? {
        let made = keys.compactMap { key -> DiagnosisKey? in
            guard let data = Base64.bytes(key.key).flatMap({ Block($0) }) else { return nil }
            return DiagnosisKey(data: data, rollingStart: ENIN(key.start), rollingPeriod: key.period)
        }
        return made.count == keys.count ? made : nil
    }

    /// What the certificate binds, Base64. Throws `damagedBook`.
    func proof() throws(DiagnosisPlanError) -> String {
        guard let bytes = Base64.bytes(secret), let keys = diagnosisKeys,
            let code = try? UploadProof.code(for: keys, secret: SecretBytes(copying: bytes))
        else { throw DiagnosisPlanError(.damagedBook) }
        return Base64.string(code)
    }

    /// The body that publishes them.
    func body(
        certificate: String, authority: String, revisionToken: String?, using random: inout some RandomNumberGenerator
    ) throws(DiagnosisPlanError) -> [UInt8] {
        guard let bytes = Base64.bytes(secret), let keys = diagnosisKeys else { throw DiagnosisPlanError(.damagedBook) }
        return try PublishRequest(
            keys: keys, healthAuthority: authority, certificate: certificate, secret: SecretBytes(copying: bytes),
            symptomOnset: onset.map { ENIN($0) }, revisionToken: revisionToken ?? ""
        ).encoded(as: SubmissionShape(bytes: ENSRequest.bodyBytes), using: &random)
    }

    /// Returns the interval by which a key server is told a day of onset, given in days since 1970, at `now` in Unix seconds: the first of that day. A server believes
    /// only one that lies before its present interval, and takes a day four days ago in place of others (ens 6.1). So in the first twenty minutes of the day itself, by
    /// either clock, it is told the last but one interval of the day before.
    public static func interval(ofOnset day: Int64, at now: Int64) -> UInt32 {
        let first = day * 144
        return UInt32(clamping: first + 1 >= now / 600 ? first - 2 : first)
    }

    /// Returns those of the device's own keys that a key server accepts together, by the defaults of
    /// ``ENSKeyRules``: keys that ended within the last 15 days, none from the future, none more than 14 days from
    /// the onset, at most 30, newest first. A key that overlaps an earlier one, because the clock was set back,
    /// gets the earlier key's start, and its end stays. It is left out if it would then last longer than a day, or
    /// if three keys share that start already.
    ///
    /// - Parameters:
    ///   - keys: The device's own keys, in any order.
    ///   - onset: The day of onset in days since 1970; `nil` for the one that servers assume, four days before
    ///     `now`.
    ///   - now: The server's time as far as it is known, in Unix seconds.
    /// - Returns: The keys to publish; empty if none is left.
    public static func publishable(_ keys: [DiagnosisKey], onset: Int64?, at now: Int64) -> [DiagnosisKey] {
        let rules = ENSKeyRules()
        let day = onset ?? (now - rules.defaultOnsetDays * UTCDay.seconds) / UTCDay.seconds
        let sound = keys.filter { key in
            let start = Int64(key.rollingStart.number)
            return start <= now / 600 && start + Int64(key.rollingPeriod) >= (now - rules.maximumAgeSeconds) / 600 + 1
                && abs(Int64(key.rollingStart.day) - day) <= rules.maximumOnsetDays
        }.sorted { ($0.rollingStart, $0.rollingPeriod) < ($1.rollingStart, $1.rollingPeriod) }
        var taken: [DiagnosisKey] = []
        var (start, end, count) = (UInt32(0), UInt32(0), 0)
        for key in sound {
            var key = key
            if count > 0, key.rollingStart.number < end {
                // As of the earlier one's beginning: identifiers depend on key and time alone, so the same ones are found.
                guard count < rules.maximumSameStart, key.end.number - start <= ENIN.perDay else { continue }
                key.rollingPeriod = key.end.number - start
                key.rollingStart = ENIN(start)
                count += 1
                end = max(end, key.end.number)
            } else {
                (start, end, count) = (key.rollingStart.number, key.end.number, 1)
            }
            taken.append(key)
        }
        return taken.suffix(rules.maximumKeys).reversed()
    }
}
