// SPDX-License-Identifier: Apache-2.0

public import BLS12381
import CivilTime
public import Cryptography

/// A visit as the privacy mode stores it (spec checkin-and-nhs A.4 and A.5): each hour is encrypted to the venue's identity in that hour, and opens only with the key
/// that the health authority publishes when it warns of it. Whoever has the record, all keys of the device and the codes of all venues learns the
/// UTC days of the hours and how many there are, and nothing of the venue: all parts have the same lengths for all venues.
///
/// Beside the hours there are what the visitor reads, encrypted to the visitor's own key, and when the visit ended, encrypted to a key that each of
/// the two has inside. Holds no secret, and prints nothing.
public struct HiddenVisit: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// One hour of a hidden visit.
    public struct Hour: Sendable, Hashable {
        /// The first second of the UTC day that contains the hour, in Unix seconds: warnings name that day, and only then is the hour tried.
        public let day: Int64
        /// The encrypted message, ``byteCount`` bytes.
        public let sealed: [UInt8]

        /// The length of ``sealed`` in bytes.
        public static let byteCount = IdentityCiphertext.packedByteCount(message: HiddenVisit.messageByteCount)

        /// Restores an hour that was stored. `day` is in Unix seconds. Returns `nil` unless it is the start of a day from 1970 on, and `sealed` has ``byteCount`` bytes.
        public init?(day: Int64, sealed: [UInt8]) {
            guard day >= 0, day % UTCDay.seconds == 0, sealed.count == Self.byteCount else { return nil }
            self.day = day
            self.sealed = sealed
        }
    }

    /// The visit's own public key, ``keyByteCount`` bytes; each hour and the entry have its secret inside.
    public let key: [UInt8]
    /// What the visitor reads of it, encrypted to the visitor's key: ``entryByteCount`` bytes.
    public let entry: [UInt8]
    /// The hours that the visit touches: in time order while it may still be ended, and afterwards in an order that says nothing.
    public private(set) var hours: [Hour]
    /// When the visit ended, encrypted to ``key``: ``endByteCount`` bytes.
    public private(set) var end: [UInt8]

    /// Seconds after which a visit ends by itself: twelve hours, SwissCovid's default (spec checkin-and-nhs A.8). What a code says instead would tell one venue from
    /// another.
    public static let longestSeconds: Int64 = 12 * 3_600
    /// The most hours of a hidden visit: those of a week, our choice, as long as a code of SwissCovid lets a visit last. Each costs a pairing for each warning of its day.
    public static let maximumHours = 7 * 24 + 1
    /// The length of ``key`` in bytes.
    public static let keyByteCount = MasterPublicKey.byteCount
    /// The length of ``entry`` in bytes.
    public static let entryByteCount = IdentityCiphertext.packedByteCount(message: HiddenContent.byteCount)
    /// The length of ``end`` in bytes.
    public static let endByteCount = IdentityCiphertext.packedByteCount(message: 8)

    /// What is encrypted to the visit's own key has this identity; what is encrypted to the visitor's has the other one.
    static let endIdentity = Array("vigil end of a visit".utf8)
    static let entryIdentity = Array("vigil entry of a visit".utf8)
    /// The visit's secret, the venue's key that opens warnings, arrival and beginning of the hour.
    static let messageByteCount = Scalar.byteCount + VenueKeys.keyByteCount + 8 + 8

    /// Hides a visit from `arrival` to `departure`, both in Unix seconds. Takes the time of about two pairings for each hour.
    ///
    /// - Parameters:
    ///   - place: What is hidden. Of name and address what fits is kept.
    ///   - authority: The health authority's key, which decides who can publish keys that open the hours. Not the one in the code: whoever made
    ///     a code with a key of their own could otherwise open the hours.
    ///   - visitor: The visitor's own key, by which the entry is read.
    ///   - random: Must be cryptographically secure.
    /// - Returns: `nil` if the times are negative, after the year 9999, in the wrong order, or touch more than ``maximumHours`` hours.
    /// - Throws: `operationFailed` if Mbed TLS fails.
    public init?(
        _ place: HiddenPlace, arrival: Int64, departure: Int64, authority: MasterPublicKey, visitor: MasterPublicKey,
        using random: inout some RandomNumberGenerator
    ) throws(CryptographyError) {
        guard arrival >= 0, departure <= 253_402_300_799, arrival <= departure,
            (VisitHours.start(departure) - VisitHours.start(arrival)) / Int64(VisitHours.seconds) < Int64(Self.maximumHours)
        else { return nil }
        let secret = Scalar.random(using: &random)
        // A random scalar is none of the two that have no key.
        guard let own = try? MasterPublicKey(secret: secret) else { return nil }
        var hours: [Hour] = []
        for start in VisitHours(from: arrival, to: departure) {
            let message = Self.message(secret, place.keys.notificationKey, arrival, start)
            let text = try IdentityCiphertext(
                encrypting: message, to: place.keys.identity(start: start), under: authority, using: &random)
            guard let hour = Hour(day: UTCDay(containing: start).start, sealed: text.packed) else { return nil }
            hours.append(hour)
        }
        key = own.bytes
        self.hours = hours
        let content = HiddenContent(place: place, secret: secret, arrival: arrival)
        entry = try IdentityCiphertext(encrypting: content.bytes, to: Self.entryIdentity, under: visitor, using: &random)
            .packed
        end = try Self.sealed(departure, own, using: &random)
    }

    /// Restores a visit that was stored. Returns `nil` if a part has another length, or there is no hour or more than ``maximumHours``. Whether the
    /// parts can be opened is found out when they are.
    public init?(key: [UInt8], entry: [UInt8], hours: [Hour], end: [UInt8]) {
        guard key.count == Self.keyByteCount, entry.count == Self.entryByteCount, end.count == Self.endByteCount,
            (1...Self.maximumHours).contains(hours.count)
        else { return nil }
        self.key = key
        self.entry = entry
        self.hours = hours
        self.end = end
    }

    /// Ends the visit at `departure`, where it began at `arrival`; both are in Unix seconds, and the hours are still in time order. Hours that begin later are gone; at least the
    /// first stays. `random` must be cryptographically secure. Throws `operationFailed` if Mbed TLS fails; then nothing was changed.
    public mutating func finish(
        at departure: Int64, arrival: Int64, using random: inout some RandomNumberGenerator
    ) throws(CryptographyError) {
        let count = (VisitHours.start(departure) - VisitHours.start(arrival)) / Int64(VisitHours.seconds) + 1
        // A key that was stored and is none can be nobody's: then the visit ends with its last hour, as far as is known.
        if let own = try? MasterPublicKey(key) { end = try Self.sealed(departure, own, using: &random) }
        hours = Array(hours.prefix(Int(Swift.max(1, count))))
        shuffle()
    }

    /// Takes the order of the hours away: by what is random in them.
    public mutating func shuffle() { hours.sort { $0.sealed.lexicographicallyPrecedes($1.sealed) } }

    private static func message(
        _ secret: Scalar, _ notificationKey: SecretBytes, _ arrival: Int64, _ start: Int64
    ) -> [UInt8] {
        secret.bytes.withBytes { Array($0) } + notificationKey.withBytes { Array($0) } + BigEndian.bytes(arrival)
            + BigEndian.bytes(start)
    }

    private static func sealed(
        _ departure: Int64, _ own: MasterPublicKey, using random: inout some RandomNumberGenerator
    ) throws(CryptographyError) -> [UInt8] {
        try IdentityCiphertext(encrypting: BigEndian.bytes(departure), to: endIdentity, under: own, using: &random).packed
    }

    /// When the visit ended, in Unix seconds, by the visit's secret; `nil` if that is not its secret.
    func departure(_ secret: Scalar) throws(CryptographyError) -> Int64? {
        guard let text = IdentityCiphertext(packed: end, message: 8),
            let key = try? IdentityKey(identity: Self.endIdentity, secret: secret),
            let bytes = try text.opened(identity: Self.endIdentity, key: key)
        else { return nil }
        return BigEndian.int64(bytes[...])
    }

    /// The word `HiddenVisit`, and nothing else.
    public var description: String { "HiddenVisit" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The form of messages that are stored: all parts one after the other.
extension IdentityCiphertext {
    static func packedByteCount(message: Int) -> Int {
        MasterPublicKey.byteCount + maskedByteCount + SecretBox.nonceByteCount + SecretBox.tagByteCount + message
    }

    var packed: [UInt8] { pointBytes + masked + nonce + box }

    /// `nil` for another number of bytes, or if the point is none. Takes the time of a multiplication.
    init?(packed: [UInt8], message: Int) {
        guard packed.count == Self.packedByteCount(message: message) else { return nil }
        let (point, rest) = (packed.prefix(MasterPublicKey.byteCount), packed.dropFirst(MasterPublicKey.byteCount))
        let (masked, tail) = (rest.prefix(Self.maskedByteCount), rest.dropFirst(Self.maskedByteCount))
        guard
            let text = try? IdentityCiphertext(
                point: point, masked: Array(masked), box: Array(tail.dropFirst(SecretBox.nonceByteCount)),
                nonce: Array(tail.prefix(SecretBox.nonceByteCount)))
        else { return nil }
        self = text
    }
}

enum BigEndian {
    static func bytes(_ value: Int64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

    /// Of exactly eight bytes; `nil` for others.
    static func int64(_ bytes: ArraySlice<UInt8>) -> Int64? {
        guard bytes.count == 8 else { return nil }
        return Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }
}
