// SPDX-License-Identifier: Apache-2.0

import JSON

/// One complete request of a playbook. A genuine and a fake request in the same position have the same length; for the
/// NHS's servers both lengths are drawn from the same range.
public struct ExchangeRequest: Sendable, Hashable {
    /// The two servers of an authority. A request goes to one of them.
    public enum Server: String, Sendable, Hashable {
        /// The server that exchanges codes for tokens and results, and tokens for TANs or certificates; no request to the
        /// NHS goes here.
        case verification
        /// The server that takes keys and warns others with them; all requests to the NHS go here.
        case submission
    }

    /// One header of a request; its value may be a secret, so it is not for logs.
    public struct Header: Sendable, Hashable {
        /// The header's name as it is sent; servers do not distinguish capital and small letters in it.
        public let name: String
        /// The header's value as it is sent; it may be a secret.
        public let value: String
    }

    /// The HTTP method. Raw values are those of HTTP.
    public enum Method: String, Sendable, Hashable {
        /// A GET, with an empty body.
        case get = "GET"
        /// A POST, with a body whose length reveals nothing.
        case post = "POST"
    }

    /// The server that the request goes to.
    public let server: Server
    /// The HTTP method; POST if not set.
    public var method = Method.post
    /// The path, with its leading slash, which is appended to the server's address.
    public let path: String
    /// The headers in the order in which they are sent, without those that a client adds to every request.
    public internal(set) var headers: [Header]
    /// The bytes of the body; empty for a GET. Secret if it contains keys or codes.
    public let body: [UInt8]
    /// The HTTP status of a successful answer, 200 to 299.
    public let expectedStatus: Int
    /// The name that the signature of the answer is bound to; `nil` for servers that do not sign their answers.
    public var signedName: String?

    /// The path at which the Corona-Warn-App's submission service takes keys (cwa-protocols 5).
    public static let submissionPath = "/version/v1/diagnosis-keys"
    /// The number of characters by which the padding header is longer than a phone's, so that it is never empty: 8, our
    /// choice. Some clients, curl's library among them, omit headers without a value, and then the length of the request
    /// would tell which call it is.
    public static let additionalHeaderCharacters = 8

    /// Makes the request that registers a test.
    ///
    /// - Parameters:
    ///   - key: The test's registration key.
    ///   - dateOfBirthKey: The hash that binds the test to a date of birth: 64 hexadecimal digits of either case, of which
    ///     the first may be x or X instead; `nil` for no date of birth.
    /// - Throws: ``DiagnosisPlanError/Code/malformedDateOfBirthKey`` if `dateOfBirthKey` has another form.
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

    /// Makes the request for the result of a registered test, by its registration token. It is as long as every other
    /// verification request. Cannot fail.
    public static func testResult(
        _ token: ServerToken, using random: inout some RandomNumberGenerator
    ) -> ExchangeRequest {
        verification(.testResult, ["registrationToken": .string(token.text)], isFake: false, status: 200, using: &random)
    }

    /// Makes the request for the TAN of a positive result. `remainder` is the token with which the rest of the day's key
    /// will be sent; `nil` for none. Only this project's servers are told it: they take it as a second TAN
    /// (docs/verification.md). Cannot fail.
    public static func tan(
        _ token: ServerToken, remainder: ServerToken? = nil, using random: inout some RandomNumberGenerator
    ) -> ExchangeRequest {
        var object: JSON.Object = ["registrationToken": .string(token.text)]
        if let remainder { object["remainder"] = .string(remainder.text) }
        return verification(.tan, object, isFake: false, status: 201, using: &random)
    }

    /// Makes a fake verification request: one for a TAN, with a random token, whichever call it replaces. Its
    /// answer must be discarded. Cannot fail.
    public static func fakeVerification(using random: inout some RandomNumberGenerator) -> ExchangeRequest {
        let token = ServerToken(using: &random)
        return verification(.tan, ["registrationToken": .string(token.text)], isFake: true, status: 201, using: &random)
    }

    /// Makes the request that warns others with `payload`, authorised by `tan`; the payload is checked and encoded here.
    /// - Throws: The errors of ``SubmissionPayload/check()`` if the payload breaks a rule, and those of
    ///   ``SubmissionPayload/encoded(as:using:)`` if it does not fit `shape`.
    public static func submission(
        _ payload: SubmissionPayload, tan: ServerToken, shape: SubmissionShape = .standard,
        using random: inout some RandomNumberGenerator
    ) throws(DiagnosisPlanError) -> ExchangeRequest {
        try payload.check()
        return submission(try payload.encoded(as: shape, using: &random), tan, isFake: false, using: &random)
    }

    /// Makes the request that warns others, from a body that was made before and is the same in every attempt, padding
    /// included. Cannot fail.
    public static func submission(
        prepared body: [UInt8], tan: ServerToken, using random: inout some RandomNumberGenerator
    ) -> ExchangeRequest {
        submission(body, tan, isFake: false, using: &random)
    }

    /// Makes a fake submission with a random TAN; all its parts are as long as those of a genuine one of the same shape.
    /// Cannot fail.
    public static func fakeSubmission(
        shape: SubmissionShape = .standard, using random: inout some RandomNumberGenerator
    ) -> ExchangeRequest {
        // An empty payload fits every shape.
        let body = (try? SubmissionPayload.fake.encoded(as: shape, using: &random)) ?? []
        return submission(body, ServerToken(using: &random), isFake: true, using: &random)
    }

    /// Returns this request with a name, by which this project's servers recognise a repetition (docs/verification.md): it
    /// is appended as the header `vigil-request`, not checked. A second call appends another header. Fakes carry a random
    /// name, so that all requests have the same length.
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

    /// Returns a name for a request: a random UUID of 36 characters, drawn from `random`. Cannot fail.
    public static func requestName(using random: inout some RandomNumberGenerator) -> String {
        ServerToken(using: &random).text
    }

    /// The number of bytes of the request as HTTP/1.1 writes it, without the headers that a client adds to all requests
    /// (Host, Content-Length and others). It allows fakes to be compared with the requests that they stand in for.
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
