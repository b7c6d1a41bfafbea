// SPDX-License-Identifier: Apache-2.0

public import BLS12381
public import Cryptography

/// What of a venue is hidden with a visit: its keys, and what its code calls it.
public struct HiddenPlace: Sendable, CustomStringConvertible, CustomReflectable {
    /// The venue's keys, by which the identity of each hour is derived.
    public let keys: VenueKeys
    /// The name of the place; foreign text, to be shown with `ForeignText`.
    public let name: String
    /// The address of the place; foreign text likewise; empty if the code has none.
    public let address: String

    /// Takes what is hidden out of a code.
    public init(_ venue: CrowdNotifierVenue) { self.init(keys: venue.keys, name: venue.name, address: venue.address) }

    /// Takes what is hidden out of the bytes of a code that cannot be read any more: it has keys and no name.
    public init(payload: [UInt8]) { self.init(keys: VenueKeys(payload: payload), name: "", address: "") }

    init(keys: VenueKeys, name: String, address: String) {
        self.keys = keys
        self.name = name
        self.address = address
    }

    /// The word `HiddenPlace`, and nothing of the place.
    public var description: String { "HiddenPlace" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What the visitor can read of a hidden visit with their own secret.
public struct HiddenContent: Sendable, CustomStringConvertible, CustomReflectable {
    /// The place.
    public let place: HiddenPlace
    /// When the visitor came, in Unix seconds.
    public let arrival: Int64
    let secret: Scalar

    /// The bytes that a name, or an address, has room for; of longer ones whole scalars are left out at the end. A code's have 100 scalars at most.
    static let textByteCount = 240
    /// The length of ``bytes``: the same for all venues.
    static let byteCount = VenueKeys.storedByteCount + Scalar.byteCount + 8 + 2 * (1 + textByteCount)

    init(place: HiddenPlace, secret: Scalar, arrival: Int64) {
        self.place = place
        self.secret = secret
        self.arrival = arrival
    }

    var bytes: [UInt8] {
        place.keys.stored.withBytes { Array($0) } + secret.bytes.withBytes { Array($0) } + BigEndian.bytes(arrival)
            + Self.filled(place.name) + Self.filled(place.address)
    }

    private static func filled(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            let next = Array(String(scalar).utf8)
            guard bytes.count + next.count <= textByteCount else { break }
            bytes += next
        }
        return [UInt8(bytes.count)] + bytes + [UInt8](repeating: 0, count: textByteCount - bytes.count)
    }

    private static func text(_ field: ArraySlice<UInt8>) -> String? {
        guard let count = field.first, Int(count) <= textByteCount else { return nil }
        return String(validating: field.dropFirst().prefix(Int(count)), as: UTF8.self)
    }

    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        var rest = bytes[...]
        func take(_ count: Int) -> ArraySlice<UInt8> {
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        guard let keys = take(VenueKeys.storedByteCount).withUnsafeBytes({ VenueKeys(stored: $0) }),
            let secret = try? Scalar(SecretBytes(copying: take(Scalar.byteCount))), let arrival = BigEndian.int64(take(8)),
            let name = Self.text(take(1 + Self.textByteCount)), let address = Self.text(take(1 + Self.textByteCount))
        else { return nil }
        self.init(place: HiddenPlace(keys: keys, name: name, address: address), secret: secret, arrival: arrival)
    }

    /// The word `HiddenContent`, and nothing else.
    public var description: String { "HiddenContent" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What opens the entries of hidden visits: made of the visitor's secret key.
public struct HiddenReader: Sendable {
    private let key: IdentityKey

    /// Makes a reader of the secret key. Returns `nil` if it is 0.
    public init?(secret: Scalar) {
        guard let key = try? IdentityKey(identity: HiddenVisit.entryIdentity, secret: secret) else { return nil }
        self.key = key
    }

    /// Reads a hidden visit: what it is about and when it ended, in Unix seconds; an open one would end then by itself. Returns `nil` if it was hidden for another key, or a bit
    /// differs. Takes the time of about three pairings. Throws `operationFailed` if Mbed TLS fails.
    public func read(_ visit: HiddenVisit) throws(CryptographyError) -> (content: HiddenContent, departure: Int64)? {
        guard let text = IdentityCiphertext(packed: visit.entry, message: HiddenContent.byteCount),
            let bytes = try text.opened(identity: HiddenVisit.entryIdentity, key: key), let content = HiddenContent(bytes),
            let departure = try visit.departure(content.secret)
        else { return nil }
        return (content, departure)
    }
}
