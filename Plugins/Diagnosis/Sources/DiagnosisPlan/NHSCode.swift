// SPDX-License-Identifier: Apache-2.0

/// The code that comes with a result of NHS COVID-19 ("cta token"): eight characters, the last of which checks the others (specification
/// rules-and-nhs 2; covid-19-app-android `CrockfordDammValidator`). Whoever has it can exchange it, so it is printed by name only.
public struct NHSCode: Sendable, Hashable, CustomStringConvertible {
    /// The code: eight lower-case characters, ``length``. A secret.
    public let text: String

    /// The number of characters, the checking one included (rules-and-nhs 2).
    public static let length = 8
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// Reads a code as servers have it: lower-case letters, no blanks, no character taken for another. `nil` for everything else.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == Self.length, Self.state(bytes) == 0 else { return nil }
        self.text = text
    }

    /// Reads what somebody typed: blanks and hyphens go, letters become lower-case ones.
    /// - Throws: ``DiagnosisPlanError/Code/notACode`` for everything else, and for more than 64 bytes.
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
