// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography

// How Corona-Warn-App's servers know that a donation comes from a phone (PPAC; cwa-ppa-server, services/ppac). Models to compare with:
// Vigil has evidence of its own instead, and no part of a board or an authority uses these rules.

private func time(_ what: String, _ value: VectorValue) throws -> Int64 { Int64(try require(what, value.int)) }

/// Year and month of a time in UTC.
private func month(_ time: Int64) -> [Int] {
    let date = UTCDay(containing: time).date
    return [date.year, date.month]
}

/// What ties a phone's proof to the message.
private func compareNonces(_ vectors: Vectors, _ check: inout Checks, payload: (VectorValue) throws -> [UInt8]) {
    for vector in vectors.cases {
        check.check(vector["id"].string ?? "?") {
            let salt = try require("salt", vector["saltBase64"].string.flatMap { Base64.bytes($0) })
            // Nothing separates the two: only a salt of one length makes it sound.
            let nonce = SHA256.digest(of: salt + (try payload(vector)))
            try expect("nonce", Base64.string(nonce), vector["expNonceBase64"].string)
        }
    }
}

/// Published nonces.
enum ProofNonces: VectorFamily {
    static let name = "ppac-nonce"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        compareNonces(vectors, &check) {
            try require("payload", $0["payloadBase64"].string.flatMap { Base64.bytes($0) })
        }
    }
}

/// More nonces, with salts of other lengths.
enum MoreProofNonces: VectorFamily {
    static let name = "ppac-nonce-more"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        compareNonces(vectors, &check) { try $0["payloadHex"].hex("payload") }
    }
}

/// How often a token of iOS may be used.
enum ProofRateLimits: VectorFamily {
    static let name = "ppac-rate-limit"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let now = try time("now", vector["now"])
                let last = vector["lastUsed"].int.map(Int64.init)
                let isAllowed: Bool
                switch try require("scenario", vector["scenario"].string) {
                case "PPA": isAllowed = last.map { now - $0 >= 86_100 } ?? true
                case "EDUS": isAllowed = last.map { month($0) != month(now) } ?? true
                case "SRS": isAllowed = last.map { now - $0 >= 90 * UTCDay.seconds } ?? true
                case let scenario: throw Mismatch(description: "there is no scenario \(scenario)")
                }
                try expect("verdict", isAllowed ? "allow" : "API_TOKEN_QUOTA_EXCEEDED", vector["expect"].string)
            }
        }
    }
}

/// How long a token of iOS lives, on the server and on the phone.
enum ProofTokens: VectorFamily {
    static let name = "ppac-api-token"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let now = try time("now", vector["now"])
                guard vector["expClient"].isNull else {
                    let made = vector["clientTokenMadeAt"].int.map(Int64.init)
                    let isNew = made.map { month($0) != month(now) } ?? true
                    try expect("a new token", isNew, vector["expClient"].string == "new")
                    try expect("the old one is kept", isNew && made != nil, vector["expPreviousKept"].bool)
                    return
                }
                try expect("verdict", verdict(vector, now), vector["expect"].string)
            }
        }
    }

    private static func verdict(_ vector: VectorValue, _ now: Int64) throws -> String {
        guard try require("tokenKnown", vector["tokenKnown"].bool) else {
            let current = UTCDay(containing: now).date.isoText.dropLast(3)
            return vector["perDeviceLastUpdateMonth"].string == String(current) ? "API_TOKEN_ALREADY_ISSUED" : "accept-new"
        }
        let created = try time("createdAt", vector["createdAt"])
        let end = endOfMonth(created)
        try expect("end", Int(end), vector["expExpirationDate"].int)
        return UTCDay(containing: now) > UTCDay(containing: end) ? "API_TOKEN_EXPIRED" : "accept-known"
    }

    /// The same time of day on the last day of the month.
    private static func endOfMonth(_ time: Int64) -> Int64 {
        var day = UTCDay(containing: time)
        while UTCDay(number: day.number + 1).date.month == day.date.month { day = UTCDay(number: day.number + 1) }
        return day.start + UTCDay.second(of: time)
    }
}

/// How often a salt of Android may be used.
enum ProofSalts: VectorFamily {
    static let name = "ppac-salt"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                var firstUses: [String: Int64] = [:]
                for (step, expected) in try vector.steps() {
                    let salt = try require("salt", step["salt"].string)
                    let now = try time("t", step["t"])
                    let first = firstUses[salt] ?? now
                    let verdict =
                        salt.isEmpty
                        ? "MISSING_MANDATORY_AUTHENTICATION_FIELDS" : now - first < 7_200 ? "accept" : "SALT_REDEEMED"
                    firstUses[salt] = first
                    try expect("verdict", verdict, expected.string)
                }
            }
        }
    }
}
