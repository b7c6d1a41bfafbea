// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// A number that a hotline gives by telephone to somebody who tested positive: nine characters and a check character
/// (specification cwa-protocols 4.1; cwa-verification-server `HashingService`), or twelve and one where the authority is ours
/// (docs/decisions/0034).
///
/// A teleTAN authorises a warning, so it has no text form except ``text`` and ``grouped``, which are asked for by name.
public struct TeleTAN: Sendable, Hashable, CustomStringConvertible {
    /// The ASCII characters that can stand in a teleTAN; those that look alike (0 and O, 1, I and L) are left out.
    public static let alphabet = Array("23456789ABCDEFGHJKMNPQRSTUVWXYZ".utf8)
    /// The numbers of characters, the check character included: of the Corona-Warn-App's (cwa-protocols 4.1), and of ours (docs/decisions/0034).
    public static let lengths = [10, 13]
    /// How the characters are shown: in groups of so many, and one more in the last.
    static let group = 3

    private let characters: [UInt8]

    /// Reads what somebody typed: either case, with any spaces and dashes in between. `prefixes`, when there are any, are those that
    /// the authority's teleTANs begin with, so that another system's number is found before anybody is called.
    ///
    /// Throws ``DiagnosisPlanError/Code/teleTANRefused`` with every problem in words.
    public init(typed text: some StringProtocol, prefixes: [String] = []) throws(DiagnosisPlanError) {
        let problems = Self.problems(in: text, prefixes: prefixes)
        guard problems.isEmpty else {
            throw DiagnosisPlanError(.teleTANRefused, problems.map(\.description).joined(separator: "; "))
        }
        characters = Self.meant(text).map { UInt8(truncatingIfNeeded: $0.value) }
    }

    /// The teleTAN of these ASCII characters and their check character: what an authority does. `nil` unless there are nine or twelve of the
    /// ``alphabet``.
    public init?(body: some Sequence<UInt8>) {
        let body = Array(body)
        guard Self.lengths.contains(body.count + 1), body.allSatisfy(Self.alphabet.contains) else { return nil }
        characters = body + [Self.checkCharacter(of: body)]
    }

    /// A new one with characters drawn evenly, `length` of them with the check character: one of ``lengths``, which is not checked; below 1 ends
    /// the program.
    public init(using random: inout some RandomNumberGenerator, length: Int = 13) {
        let body = (1..<length).map { _ in Self.alphabet[Int.random(in: 0..<Self.alphabet.count, using: &random)] }
        characters = body + [Self.checkCharacter(of: body)]
    }

    /// The characters without groups: what is sent. A secret.
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

    /// The words `a teleTAN`, never the number.
    public var description: String { "a teleTAN" }

    /// The check character in ASCII: the first hexadecimal digit of the SHA-256 of the others (`body`, any bytes), in capitals, with G for 0 and H
    /// for 1, which are not in the alphabet.
    public static func checkCharacter(of body: some Collection<UInt8>) -> UInt8 {
        let digit = SHA256.digest(of: Array(body)).first.map { $0 >> 4 } ?? 0
        return switch digit {
        case 0: UInt8(ascii: "G")
        case 1: UInt8(ascii: "H")
        case 2...9: UInt8(ascii: "0") + digit
        default: UInt8(ascii: "A") + digit - 10
        }
    }

    /// The faults of what was typed, in the order in which somebody would mend them; empty for a teleTAN. `prefixes` are the possible beginnings,
    /// of either case; any is right if there are none.
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

    /// The faults that a teleTAN has already at its beginning, while somebody is still typing; empty when it can still become one, and for nothing.
    /// `prefixes` are as for ``problems(in:prefixes:)``.
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
