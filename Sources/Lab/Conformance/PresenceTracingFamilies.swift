// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import ExposureRisk
import PresenceTracing
import VirtualAir

/// Unix seconds of `2021-03-04T09:21:00Z`.
private func seconds(_ value: VectorValue) throws -> Int64 {
    let text = try require("time", value.string)
    let parts = text.split(separator: "T")
    guard parts.count == 2, let date = CivilDate(isoText: parts[0]), parts[1].hasSuffix("Z") else {
        throw Mismatch(description: "\(text) is no time")
    }
    let numbers = parts[1].dropLast().split(separator: ":").compactMap { Int64($0) }
    guard numbers.count == 3 else { throw Mismatch(description: "\(text) is no time") }
    return date.dayNumber * UTCDay.seconds + numbers[0] * 3_600 + numbers[1] * 60 + numbers[2]
}

private func base64(_ what: String, _ value: VectorValue) throws -> [UInt8] {
    try require(what, value.string.flatMap(Base64.bytes))
}

private func range(_ value: VectorValue) throws -> CWASecondParameters.Range {
    .init(
        min: try require("min", value["min"].double), minExclusive: value["minExclusive"].bool ?? false,
        max: try require("max", value["max"].double), maxExclusive: value["maxExclusive"].bool ?? false)
}

private func derivation(_ value: VectorValue) throws -> CheckInDerivation {
    CheckInDerivation(
        durationFilters: try value["durationFilters"].array.map { try range($0["dropIfMinutesInRange"]) },
        decays: try value["aerosoleDecayLinearFunctions"].array.map {
            .init(
                minutesRange: try range($0["minutesRange"]), slope: try require("slope", $0["slope"].double),
                intercept: try require("intercept", $0["intercept"].double))
        })
}

private func levels(_ value: VectorValue) throws -> [PresenceRiskParameters.LevelMapping] {
    try value.array.map { entry in
        .init(normalizedTimeRange: try range(entry["normalizedTimeRange"]), riskLevel: try level(entry["riskLevel"]))
    }
}

private func level(_ value: VectorValue) throws -> RiskLevel? {
    switch value {
    case .null: nil
    case .string("LOW"): .low
    case .string("HIGH"): .increased
    default: throw Mismatch(description: "nobody knows the level \(value)")
    }
}

private func parameters(_ value: VectorValue, days: Int) throws -> PresenceRiskParameters {
    var values: [Int: Double] = [:]
    for entry in value["transmissionRiskValueMapping"].array {
        values[try require("level", entry["transmissionRiskLevel"].int)] = try require(
            "value", entry["transmissionRiskValue"].double)
    }
    return PresenceRiskParameters(
        transmissionRiskValueMapping: values, perCheckIn: try levels(value["normalizedTimePerCheckInToRiskLevelMapping"]),
        perDay: try levels(value["normalizedTimePerDayToRiskLevelMapping"]), maximumAgeInDays: days)
}

private func visit(_ value: VectorValue, location: LocationID? = nil) throws -> Visit {
    let id = try location ?? require("locationId", LocationID(value["locationIdHex"].hex("locationId")))
    return try require(
        "check-in",
        Visit(
            number: value["checkInId"].int ?? 0, location: id, start: try seconds(value["start"]),
            end: try seconds(value["end"]),
            isSubmitted: value["submitted"].bool ?? false))
}

private func record(_ value: VectorValue) throws -> CheckInRecord? {
    CheckInRecord(
        start: Int64(try require("start", value["startIntervalNumber"].int)),
        period: Int64(try require("period", value["period"].int)),
        level: Int64(try require("level", value["transmissionRiskLevel"].int)))
}

