// SPDX-License-Identifier: Apache-2.0

import Cryptography

/// An authority's statement of the time, for one board's question: over any transport, since TLS needs the time first (docs/time.md).
///
/// Text of six lines, signed as the bytes before `signature=`:
///
///     vigil-time 1
///     key=ID-VERSION
///     nonce=32 HEXADECIMAL DIGITS
///     time=UNIX MILLISECONDS
///     uncertainty=MILLISECONDS, EITHER WAY
///     signature=ASN.1 DER IN BASE64
public struct SignedTime: Sendable, Equatable {
    /// Length of a board's question in bytes: 128 random bits, which nobody could know before. Our own choice.
    public static let nonceByteCount = 16
    /// Most bytes of a statement, inclusive; a real one has about 200. Our own bound.
    public static let maximumByteCount = 1024

    /// The name of the signing key; id and version together have 2 to 63 bytes in a statement that was read.
    public let key: KeyName
    /// The board's question, 16 bytes, repeated; the caller compares it.
    public let nonce: [UInt8]
    /// The time: Unix milliseconds at some moment between question and answer; not negative.
    public let milliseconds: Int64
    /// Milliseconds by which ``milliseconds`` may be wrong, either way; not negative.
    public let uncertainty: Int64
    let signature: [UInt8]
    let signed: [UInt8]

    /// Reads a statement of the form above, byte for byte; throws `malformedDocument` for any other text, also for one with more than
    /// ``maximumByteCount`` bytes. Says nothing about its signature.
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

    /// The text of a statement, signed by `sign`, which is given the bytes to be signed and returns a signature in ASN.1 DER. `milliseconds` are
    /// Unix time, `nonce` has 16 bytes. For the authority. Nothing is checked; rethrows what `sign` throws.
    public static func text(
        key: KeyName, nonce: [UInt8], milliseconds: Int64, uncertainty: Int64, sign: ([UInt8]) throws -> [UInt8]
    ) rethrows -> String {
        let signed = signed(
            key: "\(key.id)-\(key.version)", nonce: nonce, milliseconds: milliseconds, uncertainty: uncertainty)
        let signature = Base64.string(try sign(signed))
        return String(decoding: signed, as: UTF8.self) + "signature=\(signature)\n"
    }

    /// Whether a key of the role *time* in `trust` that has the name ``key`` made it and is valid at `time` (Unix seconds; `nil` while none is
    /// known, which limits no key).
    public func isSigned(by trust: TrustStore, at time: Int64?) -> Bool {
        guard let key = trust.key(named: key, for: .time, at: time) else { return false }
        return key.key.isValid(signature: signature, over: SHA256.digest(of: signed))
    }

    private static func signed(key: String, nonce: [UInt8], milliseconds: Int64, uncertainty: Int64) -> [UInt8] {
        Array(
            "vigil-time 1\nkey=\(key)\nnonce=\(Hex.string(nonce))\ntime=\(milliseconds)\nuncertainty=\(uncertainty)\n".utf8)
    }
}
