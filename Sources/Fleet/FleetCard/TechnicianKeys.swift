// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ForeignText

/// The public SSH keys of the people who may log in to a board, as the board's SSH server (dropbear) reads them.
public struct TechnicianKeys: Hashable, Sendable {
    /// A public SSH key without options.
    public struct Key: Hashable, Sendable {
        /// The kind of the key, which is the first word of its line: `ssh-ed25519`, `ssh-rsa`, `ecdsa-sha2-nistp256`,
        /// `ecdsa-sha2-nistp384` or `ecdsa-sha2-nistp521`.
        public let kind: String
        /// The key as it travels (RFC 4253, section 6.6), which begins with its kind.
        let blob: [UInt8]
        /// The comment at the end of the key's line: words separated by one blank, in printable ASCII; any other character
        /// is replaced by `?`. After 100 characters it is cut and `...` is added. Empty if the line has none.
        public let comment: String

        /// The fingerprint as `ssh-keygen -l` shows it: `SHA256:` and the Base64 of the key's SHA-256, without `=`.
        public var fingerprint: String {
            "SHA256:" + Base64.string(SHA256.digest(of: blob)).prefix { $0 != "=" }
        }

        /// The key as a line of `authorized_keys`, without a line break: kind, Base64 of the key, and the comment if there
        /// is one.
        public var line: String { "\(kind) \(Base64.string(blob))" + (comment.isEmpty ? "" : " \(comment)") }
    }

    /// The most keys that one card may have: 16. Our own choice.
    public static let most = 16
    /// The most bytes of a file that `vigil-fleet` reads: 32 KiB. ``init(parsing:)`` does not check it. Our own
    /// choice: sixteen RSA keys have 12 KB.
    public static let maximumByteCount = 32_768

    /// The keys in the order of the file, 1 to ``most``.
    public let keys: [Key]

    /// The kinds that dropbear takes, with the bytes of a key of that kind; `nil` where it varies.
    private static let kinds: [String: Int?] = [
        "ssh-ed25519": 51, "ecdsa-sha2-nistp256": 104, "ecdsa-sha2-nistp384": 136, "ecdsa-sha2-nistp521": 172,
        "ssh-rsa": nil,
    ]

    /// Reads a file of public keys, one on each line, from its bytes; empty lines and lines that begin with `#` are
    /// skipped. Throws `privateKey` when the file holds a private key; `otherKeyForm` when the key is in the form
    /// of RFC 4716; `noKey` for none; `tooManyKeys` for more than ``most`` keys, unless a line before is wrong; and
    /// for the first wrong line `badKey` when it is no public key, `unknownKeyKind` for a kind that is not
    /// accepted, `keyOptions` for options before the key, `shortKey` for an RSA key of fewer than 2,048 bits (NIST
    /// SP 800-131A), or `damagedKey` when the content is not Base64, does not fit the kind, or is an RSA key of
    /// more than 2,112 bytes.
    public init(parsing bytes: [UInt8]) throws(AnswerFault) {
        let text = String(decoding: bytes, as: UTF8.self)
        // Of OpenSSH and PEM, and of PuTTY, whose files have both halves.
        guard !text.contains("PRIVATE KEY"), !text.hasPrefix("PuTTY-User-Key-File") else { throw .privateKey }
        guard !text.hasPrefix("---- BEGIN SSH2 PUBLIC KEY ----") else { throw .otherKeyForm }
        var keys: [Key] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            guard keys.count < Self.most else { throw .tooManyKeys(Self.most) }
            keys.append(try Self.key(first, Array(words.dropFirst()), line: index + 1))
        }
        guard !keys.isEmpty else { throw .noKey }
        self.keys = keys
    }

    /// NIST SP 800-131A: RSA keys of fewer bits sign nothing any more.
    private static let leastRSABits = 2_048

    /// Bits of the modulus of an RSA key after its kind (RFC 4253, section 6.6: two numbers); `nil` when it does not end with them.
    private static func rsaBits(_ blob: ArraySlice<UInt8>) -> Int? {
        var rest = blob
        var number: ArraySlice<UInt8> = []
        for _ in 0..<2 {
            guard rest.count >= 4 else { return nil }
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard count > 0, count <= rest.count else { return nil }
            number = rest.prefix(count).drop { $0 == 0 }
            rest = rest.dropFirst(count)
        }
        guard rest.isEmpty, let first = number.first else { return nil }
        return number.count * 8 - first.leadingZeroBitCount
    }

    private static func key(_ kind: String, _ rest: [String], line: Int) throws(AnswerFault) -> Key {
        guard let length = kinds[kind] else {
            if rest.contains(where: { kinds[$0] != nil }) { throw .keyOptions(line: line) }
            // The certificates and the security keys of OpenSSH have names like those.
            throw kind.contains("@") || kind == "ssh-dss" ? .unknownKeyKind(line: line, kind) : .badKey(line: line)
        }
        guard let text = rest.first, let blob = Base64.bytes(text) else { throw .damagedKey(line: line) }
        // A length of four bytes, then the kind.
        let prefix = [0, 0, 0, UInt8(kind.utf8.count)] + Array(kind.utf8)
        guard blob.starts(with: prefix), length.map({ $0 == blob.count }) ?? (blob.count <= 2_112)
        else {
            throw .damagedKey(line: line)
        }
        if length == nil {
            guard let bits = rsaBits(blob.dropFirst(prefix.count)) else { throw .damagedKey(line: line) }
            guard bits >= leastRSABits else { throw .shortKey(line: line, bits: bits) }
        }
        return Key(kind: kind, blob: blob, comment: ForeignText.ascii(rest.dropFirst().joined(separator: " "), limit: 100))
    }
}