private func compare(_ location: TraceLocation, _ fields: VectorValue) throws {
    try expect("version", Int(location.version), require("version", fields["version"].int))
    let data = fields["locationData"]
    try expect("its version", Int(location.locationVersion), require("version", data["version"].int))
    try expect("description", location.name, data["description"].string ?? "")
    try expect("address", location.address, data["address"].string ?? "")
    try expect("start", Int(clamping: location.start), data["startTimestamp"].int ?? 0)
    try expect("end", Int(clamping: location.end), data["endTimestamp"].int ?? 0)
    try expect("public key", location.publicKey, base64("key", fields["crowdNotifierData"]["publicKeyBase64"]))
    try expect("seed", location.seed, base64("seed", fields["crowdNotifierData"]["cryptographicSeedBase64"]))
    try expect("type", Int(location.kind.rawValue), require("type", fields["cwaLocationData"]["type"].int))
    try expect(
        "minutes", Int(location.defaultMinutes), fields["cwaLocationData"]["defaultCheckInLengthInMinutes"].int ?? 0)
}

/// Ids of places.
enum TraceLocationIDs: VectorFamily {
    static let name = "trace-location-ids"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let id: LocationID
                switch try require("kind", vector["kind"].string) {
                case "payload-to-location-id":
                    let payload = try base64("payload", vector["qrCodePayloadBase64"])
                    let location = try TraceLocation(payload: payload)
                    try compare(location, vector["fields"])
                    id = location.id
                    try expect("id", Hex.string(id.bytes), require("id", vector["locationIdHex"].string))
                    try expect("id", id.bytes, base64("id", vector["locationIdBase64"]))
                case "location-id-to-hash": id = try require("id", LocationID(vector["locationIdHex"].hex("id")))
                case let other: throw Mismatch(description: "nobody knows the kind \(other)")
                }
                try expect("hash", Hex.string(id.hash), require("hash", vector["locationIdHashHex"].string))
            }
        }
    }
}

/// Links of places, and what they must contain.
enum TraceLocationCodes: VectorFamily {
    static let name = "trace-location-qr"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        let pattern = try require("regexPattern", vectors.json["descriptor"]["regexPattern"].string)
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                switch try require("kind", vector["kind"].string) {
                case "decode": try decode(vector, pattern: pattern)
                case "validate": try validate(vector)
                case let other: throw Mismatch(description: "nobody knows the kind \(other)")
                }
            }
        }
    }

    private static func decode(_ vector: VectorValue, pattern: String) throws {
        let encoding: VenueCode.Descriptor.Encoding = vector["encoding"].string == "BASE32" ? .base32 : .base64
        let descriptors = [
            try require("a known expression", VenueCode.Descriptor(regexPattern: pattern, encoding: encoding))
        ]
        let result = Result { try VenueCode.decode(require("url", vector["url"].string), as: descriptors) }
        guard try require("accept", vector["accept"].bool) else {
            guard case .failure(is PresenceTracingError) = result else { throw Mismatch(description: "accepted") }
            return
        }
        let location = try result.get()
        try compare(location, vector["fields"])
        if let passes = vector["passesContentValidation"].bool {
            try expect("content passes", (try? location.check()) != nil, passes)
        }
    }

    private static func validate(_ vector: VectorValue) throws {
        let location = try VenueCode.decode(require("url", vector["url"].string))
        try expect("payload", location.payload, base64("payload", vector["qrCodePayloadBase64"]))
        try compare(location, vector["fields"])
        var failure: String?
        do throws(PresenceTracingError) {
            try location.check()
        } catch {
            failure =
                switch error.code {
                case .invalidName: "Description"
                case .invalidAddress: "Address"
                case .invalidTimes: "StartEndTime"
                case .invalidSeed: "CryptographicSeed"
                default: "\(error.code)"
                }
        }
        try expect("failure", failure, vector["failure"].string)
        try expect("accepted", failure == nil, require("accept", vector["accept"].bool))
    }
}

