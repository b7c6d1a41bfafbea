// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// The content of a test's QR code that is kept: enough to register the test, and nothing about the person.
///
/// Codes of rapid tests may contain a name and a date of birth. They are used to check the code, and then dropped; the
/// server gets only hashes (specification cwa-protocols 4.2).
public struct TestCode: Sendable, Hashable, CustomStringConvertible {
    /// The kind of test that the code belongs to.
    public let kind: TestKind
    /// The key by which the verification server knows the test: 64 lower-case hexadecimal digits, the SHA-256 of
    /// the identifier in a laboratory's code (the text after `?`) or of the check value in a rapid test's code, as
    /// written there. A secret: anyone who has it can register the test.
    public let registrationKey: String
    /// The time at which the code of a rapid test was made, as the code states it, in Unix seconds, 1 to 253,402,300,799;
    /// `nil` for a laboratory's code.
    public let created: Int64?

    /// The hash that binds the code to the date of birth that was entered with it, for the server
    /// (``DateOfBirth/key(of:)``); `nil` if none was entered, and for rapid tests.
    public let birthKey: String?

    /// The most bytes of a code that is read: 4,096, more than any QR code holds (2,953 bytes, ISO/IEC 18004 version 40).
    public static let maximumBytes = 4_096

    /// Reads a code exactly as a scanner returns it.
    /// - Throws: `DiagnosisPlanError.notATestCode` if the text is not a test's code, `codeTooLong` if it has more than
    ///   ``maximumBytes``, and otherwise the error for the rule that the code breaks.
    public init(scanned text: some StringProtocol) throws(DiagnosisPlanError) {
        try self.init(scanned: Array(text.utf8))
    }

    /// Reads a code that a person pasted: white space around it is ignored, and the rest is read as scanned.
    ///
    /// - Parameter birth: The date of birth that the person entered with the code, `nil` for none. A laboratory's code is
    ///   bound to it. The code of a rapid test that names a person must name the same day, and is not bound to it.
    /// - Throws: `DiagnosisPlanError.notATestCode` if the text is not a test's code, `codeTooLong` if it has more than
    ///   ``maximumBytes``, `otherDateOfBirth` if a rapid test's code names a different day, and otherwise the error for the
    ///   rule that the code breaks.
    public init(pasted text: some StringProtocol, birth: DateOfBirth? = nil) throws(DiagnosisPlanError) {
        var bytes = Array(text.utf8)[...]
        while let first = bytes.first, Self.isSpace(first) { bytes.removeFirst() }
        while let last = bytes.last, Self.isSpace(last) { bytes.removeLast() }
        try self.init(scanned: Array(bytes), birth: birth)
    }

    /// Reads a code's bytes, exactly as scanned, with the date of birth that was entered with it; `nil` for none.
    ///
    /// - Throws: `DiagnosisPlanError.notATestCode` if the bytes are not a test's code, `codeTooLong` if there are more than
    ///   ``maximumBytes``, `otherDateOfBirth` if a rapid test's code names a day other than `birth`, and otherwise the
    ///   error for the rule that the code breaks.
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

    /// The kind of test, without the code's content.
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
