// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import DiagnosisPlan
import KeyLevels
import VirtualAir

/// Numbers of the hotline: check characters, and what is accepted.
enum TeleTANs: VectorFamily {
    static let name = "teletan"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                switch try require("kind", vector["kind"].string) {
                case "check-digit":
                    let body = try require("body", vector["body"].string)
                    let tan = try require("a teleTAN", TeleTAN(body: body.utf8))
                    try expect("check character", tan.text, body + require("digit", vector["expCheckDigit"].string))
                case "validate":
                    let typed = try require("teleTan", vector["teleTan"].string)
                    let isValid = TeleTAN.problems(in: typed).isEmpty
                    try expect("valid", isValid, require("expValid", vector["expValid"].bool))
                    try expect("read", (try? TeleTAN(typed: typed)) != nil, isValid)
                case let other: throw Mismatch(description: "nobody knows the kind \(other)")
                }
            }
        }
    }
}

/// Codes that come with tests.
enum TestCodes: VectorFamily {
    static let name = "test-qr-codes"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        let kinds: [String: TestKind] = ["pcr": .pcr, "rapid-antigen": .rapidAntigen, "rapid-pcr": .rapidPCR]
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let kind = try require("kind", kinds[vector["kind"].string ?? ""])
                let input = try require("input", vector["input"].string)
                guard try require("accept", vector["accept"].bool) else {
                    if (try? TestCode(scanned: input)) != nil { throw Mismatch(description: "it was accepted") }
                    return
                }
                let code = try TestCode(scanned: input)
                try expect("kind", code.kind, kind)
                if let key = vector["expRegistrationKey"].string { try expect("key", code.registrationKey, key) }
                let known = vector["expGuid"].string ?? vector["payload"]["hash"].string
                let hashed = Hex.string(SHA256.digest(of: Array(try require("hash or GUID", known).utf8)))
                try expect("key", code.registrationKey, hashed)
                try expect("time", code.created, vector["payload"]["timestamp"].int.map(Int64.init))
            }
        }
    }
}

/// Symptoms to levels and days since onset, and the server's tables.
enum TransmissionVectors: VectorFamily {
    static let name = "transmission-vectors"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                func number(_ name: String) throws -> Int { try require(name, vector[name].int) }
                switch try require("kind", vector["kind"].string) {
                case "symptom-vector":
                    let statement = try statement(vector)
                    try expect(
                        "levels", statement.levels.map(Int.init),
                        vector["expTransmissionRiskLevels"].array.compactMap(\.int))
                    try expect(
                        "days", statement.daysSinceOnset.map(Int.init),
                        vector["expDaysSinceOnset"].array.compactMap(\.int))
                case "cdn-encoding":
                    let level = Int32(clamping: try number("transmissionRiskLevel"))
                    let published = try require("encoding", LevelEncoding.coronaWarnApp.code(level: level))
                    try expect("days", Int(published.daysSinceOnset), number("expDaysSinceOnset"))
                    try expect("report type", Int(published.reportType), number("expReportType"))
                case "server-dsos-to-trl":
                    let days = Int32(clamping: try number("daysSinceOnset"))
                    try expect(
                        "level", Int(LevelDerivation.level(daysSinceOnset: days)), number("expTransmissionRiskLevel"))
                case "server-trl-to-dsos":
                    let level = UInt8(clamping: try number("transmissionRiskLevel"))
                    try expect(
                        "days", LevelDerivation.daysSinceOnset(level: level).map(Int.init), number("expDaysSinceOnset"))
                case let other: throw Mismatch(description: "nobody knows the kind \(other)")
                }
            }
        }
    }

    private static func statement(_ vector: VectorValue) throws -> SymptomStatement {
        switch (vector["symptoms"].string, vector["onset"].string) {
        case ("positive", "exact date"):
            return .since(daysAgo: try require("onsetDaysAgo", vector["onsetDaysAgo"].int))
        case ("positive", "last 7 days"): return .lastSevenDays
        // The spelling of those that are not in the published part is not known.
        case ("positive", let onset?) where onset.hasPrefix("1") || onset.hasPrefix("one"):
            return .oneToTwoWeeksAgo
        case ("positive", "more than 2 weeks ago"): return .moreThanTwoWeeksAgo
        case ("positive", "no information"): return .unknownSince
        case ("no information", nil): return .noStatement
        case ("negative", nil), ("none", nil), ("no symptoms", nil): return .noSymptoms
        case let other: throw Mismatch(description: "nobody knows the symptoms \(other)")
        }
    }
}

/// The server's tables from end to end.
enum DerivationMaps: VectorFamily {
    static let name = "derivation-maps"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        check.check("default") {
            try expect(
                "level", Int(LevelDerivation.defaultLevel),
                require("default", vectors.json["defaultTransmissionRiskLevel"].int))
        }
        let levels = vectors.json["transmissionRiskLevelFromDaysSinceOnset"].object
        for (days, level) in levels {
            check.check("level of \(days)") {
                let days = try require("days", Int32(days))
                try expect("level", Int(LevelDerivation.level(daysSinceOnset: days)), require("level", level.int))
            }
        }
        check.check("days that are not in the table") {
            let others = (Int32(-30)...4_100).filter { levels[String($0)] == nil }
            try expect("levels", Set(others.map(LevelDerivation.level)), [LevelDerivation.defaultLevel])
        }
        for (level, days) in vectors.json["daysSinceOnsetFromTransmissionRiskLevel"].object {
            check.check("days of \(level)") {
                let level = try require("level", UInt8(level))
                try expect("days", LevelDerivation.daysSinceOnset(level: level).map(Int.init), require("days", days.int))
            }
        }
    }
}

