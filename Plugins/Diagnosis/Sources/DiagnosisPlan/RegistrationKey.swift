// SPDX-License-Identifier: Apache-2.0

/// What a verification server registers a test by (specification cwa-protocols 4). Whoever has it can register the test, so it has no text
/// form but ``text``, and is forgotten when there is a token.
public struct RegistrationKey: Sendable, Hashable, Codable, CustomStringConvertible {
    /// As the server calls them.
    public enum Form: String, Sendable, Hashable, Codable {
        /// SHA-256 of what a test's code carries.
        case hashedCode = "GUID"
        case teleTAN = "TELETAN"
        /// A code of an exposure-notifications-verification-server.
        case verificationCode = "code"
        /// A code that came with a result of NHS COVID-19.
        case ctaToken
        /// What the result of a test that was ordered is asked for with.
        case pollingToken = "testResultPollingToken"
    }

    public let form: Form
    public let text: String
    /// Binds a date of birth (`keyDob`); of a polling token, what keys are submitted with.
    public let birthKey: String?

    public init(_ code: TestCode) {
        form = .hashedCode
        text = code.registrationKey
        birthKey = code.birthKey
    }

    public init(_ teleTAN: TeleTAN) {
        form = .teleTAN
        text = teleTAN.text
        birthKey = nil
    }

    public init(_ code: ENSCode) {
        form = .verificationCode
        text = code.text
        birthKey = nil
    }

    public init(_ code: NHSCode) {
        form = .ctaToken
        text = code.text
        birthKey = nil
    }

    /// Of a test that was ordered: both tokens came with the order.
    public init(pollingToken: String, submissionToken: String) {
        form = .pollingToken
        text = pollingToken
        birthKey = submissionToken
    }

    public var description: String { form == .teleTAN ? "a teleTAN" : "a test's key" }
}
