// SPDX-License-Identifier: Apache-2.0

public import BLS12381
public import CrowdNotifier
import Cryptography
public import JSON
public import VenuePlan

/// A hidden visit whose keys are hashes of published words: it hides nothing, and is the same in every run.
public enum HiddenSeeds {
    /// The fourth of March 2021, 09:26:40 UTC.
    public static let arrival: Int64 = 1_614_850_000
    public static let departure: Int64 = arrival + 600

    public static let authority = scalar("vigil fuzz authority")
    public static let wearer = scalar("vigil fuzz wearer")
    public static let keys = needed("keys") {
        VisitDiary.HidingKeys(
            authority: try MasterPublicKey(secret: authority), wearer: try MasterPublicKey(secret: wearer))
    }

    public static let venue = needed("a venue") {
        try CrowdNotifierVenue(
            name: "Fuzz", address: "Street 1", start: 0, end: 2_000_000_000, publicKey: [UInt8](repeating: 1, count: 96),
            seed: SHA256.digest(of: Array("vigil fuzz venue".utf8)), countryData: [])
    }

    public static let visit = needed("a hidden visit") {
        var random = HashedWords(words: "vigil fuzz visit")
        return try HiddenVisit(
            HiddenPlace(venue), arrival: arrival, departure: departure, authority: keys.authority, visitor: keys.wearer,
            using: &random)
    }

    /// A warning of the visit's hour.
    public static let warning = needed("a warning") {
        let hour = VisitHours.start(arrival)
        let identity = venue.keys.identity(start: hour)
        let nonce = [UInt8](repeating: 4, count: 24)
        return TraceKey(
            identity: identity, secretKey: try IdentityKey(identity: identity, secret: authority).bytes,
            day: hour - hour % 86_400,
            encryptedData: try AssociatedData(message: "x", start: arrival, end: departure).sealed(
                notificationKey: venue.keys.notificationKey, nonce: nonce), nonce: nonce)
    }

    /// A diary with an open visit and one that is over, and a wearer's choice, as they are on the disk.
    public static let stored: [(name: String, json: JSON)] = needed("a diary") {
        var random = HashedWords(words: "vigil fuzz diary")
        var diary = VisitDiary()
        for start in [arrival, arrival + 3_600] {
            _ = try diary.checkInHidden(venue, at: start, keys: keys, using: &random)
        }
        let hiding = try VisitHiding(secret: SecretBytes(copying: Array("vigil fuzz secret".utf8)), using: &random)
        return [("diary", diary.json), ("choice", hiding.json)]
    }

    private static func scalar(_ words: String) -> Scalar {
        needed("a number") {
            var bytes = SHA256.digest(of: Array(words.utf8))
            bytes[31] = 1
            return try Scalar(SecretBytes(copying: bytes))
        }
    }
}

/// Random numbers out of words, for what must be the same in every run.
public struct HashedWords: RandomNumberGenerator {
    private var state: [UInt8]

    public init(words: String) { state = Array(words.utf8) }

    public mutating func next() -> UInt64 {
        state = SHA256.digest(of: state)
        return state.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
