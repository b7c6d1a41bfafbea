// SPDX-License-Identifier: Apache-2.0

import Cryptography
import JSON
import VenueNotices

/// Codes of official posters.
enum NHSVenueCodes: VectorFamily {
    static let name = "venue_qr"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        let pem = try require("public key", vectors.json["publicKeyPem"].string)
        let key = VenuePoster.Key(
            id: try require("key id", vectors.json["keyId"].string),
            key: try P256.VerificationKey(pemOrDER: Array(pem.utf8) + [0]))
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let result = Result { try VenuePoster(require("payload", vector["payload"].string), keys: [key]) }
                guard try require("result", vector["result"].string) == "accept" else {
                    guard case .failure(is VenueNoticesError) = result else { throw Mismatch(description: "accepted") }
                    return
                }
                let poster = try result.get()
                try expect("id", poster.id, vector["venue"]["id"].string ?? "")
                try expect("name", poster.name, vector["venue"]["opn"].string ?? "")
                try expect("postcode", poster.postcode, vector["venue"]["pc"].string)
            }
        }
    }
}

/// Visits and the list of risky venues.
enum NHSRiskyVenues: VectorFamily {
    static let name = "risky_venue_match"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                // By way of a list, as it would arrive.
                func list(_ entries: [VectorValue]) throws -> RiskyVenueList {
                    let venues = try entries.map { entry -> JSON in
                        [
                            "id": .string(try require("id", entry["id"].string)),
                            "riskyWindow": [
                                "from": .string(try require("from", entry["from"].string)),
                                "until": .string(try require("until", entry["until"].string)),
                            ], "messageType": "M1",
                        ]
                    }
                    return try RiskyVenueList(decoding: JSON.object(["venues": .array(venues)]).bytes)
                }
                let visit = vector["visit"]
                // The list's own reader of times reads those of the visit as well.
                let times = try require(
                    "times of the visit",
                    list([.object(["id": .string("x"), "from": visit["from"], "until": visit["to"]])]).venues.first)
                let own = PosterVisit(
                    number: 1, venueID: try require("venue", visit["venueId"].string), from: times.from, to: times.until,
                    wasTold: try require("flag", visit["wasInRiskyList"].bool))
                let matches = try list(vector["riskyVenues"].array).matches([own])
                try expect("matches", matches.map(\.venue.id), vector["matches"].array.compactMap(\.string))
            }
        }
    }
}
