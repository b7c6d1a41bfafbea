// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// A number that a hotline gives by telephone to a person who tested positive: nine characters and a check character
/// (specification cwa-protocols 4.1; cwa-verification-server `HashingService`), or twelve and a check character from an
/// authority that runs this project's server (docs/decisions/0034).
///
/// A teleTAN authorises a warning, so it has no text form except ``text`` and ``grouped``, which have to be asked for by
/// name.
public struct TeleTAN: Sendable, Hashable, CustomStringConvertible {
    /// The ASCII characters of a teleTAN before the check character; those that look alike (0 and O; 1, I and L) are left
    /// out.
    public static let alphabet = Array("23456789ABCDEFGHJKMNPQRSTUVWXYZ".utf8)
    /// The permitted numbers of characters, including the check character: 10 for the Corona-Warn-App (cwa-protocols 4.1),
    /// 13 for this project's server (docs/decisions/0034).
    public static let lengths = [10, 13]
    /// How the characters are shown: in groups of so many, and one more in the last.
    static let group = 3

    private let characters: [UInt8]

    /// Reads a teleTAN that a person typed, in either case, with spaces and dashes anywhere.
    ///
    /// - Parameter prefixes: The possible first characters of the authority's teleTANs, so that a number of another system
    ///   is found before a server is asked; if there are none, any are accepted.
    /// - Throws: ``DiagnosisPlanError/Code/teleTANRefused`` if ``problems(in:prefixes:)`` finds a problem; its text names
    ///   all of them.
    public init(typed text: some StringProtocol, prefixes: [String] = []) throws(DiagnosisPlanError) {
        let problems = Self.problems(in: text, prefixes: prefixes)
        guard problems.isEmpty else {
            throw DiagnosisPlanError(.teleTANRefused, problems.map(\.description).joined(separator: "; "))
        }
        characters = Self.meant(text).map { UInt8(truncatingIfNeeded: $0.value) }
    }

    /// Creates a teleTAN from its characters in ASCII, and adds the check character, as an authority does. `nil` unless
    /// there are nine or twelve characters, all of ``alphabet``.
    public init?(body: some Sequence<UInt8>) {
        let body = Array(body)
        guard Self.lengths.contains(body.count + 1), body.allSatisfy(Self.alphabet.contains) else { return nil }
        characters = body + [Self.checkCharacter(of: body)]
    }

    /// Creates a new teleTAN of random characters, evenly drawn. `length` includes the check character and should be one of
    /// ``lengths``, which is not checked; a length below 1 ends the program.
    public init(using random: inout some RandomNumberGenerator, length: Int = 13) {
        let body = (1..<length).map { _ in Self.alphabet[Int.random(in: 0..<Self.alphabet.count, using: &random)] }
        characters = body + [Self.checkCharacter(of: body)]
    }

    /// The characters without spaces, in the form that is sent. A secret.
    public var text: String { String(decoding: characters, as: UTF8.self) }

    /// The characters in groups, as they are shown and read out: `9A3 B57 8UMG`. A secret.
    public var grouped: String {
        var rest = characters[...]
        var groups: [String] = []
        while !rest.isEmpty {
            let count = rest.count <= Self.group + 1 ? rest.count : Self.group
            groups.append(String(decoding: rest.prefix(count), as: UTF8.self))
            rest = rest.dropFirst(count)
        }
        return groups.joined(separator: " ")
    }

    /// The words `a teleTAN`, without the number.
    public var description: String { "a teleTAN" }

    /// Returns the check character in ASCII: the first hexadecimal digit, as a capital, of the SHA-256 of `body` (any
    /// bytes). Because 0 and 1 are not in ``alphabet``, G stands for 0, and H for 1.
    public static func checkCharacter(of body: some Collection<UInt8>) -> UInt8 {
        let digit = SHA256.digest(of: Array(body)).first.map { $0 >> 4 } ?? 0
        return switch digit {
        case 0: UInt8(ascii: "G")
        case 1: UInt8(ascii: "H")
        case 2...9: UInt8(ascii: "0") + digit
        default: UInt8(ascii: "A") + digit - 10
        }
    }

    /// Returns the faults of a typed text, in the order in which a person would correct them; empty for a correct
    /// teleTAN. `prefixes` are the possible first characters, in either case; if there are none, any are accepted.
    /// Cannot fail.
    public static func problems(in text: some StringProtocol, prefixes: [String] = []) -> [TeleTANProblem] {
        let meant = meant(text)
        guard !meant.isEmpty else { return [.empty] }
        var problems = problemsWhileTyping(text, prefixes: prefixes)
        if let length = lengths.first(where: { $0 >= meant.count }), length > meant.count {
            problems.append(.tooShort(missing: length - meant.count))
        }
        if problems.isEmpty {
            let bytes = meant.map { UInt8(truncatingIfNeeded: $0.value) }
            if checkCharacter(of: bytes.dropLast()) != bytes.last { problems.append(.checkCharacterWrong) }
        }
        return problems
    }

    /// Returns the faults that can be seen while a person is still typing; empty as long as the text can become a teleTAN,
    /// also for an empty text. `prefixes` means the same as for ``problems(in:prefixes:)``.
    public static func problemsWhileTyping(_ text: some StringProtocol, prefixes: [String] = []) -> [TeleTANProblem] {
        let meant = meant(text)
        var problems: [TeleTANProblem] = []
        let length = lengths.max() ?? 0
        for (index, scalar) in meant.prefix(length).enumerated() {
            guard let byte = UInt8(exactly: scalar.value), alphabet.contains(byte) else {
                problems.append(.notInAlphabet(position: index + 1, scalar))
                continue
            }
        }
        if meant.count > length { problems.append(.tooLong(extra: meant.count - length)) }
        // A character that cannot stand there is said once, not as a wrong beginning as well.
        if problems.isEmpty, !prefixes.isEmpty {
            let mayStillBegin = prefixes.contains { prefix in
                zip(prefix.uppercased().unicodeScalars, meant).allSatisfy { $0 == $1 }
            }
            if !mayStillBegin { problems.append(.foreignPrefix) }
        }
        return problems
    }

    /// The characters somebody meant: capitals, without what was put in between for the eye.
    private static func meant(_ text: some StringProtocol) -> [Unicode.Scalar] {
        text.unicodeScalars.compactMap { scalar in
            switch scalar.value {
            // Spaces, the non-breaking one, and all that looks like a dash.
            case 0x20, 0x09, 0x0A, 0x0D, 0xA0, 0x2007, 0x202F, 0x2D, 0xAD, 0x2010...0x2015, 0x2212: nil
            case 0x61...0x7A: Unicode.Scalar(scalar.value - 0x20)
            default: scalar
            }
        }
    }
}
