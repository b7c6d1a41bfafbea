// SPDX-License-Identifier: Apache-2.0

import AppConfig
import BLS12381
import CrowdNotifier
import Cryptography
import Trust

private func integer(_ what: String, _ value: VectorValue) throws -> Int64 { Int64(try require(what, value.int)) }

/// Keys of a code.
enum CrowdNotifierKeys: VectorFamily {
    static let name = "hkdf"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let keys = VenueKeys(payload: try vector["qrCodePayload"].hex("payload"))
                func compare(_ what: String, _ found: SecretBytes) throws {
                    try expect(what, found == SecretBytes(copying: vector[what].hex(what)), true)
                }
                try compare("noncePreId", keys.nonces.preID)
                try compare("nonceTimekey", keys.nonces.timeKey)
                try compare("notificationKey", keys.notificationKey)
            }
        }
    }
}

/// Names of hours.
enum CrowdNotifierIdentities: VectorFamily {
    static let name = "identity_v3"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let keys = VenueKeys(payload: try vector["qrCodePayload"].hex("payload"))
                let start = try integer("start", vector["intervalStart"])
                let length = try require("length", vector["intervalLength"].int.flatMap(Int32.init(exactly:)))
                try expect("preId", Hex.string(keys.preID), vector["preId"].string)
                let timeKey = keys.timeKey(start: start, length: length)
                try expect("timeKey", Hex.string(timeKey), vector["timeKey"].string)
                try expect("identity", Hex.string(keys.identity(start: start, length: length)), vector["identity"].string)
                let again = VenueKeys.identity(preID: keys.preID, timeKey: timeKey, start: start, length: length)
                try expect("identity by the server", Hex.string(again), vector["identity"].string)
            }
        }
    }
}

/// Names of hours in version 2.
enum CrowdNotifierLegacyIdentities: VectorFamily {
    static let name = "identity_v2_legacy"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let identity = VenueKeys.legacyIdentity(
                    info: Array(try require("info", vector["info"].string).utf8),
                    nonce1: try vector["nonce1"].hex("nonce1"),
                    nonce2: try vector["nonce2"].hex("nonce2"), hour: try integer("hour", vector["hourCounter"]))
                try expect("identity", Hex.string(identity), vector["identity"].string)
            }
        }
    }
}

/// Hours of visits.
enum AffectedIntervals: VectorFamily {
    static let name = "affected_intervals"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let (arrival, departure) = (
                    try integer("arrival", vector["arrival"]), try integer("departure", vector["departure"])
                )
                let starts = Array(VisitHours(from: arrival, to: departure))
                try expect("starts", starts.map(Int.init), vector["intervalStarts"].array.compactMap(\.int))
                let visit = try require(
                    "visit",
                    CrowdNotifierVisit(
                        number: 1, keys: VenueKeys(payload: []), arrival: arrival, departure: departure))
                try expect("days", visit.hours.map { Int($0.day) }, vector["dayOfEachInterval"].array.compactMap(\.int))
            }
        }
    }
}

/// What a visitor publishes, hour by hour.
enum UserUploadEntries: VectorFamily {
    static let name = "user_upload_info"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let keys = VenueKeys(payload: try vector["qrCodePayload"].hex("payload"))
                let entries = UserUpload.entries(
                    keys: keys, arrival: try integer("arrival", vector["arrivalMs"]),
                    departure: try integer("departure", vector["departureMs"]))
                try expect("number of entries", entries.count, vector["infos"].array.count)
                for (entry, expected) in zip(entries, vector["infos"].array) { try compare(entry, expected, isFake: false) }
            }
        }
    }

    static func compare(_ entry: UserUpload.Entry, _ vector: VectorValue, isFake: Bool) throws {
        try expect("preId", Hex.string(entry.preID), vector["preId"].string)
        try expect("timeKey", Hex.string(entry.timeKey), vector["timeKey"].string)
        try expect("notificationKey", Hex.string(entry.notificationKey), vector["notificationKey"].string)
        try time("start", entry.start, vector["intervalStartMs"])
        try time("end", entry.end, vector["intervalEndMs"])
        try expect("fake", entry.isFake, isFake)
    }

    /// Times of fakes are random and may need all 64 bits; in a number of JSON's they have lost the last of them.
    private static func time(_ what: String, _ found: UInt64, _ vector: VectorValue) throws {
        if let exact = vector.int {
            try expect(what, found, UInt64(exact))
        } else {
            try expect(what, Double(found), require(what, vector.double))
        }
    }
}

/// Uploads as they are sent.
enum UserUploads: VectorFamily {
    static let name = "user_upload_payload"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let upload = try UserUpload(decoding: vector["encoded"].hex("message"))
                try expect("version", Int(upload.version), require("version", vector["version"].int))
                let duration = try require("duration", vector["userInteractionDurationMs"].int)
                try expect("duration", Int(upload.interactionMilliseconds), duration)
                try expect("number of entries", upload.entries.count, vector["venueInfos"].array.count)
                for (entry, expected) in zip(upload.entries, vector["venueInfos"].array) {
                    try UserUploadEntries.compare(entry, expected, isFake: try require("fake", expected["fake"].int) == 1)
                }
                try expect("message", Hex.string(upload.encoded), vector["encoded"].string)
            }
        }
    }
}