/// Whole intervals in place of exact times.
enum CheckInTimes: VectorFamily {
    static let name = "checkin-derive-time"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        let derivation = try derivation(vectors.json["configuration"])
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let interval = derivation.interval(from: try seconds(vector["start"]), to: try seconds(vector["end"]))
                let expected = vector["expStart"].isNull ? nil : try seconds(vector["expStart"])..<seconds(vector["expEnd"])
                try expect("interval", interval, expected)
            }
        }
    }
}

/// Parts of days.
enum CheckInSplitting: VectorFamily {
    static let name = "checkin-split-midnight"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let parts = DayParts(from: try seconds(vector["start"]), to: try seconds(vector["end"])).map {
                    [$0.start, $0.end]
                }
                try expect(
                    "parts", parts, vector["expected"].array.map { [try seconds($0["start"]), try seconds($0["end"])] })
            }
        }
    }
}

/// What visits and warnings have in common.
enum CheckInOverlaps: VectorFamily {
    static let name = "checkin-overlap"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                switch try require("kind", vector["kind"].string) {
                case "pair":
                    let minutes = try matches([visit(vector["checkIn"])], vector["warning"]).map { Int($0.minutes) }
                    try expect("minutes", minutes, [vector["expOverlapMinutes"].int].compactMap(\.self))
                case "package":
                    let visits = try vector["checkIns"].array.map { try visit($0) }
                    // One warning at a time, to tell which of them matched.
                    let found = try vector["warnings"].array.enumerated().flatMap { index, warning in
                        try matches(visits, warning).map { [$0.visit, index, Int($0.minutes)] }
                    }
                    let expected = try vector["expMatches"].array.map {
                        [
                            try require("check-in", $0["checkInId"].int), try require("warning", $0["warningIndex"].int),
                            try require("minutes", $0["roundedMinutes"].int),
                        ]
                    }
                    try expect("matches", Set(found), Set(expected))
                    try expect("number of matches", found.count, expected.count)
                case let other: throw Mismatch(description: "nobody knows the kind \(other)")
                }
            }
        }
    }

    /// By way of a package, as it would arrive.
    private static func matches(_ visits: [Visit], _ warning: VectorValue) throws -> [PresenceMatch] {
        // What can be about nothing is passed over by the package's reader.
        guard let record = try record(warning) else { return [] }
        let bytes = TraceWarningPackage.encoded(
            hour: 1, region: "DE",
            warnings: [.init(locationIDHash: try warning["locationIdHashHex"].hex("hash"), record: record)])
        let matcher = WarningMatcher(visits)
        return matcher.matches(try TraceWarningPackage(decoding: bytes, wanted: matcher.wanted))
    }
}

