// SPDX-License-Identifier: Apache-2.0

/// The key by which a verification server registers a test (specification cwa-protocols 4). Anyone who has it can register
/// the test, so it has no text form except ``text``, and is deleted as soon as there is a token.
public struct RegistrationKey: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The kinds of registration keys. Raw values are the servers' words, which requests carry.
    public enum Form: String, Sendable, Hashable, Codable {
        /// SHA-256 in 64 hexadecimal digits, of a laboratory's identifier or of the check value of a rapid test's
        /// code (``TestCode/registrationKey``).
        case hashedCode = "GUID"
        /// The number of a hotline or portal, a teleTAN.
        case teleTAN = "TELETAN"
        /// A code of an exposure-notifications-verification-server.
        case verificationCode = "code"
        /// A code that came with a result of NHS COVID-19.
        case ctaToken
        /// A token for the result of a test that was ordered.
        case pollingToken = "testResultPollingToken"
    }

    /// The kind of key, which determines the call that it is used in.
    public let form: Form
    /// The text that is sent to the server, in the form that ``form`` names. A secret.
    public let text: String
    /// The hash that binds a laboratory's code to a date of birth (`keyDob`, ``DateOfBirth/key(of:)``); for a polling
    /// token, the token that keys are submitted with. `nil` if there is neither. A secret.
    public let birthKey: String?

    /// Creates the key of a test's code: ``TestCode/registrationKey``, without the code itself, and
    /// ``TestCode/birthKey``. Cannot fail.
    public init(_ code: TestCode) {
        form = .hashedCode
        text = code.registrationKey
        birthKey = code.birthKey
    }

    /// Creates the key of a hotline's number: the number itself. Cannot fail.
    public init(_ teleTAN: TeleTAN) {
        form = .teleTAN
        text = teleTAN.text
        birthKey = nil
    }

    /// Creates the key of a code of Google's verification server: the code itself. Cannot fail.
    public init(_ code: ENSCode) {
        form = .verificationCode
        text = code.text
        birthKey = nil
    }

    /// Creates the key of a code that came with an NHS result: the code itself. Cannot fail.
    public init(_ code: NHSCode) {
        form = .ctaToken
        text = code.text
        birthKey = nil
    }

    /// Creates the key of a test that was ordered from the NHS. Both tokens came with the order; they are secrets, and not
    /// checked.
    public init(pollingToken: String, submissionToken: String) {
        form = .pollingToken
        text = pollingToken
        birthKey = submissionToken
    }

    /// The kind of key in words, without the key.
    public var description: String { form == .teleTAN ? "a teleTAN" : "a test's key" }
}
