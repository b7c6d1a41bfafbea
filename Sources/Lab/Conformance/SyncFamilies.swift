// SPDX-License-Identifier: Apache-2.0

import AppConfig
import CivilTime
import Cryptography
import FoundationEssentials
import KeyArchive
import SyncPlan

/// Configurations of the Corona-Warn-App as they were published, each with what is in it.
enum AppConfigurations: VectorFamily {
    static let name = "app-config"
    static let isFolder = true

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        let suffix = ".decoded.json"
        let names = try FileManager.default.contentsOfDirectory(atPath: vectors.folder).filter { $0.hasSuffix(suffix) }
        for name in names.sorted() {
            let stem = String(name.dropLast(suffix.utf8.count))
            check.check(stem) {
                let vector = try VectorValue(contentsOf: vectors.path(name))
                let bytes = try content(stem, vectors)
                try expect("bytes", bytes.count, vector["bytes"].int)
                try expect("digest", Hex.string(SHA256.digest(of: bytes)), vector["sha256"].string)
                let type = try require("messageType", vector["messageType"].string)
                let message = type.hasPrefix("v2.") ? String(type.dropFirst(3)) : "ApplicationConfiguration"
                let found = try require("content", ConfigReader.read(bytes, as: message))
                if let difference = difference(found, vector["decoded"], "") { throw Mismatch(description: difference) }
                if message == "ApplicationConfigurationAndroid" { try compare(bytes, vector["decoded"]) }
            }
        }
    }

    /// The message itself, or the one in the package of that name.
    private static func content(_ stem: String, _ vectors: Vectors) throws -> [UInt8] {
        let plain = vectors.path(stem + ".bin")
        if FileManager.default.fileExists(atPath: plain) { return [UInt8](try Data(contentsOf: URL(filePath: plain))) }
        return try UnsignedKeyFile.exportBin(path: vectors.path("../packages/\(stem).zip"))
    }

    /// What the board acts on, beside the rules for what makes no sense.
    private static func compare(_ bytes: [UInt8], _ decoded: VectorValue) throws {
        let config = try require("configuration", AppConfiguration(bytes))
        let download = decoded["keyDownloadParameters"]
        let revoked = (download["revokedDayPackages"].array + download["revokedHourPackages"].array).compactMap {
            $0["etag"].string.map { $0.filter { $0 != "\"" } }
        }
        try expect("revoked packages", config.revokedTags, Set(revoked))
        if let seconds = download["downloadTimeoutInSeconds"].int, (1...1_800).contains(seconds) {
            try expect("download timeout", config.downloadTimeoutSeconds, seconds)
        }
        try expect("countries", config.supportedCountries, decoded["supportedCountries"].array.compactMap(\.string))
    }

    /// Where a message and its JSON form differ, as a path; `nil` when they do not.
    private static func difference(_ value: ConfigValue, _ json: VectorValue, _ path: String) -> String? {
        let isEqual: Bool
        switch value {
        case .integer(let number): isEqual = json.int.map(Int64.init) == number || json.string == String(number)
        case .number(let number): isEqual = json.double == number
        case .bool(let flag): isEqual = json.bool == flag
        case .string(let text): isEqual = json.string == text
        case .bytes(let bytes): isEqual = json.string.flatMap(Base64.bytes) == bytes
        case .list(let values):
            guard values.count == json.array.count else { return "\(path): \(values.count) elements" }
            return zip(values, json.array).enumerated().compactMap { difference($1.0, $1.1, "\(path)[\($0)]") }.first
        case .map(let entries):
            return members(Dictionary(uniqueKeysWithValues: entries.map { (String($0), $1) }), json, path)
        case .message(let fields): return members(fields, json, path)
        }
        return isEqual ? nil : "\(path): \(value) where \(json) is expected"
    }

    private static func members(_ fields: [String: ConfigValue], _ json: VectorValue, _ path: String) -> String? {
        let expected = Set(json.object.keys)
        guard Set(fields.keys) == expected else {
            return "\(path): the fields differ in \(Set(fields.keys).symmetricDifference(expected).sorted())"
        }
        return fields.sorted { $0.key < $1.key }.compactMap { difference($1, json[$0], "\(path).\($0)") }.first
    }
}

