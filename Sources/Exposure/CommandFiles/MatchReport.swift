// SPDX-License-Identifier: Apache-2.0

import CivilTime
import Cryptography
import FoundationEssentials
import GAEN
public import KeyExport
public import Matching
import Trust

/// The findings of a match run, for people and as JSON (docs/schemas/match-report.schema.json).
public struct MatchReport: Codable, Sendable {
    /// A file that was taken, and what it says of itself.
    public struct File: Codable, Sendable {
        /// Path of the file as the person named it.
        public var path: String
        /// "matched", or "alreadyMatched" for content that a file before it had; the members below are `nil` for the
        /// latter.
        public var outcome: String
        /// Number of keys in the file, flawed ones included, revised ones not, 0 or more; `nil` when its content was
        /// matched before.
        public var keys: UInt64?
        /// Number of revised keys in the file, 0 or more, flawed ones included; `nil` when its content was matched
        /// before.
        public var revisedKeys: UInt64?
        /// The region in the file's header, foreign text, perhaps empty; `nil` when its content was matched before.
        public var region: String?
        /// Start of the period in the file's header, Unix seconds, unchecked, 0 when absent there; `nil` when its
        /// content was matched before.
        public var start: UInt64?
        /// End of the period in the file's header, Unix seconds, unchecked, 0 when absent there; `nil` when its content
        /// was matched before.
        public var end: UInt64?
        /// Names of the trusted keys whose signatures are valid, as "id-version", one at least; `nil` when its content
        /// was matched before.
        public var signedBy: [String]?
        /// SHA-256 of export.bin, 64 hexadecimal digits; `nil` when its content was matched before.
        public var contentSHA256: String?
    }

    /// A file that was refused: which, by which rule and where.
    public struct RefusedFile: Codable, Sendable {
        /// Path of the file as the person named it.
        public var path: String
        /// Stable name of the rule that was broken, the raw value of a ``KeyExportError/Code`` (docs/file-formats.md).
        public var rule: String
        /// Byte of export.bin or of the archive where the rule was broken, from 0; `nil` without a place.
        public var offset: UInt64?
    }

    /// One exposure window, as callers may see it.
    public struct Window: Codable, Sendable {
        /// Day of the encounter, "YYYY-MM-DD" in UTC.
        public var date: String
        /// The name of the report type (``ReportType``).
        public var reportType: String
        /// The name of the person's infectiousness (``Infectiousness``).
        public var infectiousness: String
        /// The name of the calibration confidence (``CalibrationConfidence``).
        public var calibrationConfidence: String
        /// The window's scans, in the order of time; one at least.
        public var scanInstances: [Scan]

        /// Length of the window: the seconds of its scans added up, up to half an hour.
        public var seconds: Int { scanInstances.reduce(0) { $0 + $1.secondsSinceLastScan } }
    }

    /// The signal of one person in one scan.
    public struct Scan: Codable, Sendable {
        /// Mean attenuation of the scan in dB; never negative.
        public var typicalAttenuationDb: Int
        /// Smallest attenuation of the scan in dB; never negative.
        public var minAttenuationDb: Int
        /// Seconds that the scan stands for: whole minutes, 0 to 300.
        public var secondsSinceLastScan: Int
    }

    /// The first generation's summary of all matches.
    public struct SummaryV1: Codable, Sendable {
        /// Number of diagnosis keys that were met and give an exposure under the mapping, 0 or more.
        public var matchedKeyCount: Int
        /// Whole days from the start of the latest key that was met to now, 0 or more; `nil` without exposures.
        public var daysSinceLastExposure: Int?
        /// Highest score of one exposure, 0 to 4,096; 0 without any.
        public var maximumRiskScore: Int
        /// Sum of the scores of all exposures, without unit; 0 without any.
        public var riskScoreSum: Int
        /// Seconds below, between and from the two thresholds on, over all exposures: three numbers, 0 or more.
        public var attenuationDurationsSeconds: [Int]
    }

    /// Name and version of this form of report.
    public var format = "vigil-match-1"
    /// Files that were taken, in the order they were named.
    public var files: [File] = []
    /// Files that were refused, in the order they were named; they had no effect. Empty without any.
    public var refusedFiles: [RefusedFile] = []
    /// Number of sightings that the keys were compared with, 0 or more.
    public var sightings = 0
    /// Number of keys of the files that verified, flawed ones not among them, 0 or more; those of repeated content count
    /// again.
    public var keysExamined: UInt64 = 0
    /// Number of these keys that ended more than 14 days before the run's time and were left out.
    public var keysTooOld: UInt64 = 0
    /// Number of these keys that are of times in which nothing was heard, which cost no computing, 0 or more.
    public var keysWithoutPossibleSighting: UInt64 = 0
    /// Number of keys that were left out, by the raw value of the flaw (``ExportedKey/Flaw``); each 1 or more, empty
    /// without any.
    public var keysRefused: [String: Int] = [:]
    /// Number of keys that were met, whether they count under the configuration or not; 0 or more.
    public var matchedKeyCount = 0
    /// The exposure windows by day, oldest first; see ``set(_:)-([ExposureWindow])``. Empty without any.
    public var exposureWindows: [Window] = []
    /// The first generation's summary; `nil` when the configuration asks for none.
    public var v1: SummaryV1?

    /// A report of a run that has found nothing yet.
    public init() {}

    /// Adds the fate of one file; `path` as the person named it. Cannot fail.
    public mutating func add(_ path: String, _ outcome: MatchRun.Outcome) {
        switch outcome {
        case .repeated: files.append(File(path: path, outcome: "alreadyMatched"))
        case .matched(let file):
            files.append(
                File(
                    path: path, outcome: "matched", keys: file.summary.keyCount,
                    revisedKeys: file.summary.revisedKeyCount, region: file.summary.region,
                    start: file.summary.startTimestamp, end: file.summary.endTimestamp,
                    signedBy: file.signers.map { "\($0.name)" }, contentSHA256: Hex.string(file.contentDigest)))
        }
    }

