// SPDX-License-Identifier: Apache-2.0

public import Cryptography
import JSON

/// A venue as named by its official poster (spec checkin-and-nhs B.5). Only the NHS can make posters, because they
/// are signed; a board can only verify them.
public struct VenuePoster: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// A key with which posters are signed; it comes with the board's settings, never from a code.
    public struct Key: Sendable, Hashable {
        /// The name by which tokens call the key (`kid`), any text.
        public let id: String
        /// The public half of the key, on the curve P-256.
        public let key: P256.VerificationKey

        /// Creates a key with the name that tokens use for it (`kid`); nothing is checked.
        public init(id: String, key: P256.VerificationKey) {
            self.id = id
            self.key = key
        }
    }

    /// The name of the venue in lists of risky venues: 1 to 64 visible ASCII characters; real ones have 8 or 12.
    public let id: String
    /// The organisation's name (`opn`), at most 400 scalars, may be empty. It is foreign text: show it with
    /// `ForeignText`.
    public let name: String
    /// The postcode (`pc`), at most 400 scalars, may be empty; `nil` when the poster has none. It is foreign text:
    /// show it with `ForeignText`.
    public let postcode: String?
    /// The version of the code, 1 to 2³¹ - 1. Any is accepted, because later versions were promised to stay readable.
    public let version: Int32

    /// The maximum size in bytes of a text that is read, inclusive, with the white space around it; more than any QR
    /// code can have (2,953, ISO/IEC 18004 version 40). The number is this project's own.
    public static let maximumBytes = 4_096
    static let prefix = "UKC19TRACING"
    /// The maximum size of a venue's id in bytes, inclusive; real ones have 8 or 12. The number is this project's
    /// own.
    package static let maximumIDBytes = 64
    /// Scalars of name and postcode.
    static let maximumTextLength = 400

    /// Reads a scanned or pasted code, which may have white space around it: `UKC19TRACING:`, a version and a JSON
    /// Web Signature (RFC 7515) with ES256 by one of `keys`. Throws the first rule that is broken, each as
    /// ``VenueNoticesError/Code`` explains: `codeTooLong`, `notAPoster`, `unsupportedVersion`, `malformedToken`,
    /// `unsupportedAlgorithm`, `unknownKey`, `wrongSignature` or `malformedVenue`.
    public init(_ text: some StringProtocol, keys: [Key]) throws(VenueNoticesError) {
        guard text.utf8.count <= Self.maximumBytes else {
            throw VenueNoticesError(.codeTooLong, "more than \(Self.maximumBytes) bytes")
        }
        var bytes = Array(text.utf8)[...]
        while let first = bytes.first, Self.isSpace(first) { bytes.removeFirst() }
        while let last = bytes.last, Self.isSpace(last) { bytes.removeLast() }
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].elementsEqual(Self.prefix.utf8) else { throw VenueNoticesError(.notAPoster) }
        guard parts[1].allSatisfy({ (48...57).contains($0) }),
            let version = Int32(String(decoding: parts[1], as: UTF8.self)), version >= 1
        else { throw VenueNoticesError(.unsupportedVersion) }
        let content = try Self.content(of: parts[2], keys: keys)
        guard let id = content["id"]?.string, (1...Self.maximumIDBytes).contains(id.utf8.count),
            id.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let name = content["opn"]?.string,
            name.unicodeScalars.count <= Self.maximumTextLength
        else { throw VenueNoticesError(.malformedVenue) }
        switch content["pc"] {
        case nil, .null?: postcode = nil
        case .string(let code)? where code.unicodeScalars.count <= Self.maximumTextLength: postcode = code
        default: throw VenueNoticesError(.malformedVenue)
        }
        self.id = id
        self.name = name
        self.version = version
    }

    /// The signed content of a token, after its signature was verified. The header decides nothing but which of the pinned keys is asked: no other
    /// algorithm than ES256 is known here, `none` least of all.
    private static func content(of token: ArraySlice<UInt8>, keys: [Key]) throws(VenueNoticesError) -> JSON {
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = object(parts[0]) else { throw VenueNoticesError(.malformedToken) }
        guard header["alg"]?.string == "ES256", header["crit"] == nil else {
            throw VenueNoticesError(.unsupportedAlgorithm)
        }
        guard let id = header["kid"]?.string, let key = keys.first(where: { $0.id == id }) else {
            throw VenueNoticesError(.unknownKey)
        }
        let signed = Array(token.prefix(parts[0].count + 1 + parts[1].count))
        guard let raw = Base64URL.bytes(parts[2]), let signature = P256.RawSignature.der(raw),
            key.key.isValid(signature: signature, over: SHA256.digest(of: signed))
        else { throw VenueNoticesError(.wrongSignature) }
        guard let content = object(parts[1]) else { throw VenueNoticesError(.malformedVenue) }
        return content
    }

    private static func object(_ part: ArraySlice<UInt8>) -> JSON? {
        guard let bytes = Base64URL.bytes(part), let json = try? JSON(parsing: bytes, maximumDepth: 4), json.object != nil
        else {
            return nil
        }
        return json
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// The name of the type, and nothing of the venue.
    public var description: String { "VenuePoster" }
    /// A mirror without children, so that `dump` shows nothing of the venue.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