/// Numbers of a configuration and what they mean for time.
enum TimingRules: VectorFamily {
    static let name = "timing-config"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                func number(_ name: String) throws -> Int64 { Int64(try require(name, vector[name].int)) }
                let configured = vector["configuredSeconds"].int.map(Int64.init)
                switch try require("kind", vector["kind"].string) {
                case "exposure-detection":
                    let frequency = ConfigRules.detectionFrequency(
                        vector["maxExposureDetectionsPerInterval"].int.map(Int64.init))
                    try expect("per day", Int64(frequency.maximumPerDay), number("expMaxPerUtcDay"))
                    try expect("gap", Int64(frequency.minimumGapSeconds), number("expMinSecondsBetweenDetections"))
                case "overall-detection-timeout":
                    try expect("seconds", Int64(ConfigRules.detectionTimeout(configured)), number("expSeconds"))
                case "key-download-timeouts":
                    try expect("individual", Int64(ConfigRules.downloadTimeout(configured)), number("expIndividualSeconds"))
                    try expect(
                        "overall", Int64(ConfigRules.overallDownloadTimeout(configured)), number("expOverallSeconds"))
                case "device-time-check":
                    let isCorrect = ConfigRules.isClockCorrect(
                        offsetMilliseconds: try number("offsetMilliseconds"),
                        isChecked: try require("enabled", vector["enabled"].bool))
                    try expect("correct", isCorrect, require("expCorrect", vector["expCorrect"].bool))
                case "config-cache-validity":
                    let isValid = ConfigRules.isCacheValid(
                        validity: try number("validitySeconds"), serverTime: try number("serverTime"),
                        localOffset: try number("localOffsetSeconds"), localNow: try number("localNow"))
                    try expect("valid", isValid, require("expValid", vector["expValid"].bool))
                case let other: throw Mismatch(description: "nobody knows the kind \(other)")
                }
            }
        }
    }
}

/// Paths of the distribution and bodies of its indexes.
enum DistributionIndexes: VectorFamily {
    static let name = "cdn-index-samples"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? "?") {
                let path = try require("path", vector["path"].string)
                try expect("path", try ourPath(path), path)
                guard let text = vector["body"].string else { return }
                let body = Array(text.utf8)
                let expected = vector["exp"]
                if path.contains("/twp/") {
                    let hours = try IndexReading.traceWarningHours(body)
                    try expect("oldest", hours.map { Int($0.lowerBound) }, expected["oldest"].int)
                    try expect("latest", hours.map { Int($0.upperBound) }, expected["latest"].int)
                } else if path.hasSuffix("/hour") {
                    try expect("hours", try IndexReading.hours(body), expected.array.compactMap(\.int))
                } else if path.hasSuffix("/date") {
                    try expect(
                        "days", try IndexReading.days(body).map(\.isoText), expected.array.compactMap(\.string).sorted())
                } else {
                    try expect("countries", try IndexReading.countries(body), expected.array.compactMap(\.string))
                }
            }
        }
    }

    /// The path we would ask for, for the same thing.
    private static func ourPath(_ path: String) throws -> String {
        // Trace warnings are another plugin's to ask for.
        if path.contains("/twp/") || path == CWAPath.countries { return path }
        let parts = path.dropFirst(CWAPath.countries.count).split(separator: "/").map(String.init)
        let country = try require("country", parts.first)
        guard parts.count > 2 else { return CWAPath.days(country) }
        let day = try require("day", CivilDate(isoText: parts[2]))
        switch parts.count {
        case 3: return CWAPath.day(country, day)
        case 4: return CWAPath.hours(country, day)
        default: return CWAPath.hour(country, day, try require("hour", Int(parts[4])))
        }
    }
}

/// Which archives of NHS COVID-19 to fetch.
enum ArchiveIntervals: VectorFamily {
    static let name = "key_download_intervals"

    static func run(_ vectors: Vectors, _ check: inout Checks) throws {
        for vector in vectors.cases {
            check.check(vector["id"].string ?? vector["name"].string ?? "?") {
                let now = try time(vector["now"])
                // `null`: nothing was ever downloaded.
                let last =
                    vector["lastDownloaded"].string == nil
                    ? now - (SourceSettings.historyDays + 1) * 86_400 : try time(vector["lastDownloaded"])
                let found = NHSArchive.between(lastDownloaded: last, now: now)
                try expect("requests", found.map(\.name), vector["requests"].array.compactMap(\.string))
            }
        }
    }

    /// `2014-12-21T10:00:00Z`.
    private static func time(_ value: VectorValue) throws -> Int64 {
        let text = try require("time", value.string)
        let parts = text.dropFirst(11).split(separator: ":").compactMap { Int64($0.prefix(2)) }
        guard text.hasSuffix("Z"), let day = CivilDate(isoText: text.prefix(10)), parts.count == 3 else {
            throw Mismatch(description: "\(text) is no time")
        }
        return day.dayNumber * 86_400 + parts[0] * 3_600 + parts[1] * 60 + parts[2]
    }
}