/// Links of venues.
enum CrowdNotifierCodes: VectorFamily {
    static let name = "qr_code"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let code = CrowdNotifierCode(host: try require("host", vector["host"].string))
                let now = try integer("now", vector["now"])
                let result = Result { try code.read(vector["url"].string ?? "", at: now) }
                if try require("result", vector["result"].string) == "accept" {
                    try compare(result.get(), vector)
                } else {
                    guard case .failure(let error as CrowdNotifierError) = result else {
                        throw Mismatch(description: "accepted")
                    }
                    try compare(error, vector)
                }
            }
        }
    }

    /// Two reasons have one name in all of the files; the others are about form and the end of validity.
    private static func compare(_ error: CrowdNotifierError, _ vector: VectorValue) throws {
        let codes: [String: CrowdNotifierError.Code] = ["notYetValid": .notYetValid, "version": .unsupportedVersion]
        if let code = codes[vector["reason"].string ?? ""] {
            try expect("refusal", error.code, code)
        } else {
            try expect("refused for another reason", codes.values.contains(error.code), false)
        }
    }

    private static func compare(_ venue: CrowdNotifierVenue, _ vector: VectorValue) throws {
        if !vector["payload"].isNull { try expect("payload", Hex.string(venue.payload), vector["payload"].string) }
        let fields = vector["fields"]
        try expect("version", Int(venue.version), require("version", fields["version"].int))
        try expect("description", venue.name, fields["description"].string)
        try expect("address", venue.address, fields["address"].string)
        try expect("start", Int(venue.start), require("start", fields["startTimestamp"].int))
        try expect("end", Int(venue.end), require("end", fields["endTimestamp"].int))
        try expect("public key", Hex.string(venue.publicKey), fields["publicKey"].string)
        try expect("seed", Hex.string(venue.seed), fields["cryptographicSeed"].string)
        try expect("type", Int(venue.type), require("type", fields["type"].int))
        let country = try require("country data", SwissCovidVenueData(venue.countryData))
        let expected = fields["countryData"]
        try expect("its version", Int(country.version), require("version", expected["version"].int))
        try expect("its type", Int(country.type), require("type", expected["type"].int))
        try expect("room", country.room, expected["room"].string)
        try expect("warning", Int(country.checkOutWarningDelay), require("warning", expected["checkoutWarningDelayMs"].int))
        try expect(
            "check-out", Int(country.automaticCheckOutDelay), require("check-out", expected["automaticCheckoutDelayMs"].int)
        )
        try expect(
            "reminders", country.reminderDelays.map { Int($0) }, expected["reminderDelayOptionsMs"].array.compactMap(\.int))
    }
}

/// NaCl's secretbox.
enum SecretBoxes: VectorFamily {
    static let name = "secretbox"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let key = SecretBytes(copying: try vector["key"].hex("key"))
                let nonce = try vector["nonce"].hex("nonce")
                let message = try vector["message"].hex("message")
                let box = try SecretBox.seal(message, key: key, nonce: nonce)
                try expect("box", Hex.string(box), vector["box"].string)
                try expect("opened", try SecretBox.open(box, key: key, nonce: nonce), message)
            }
        }
    }
}

/// What warnings say to those who were there.
enum AssociatedDataVectors: VectorFamily {
    static let name = "associated_data"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let data = AssociatedData(
                    version: try require("version", vector["version"].int.flatMap(Int32.init(exactly:))),
                    message: try require("message", vector["message"].string),
                    start: try integer("start", vector["startTimestamp"]), end: try integer("end", vector["endTimestamp"]),
                    countryData: try vector["countryData"].hex("country data"))
                try expect("message", Hex.string(data.encoded), vector["encoded"].string)
                let key = SecretBytes(copying: try vector["notificationKey"].hex("key"))
                let nonce = try vector["nonce"].hex("nonce")
                let sealed = try data.sealed(notificationKey: key, nonce: nonce)
                try expect("sealed", Hex.string(sealed), vector["encrypted"].string)
                try expect("opened", AssociatedData(opening: sealed, notificationKey: key, nonce: nonce), data)
            }
        }
    }
}

/// Lists of trace keys.
enum TraceKeyLists: VectorFamily {
    static let name = "trace_keys_response"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let bytes = try vector["bytes"].hex("bytes")
                let list = try TraceKeyList(decoding: bytes, wanted: nil)
                try expect("version", Int(list.version), require("version", vector["version"].int))
                try expect("keys", list.keys, vector["events"].array.map(key))
                try expect(
                    "written again", Hex.string(TraceKeyList.encoded(list.keys, version: list.version)), Hex.string(bytes))
            }
        }
    }

    static func key(_ vector: VectorValue) throws -> TraceKey {
        TraceKey(
            version: try require("version", vector["version"].int.flatMap(Int32.init(exactly:))),
            identity: try vector["identity"].hex("identity"),
            secretKey: try vector["secretKeyForIdentity"].hex("secret key"),
            day: try integer("day", vector["day"]), encryptedData: try vector["encryptedAssociatedData"].hex("data"),
            nonce: try vector["cipherTextNonce"].hex("nonce"))
    }
}