    /// Notes a file that was refused: its path, the rule and the offset, and none of the error's words. Cannot fail.
    public mutating func add(_ path: String, refused error: KeyExportError) {
        refusedFiles.append(RefusedFile(path: path, rule: error.code.rawValue, offset: error.offset))
    }

    /// Takes over windows in place of any before, sorted by day. Within a day they keep their order, which must say
    /// nothing.
    public mutating func set(_ windows: [ExposureWindow]) {
        exposureWindows = windows.enumerated().sorted { ($0.element.day, $0.offset) < ($1.element.day, $1.offset) }
            .map { _, window in
                Window(
                    date: UTCDay.text(day: window.day), reportType: "\(window.reportType)",
                    infectiousness: "\(window.infectiousness)",
                    calibrationConfidence: "\(window.calibrationConfidence)",
                    scanInstances: window.scanInstances.map {
                        Scan(
                            typicalAttenuationDb: $0.typicalAttenuation, minAttenuationDb: $0.minimumAttenuation,
                            secondsSinceLastScan: $0.secondsSinceLastScan)
                    })
            }
    }

    /// Takes over the first generation's summary in place of any before. Cannot fail.
    public mutating func set(_ summary: ExposureSummaryV1) {
        v1 = SummaryV1(
            matchedKeyCount: summary.matchedKeyCount, daysSinceLastExposure: summary.daysSinceLastExposure,
            maximumRiskScore: summary.maximumRiskScore, riskScoreSum: summary.riskScoreSum,
            attenuationDurationsSeconds: summary.attenuationDurations)
    }

    /// The report as pretty JSON with sorted members; throws only what the encoder throws.
    public func json() throws -> String { try JSONText.encode(self) }

    /// The report as a person reads it in a terminal, with a line feed at its end. `seconds` is the time that comparing
    /// took, 0 or more. Cannot fail.
    public func text(seconds: Double) -> String {
        var lines: [String] = []
        for file in files {
            if file.outcome == "alreadyMatched" {
                lines.append("\(file.path): the same keys were matched before, nothing to do")
            } else {
                let signers = file.signedBy?.filter { !$0.isEmpty }.joined(separator: ", ") ?? ""
                let revised = file.revisedKeys ?? 0
                lines.append(
                    "\(file.path): \(Terminal.grouped(file.keys ?? 0)) keys"
                        + (revised > 0 ? " and \(Terminal.grouped(revised)) revised ones" : "")
                        + ", signature valid\(signers.isEmpty ? "" : " (\(signers))")")
            }
        }
        if files.isEmpty {
            lines.append("Nothing was compared: every file was refused.")
            return lines.joined(separator: "\n") + "\n"
        }
        lines.append(
            "Compared \(Terminal.grouped(keysExamined)) keys with \(Terminal.grouped(sightings)) sightings in "
                + "\(Terminal.fixed(seconds, 2)) s.")
        if keysTooOld > 0 { lines.append("\(Terminal.grouped(keysTooOld)) keys are older than 14 days and were left out.") }
        for (flaw, count) in keysRefused.sorted(by: { $0.key < $1.key }) {
            lines.append("\(Terminal.grouped(count)) keys were refused: \(flaw)")
        }
        lines.append("")
        if exposureWindows.isEmpty {
            lines.append(
                matchedKeyCount == 0
                    ? "None of these keys was met." : "Keys were met, but none of them counts under this configuration.")
        } else {
            let keys = matchedKeyCount == 1 ? "1 key was met" : "\(matchedKeyCount) keys were met"
            lines.append("\(keys). Exposure windows (up to half an hour each):")
            lines.append("")
            lines.append(contentsOf: table())
            lines.append("")
            lines.append("Bars: one per scan, higher is nearer. dB is what the signal lost on its way; less is nearer.")
        }
        if let v1 {
            lines.append("")
            lines.append(
                "First-generation summary: \(v1.matchedKeyCount) keys, highest score \(v1.maximumRiskScore), sum "
                    + "\(v1.riskScoreSum), minutes near/middle/far "
                    + v1.attenuationDurationsSeconds.map { "\(($0 + 30) / 60)" }.joined(separator: "/"))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let names = [
        "confirmedTest": "confirmed test", "clinicalDiagnosis": "clinical diagnosis", "selfReport": "self-report",
    ]

    private func table() -> [String] {
        func pad(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        let header =
            pad("Day", 12) + pad("Minutes", 9) + pad("Nearest", 9) + pad("Report", 20) + pad("Infectious", 12)
            + pad("Calibration", 13) + "Scans"
        let rows = exposureWindows.map { window in
            let nearest = window.scanInstances.map(\.minAttenuationDb).min() ?? 0
            // 30 dB is touching, 80 dB the far end of a hall.
            let bars = Terminal.bars(window.scanInstances.map { 1 - (Double($0.typicalAttenuationDb) - 30) / 50 })
            return pad(window.date, 12) + pad("\(window.seconds / 60)", 9) + pad("\(nearest) dB", 9)
                + pad(Self.names[window.reportType] ?? window.reportType, 20) + pad(window.infectiousness, 12)
                + pad(window.calibrationConfidence, 13) + bars
        }
        return [header] + rows
    }
}

/// Writes JSON documents as every command of `vigil` prints them.
public enum JSONText {
    /// The value with sorted members, two blanks per level and plain slashes; throws `EncodingError` for a value that JSON
    /// cannot hold, such as a number that is not finite.
    public static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
