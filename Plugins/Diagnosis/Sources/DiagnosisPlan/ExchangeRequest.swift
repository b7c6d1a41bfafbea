// SPDX-License-Identifier: Apache-2.0

import JSON

/// One request of a playbook, complete. Genuine and fake ones of the same place have the same length; of the NHS's servers lengths that are drawn
/// from the same range.
public struct ExchangeRequest: Sendable, Hashable {
    /// The two servers of an authority that requests go to.
    public enum Server: String, Sendable, Hashable {
        /// The server that exchanges codes for tokens and results, and tokens for TANs or certificates; none of the NHS's.
        case verification
        /// The server that takes keys and warns others with them; of the NHS the one for all requests.
        case submission
    }

    /// One header of a request; its value may be a secret, so it is not for logs.
    public struct Header: Sendable, Hashable {
        /// The header's name as it is sent; no server tells capitals from small letters in it.
        public let name: String
        /// The header's value as it is sent; it may be a secret.
        public let value: String
    }

    /// The HTTP method. Raw values are those of HTTP.
    public enum Method: String, Sendable, Hashable {
        /// A GET; its body is empty.
        case get = "GET"
        /// A POST; its body has a length that tells nothing.
        case post = "POST"
    }

    /// The server that the request goes to.
    public let server: Server
    /// The HTTP method; POST if not set.
    public var method = Method.post
    /// The path, appended to the server's address; with its slash.
    public let path: String
    /// All headers but those that a client adds to every request; in the order in which they are sent.
    public internal(set) var headers: [Header]
    /// The bytes of the body; empty for a GET. Secret as far as keys and codes are in it.
    public let body: [UInt8]
    /// The HTTP status, 200 to 299, that the server answers with when all is well.
    public let expectedStatus: Int
    /// The name that the answer's signature is bound to, of servers that sign answers; otherwise `nil`.
    public var signedName: String?

    /// The path at which the Corona-Warn-App's submission service takes keys (cwa-protocols 5).
    public static let submissionPath = "/version/v1/diagnosis-keys"
    /// The number of characters that the header with padding has beyond those of phones, so that it is never empty: some clients, curl's library
    /// among them, leave out headers without a value, and then the length of the request would tell which call it is. Eight are a choice of ours.
    public static let additionalHeaderCharacters = 8

    /// Registers a test. `dateOfBirthKey` binds a date of birth: 64 hexadecimal digits of either case, the first of which may be x or X instead;
    /// `nil` binds none.
    ///
    /// - Throws: ``DiagnosisPlanError/Code/malformedDateOfBirthKey`` for any other text.
    public static func registration(
        _ key: RegistrationKey, dateOfBirthKey: String? = nil, using random: inout some RandomNumberGenerator
    ) throws(DiagnosisPlanError) -> ExchangeRequest {
        var object: JSON.Object = ["key": .string(key.text), "keyType": .string(key.form.rawValue)]
        if let dateOfBirthKey {
            let bytes = Array(dateOfBirthKey.utf8)
            let isX = bytes.first == UInt8(ascii: "x") || bytes.first == UInt8(ascii: "X")
            guard bytes.count == 64, isX || bytes[0].isHexadecimal, bytes.dropFirst().allSatisfy(\.isHexadecimal) else {
                throw DiagnosisPlanError(.malformedDateOfBirthKey)
            }
            object["keyDob"] = .string(dateOfBirthKey)
        }
        return verification(.registrationToken, object, isFake: false, status: 201, using: &random)
    }

    /// Asks for the result of a registered test, by its registration token. As long as every other verification request;
    /// cannot fail.
    public static func testResult(
        _ token: ServerToken, using random: inout some RandomNumberGenerator
    ) -> ExchangeRequest {
        verification(.testResult, ["registrationToken": .string(token.text)], isFake: false, status: 200, using: &random)
    }

    /// Asks for the TAN of a positive result. `remainder` is what the rest of the day will be sent with, or `nil`: told to
    /// servers of ours only, which take it as a second one (docs/verification.md). Cannot fail.
    public static func tan(
        _ token: ServerToken, remainder: ServerToken? = nil, using random: inout some RandomNumberGenerator
    ) -> ExchangeRequest {
        var object: JSON.Object = ["registrationToken": .string(token.text)]
        if let remainder { object["remainder"] = .string(remainder.text) }
        return verification(.tan, object, isFake: false, status: 201, using: &random)
    }