/// Levels of the keys that NHS COVID-19 submits.
enum NHSTransmissionLevels: VectorFamily {
    static let name = "transmission_risk_level"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let range = KeySubmissionRange(
                    first: try day(vector["firstSubmissionDate"]), last: try day(vector["lastSubmissionDate"]))
                let onset = vector["onset"].isNull ? nil : try day(vector["onset"])
                let days = try vector["keyDates"].array.map(day)
                try expect(
                    "levels", days.map { Int(range.level(day: $0, onset: onset)) },
                    vector["transmissionRiskLevels"].array.compactMap(\.int))
                let sinceOnset = onset.map { onset in
                    days.map { Int(KeySubmissionRange.daysSinceOnset(day: $0, onset: onset)) }
                }
                let isGiven = !vector["daysSinceOnset"].isNull
                try expect("days", sinceOnset, isGiven ? vector["daysSinceOnset"].array.compactMap(\.int) : nil)
            }
        }
    }
}

/// Days whose keys NHS COVID-19 submits.
enum NHSSubmissionRanges: VectorFamily {
    static let name = "key_submission_range"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let range = KeySubmissionRange(
                    today: try day(vector["today"]), acknowledged: try day(vector["acknowledgedDate"]),
                    onset: try day(vector["assumedOnset"]),
                    isolationDays: Int64(try require("days", vector["contactCaseIsolationDays"].int)))
                try expect("first", CivilDate(day: range.first).isoText, require("first", vector["first"].string))
                try expect("last", CivilDate(day: range.last).isoText, require("last", vector["last"].string))
                try expect("non-empty", !range.isEmpty, require("nonEmpty", vector["nonEmpty"].bool))
            }
        }
    }
}

private func day(_ value: VectorValue) throws -> CivilDate {
    try require("date", value.string.flatMap { CivilDate(isoText: $0) })
}

/// What makes requests look alike.
enum PlausibleDeniability: VectorFamily {
    static let name = "plausible-deniability"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                switch try require("kind", vector["kind"].string) {
                case "fake-check-in-count":
                    let found = FakeCheckIns().count(try require("x", vector["x"].double))
                    let expected = try require("exp", vector["exp"].double)
                    let tolerance = try require("tolerance", vector["tolerance"].double)
                    guard abs(found - expected) <= tolerance else {
                        throw Mismatch(description: "count: \(found) where \(expected) is expected")
                    }
                case "key-padding":
                    let variant = try require("variant", vector["variant"].string)
                    let upTo = try require(
                        "keys of the variant", variant.split(separator: " ").compactMap { Int($0) }.first)
                    let keys = try require("keys", vector["keys"].int)
                    try expect(
                        "bytes", WirePadding.phoneKeyPadding(keys: keys, upTo: upTo),
                        require("bytes", vector["expBytes"].int))
                case "check-in-padding-average": try average(vector)
                case "verification-header-padding":
                    let endpoint = try require("endpoint", vector["endpoint"].string)
                    let path = try require("path", VerificationPath(rawValue: "/version/v1/\(endpoint)"))
                    try expect(
                        "characters", WirePadding.headerCharacters(path),
                        require("characters", vector["expHeaderPaddingChars"].int))
                    try expect("body", try request(path).body.count, require("bytes", vector["bodyPaddedToBytes"].int))
                case let other: throw Mismatch(description: "nobody knows the kind \(other)")
                }
            }
        }
    }

    private static func request(_ path: VerificationPath) throws -> ExchangeRequest {
        var random = SplitMix64(seed: 1)
        switch path {
        case .registrationToken: return try .registration(RegistrationKey(TeleTAN(using: &random)), using: &random)
        case .testResult: return .testResult(ServerToken(using: &random), using: &random)
        case .tan: return .tan(ServerToken(using: &random), using: &random)
        }
    }

    private static func average(_ vector: VectorValue) throws {
        func number(_ value: VectorValue) throws -> Double { try require("number", value.double) }
        var random = SplitMix64(seed: 2)
        var fakes = FakeCheckIns()
        fakes.sizes = vector["checkInSizesInBytes"].array.compactMap(\.int)
        fakes.probabilityWithCheckIns = try number(vector["probabilityToFakeCheckInsIfSomeCheckIns"])
        fakes.probabilityWithoutCheckIns = try number(vector["probabilityToFakeCheckInsIfNoCheckIns"])
        let range = vector["randomNumberRange"]
        fakes.range = try number(range["min"])...number(range["max"])
        let parameters = vector["parameters"]
        fakes.p = try number(parameters["p"])
        fakes.q = try number(parameters["q"])
        fakes.r = try number(parameters["r"])
        fakes.s = try number(parameters["s"])
        fakes.t = try number(parameters["t"])
        fakes.u = try number(parameters["u"])
        fakes.a = try number(parameters["a"])
        fakes.b = try number(parameters["b"])
        fakes.c = try number(parameters["c"])
        let stored = try require("storedCheckIns", vector["storedCheckIns"].int)
        let runs = try require("runs", vector["runs"].int)
        let sum = (0..<runs).reduce(0) { sum, _ in sum + fakes.bytes(realCheckIns: stored, using: &random) }
        let average = Double(sum) / Double(runs)
        let (least, most) = (try number(vector["expMinAverageBytes"]), try number(vector["expMaxAverageBytes"]))
        guard least <= average, average <= most else {
            throw Mismatch(description: "\(average) bytes on average where \(least) to \(most) are expected")
        }
    }
}
