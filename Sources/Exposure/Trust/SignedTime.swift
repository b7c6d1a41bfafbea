// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// A statement of the time by an authority, in answer to a question of one board. It can come over any transport,
/// because TLS needs the time first (docs/time.md).
///
/// It is a text of six lines, signed as the bytes before `signature=`:
///
///     vigil-time 1
///     key=ID-VERSION
///     nonce=32 HEXADECIMAL DIGITS
///     time=UNIX MILLISECONDS
///     uncertainty=MILLISECONDS, EITHER WAY
///     signature=ASN.1 DER IN BASE64
public struct SignedTime: Sendable, Equatable {
    /// The length of a board's question in bytes: 128 random bits, which cannot be guessed. The number is this
    /// project's own.
    public static let nonceByteCount = 16
    /// The maximum size of a statement in bytes, inclusive; a real one has about 200. The number is this project's
    /// own.
    public static let maximumByteCount = 1024

    /// The name of the signing key. In a statement that was read, id and version together have 2 to 63 bytes.
    public let key: KeyName
    /// The board's question, 16 bytes, which the statement repeats; the caller must compare it.
    public let nonce: [UInt8]
    /// A time between question and answer, in Unix milliseconds; not negative.
    public let milliseconds: Int64
    /// The number of milliseconds by which ``milliseconds`` may be wrong in either direction; not negative.
    public let uncertainty: Int64
    let signature: [UInt8]
    let signed: [UInt8]

    /// Reads a statement of exactly this form, without verifying its signature. Throws `malformedDocument` for any
    /// other text, also for one of more than ``maximumByteCount`` bytes or with a signature of more than 80 bytes.
    /// Whether ``nonce`` is the board's own question is for the caller to check.
    public init(parsing text: String) throws(TrustError) {
        guard text.utf8.count <= Self.maximumByteCount else {
            throw TrustError(.malformedDocument, "larger than \(Self.maximumByteCount) bytes")
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 7, lines[6].isEmpty, lines[0] == "vigil-time 1" else {
            throw TrustError(.malformedDocument, "not six lines that begin with vigil-time 1")
        }
        func value(_ index: Int, _ name: String) throws(TrustError) -> String {
            guard lines[index].utf8.starts(with: "\(name)=".utf8) else {
                throw TrustError(.malformedDocument, "line \(index + 1) is not \(name)=…")
            }
            return String(lines[index].dropFirst(name.count + 1))
        }
        func number(_ index: Int, _ name: String) throws(TrustError) -> Int64 {
            let text = try value(index, name)
            guard let number = Int64(text), number >= 0, "\(number)" == text else {
                throw TrustError(.malformedDocument, "\(name) is not a plain number")
            }
            return number
        }
        let name = try value(1, "key")
        guard let dash = name.lastIndex(of: "-"), (3...64).contains(name.utf8.count) else {
            throw TrustError(.malformedDocument, "key is not ID-VERSION")
        }
        key = KeyName(id: String(name[..<dash]), version: String(name[name.index(after: dash)...]))
        guard let nonce = Hex.bytes(try value(2, "nonce")), nonce.count == Self.nonceByteCount else {
            throw TrustError(.malformedDocument, "nonce is not \(2 * Self.nonceByteCount) hexadecimal digits")
        }
        self.nonce = nonce
        milliseconds = try number(3, "time")
        uncertainty = try number(4, "uncertainty")
        guard let signature = Base64.bytes(try value(5, "signature")), signature.count <= 80 else {
            throw TrustError(.malformedDocument, "signature is not Base64 of at most 80 bytes")
        }
        self.signature = signature
        signed = Self.signed(key: name, nonce: nonce, milliseconds: milliseconds, uncertainty: uncertainty)
        guard text.utf8.starts(with: signed) else { throw TrustError(.malformedDocument, "not in the one form it has") }
    }

    /// Returns the text of a statement, for the authority. `sign` is called with the bytes to be signed and returns
    /// a signature in ASN.1 DER. `milliseconds` is Unix time, `uncertainty` is in milliseconds either way, and
    /// `nonce` has 16 bytes; nothing is checked. Rethrows what `sign` throws.
    public static func text(
        key: KeyName, nonce: [UInt8], milliseconds: Int64, uncertainty: Int64, sign: ([UInt8]) throws -> [UInt8]
    ) rethrows -> String {
        let signed = signed(
            key: "\(key.id)-\(key.version)", nonce: nonce, milliseconds: milliseconds, uncertainty: uncertainty)
        let signature = Base64.string(try sign(signed))
        return String(decoding: signed, as: UTF8.self) + "signature=\(signature)\n"
    }

    /// Whether the key of role *time* in `trust` that has the name ``key`` is valid at `time` and signed the
    /// statement. `time` is in Unix seconds; `nil`, when it is not known, limits no key.
    public func isSigned(by trust: TrustStore, at time: Int64?) -> Bool {
        guard let key = trust.key(named: key, for: .time, at: time) else { return false }
        return key.key.isValid(signature: signature, over: SHA256.digest(of: signed))
    }

    private static func signed(key: String, nonce: [UInt8], milliseconds: Int64, uncertainty: Int64) -> [UInt8] {
        Array(
            "vigil-time 1\nkey=\(key)\nnonce=\(Hex.string(nonce))\ntime=\(milliseconds)\nuncertainty=\(uncertainty)\n".utf8)
    }
}
