// SPDX-License-Identifier: Apache-2.0

import Cryptography
import ForeignText

/// What a token is good for (`TokenChallenge`, RFC 9577, section 2.1): issued by one issuer, for use at certain origins, and in
/// a certain context.
public struct TokenChallenge: Sendable, Hashable {
    /// The type of token that Vigil uses: blind RSA with 2048 bits (RFC 9578, section 6).
    public static let tokenType: UInt16 = 0x0002
    /// The length of a context in bytes, if there is one (RFC 9577, section 2.1).
    public static let contextByteCount = 32
    /// The most bytes of a challenge that are read; of our own choosing, real ones have about 100.
    public static let maximumByteCount = 4_096

    /// The issuer's name: a host, perhaps with a port.
    public let issuerName: String
    /// What ties the token to a purpose, 32 bytes, or none.
    public let redemptionContext: [UInt8]
    /// Hosts, perhaps with ports, at which the token can be used; empty: anywhere.
    public let origins: [String]

    /// Creates a challenge. Throws `malformedChallenge` if a name is not that of a server, if the context has neither 0 nor 32
    /// bytes, and if the challenge has more than ``maximumByteCount`` bytes.
    public init(
        issuerName: String, redemptionContext: [UInt8], origins: [String]
    ) throws(PrivacyPassError) {
        guard Self.isServerName(issuerName), origins.allSatisfy(Self.isServerName) else {
            throw PrivacyPassError(.malformedChallenge, "a name is not that of a server")
        }
        guard redemptionContext.isEmpty || redemptionContext.count == Self.contextByteCount else {
            throw PrivacyPassError(.malformedChallenge, "a context of \(redemptionContext.count) bytes")
        }
        self.issuerName = issuerName
        self.redemptionContext = redemptionContext
        self.origins = origins
        guard encoded.count <= Self.maximumByteCount else {
            throw PrivacyPassError(.malformedChallenge, "more than \(Self.maximumByteCount) bytes")
        }
    }

    /// Reads a challenge, from anywhere. Throws `unsupportedType` if it is for another type of token, and `malformedChallenge`
    /// unless it is a challenge and nothing follows after it.
    public init(decoding bytes: [UInt8]) throws(PrivacyPassError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw PrivacyPassError(.malformedChallenge, "\(bytes.count) bytes")
        }
        var reader = ByteReader(bytes)
        guard let type = reader.number(2) else { throw PrivacyPassError(.malformedChallenge, "no type") }
        // Other types may have other challenges.
        guard type == Int(Self.tokenType) else { throw PrivacyPassError(.unsupportedType, "type \(type)") }
        guard let issuer = reader.prefixed(2), let context = reader.prefixed(1), let origins = reader.prefixed(2),
            reader.isAtEnd, let issuerName = StreamSafe.decode(issuer),
            let names = StreamSafe.decode(origins)
        else { throw PrivacyPassError(.malformedChallenge, "cut, or followed by something") }
        try self.init(
            issuerName: issuerName, redemptionContext: Array(context),
            origins: names.isEmpty ? [] : names.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
    }

    /// The challenge as bytes. Equal challenges have equal bytes. Cannot fail.
    public var encoded: [UInt8] {
        func prefixed(_ bytes: [UInt8]) -> [UInt8] { bigEndian(UInt16(clamping: bytes.count)) + bytes }
        return bigEndian(Self.tokenType) + prefixed(Array(issuerName.utf8)) + [UInt8(redemptionContext.count)]
            + redemptionContext + prefixed(Array(origins.joined(separator: ",").utf8))
    }

    /// What a token has of its challenge: SHA-256 of the bytes, 32 bytes. Cannot fail.
    public var digest: [UInt8] { SHA256.digest(of: encoded) }

    /// Whether `name` is a host of letters, digits, dots and hyphens, perhaps with a port. Names are compared as they are
    /// written; write them in lower case.
    private static func isServerName(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard let host = parts.first, !host.isEmpty, host.count <= 253, parts.count <= 2 else { return false }
        let isHost = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty && label.count <= 63 && label.allSatisfy(isLabelByte)
        }
        guard parts.count == 2 else { return isHost }
        let port = parts[1]
        let isPort = (1...5).contains(port.count) && port.allSatisfy { (0x30...0x39).contains($0) }
        return isHost && isPort && UInt16(String(decoding: port, as: UTF8.self)) != nil
    }

    private static func isLabelByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
