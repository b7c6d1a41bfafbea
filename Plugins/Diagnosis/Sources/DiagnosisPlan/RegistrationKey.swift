// SPDX-License-Identifier: Apache-2.0

/// What a verification server registers a test by (specification cwa-protocols 4). Whoever has it can register the test, so it has no text
/// form but ``text``, and is forgotten when there is a token.
public struct RegistrationKey: Sendable, Hashable, Codable, CustomStringConvertible {
    /// As the server calls them.
    public enum Form: String, Sendable, Hashable, Codable {
        /// SHA-256 of what a test's code carries.
        case hashedCode = "GUID"
        case teleTAN = "TELETAN"
    }

    public let form: Form
    public let text: String
    /// Binds a date of birth (`keyDob`).
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

    public var description: String { form == .teleTAN ? "a teleTAN" : "a test's key" }
}