/// From a visit to a warning: in the server-based mode, by the identity of hours, and in the privacy mode, by decrypting.
///
/// A warning whose secret key was made under another master key cannot be told from a genuine one without a pairing (spec checkin-and-nhs A.9); the
/// signature over the list keeps such ones out. The one case of that kind says so in its note: it is a match of the server-based mode, and none of the
/// privacy mode. No other difference between the two is permitted, and nobody whom it warns may be missed.
enum MatchFlows: VectorFamily {
    static let name = "match_flow"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let keys = VenueKeys(payload: try vector["qrCodePayload"].hex("payload"))
                let visit = try require(
                    "visit",
                    CrowdNotifierVisit(
                        number: 1, keys: keys, arrival: try integer("arrival", vector["arrivalMs"]) / 1_000,
                        departure: try integer("departure", vector["departureMs"]) / 1_000))
                try expect(
                    "hours", visit.hours.map { [Int($0.start), Int($0.day)] },
                    vector["entries"].array.map {
                        [try require("start", $0["intervalStart"].int), try require("day", $0["dayTimestamp"].int)]
                    })
                let list = try TraceKeyList(decoding: vector["wrapper"].hex("wrapper"), wanted: nil)
                try expect("keys", list.keys, vector["events"].array.map(TraceKeyLists.key))
                let matcher = IdentityMatcher([visit])
                let decrypting = try vector["decryptingMatches"].array.map {
                    [
                        try require("index", $0["eventIndex"].int), try require("hour", $0["intervalStart"].int),
                        try require("start", $0["exposureStartMs"].int) / 1_000,
                        try require("end", $0["exposureEndMs"].int) / 1_000,
                    ]
                }
                let opened = matcher.opened(list.keys).map {
                    [$0.index, Int($0.hour), Int($0.data.start), Int($0.data.end)]
                }
                try expect("decrypted", try decrypted(vector, keys, list.keys), decrypting.map { Array($0.prefix(2)) })
                // Whoever can decrypt is found. Beyond that, matching by identity takes a key for genuine which somebody made under another
                // master key; only the privacy mode tells them apart. Such a key has the identity of an hour of the visit, and no other may.
                try expect("decrypting", decrypting.filter { !opened.contains($0) }, [])
                let others = opened.filter { !decrypting.contains($0) }
                for other in others {
                    try expect("identity", list.keys[other[0]].identity, keys.identity(start: Int64(other[1])))
                }
                let isExposed = try require("exposed", vector["exposed"].bool) || !others.isEmpty
                try expect("exposed", !matcher.matches(list.keys).isEmpty, isExposed)
            }
        }
    }

    /// What a visitor in the privacy mode stores, and which of it opens: pairs of a warning and an hour.
    private static func decrypted(_ vector: VectorValue, _ keys: VenueKeys, _ list: [TraceKey]) throws -> [[Int]] {
        let venue = try CrowdNotifierVenue(payload: try vector["qrCodePayload"].hex("payload"))
        let master = try MasterPublicKey(venue.publicKey)
        var found: [[Int]] = []
        for entry in vector["entries"].array {
            let (start, day) = (try integer("start", entry["intervalStart"]), try integer("day", entry["dayTimestamp"]))
            let message = Array(try require("message", entry["message"].string).utf8)
            let text = try IdentityCiphertext(
                encrypting: message, to: keys.identity(start: start), under: master,
                seed: SecretBytes(copying: entry["x"].hex("x")), nonce: entry["nonce"].hex("nonce"))
            try IdentityEncryptions.compare(text, entry)
            for (index, key) in list.enumerated() where key.day == day {
                guard let opened = try text.opened(identity: key.identity, key: IdentityKey(key.secretKey)) else {
                    continue
                }
                try expect("message", opened, message)
                found.append([index, Int(start)])
            }
        }
        return found.sorted { $0.lexicographicallyPrecedes($1) }
    }
}

/// The token beside lists of trace keys.
enum ResponseSignatures: VectorFamily {
    static let name = "response_signature"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        let pem = try require("public key", vectors.json["publicKeyPem"].string)
        let key = try P256.VerificationKey(pemOrDER: Array(pem.utf8) + [0])
        let trust = try TrustStore(keys: [TrustedKey(name: KeyName(id: "dp3t", version: "1"), role: .config, key: key)])
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let result = Result {
                    try TraceKeyList(
                        body: vector["body"].hex("body"), token: Array((vector["signatureHeader"].string ?? "").utf8),
                        trust: trust, time: try integer("now", vector["now"]), wanted: nil)
                }
                if try require("result", vector["result"].string) == "accept" {
                    _ = try result.get()
                } else {
                    guard case .failure(let error as CrowdNotifierError) = result,
                        [.malformedSignature, .wrongSignature, .signatureExpired].contains(error.code)
                    else {
                        throw Mismatch(description: "\(result) where a refusal is expected: \(vector["why"].string ?? "")")
                    }
                }
            }
        }
    }
}