/// Encryption of check-ins, and its code.
enum CheckInCryptography: VectorFamily {
    static let name = "checkin-crypto"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                switch try require("kind", vector["kind"].string) {
                case "encrypt": try encrypt(vector)
                case "decrypt": try decrypt(vector)
                case "protected-report": try open(vector)
                case "keys":
                    let location = try location(vector)
                    try expect(
                        "code key", location.codeKey == SecretBytes(copying: base64("key", vector["expMacKeyBase64"])), true
                    )
                    try expect(
                        "encryption key",
                        location.encryptionKey == SecretBytes(copying: base64("key", vector["expEncryptionKeyBase64"])),
                        true)
                case "mac":
                    let code = try HMACSHA256.code(
                        for: try base64("iv", vector["ivBase64"])
                            + base64("record", vector["encryptedCheckInRecordBase64"]),
                        key: SecretBytes(copying: base64("key", vector["macKeyBase64"])))
                    try expect("code", code, base64("code", vector["expMacBase64"]))
                case let other: throw Mismatch(description: "nobody knows the kind \(other)")
                }
            }
        }
    }

    private static func location(_ vector: VectorValue) throws -> LocationID {
        let bytes =
            try vector["locationIdHex"].isNull
            ? base64("location id", vector["locationIdBase64"]) : vector["locationIdHex"].hex("location id")
        return try require("location id", LocationID(bytes))
    }

    private static func encrypt(_ vector: VectorValue) throws {
        let record = try require("a plausible record", record(vector["record"]))
        let report = try ProtectedReport(
            record, location: location(vector), initializationVector: base64("iv", vector["ivBase64"]))
        try expect("record", report.encryptedRecord, base64("record", vector["expEncryptedCheckInRecordBase64"]))
        try expect("code", report.messageCode, base64("code", vector["expMacBase64"]))
        try expect("hash", report.locationIDHash, base64("hash", vector["expLocationIdHashBase64"]))
        let plain = try AES256CBC.decrypt(
            report.encryptedRecord, key: location(vector).encryptionKey, initializationVector: report.initializationVector)
        try expect("message", plain.map { Hex.string($0) }, vector["recordBytesHex"].string)
    }

    private static func decrypt(_ vector: VectorValue) throws {
        let location = try location(vector)
        let report = try ProtectedReport(
            locationIDHash: location.hash, initializationVector: base64("iv", vector["ivBase64"]),
            encryptedRecord: base64("record", vector["encryptedCheckInRecordBase64"]),
            messageCode: base64("code", vector["macBase64"]))
        let result = Result { try report.open(location) }
        guard try require("accept", vector["accept"].bool) else {
            let code = try require("refusal", refusal(result))
            try expect("refused for the code or the content", [.wrongKey, .implausibleRecord].contains(code), true)
            return
        }
        try expect("record", try result.get(), require("record", record(vector["expRecord"])))
    }

    private static func open(_ vector: VectorValue) throws {
        let location = try location(vector)
        let report = try ProtectedReport(decoding: base64("report", vector["checkInProtectedReportBase64"]))
        let result = Result { try report.open(location) }
        if try require("accept", vector["accept"].bool) {
            try expect("record", try result.get(), require("record", record(vector["expRecord"])))
        } else {
            let isCodeValid = try require("macValid", vector["macValid"].bool)
            try expect("refusal", refusal(result), isCodeValid ? .implausibleRecord : .wrongKey)
        }
    }

    private static func refusal(_ result: Result<CheckInRecord, any Error>) -> PresenceTracingError.Code? {
        guard case .failure(let error) = result else { return nil }
        return (error as? PresenceTracingError)?.code
    }
}

/// The risk of matched visits, visit by visit and day by day.
enum CheckInRisks: VectorFamily {
    static let name = "checkin-risk"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let days = vector["maxCheckInAgeInDays"].int
                let parameters = try parameters(vectors.json["configuration"], days: days ?? 10)
                let now = try seconds(vector["now"])
                // Without a place of their own: matches say which visit they are of.
                let place = LocationID(payload: [])
                let rule: Visit.AgeRule = vector["ageRule"].string?.contains("exact") ?? false ? .exact : .wholeDays
                let visits = try vector["checkIns"].array.map { try visit($0, location: place) }
                    .filter {
                        days == nil || Visit.isRecent(end: $0.end, now: now, days: parameters.maximumAgeInDays, rule: rule)
                    }
                let matches = try vector["matches"].array.flatMap { match -> [PresenceMatch] in
                    let start = try require("start", match["startIntervalNumber"].int)
                    let end = try require("end", match["endIntervalNumber"].int)
                    let record = CheckInRecord(
                        start: Int64(start), period: Int64(end - start),
                        level: Int64(try require("level", match["transmissionRiskLevel"].int)))
                    return try visits.filter { $0.number == match["checkInId"].int }.flatMap {
                        WarningMatcher.matches($0, try require("a plausible match", record))
                    }
                }
                try compare(PresenceRisk(matches, parameters), vector)
            }
        }
    }

    private static func compare(_ risk: PresenceRisk, _ vector: VectorValue) throws {
        func count(_ verdicts: [PresenceRisk.Verdict], _ level: RiskLevel) -> Int { verdicts.count { $0 == .level(level) } }
        try expect("low days", count(risk.days.map(\.verdict), .low), require("days", vector["expLowDays"].int))
        try expect("high days", count(risk.days.map(\.verdict), .increased), require("days", vector["expHighDays"].int))
        try expect("low visits", count(risk.checkIns.map(\.verdict), .low), require("visits", vector["expLowCheckIns"].int))
        try expect(
            "high visits", count(risk.checkIns.map(\.verdict), .increased), require("visits", vector["expHighCheckIns"].int)
        )
        let days = risk.days.filter { $0.verdict.level != nil }.map { "\($0.day.date.isoText) \($0.verdict)" }
        try expect(
            "days", days,
            vector["expDayRisks"].array.map {
                "\($0["date"].string ?? "") \(try verdict($0))"
            })
        let visits = risk.checkIns.filter { $0.verdict.level != nil }.map {
            "\($0.day.date.isoText) \($0.visit) \($0.normalizedTime) \($0.verdict)"
        }
        try expect(
            "visits", visits,
            vector["expCheckInRisks"].array.map {
                let time = try require("time", $0["normalizedTime"].double)
                return "\($0["date"].string ?? "") \($0["checkInId"].int ?? 0) \(time) \(try verdict($0))"
            })
    }

    private static func verdict(_ vector: VectorValue) throws -> PresenceRisk.Verdict {
        .level(try require("level", level(vector["riskLevel"])))
    }
}

