// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import JSON

/// The credentials that NHS COVID-19's servers require in every request. They are configuration here; the apps had them
/// built in (specification rules-and-nhs 1).
public struct NHSAccess: Sendable, Hashable, CustomStringConvertible {
    /// The value of the header `Authorization`: `Bearer` and the API key in Base64. A secret.
    public let authorization: String
    /// The client's name and version, such as `p=Android,o=29,v=4.36,b=300`, in the form that the NHS's own apps
    /// use, 1 to 200 printable ASCII characters, which the plugin's settings check. The servers treat a client
    /// whose value they cannot read as too old.
    public let userAgent: String
    /// The country whose tests are meant: `England` or `Wales`, which the plugin's settings check.
    public let country: String
    /// The keys that verify the signatures of answers, by the identifiers that answers name
    /// (``NHSSignature/keyID``); at most 8 by `plugin.json`. If there is none, no answer is accepted.
    public let keys: [String: P256.VerificationKey]

    /// Creates the credentials of one app; nothing is checked.
    ///
    /// - Parameters:
    ///   - apiKey: The API key with its name, as `name:value`. A secret.
    ///   - userAgent: The client's name and version, such as `p=Android,o=29,v=4.36,b=300`.
    ///   - country: The country whose tests are meant: `England` or `Wales`.
    ///   - keys: The keys that verify the signatures of answers, by their identifiers.
    public init(apiKey: String, userAgent: String, country: String, keys: [String: P256.VerificationKey]) {
        authorization = "Bearer " + Base64.string(Array(apiKey.utf8))
        self.userAgent = userAgent
        self.country = country
        self.keys = keys
    }

    /// The words `access for` and the country, without the API key.
    public var description: String { "access for \(country)" }
}

/// The requests to NHS COVID-19's servers (specification rules-and-nhs 1 to 3).
///
/// Headers `X-Randomised-1…` hide the requests' lengths. Other clients fill a request up to a random 4,000 to 7,999
/// bytes, but do not count its path, its headers and the header lines of the filling, so their lengths tell
/// requests apart to within about 250 bytes. Here everything counts, `Content-Length` included: the whole request
/// has `longest` + 4,000 + 0…3,999 bytes, where `longest` is the number of bytes beside the body that the longest
/// kind of request has. A request whose body alone needs more is longer; with at most ``NHSSubmission/maximumKeys``
/// keys, none does.
public enum NHSRequest {
    /// The path for the result of a test that was ordered (rules-and-nhs 2).
    public static let resultsPath = "/virology-test/v2/results"
    /// The path for the exchange of a code for its result (rules-and-nhs 2).
    public static let exchangePath = "/virology-test/v2/cta-exchange"
    /// The path for keys (rules-and-nhs 3).
    public static let submissionPath = "/submission/diagnosis-keys"
    /// The path for requests without meaning, as other clients send them (rules-and-nhs 3).
    public static let emptyPath = "/submission/empty-submission-v2"
    /// The most characters of one filling header: 2,000, as in other clients (covid-19-app-android
    /// `TrafficLengthObfuscationInterceptor`).
    public static let headerCharacters = 2_000
    /// The least filling in bytes, to which a random part is added: 4,000, as in other clients (same file).
    public static let leastFill = 4_000
    /// The number of possible sizes of the filling's random part, which is 0 to 3,999 bytes, drawn evenly, as in other
    /// clients (same file).
    public static let randomFill = 4_000

    /// Makes the request that exchanges a code for its result. Cannot fail: the code is not checked here.
    ///
    /// - Parameter code: The code, as ``NHSCode/text``.
    public static func exchange(
        _ code: String, _ access: NHSAccess, using random: inout some RandomNumberGenerator
    ) -> ExchangeRequest {
        post(exchangePath, ["ctaToken": .string(code), "country": .string(access.country)], access, using: &random)
    }

    /// Makes the request for the result of a test that was ordered, by the token that came with the order. Cannot fail: the
    /// token is not checked here.
    public static func results(
        _ pollingToken: String, _ access: NHSAccess, using random: inout some RandomNumberGenerator
    ) -> ExchangeRequest {
        post(
            resultsPath, ["testResultPollingToken": .string(pollingToken), "country": .string(access.country)], access,
            using: &random)
    }