    /// A verification call that means nothing, with a random token. What comes back must be thrown away. Cannot fail.
    public static func fakeVerification(using random: inout some RandomNumberGenerator) -> ExchangeRequest {
        let token = ServerToken(using: &random)
        return verification(.tan, ["registrationToken": .string(token.text)], isFake: true, status: 201, using: &random)
    }

    /// Warns others with a payload that is checked and encoded here, and by a TAN.
    /// - Throws: `DiagnosisPlanError` of ``SubmissionPayload/check()`` and ``SubmissionPayload/encoded(as:using:)``.
    public static func submission(
        _ payload: SubmissionPayload, tan: ServerToken, shape: SubmissionShape = .standard,
        using random: inout some RandomNumberGenerator
    ) throws(DiagnosisPlanError) -> ExchangeRequest {
        try payload.check()
        return submission(try payload.encoded(as: shape, using: &random), tan, isFake: false, using: &random)
    }

    /// Warns others with a body that was made before, and is the same in every attempt: all its bytes, padding included.
    /// Cannot fail.
    public static func submission(
        prepared body: [UInt8], tan: ServerToken, using random: inout some RandomNumberGenerator
    ) -> ExchangeRequest {
        submission(body, tan, isFake: false, using: &random)
    }

    /// A submission that means nothing, with a random TAN; as long in every part as a genuine one of the same shape. Cannot fail.
    public static func fakeSubmission(
        shape: SubmissionShape = .standard, using random: inout some RandomNumberGenerator
    ) -> ExchangeRequest {
        // An empty payload fits every shape.
        let body = (try? SubmissionPayload.fake.encoded(as: shape, using: &random)) ?? []
        return submission(body, ServerToken(using: &random), isFake: true, using: &random)
    }

    /// The same with the name of this request, by which a server of ours knows a repetition (docs/verification.md): `request` as the last header,
    /// not checked, added again by each call. Fakes carry a random one, so that all have the same length.
    public func named(_ request: String) -> ExchangeRequest {
        var named = self
        named.headers.append(Header(name: "vigil-request", value: request))
        return named
    }

    /// The same without a name, for servers that know none.
    func unnamed() -> ExchangeRequest {
        var unnamed = self
        unnamed.headers.removeAll { $0.name == "vigil-request" }
        return unnamed
    }

    /// A name for a request: a random UUID of 36 characters, drawn from `random`. Cannot fail.
    public static func requestName(using random: inout some RandomNumberGenerator) -> String {
        ServerToken(using: &random).text
    }

    /// The number of bytes of the request as HTTP/1.1 writes it, without the headers that a client adds to all alike (Host, Content-Length and
    /// others).
    /// So fakes can be compared with what they stand in for.
    public var byteCount: Int {
        "\(method.rawValue) \(path) HTTP/1.1\r\n\r\n".utf8.count + body.count
            // Without a value there is no blank either.
            + headers.reduce(0) {
                $0 + $1.name.utf8.count + $1.value.utf8.count + ": \r\n".utf8.count - ($1.value.isEmpty ? 1 : 0)
            }
    }

    private static func verification(
        _ path: VerificationPath, _ object: JSON.Object, isFake: Bool, status: Int,
        using random: inout some RandomNumberGenerator
    ) -> ExchangeRequest {
        var object = object
        object["requestPadding"] = ""
        let missing = WirePadding.verificationBodyBytes - JSON.object(object).bytes.count
        object["requestPadding"] = .string(WirePadding.text(missing, using: &random))
        return ExchangeRequest(
            server: .verification, path: path.rawValue,
            headers: [
                Header(name: "content-type", value: "application/json"),
                Header(name: "cwa-fake", value: isFake ? "1" : "0"),
                Header(
                    name: "cwa-header-padding",
                    value: WirePadding.text(
                        WirePadding.headerCharacters(path) + additionalHeaderCharacters, using: &random)),
            ], body: JSON.object(object).bytes, expectedStatus: status)
    }

    private static func submission(
        _ body: [UInt8], _ tan: ServerToken, isFake: Bool, using random: inout some RandomNumberGenerator
    ) -> ExchangeRequest {
        ExchangeRequest(
            server: .submission, path: submissionPath,
            headers: [
                Header(name: "content-type", value: "application/x-protobuf"),
                Header(name: "cwa-fake", value: isFake ? "1" : "0"),
                Header(name: "cwa-authorization", value: tan.text),
                Header(
                    name: "cwa-header-padding", value: WirePadding.text(additionalHeaderCharacters, using: &random)),
            ], body: body, expectedStatus: 200)
    }
}
