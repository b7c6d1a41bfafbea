// SPDX-License-Identifier: Apache-2.0

/// The key by which a verification server registers a test (specification cwa-protocols 4). Whoever has it can register the
/// test, so it has no text form but ``text``, and is forgotten when there is a token.
public struct RegistrationKey: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The kinds of keys, in the server's words: raw values are what requests carry.
    public enum Form: String, Sendable, Hashable, Codable {
        /// SHA-256 of a test's code, in 64 hexadecimal digits.
        case hashedCode = "GUID"
        /// The number of a hotline or portal, a teleTAN.
        case teleTAN = "TELETAN"
        /// A code of an exposure-notifications-verification-server.
        case verificationCode = "code"
        /// A code that came with a result of NHS COVID-19.
        case ctaToken
        /// The token that the result of a test that was ordered is asked for with.
        case pollingToken = "testResultPollingToken"
    }

    /// The kind of key, and so the call that it is for.
    public let form: Form
    /// The text that is sent to the server to register by, of the form that ``form`` says. A secret.
    public let text: String
    /// The hash that binds a date of birth (`keyDob`, ``DateOfBirth/key(of:)``) of a laboratory's code; of a polling token, the token that keys are
    /// submitted with. `nil` for neither. A secret.
    public let birthKey: String?

    /// The key of a test's code: the hash of it, in 64 hexadecimal digits, never the code, with ``TestCode/birthKey``.
    public init(_ code: TestCode) {
        form = .hashedCode
        text = code.registrationKey
        birthKey = code.birthKey
    }

    /// The key for a number that a hotline gave: the number itself. Cannot fail.
    public init(_ teleTAN: TeleTAN) {
        form = .teleTAN
        text = teleTAN.text
        birthKey = nil
    }

    /// The key for a code of Google's verification server: the code itself. Cannot fail.
    public init(_ code: ENSCode) {
        form = .verificationCode
        text = code.text
        birthKey = nil
    }

    /// The key for a code that came with an NHS result: the code itself. Cannot fail.
    public init(_ code: NHSCode) {
        form = .ctaToken
        text = code.text
        birthKey = nil
    }

    /// The key of a test that was ordered from the NHS: both tokens came with the order, and are not checked. Secrets.
    public init(pollingToken: String, submissionToken: String) {
        form = .pollingToken
        text = pollingToken
        birthKey = submissionToken
    }

    /// The kind of key for people, never the key.
    public var description: String { form == .teleTAN ? "a teleTAN" : "a test's key" }
}
