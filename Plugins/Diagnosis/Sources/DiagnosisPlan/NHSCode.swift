// SPDX-License-Identifier: Apache-2.0

/// The code that comes with a result of NHS COVID-19 ("cta token"): eight characters, of which the last checks the others
/// (specification rules-and-nhs 2; covid-19-app-android `CrockfordDammValidator`). Anyone who has the code can exchange it,
/// so it is never printed.
public struct NHSCode: Sendable, Hashable, CustomStringConvertible {
    /// The code: ``length`` lower-case letters and digits. A secret.
    public let text: String

    /// The number of characters, including the check character: 8 (rules-and-nhs 2).
    public static let length = 8
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// Reads a code in the form that servers use: lower-case letters and digits, without blanks. `nil` if the length, a
    /// character or the check character is wrong; no character is read as another one that looks like it.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == Self.length, Self.state(bytes) == 0 else { return nil }
        self.text = text
    }

    /// Reads a code that a person typed: white space and hyphens are removed, and letters become lower-case.
    /// - Throws: ``DiagnosisPlanError/Code/notACode`` if the text has more than 64 bytes, our choice, or if the
    ///   rest is not a code (``init(_:)``).
    public init(typed: String) throws(DiagnosisPlanError) {
        guard typed.utf8.count <= 64 else { throw DiagnosisPlanError(.notACode) }
        let kept = typed.utf8.filter { $0 != UInt8(ascii: "-") && $0 != 0x20 && !(0x09...0x0D).contains($0) }
            .map { (65...90).contains($0) ? $0 + 32 : $0 }
        guard let code = NHSCode(String(decoding: kept, as: UTF8.self)) else { throw DiagnosisPlanError(.notACode) }
        self = code
    }

    /// The words `a result's code`, never the code.
    public var description: String { "a result's code" }

    /// Damm's check over 32 characters: 0 for a whole code that is right; `nil` for a character that none has.
    private static func state(_ bytes: [UInt8]) -> Int? {
        var state = 0
        for byte in bytes {
            guard let value = alphabet.firstIndex(of: byte) else { return nil }
            state = (state ^ value) * 2
            if state >= 32 { state = (state ^ 5) % 32 }
        }
        return state
    }
}