/// Levels of weighted time.
enum CheckInRiskLevels: VectorFamily {
    static let name = "checkin-risk-lookup"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        let parameters = try parameters(vectors.json["configuration"], days: 10)
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                switch try require("lookup", vector["lookup"].string) {
                case "perDay": try lookUp(vector, parameters.perDay)
                case "perCheckIn": try lookUp(vector, parameters.perCheckIn)
                case "normalizedTime":
                    let level = try require("level", vector["transmissionRiskLevel"].int)
                    var own = parameters
                    own.transmissionRiskValueMapping = [level: try require("value", vector["transmissionRiskValue"].double)]
                    let minutes = try require("minutes", vector["overlapMinutes"].int)
                    let match = PresenceMatch(
                        visit: 1, day: UTCDay(number: 18_690), minutes: Int64(minutes), level: UInt8(clamping: level))
                    let risk = PresenceRisk([match], own)
                    try expect(
                        "time", risk.checkIns.map(\.normalizedTime), [require("time", vector["expNormalizedTime"].double)])
                case let other: throw Mismatch(description: "nobody knows the lookup \(other)")
                }
            }
        }
    }

    private static func lookUp(_ vector: VectorValue, _ mapping: [PresenceRiskParameters.LevelMapping]) throws {
        let time = try require("time", vector["normalizedTime"].double)
        try expect("level", PresenceRisk.level(of: time, mapping), level(vector["expRiskLevel"]))
    }
}

