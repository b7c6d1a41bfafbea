// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The content of a test's QR code that is kept: enough to register the test, and nothing about the person.
///
/// Codes of rapid tests may carry a name and a date of birth. They take part in the check of the code and are then dropped; the
/// server gets hashes only (specification cwa-protocols 4.2).
public struct TestCode: Sendable, Hashable, CustomStringConvertible {
    /// The kind of test that the code is of.
    public let kind: TestKind
    /// The key that the verification server knows the test by: 64 lower-case hexadecimal digits. A secret: whoever has it
    /// can register the test.
    public let registrationKey: String
    /// The moment when the code of a rapid test was made, as it says, Unix seconds, 1 to 253,402,300,799; `nil` for a laboratory's.
    public let created: Int64?

    /// The hash that binds the code to the date of birth that was given with it, for the server (``DateOfBirth/key(of:)``);
    /// `nil` if none was, and for rapid tests.
    public let birthKey: String?

    /// The longest code that is read, in bytes; more than any QR code holds (2,953 bytes, ISO/IEC 18004 version 40).
    public static let maximumBytes = 4_096

    /// Reads the code exactly as a scanner gives it.
    /// - Throws: `DiagnosisPlanError` with the rule that it breaks, `notATestCode` if it is something else.
    public init(scanned text: some StringProtocol) throws(DiagnosisPlanError) {
        try self.init(scanned: Array(text.utf8))
    }

    /// Reads what somebody pasted: white space around it is left out, everything else is as scanned.
    ///
    /// `birth` is what the person gave with it, `nil` for nothing: a laboratory's code is bound to it; a rapid test's that
    /// names a person must name the same day (`otherDateOfBirth`), and needs nothing more.
    ///
    /// - Throws: `DiagnosisPlanError` with the rule that it breaks, `notATestCode` if it is something else.
    public init(pasted text: some StringProtocol, birth: DateOfBirth? = nil) throws(DiagnosisPlanError) {
        var bytes = Array(text.utf8)[...]
        while let first = bytes.first, Self.isSpace(first) { bytes.removeFirst() }
        while let last = bytes.last, Self.isSpace(last) { bytes.removeLast() }
        try self.init(scanned: Array(bytes), birth: birth)
    }

    /// Reads a code's bytes, exactly as scanned, with the date of birth that was given with it; `nil` for none.
    ///
    /// - Throws: `DiagnosisPlanError` with the rule that it breaks, `notATestCode` if it is something else.
    public init(scanned bytes: [UInt8], birth: DateOfBirth? = nil) throws(DiagnosisPlanError) {
        guard bytes.count <= Self.maximumBytes else {
            throw DiagnosisPlanError(.codeTooLong, "more than \(Self.maximumBytes) bytes")
        }
        if let rest = Self.rest(of: bytes, after: "https://localhost/?") {
            guard Self.isIdentifier(rest) else { throw DiagnosisPlanError(.malformedIdentifier) }
            kind = .pcr
            registrationKey = Hex.string(SHA256.digest(of: rest))
            created = nil
            birthKey = birth?.key(of: rest)
            return
        }
        let hosts: [(TestKind, StaticString)] = [
            (.rapidAntigen, "https://s.coronawarn.app"), (.rapidPCR, "https://p.coronawarn.app"),
        ]
        for (kind, host) in hosts {
            guard let rest = Self.rest(of: bytes, after: host) else { continue }
            let query = rest.first == UInt8(ascii: "/") ? rest.dropFirst() : rest
            let version = Array("?v=1#".utf8)
            guard query.starts(with: version) else { break }
            let content = try RapidTestContent(encoded: query.dropFirst(version.count))
            if let birth, let named = content.birth, !birth.isSame(as: named) {
                throw DiagnosisPlanError(.otherDateOfBirth)
            }
            self.kind = kind
            registrationKey = Hex.string(SHA256.digest(of: Array(content.hash.utf8)))
            created = content.timestamp
            birthKey = nil
            return
        }
        throw DiagnosisPlanError(.notATestCode)
    }

    /// The kind of test alone, never what is in the code.
    public var description: String { "a test code (\(kind.rawValue))" }

    /// What follows the scheme and host, which do not depend on case (RFC 3986 6.2.2.1), unlike everything else.
    private static func rest(of bytes: [UInt8], after prefix: StaticString) -> ArraySlice<UInt8>? {
        prefix.withUTF8Buffer { prefix in
            guard bytes.count >= prefix.count else { return nil }
            let isSame = zip(bytes, prefix).allSatisfy { byte, wanted in
                byte == wanted || ((65...90).contains(byte) && byte + 32 == wanted)
            }
            return isSame ? bytes[prefix.count...] : nil
        }
    }

    /// `6-8-4-4-4-12` hexadecimal digits of either case and nothing else.
    private static func isIdentifier(_ bytes: ArraySlice<UInt8>) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.map(\.count) == [6, 8, 4, 4, 4, 12] && parts.allSatisfy { $0.allSatisfy(\.isHexadecimal) }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

extension UInt8 {
    /// Whether it is an ASCII digit or a letter a to f of either case.
    var isHexadecimal: Bool {
        (48...57).contains(self) || (65...70).contains(self) || (97...102).contains(self)
    }
}