    /// Makes the request that warns others, from a body that was made before and is the same in every attempt. Cannot fail.
    public static func submission(
        prepared body: [UInt8], _ access: NHSAccess, using random: inout some RandomNumberGenerator
    ) -> ExchangeRequest {
        filled(.post, submissionPath, body, access, using: &random)
    }

    /// Makes the request without meaning, as other clients send it, for any position in a playbook. Cannot fail.
    public static func empty(
        _ access: NHSAccess, using random: inout some RandomNumberGenerator
    ) -> ExchangeRequest {
        filled(.get, emptyPath, [], access, using: &random)
    }

    /// Returns the lengths of the filling headers' values, 1 to ``headerCharacters`` characters each, that other clients
    /// add to a body of `bodyLength` bytes if they draw `drawn` (0 to 3,999, not checked). Empty if the body is long enough
    /// by itself.
    public static func fillLengths(bodyLength: Int, drawn: Int) -> [Int] {
        lengths(max(0, leastFill + drawn - bodyLength))
    }

    /// Returns the name of the filling header with this index, from 0: `X-Randomised-1` is the first. Cannot fail.
    public static func fillName(_ index: Int) -> String { "X-Randomised-\(index + 1)" }

    private static func lengths(_ missing: Int) -> [Int] {
        stride(from: 0, to: missing, by: headerCharacters).map { min(headerCharacters, missing - $0) }
    }

    private static func post(
        _ path: String, _ object: JSON.Object, _ access: NHSAccess, using random: inout some RandomNumberGenerator
    ) -> ExchangeRequest {
        filled(.post, path, JSON.object(object).bytes, access, using: &random)
    }

    /// Beside the body, what the longest request has: a POST to the longest path.
    private static func longest(_ access: NHSAccess) -> Int {
        [resultsPath, exchangePath, submissionPath].map { path in
            bare(.post, path, [], access, name: String(repeating: "0", count: ServerToken.length)).wireByteCount
        }.max() ?? 0
    }

    private static func filled(
        _ method: ExchangeRequest.Method, _ path: String, _ body: [UInt8], _ access: NHSAccess,
        using random: inout some RandomNumberGenerator
    ) -> ExchangeRequest {
        let name = ServerToken(using: &random).text
        var request = bare(method, path, body, access, name: name)
        var missing = longest(access) + leastFill + Int.random(in: 0..<randomFill, using: &random) - request.wireByteCount
        var index = 0
        while missing > 0 {
            // The line's own bytes count. One that would leave less than the next line needs takes some characters less.
            let line = "\(fillName(index)): \r\n".utf8.count
            var characters = min(headerCharacters, missing - line)
            let rest = missing - line - characters
            if rest > 0, rest <= line { characters -= line }
            guard characters > 0 else { break }
            request.headers.append(.init(name: fillName(index), value: WirePadding.text(characters, using: &random)))
            missing -= line + characters
            index += 1
        }
        return request
    }

    private static func bare(
        _ method: ExchangeRequest.Method, _ path: String, _ body: [UInt8], _ access: NHSAccess, name: String
    ) -> ExchangeRequest {
        var headers: [ExchangeRequest.Header] = [.init(name: "Request-Id", value: name)]
        // The cover goes without, as other clients' does.
        if method == .post {
            headers.append(.init(name: "Authorization", value: access.authorization))
            headers.append(.init(name: "Content-Type", value: "application/json; charset=utf-8"))
        }
        var request = ExchangeRequest(
            server: .submission, method: method, path: path, headers: headers, body: body, expectedStatus: 200)
        if method == .post { request.signedName = name }
        return request
    }
}

extension ExchangeRequest {
    /// ``byteCount`` and the length that a client writes beside a body.
    var wireByteCount: Int {
        byteCount + (method == .post ? "Content-Length: \(body.count)\r\n".utf8.count : 0)
    }
}