/// Levels of own visits, and all that happens to them before they are sent.
enum CheckInTransmission: VectorFamily {
    static let name = "checkin-transmission-risk"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let now = try seconds(vector["now"])
                let levels = vector["transmissionRiskVector"].array.compactMap { $0.int.map { UInt8(clamping: $0) } }
                switch try require("kind", vector["kind"].string) {
                case "level":
                    let level = CheckInSubmission.level(
                        start: try seconds(vector["checkInStart"]), now: now, levels: levels)
                    try expect("level", Int(level), require("level", vector["expTransmissionRiskLevel"].int))
                case "submission-pipeline": try submit(vector, now: now, levels: levels)
                case let other: throw Mismatch(description: "nobody knows the kind \(other)")
                }
            }
        }
    }

    private static func submit(_ vector: VectorValue, now: Int64, levels: [UInt8]) throws {
        let numbers = vector["checkIns"].array.compactMap { $0["checkInId"].int }
        let places = Dictionary(numbers.map { ($0, LocationID(payload: [UInt8($0)])) }, uniquingKeysWith: { $1 })
        let visits = try vector["checkIns"].array.map {
            try visit($0, location: require("place", places[$0["checkInId"].int ?? 0]))
        }
        var values: [Int: Double] = [:]
        for (level, value) in vector["transmissionRiskValues"].object {
            values[try require("level", Int(level))] = try require("value", value.double)
        }
        let parts = CheckInSubmission.parts(
            of: visits, levels: levels, values: values, derivation: try derivation(vector["derivationConfiguration"]),
            now: now)
        let found = parts.map {
            [$0.visit, Int($0.record.start), Int($0.record.start + $0.record.period), Int($0.record.level)]
        }
        let expected = try vector["expSubmitted"].array.map { part in
            try ["checkInId", "startIntervalNumber", "endIntervalNumber", "transmissionRiskLevel"].map {
                try require($0, part[$0].int)
            }
        }
        try expect("parts", found, expected)
        for (part, expected) in zip(parts, vector["expSubmitted"].array) {
            try expect("time", part.record.seconds, seconds(expected["start"])..<seconds(expected["end"]))
        }
        var random = SplitMix64(seed: 1)
        let reports = try CheckInSubmission.reports(parts, using: &random)
        try expect("reports", reports.count, require("reports", vector["expProtectedReports"].int))
        // Whatever their order, each can be opened by its place and says what its part does.
        let opened = try reports.map { report in
            try report.open(require("place", places.values.first { $0.hash == report.locationIDHash }))
        }
        try expect("records", Set(opened), Set(parts.map(\.record)))
    }
}

/// After how long visits end by themselves.
enum AutomaticCheckOuts: VectorFamily {
    static let name = "auto-checkout"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                switch try require("kind", vector["kind"].string) {
                case "round15":
                    let minutes = try require("minutes", vector["minutes"].int)
                    try expect("rounded", AutoCheckOut.rounded(minutes), require("exp", vector["exp"].int))
                case "default-length":
                    // The source says nothing of when the guest comes.
                    let minutes = AutoCheckOut.minutes(
                        default: UInt32(clamping: vector["defaultCheckInLengthInMinutes"].int ?? 0),
                        start: vector["start"].isNull ? nil : try seconds(vector["start"]),
                        end: vector["end"].isNull ? nil : try seconds(vector["end"]), checkIn: 0)
                    try expect("minutes", minutes, require("minutes", vector["expMinutes"].int))
                case let other: throw Mismatch(description: "nobody knows the kind \(other)")
                }
            }
        }
    }
}

/// Of how long ago visits are looked at, and kept.
enum CheckInAges: VectorFamily {
    static let name = "checkin-age-retention"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let now = try seconds(vector["now"])
                switch try require("kind", vector["kind"].string) {
                case "age-filter":
                    let days = try require("days", vector["maxAgeInDays"].int)
                    let kept = try vector["checkInEnds"].array.enumerated().filter {
                        Visit.isRecent(end: try seconds($0.element), now: now, days: days)
                    }
                    try expect("kept", kept.map(\.offset), vector["expKeptIndexes"].array.compactMap(\.int))
                case "retention":
                    let days = try require("days", vector["retentionDays"].int)
                    let isKept =
                        vector["end"].isNull
                        ? true : Visit.isRecent(end: try seconds(vector["end"]), now: now, days: days, rule: .exact)
                    try expect("kept", isKept, require("kept", vector["expKept"].bool))
                case let other: throw Mismatch(description: "nobody knows the kind \(other)")
                }
            }
        }
    }
}

/// What a warning can say.
enum WarningValidity: VectorFamily {
    static let name = "warning-validity"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                try expect("valid", try record(vector) != nil, require("valid", vector["expValid"].bool))
            }
        }
    }
}
